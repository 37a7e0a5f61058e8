"""How well somebody tells which questions are out of scope: the confusion matrix, the accuracy, what abstentions could
change, the AUROC. Judges, detectors and the overlap control are all measured by this. Reads no file.

Who answers several times, as a detector does that was trained with several seeds, counts with the mean over its
answers. A question without a side is an abstention, never wrong or right. Intervals are 95 % by resampled documents.
"""

from collections import Counter, defaultdict
from statistics import fmean

from ragassay.metrics import resampling
from ragassay.metrics.auroc import Auroc
from ragassay.schemas.metrics import metric
from ragassay.scope.votes import IN, OUT, TIE, UNCLEAR

KINDS = {OUT: "out of scope", IN: "in scope"}
NOTHING = [(UNCLEAR, 0.0)]  # what is said of a question that was not asked

Said = dict[str, list[tuple[str, float]]]  # question -> the label and margin of each answer, higher = more out of scope


def settled(labels: list[dict]) -> dict[tuple[str, str], str | None]:
    """(question, responder) -> what people say of the response, or, without a responder, of the question's scope: what
    they agreed on together, else the majority; None if they tie.
    """
    votes = defaultdict(dict)
    for row in labels:
        votes[row["question_id"], row["responder"]][row["annotator"]] = row["label"]
    found = {}
    for item, own in votes.items():
        ranked = Counter(own.values()).most_common()
        tie = len(ranked) > 1 and ranked[0][1] == ranked[1][1]
        found[item] = own.get("") or (None if tie else ranked[0][0])
    return found


def measured(keys: dict, rows: list[dict], said: Said, draws: dict):
    """Metric rows of the tables matrix and accuracy; `rows` have question_id, doc_id and the truth, `out`."""
    answers = [said.get(row["question_id"], NOTHING) for row in rows]
    cells = Counter()
    for row, own in zip(rows, answers, strict=True):
        for label, _ in own:
            cells[row["out"], label] += 1 / len(own)
    cells = {cell: round(count, 6) for cell, count in cells.items()}
    for out, kind in ((True, KINDS[OUT]), (False, KINDS[IN])):
        same = sum(row["out"] is out for row in rows)
        for label in (OUT, IN, TIE, UNCLEAR):
            yield _row("matrix", {**keys, "meant": kind}, label, cells.get((out, label), 0), same)
    sided = [(row, own) for row, own in zip(rows, answers, strict=True) if all(label in KINDS for label, _ in own)]
    rights = {row["question_id"]: fmean((label == OUT) is row["out"] for label, _ in own) for row, own in sided}
    right, abstained = sum(rights.values()), len(rows) - len(sided)
    yield _row("accuracy", keys, "asked", len(rows), len(rows))
    yield _row("accuracy", keys, "abstentions", abstained, len(rows))
    shares = {"accuracy": rows}
    shares |= {f"right_on_{kind}": [row for row in rows if row["out"] is (kind == OUT)] for kind in KINDS}
    for name, of_kind in shares.items():
        own = [row for row in of_kind if row["question_id"] in rights]
        values = [rights[row["question_id"]] for row in own]
        mean = resampling.mean(values, [row["doc_id"] for row in own], **draws)
        yield _row("accuracy", keys, name, *mean, abstained=len(of_kind) - len(own))
    yield _row("accuracy", keys, "at_least", right / len(rows), len(rows))
    yield _row("accuracy", keys, "at_most", (right + abstained) / len(rows), len(rows))
    area = Auroc([fmean(margin for _, margin in own) for _, own in sided], [row["out"] for row, _ in sided])
    owners = [row["doc_id"] for row, _ in sided]
    drawn = resampling.interval(area(weights) for weights in resampling.resamples(owners, **draws)) if sided else ()
    yield _row("accuracy", keys, "auroc", area(), len(sided), *drawn, abstained=abstained)


def _row(table, keys, name, value, n, low=None, high=None, abstained=0):
    value = None if value is None else float(value)
    return metric("question_sets", table, keys, name, value, n, low, high, abstained)
