"""Measure judges and detectors on question sets: what they say against what questions were meant to be, and against
what people say.

Beside them stands the overlap control, which knows shared words and likeness alone. A question on which a judge has no
side counts as an abstention, never as wrong or right; the bounds say what it could change. Intervals are 95 % by
resampled documents.
"""

from collections import Counter, defaultdict

from ragassay import tables
from ragassay.errors import AssayError
from ragassay.metrics import resampling
from ragassay.metrics.auroc import Auroc
from ragassay.schemas.defusion_labels import DEFUSION_LABELS
from ragassay.schemas.human_labels import HUMAN_LABELS
from ragassay.schemas.metrics import METRICS, metric
from ragassay.schemas.overlap import OVERLAP
from ragassay.schemas.questions import QUESTIONS
from ragassay.schemas.scope_labels import SCOPE_LABELS
from ragassay.scope import control
from ragassay.scope.votes import DEFUSED, IN, NOT_DEFUSED, OUT, TIE, UNCLEAR
from ragassay.stage import log, run

KINDS = {OUT: "out of scope", IN: "in scope"}
INTENT, PEOPLE, CONTROL = "intention", "people", "(overlap control)"


def measure_question_sets(questions, human_labels, scope_labels, defusion_labels, overlap, metrics, resamples, seed):
    """Each argument but the last three is a list of files, of all sets together."""
    if not questions:
        raise AssayError("found no question set in the configuration, expected at least one under question_sets")
    asked = tables.read_all(QUESTIONS, questions, ["question_id", "doc_id", "generator", "intended"]).to_pylist()
    people = settled(tables.read_all(HUMAN_LABELS, human_labels).to_pylist())
    defused = tables.read_all(DEFUSION_LABELS, defusion_labels).to_pylist()
    sets, said = defaultdict(list), defaultdict(dict)
    for row in asked:
        row["truths"] = {INTENT: row["intended"], PEOPLE: people.get((row["question_id"], ""))}
        sets[row["generator"]].append(row)
    places = {row["question_id"]: row["generator"] for row in asked}
    for row in tables.read_all(SCOPE_LABELS, scope_labels).to_pylist():
        said[places[row["question_id"]], row["judge"]][row["question_id"]] = (row["label"], row["margin"])
    features = {row["question_id"]: row for row in tables.read_all(OVERLAP, overlap).to_pylist()}
    found, draws = [], {"times": resamples, "seed": seed}
    for name, own in sets.items():
        judges = {judge: labels for (of, judge), labels in said.items() if of == name}
        for truth in (INTENT, PEOPLE):
            rows = [row | {"out": row["truths"][truth] == OUT} for row in own if row["truths"][truth] in KINDS]
            if rows:
                for judge, labels in (judges | {CONTROL: _control(rows, features)}).items():
                    found += _measured({"set": name, "judge": judge, "truth": truth}, rows, labels, draws)
        told = {truth: sum(row["truths"][truth] in KINDS for row in own) for truth in (INTENT, PEOPLE)}
        numbers = {"questions": len(own), "documents": len({row["doc_id"] for row in own})}
        for number, value in (numbers | {"labelled": told[INTENT], "labelled_by_people": told[PEOPLE]}).items():
            found.append(_row("sets", {"set": name}, number, value, value))
    found += _responses(defused, places, people, draws)
    tables.write(METRICS, metrics, found)


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


def _responses(labels, places, people, draws):
    """How many recorded responses to questions out of scope are defused, and how often people say the same."""
    groups = defaultdict(list)
    for row in labels:
        groups[places[row["question_id"]], row["responder"], row["judge"]].append(row)
    for (name, responder, judge), rows in groups.items():
        keys = {"set": name, "responder": responder, "judge": judge}
        sided = [row for row in rows if row["label"] in (DEFUSED, NOT_DEFUSED)]
        truths = [(row, people.get((row["question_id"], responder))) for row in sided]
        shares = {"defused": [(row["doc_id"], row["label"] == DEFUSED) for row in sided]}
        shares["as_people_say"] = [(row["doc_id"], row["label"] == truth) for row, truth in truths if truth]
        yield _row("responses", keys, "responses", len(rows), len(rows))
        for metric_name, own in shares.items():
            mean = resampling.mean([float(one) for _, one in own], [doc for doc, _ in own], **draws)
            if mean[0] is not None:
                log.info(
                    "%s, %s: %.1f %% of %d %s, says %s", name, responder, 100 * mean[0], mean[1], metric_name, judge
                )
            yield _row("responses", keys, metric_name, *mean, abstained=len(rows) - len(sided))


def _control(rows, features):
    """question -> label and margin of the control, each from a fit on other documents."""
    scores = control.scores([features[row["question_id"]] for row in rows], [row["out"] for row in rows])
    sides = {None: (UNCLEAR, 0.0)}
    return {
        row["question_id"]: sides.get(score) or (OUT if score > 0.5 else IN, 2 * score - 1)
        for row, score in zip(rows, scores, strict=True)
    }


def _measured(keys, rows, labels, draws):
    """The confusion matrix and what follows from it."""
    for row in rows:
        row["label"], row["margin"] = labels.get(row["question_id"], (UNCLEAR, 0.0))
    cells = Counter((row["out"], row["label"]) for row in rows)
    for out, kind in ((True, KINDS[OUT]), (False, KINDS[IN])):
        for label in (OUT, IN, TIE, UNCLEAR):
            same = sum(row["out"] is out for row in rows)
            yield _row("matrix", {**keys, "meant": kind}, label, cells[out, label], same)
    sided = [row for row in rows if row["label"] in KINDS]
    right = sum((row["label"] == OUT) is row["out"] for row in sided)
    abstained, owners = len(rows) - len(sided), [row["doc_id"] for row in sided]
    yield _row("accuracy", keys, "asked", len(rows), len(rows))
    yield _row("accuracy", keys, "abstentions", abstained, len(rows))
    shares = {"accuracy": sided}
    shares |= {f"right_on_{kind}": [row for row in sided if row["out"] is (kind == OUT)] for kind in KINDS}
    told = []
    for name, own in shares.items():
        agreed = [float((row["label"] == OUT) is row["out"]) for row in own]
        mean = resampling.mean(agreed, [row["doc_id"] for row in own], **draws)
        of_kind = len(rows) if name == "accuracy" else sum(row["out"] is (name == f"right_on_{OUT}") for row in rows)
        yield _row("accuracy", keys, name, *mean, abstained=of_kind - len(own))
        told.append(mean)
    yield _row("accuracy", keys, "at_least", right / len(rows), len(rows))
    yield _row("accuracy", keys, "at_most", (right + abstained) / len(rows), len(rows))
    area = Auroc([row["margin"] for row in sided], [row["out"] for row in sided])
    drawn = resampling.interval(area(weights) for weights in resampling.resamples(owners, **draws)) if sided else ()
    yield _row("accuracy", keys, "auroc", area(), len(sided), *drawn, abstained=abstained)
    share, _, low, high = told[0]
    matrix = " ".join(f"{kind}->{label} {cells[kind == OUT, label]}" for kind in KINDS for label in (OUT, IN))
    where = "%s, %s against %s: %d asked, %d abstained"
    log.info(where, keys["set"], keys["judge"], keys["truth"], len(rows), abstained)
    shown = [f"{100 * one:.1f}" if one is not None else "-" for one in (share, low, high)]
    log.info("    right on %s %% [%s, %s]; %s", *shown, matrix)


def _row(table, keys, name, value, n, low=None, high=None, abstained=0):
    value = None if value is None else float(value)
    return metric("question_sets", table, keys, name, value, n, low, high, abstained)


if __name__ == "__main__":
    run(measure_question_sets, snakemake)
