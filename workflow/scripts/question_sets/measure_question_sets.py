"""Measure judges, detectors and responders on question sets: what they say against what questions were meant to be, and
against what people say.

Beside them stands the overlap control, which knows shared words and likeness alone. A detector is measured on the
documents that it was not made with, however the set came by them. Intervals are 95 % by resampled documents.
"""

import json
from collections import defaultdict
from pathlib import Path

import numpy as np

from ragassay import tables
from ragassay.detectors import predicted
from ragassay.errors import AssayError
from ragassay.metrics import resampling
from ragassay.question_sets.measures import KINDS, measured, settled
from ragassay.question_sets.names import RECORDED
from ragassay.retrieval import measures as ranked
from ragassay.schemas.defusion_labels import DEFUSION_LABELS
from ragassay.schemas.gold import GOLD
from ragassay.schemas.human_labels import HUMAN_LABELS
from ragassay.schemas.metrics import METRICS, metric
from ragassay.schemas.overlap import OVERLAP
from ragassay.schemas.queries import QUERIES
from ragassay.schemas.questions import QUESTIONS
from ragassay.schemas.scope_labels import SCOPE_LABELS
from ragassay.scope import control
from ragassay.scope.votes import DEFUSED, IN, NOT_DEFUSED, OUT, UNCLEAR
from ragassay.stage import log, run

INTENT, PEOPLE, CONTROL = "intention", "people", "(overlap control)"
STUDY = "question_sets"


def measure_question_sets(
    questions,
    human_labels,
    gold,
    scope_labels,
    defusion_labels,
    overlap,
    predictions,
    queries,
    neighbours,
    metrics,
    resamples,
    seed,
):
    """Each argument but the last three is a list of files, of all sets together; `gold` is what people settled here."""
    if not questions:
        raise AssayError("found no question set in the configuration, expected at least one under question_sets")
    asked = tables.read_all(QUESTIONS, questions, ["question_id", "doc_id", "generator", "intended"]).to_pylist()
    here = tables.read_all(GOLD, gold, ["question_id", "responder", "label"]).to_pylist()
    people = {(row["question_id"], row["responder"] or ""): row["label"] for row in here}
    people |= settled(tables.read_all(HUMAN_LABELS, human_labels).to_pylist())
    sets = defaultdict(list)
    for row in asked:
        row["truths"] = {INTENT: row["intended"], PEOPLE: people.get((row["question_id"], ""))}
        sets[row["generator"]].append(row)
    places = {row["question_id"]: row["generator"] for row in asked}
    features = {row["question_id"]: row for row in tables.read_all(OVERLAP, overlap).to_pylist()}
    judges, detectors = _judges(scope_labels, places), _detectors(predictions)
    found, draws = [], {"times": resamples, "seed": seed}
    for name, own in sets.items():
        for truth in (INTENT, PEOPLE):
            rows = [row | {"out": row["truths"][truth] == OUT} for row in own if row["truths"][truth] in KINDS]
            control = {CONTROL: _control(rows, features)} if rows else {}
            for judge, said in {**judges[name], **detectors[name], **control}.items() if rows else ():
                keys, new = {"set": name, "judge": judge, "truth": truth}, rows
                if judge in detectors[name]:
                    new = [row for row in rows if row["question_id"] in said]
                found.append(_row("accuracy", keys, "left_out", len(rows) - len(new), len(rows)))
                found += _told(measured(keys, new, said, draws)) if new else ()
        told = {truth: sum(row["truths"][truth] in KINDS for row in own) for truth in (INTENT, PEOPLE)}
        numbers = {"questions": len(own), "documents": len({row["doc_id"] for row in own})}
        for number, value in (numbers | {"labelled": told[INTENT], "labelled_by_people": told[PEOPLE]}).items():
            found.append(_row("sets", {"set": name}, number, value, value))
    found += _responses(tables.read_all(DEFUSION_LABELS, defusion_labels).to_pylist(), places, people, draws)
    found += _retrieved(queries, neighbours, draws)
    tables.write(METRICS, metrics, found)


def _judges(paths, places):
    """set -> judge -> what it says."""
    found = defaultdict(lambda: defaultdict(dict))
    for row in tables.read_all(SCOPE_LABELS, paths).to_pylist():
        found[places[row["question_id"]]][row["judge"]][row["question_id"]] = [(row["label"], row["margin"])]
    return found


def _detectors(paths):
    """set -> detector -> what it says with each seed, of documents that it was not made with."""
    found, sources = defaultdict(dict), {predicted.place(path).source for path in paths}
    for place, name, rows in predicted.read(paths):
        name = name if len(sources) == 1 else f"{name}, learnt from {place.source}"
        said = found[place.asked].setdefault(name, defaultdict(list))
        for row in filter(predicted.is_new, rows):
            said[row["question_id"]].append((OUT if row["out_of_scope"] else IN, row["score"]))
    return found


def _control(rows, features):
    """What the control says of each question, from a fit on other documents."""
    scores = control.scores([features[row["question_id"]] for row in rows], [row["out"] for row in rows])
    return {
        row["question_id"]: [(UNCLEAR, 0.0) if score is None else (OUT if score > 0.5 else IN, 2 * score - 1)]
        for row, score in zip(rows, scores, strict=True)
    }


def _responses(labels, places, people, draws):
    """How many responses to questions out of scope are defused, and how often people say the same."""
    groups = defaultdict(list)
    for row in labels:
        groups[places[row["question_id"]], row["responder"], row["prompt_name"], row["judge"]].append(row)
    for (name, responder, prompt, judge), rows in groups.items():
        keys = {"set": name, "responder": responder, "prompt": prompt, "judge": judge}
        sided = [row for row in rows if row["label"] in (DEFUSED, NOT_DEFUSED)]
        seen = sided if prompt == RECORDED else []  # people labelled what they were shown
        truths = [(row, people.get((row["question_id"], responder))) for row in seen]
        shares = {
            "defused": [(row["doc_id"], row["label"] == DEFUSED) for row in sided],
            "as_people_say": [(row["doc_id"], row["label"] == truth) for row, truth in truths if truth],
        }
        yield _row("responses", keys, "responses", len(rows), len(rows))
        for metric_name, own in shares.items():
            mean = resampling.mean([float(one) for _, one in own], [doc for doc, _ in own], **draws)
            if mean[0] is not None:
                told = (name, responder, prompt, 100 * mean[0], mean[1], metric_name, judge)
                log.info("%s, %s, %s: %.1f %% of %d %s, says %s", *told)
            yield _row("responses", keys, metric_name, *mean, abstained=len(rows) - len(sided))


def _retrieved(queries, neighbours, draws):
    """How often each retriever finds the document of a question among those of the set."""
    asked = {Path(path).stem: tables.read(QUERIES, path).to_pylist() for path in queries}
    for path in neighbours:
        name, retriever = Path(path).stem, Path(path).parent.name
        kinds = np.array([row["kind"] for row in asked[name]], str)
        masks = {"(all)": np.ones(len(kinds), bool)} | {shown: kinds == kind for kind, shown in KINDS.items()}
        columns = ranked.values(asked[name], path)
        for kind, told in ranked.means(list(columns.values()), asked[name], masks, **draws).items():
            for metric_name, own in zip(columns, told, strict=True):
                yield _row("retrieval", {"set": name, "retriever": retriever, "kind": kind}, metric_name, *own)


def _told(rows):
    """The same rows; the accuracies among them are logged."""
    for row in rows:
        if row["metric"] == "accuracy":
            keys = json.loads(row["keys"])
            shown = [f"{100 * row[name]:.1f}" if row[name] is not None else "-" for name in ("value", "low", "high")]
            where = (keys["set"], keys["judge"], keys["truth"], *shown, row["n"], row["abstained"])
            log.info("%s, %s against %s: right on %s %% [%s, %s] of %d, %d abstained", *where)
        yield row


def _row(table, keys, name, value, n, low=None, high=None, abstained=0):
    value = None if value is None else float(value)
    return metric(STUDY, table, keys, name, value, n, low, high, abstained)


if __name__ == "__main__":
    run(measure_question_sets, snakemake)
