"""Turn responses, what judges say of them, closed-book answers and direct detection into the metrics of the report's
section. Asks nobody; which questions count is what the study's own judge, the first, agrees on.
"""

from pathlib import Path

import numpy as np
import pyarrow.compute as pc

from ragassay import tables
from ragassay.metrics.correction import Judge
from ragassay.schemas.closed_book_answers import CLOSED_BOOK_ANSWERS
from ragassay.schemas.defusion_labels import DEFUSION_LABELS
from ragassay.schemas.defusion_votes import DEFUSION_VOTES
from ragassay.schemas.gold import GOLD
from ragassay.schemas.hardness_scores import HARDNESS_SCORES
from ragassay.schemas.metrics import METRICS, metric
from ragassay.schemas.responses import RESPONSES
from ragassay.schemas.scope_labels import SCOPE_LABELS
from ragassay.scope.ablation import ablation_rows
from ragassay.scope.cells import cell_rows
from ragassay.scope.closed_book import AFTER, closed_book_rows, period
from ragassay.scope.comparisons import comparison_rows
from ragassay.scope.detection import detection_rows, figure_1
from ragassay.scope.verdicts import UNASKED, Cell, read_questions, read_verdicts
from ragassay.scope.votes import DEFUSED, NOT_DEFUSED
from ragassay.stage import run


def measure_responses(
    documents, selected_questions, responses, defusion_labels, defusion_votes, scope_labels, hardness_scores,
    closed_book_answers, gold, metrics, generator, judge, prompt, cutoffs, least_share, resamples, flips, seed,
):  # fmt: skip
    """`generator` and `judge` are the study's own; with responses to `prompt` closed-book answers are compared."""
    questions = read_questions(documents, selected_questions)
    verdicts = read_verdicts(questions, defusion_labels)
    people = tables.read_all(GOLD, gold).to_pylist()
    scope = {row["question_id"]: row["label"] for row in people if row["task"] == "scope"}
    defusion = {_response(row): row["label"] for row in people if row["task"] == "defusion"}
    judges, draws = _on_gold(defusion_labels, defusion), {"times": resamples, "seed": seed}
    rows = [*_judges(judges, verdicts), *ablation_rows(*_ways(defusion_votes), defusion, least_share, **draws)]
    for name, own in questions.items():
        cells, given = verdicts[name], _by(responses, name, 3)
        hard, overlap = _overlap(hardness_scores, name)
        if cells:
            counts = {(asked, responder): _said(own, paths) for (responder, asked), paths in given.items()}
            rows += cell_rows(own, cells, _marks(own, cells, hard, cutoffs), counts, judges, **draws)
            rows += comparison_rows(own, cells, flips=flips, **draws)
        labels = {model: _labels(paths) for (model,), paths in _by(scope_labels, name, 2).items()}
        detected = list(detection_rows(own, labels, overlap, hard, judge, scope, **draws))
        rows += detected
        if name == generator:
            rows += figure_1(detected)
        for (responder,), paths in _by(closed_book_answers, name, 2).items():
            codes = cells.get(Cell(judge, prompt, responder), np.full(len(own.ids), UNASKED, np.int8))
            texts = _texts(CLOSED_BOOK_ANSWERS, paths), _texts(RESPONSES, given.get((responder, prompt), []))
            rows += closed_book_rows(own, responder, *texts, codes, cutoffs.get(responder), **draws)
    tables.write(METRICS, metrics, rows)


def _judges(judges, verdicts):
    """How each judge of defusion does on what people have settled."""
    for name in sorted({cell.judge for cells in verdicts.values() for cell in cells}):
        own = judges.get(name, Judge(0, 0, 0, 0))
        for rate, n in (("sensitivity", own.yes), ("specificity", own.no)):
            yield metric("responses", "judges", {"judge": name}, rate, getattr(own, rate), n)


def _on_gold(paths, people):
    """judge -> how it labels what people have settled; what it has no label for is left out."""
    counts = {}
    for path in paths if people else ():
        for row in tables.read(DEFUSION_LABELS, path).to_pylist():
            truth, label = people.get(_response(row)), row["label"]
            if truth and label in (DEFUSED, NOT_DEFUSED):
                own = counts.setdefault(row["judge"], dict.fromkeys(Judge._fields, 0))
                side = "yes" if truth == DEFUSED else "no"
                own[side] += 1
                own[f"{side}_of_{side}"] += label == truth
    return {judge: Judge(**own) for judge, own in counts.items()}


def _marks(questions, cells, hard, cutoffs):
    """Parts of the questions to look at apart: the hard ones, and those that the responder cannot have read about."""
    is_hard = np.array([name in hard for name in questions.ids.to_pylist()], bool)
    after = {
        responder: np.array([period(day, cutoffs.get(responder)) == AFTER for day in questions.published], bool)
        for responder in {cell.responder for cell in cells}
    }
    unread = np.stack([after[cell.responder][questions.owners] for cell in cells], axis=1)
    return {"hard": is_hard[:, None], "after_cutoff": unread}


def _overlap(paths, generator):
    """The hard questions, and the score of the overlap control for those that have one."""
    own = _by(paths, generator, 1).values()
    rows = tables.read_all(HARDNESS_SCORES, [path for paths in own for path in paths]).to_pylist()
    return {row["question_id"] for row in rows if row["hard"]}, {row["question_id"]: row["score"] for row in rows}


def _said(questions, paths):
    """Of kept questions out of scope: how many responses are not empty and how many were cut off."""
    wanted, counts = questions.out & questions.kept, np.zeros(2, int)
    for path in paths:
        rows = tables.read(RESPONSES, path, ["question_id", "text", "truncated"])
        places = questions.places(rows["question_id"])
        here = (places >= 0) & wanted[places]
        texts = pc.not_equal(pc.utf8_trim_whitespace(rows["text"]), "").to_numpy()
        counts += [(texts & here).sum(), (rows["truncated"].to_numpy() & here).sum()]
    return tuple(counts.tolist())


def _texts(table, paths):
    return dict(zip(*tables.read_all(table, paths, ["question_id", "text"]).to_pydict().values(), strict=True))


def _labels(paths):
    return dict(zip(*tables.read_all(SCOPE_LABELS, paths, ["question_id", "label"]).to_pydict().values(), strict=True))


def _ways(paths):
    """The way to ask, which is empty for the study's own, -> response -> verdicts; and response -> document."""
    ways, owners = {}, {}
    for path in paths:
        _, responder, prompt, _ = Path(path).parts[-5:-1]
        own = ways.setdefault(Path(path).parts[-6].removeprefix("defusion_votes").removeprefix("_"), {})
        rows = tables.read(DEFUSION_VOTES, path, ["question_id", "doc_id", "verdict"])  # in the order of the votes
        for question, document, verdict in zip(*rows.to_pydict().values(), strict=True):
            response = question, responder, prompt
            own.setdefault(response, []).append(verdict)
            owners[response] = document
    return ways, owners


def _response(row):
    return row["question_id"], row["responder"], row["prompt_name"]


def _by(paths, generator, depth):
    """The last folders of the paths below this generator -> paths."""
    found = {}
    for path in paths:
        owner, *names = Path(path).parts[-depth - 1 : -1]
        if owner == generator:
            found.setdefault(tuple(names), []).append(path)
    return found


if __name__ == "__main__":
    run(measure_responses, snakemake)
