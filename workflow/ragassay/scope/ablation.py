"""The paper's Table 3: what worked examples and more votes are worth to the judge of defusion.

Nothing is asked for it: what fewer votes would have said is read from the first ones that are kept. Right is what
people say; where they have not been asked, agreement with the study's own way, all its votes, stands in its place.
"""

import numpy as np

from ragassay.metrics.clustered import mean
from ragassay.schemas.metrics import metric
from ragassay.scope.votes import DEFUSED, NOT_DEFUSED, defusion_label

FEWER = (1, 3, 9)
OWN = "as configured"


def ablation_rows(votes: dict, owners: dict, gold: dict, least_share: float, times: int, seed: int):
    """The rows of table_3. `votes` are way to ask -> response -> verdicts in their order, the study's own way under an
    empty name; `owners` response -> document, `gold` response -> what people say.
    """
    numbers = {name: number for number, name in enumerate(sorted(set(owners.values())))}
    own = {response: defusion_label(verdicts, least_share).label for response, verdicts in votes.get("", {}).items()}
    for at, (way, verdicts) in enumerate(sorted(votes.items(), key=lambda item: (item[0] == "", item[0])), 1):
        most = max(map(len, verdicts.values()), default=0)
        for m in sorted({number for number in (*FEWER, most) if 0 < number <= most}):
            labels = {name: defusion_label(given[:m], least_share).label for name, given in verdicts.items()}
            keys = {"at": at, "examples": way or OWN, "votes": m}
            for name, truth in (("accuracy", gold), ("agreement", own)):
                yield metric("responses", "table_3", keys, name, **_right(labels, truth, owners, numbers, times, seed))


def _right(labels, truth, owners, numbers, times, seed):
    sides = (DEFUSED, NOT_DEFUSED)
    asked = [name for name in labels if truth.get(name) in sides]
    told = [name for name in asked if labels[name] in sides]
    places = np.array([numbers[owners[name]] for name in told], int)
    right = [labels[name] == truth[name] for name in told]
    return mean(places, right, len(numbers), times, seed) | {"abstained": len(asked) - len(told)}
