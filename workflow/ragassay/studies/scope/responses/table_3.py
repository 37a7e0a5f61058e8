"""The paper's Table 3: how much worked examples and more votes help the judge of defusion.

It costs no calls: results for fewer votes use the first ones. Accuracy is against people's labels; where there are
none, agreement with the study's own prompt and all its votes takes its place.
"""

import numpy as np

from ragassay.base import tables
from ragassay.metrics.panel import Panel
from ragassay.schemas.report import Section
from ragassay.schemas.scope_answers import DEFUSION_VOTES
from ragassay.studies.scope.questions.votes import DEFUSED, NOT_DEFUSED, defusion_label

SECTION = Section("responses")
FEWER = (1, 3, 9)
OWN = "as configured"
SIDES = {DEFUSED: 1.0, NOT_DEFUSED: 0.0}


def ablation_rows(votes: dict, owners: dict, gold: dict, least_share: float, times: int, seed: int):
    """The rows of table_3. `votes` are way to ask -> response -> verdicts in their order, the study's own way under an
    empty name; `owners` response -> document, `gold` response -> what people say.
    """
    responses = sorted(owners)
    panel = Panel([owners[response] for response in responses], times, seed)
    own = {response: defusion_label(verdicts, least_share).label for response, verdicts in votes.get("", {}).items()}
    truths = {name: _sides(responses, labels) for name, labels in (("accuracy", gold), ("agreement", own))}
    for at, (way, verdicts) in enumerate(sorted(votes.items(), key=lambda item: (item[0] == "", item[0])), 1):
        voted = np.array([response in verdicts for response in responses], bool)
        most = max(map(len, verdicts.values()), default=0)
        for m in sorted({number for number in (*FEWER, most) if 0 < number <= most}):
            labels = {name: defusion_label(given[:m], least_share).label for name, given in verdicts.items()}
            keys, said = {"at": at, "examples": way or OWN, "votes": m}, _sides(responses, labels)
            for name, truth in truths.items():
                right = np.where(np.isnan(said), np.nan, said == truth)
                estimates = panel.mean(right, voted & ~np.isnan(truth))
                yield SECTION.row("table_3", keys, name, **estimates.row())


def votes_by_way(paths) -> tuple[dict, dict]:
    """The way to ask (a variant of the prompt, empty for the study's own) -> response -> its verdicts in their order;
    and response -> document. A response is named by question, responder and prompt.
    """
    votes, owners = {}, {}
    for keys, rows in tables.each(DEFUSION_VOTES, paths, ["question_id", "doc_id", "verdict"]):
        of_way = votes.setdefault(keys["variant"].removeprefix("_"), {})
        for question, document, verdict in zip(*rows.to_pydict().values(), strict=True):
            response = question, keys["responder"], keys["prompt"]
            of_way.setdefault(response, []).append(verdict)
            owners[response] = document
    return votes, owners


def _sides(responses, labels):
    """1 for each response that is defused, 0 for each that is not, NaN without a side."""
    return np.array([SIDES.get(labels.get(response), np.nan) for response in responses], float)
