"""The explorer's questions: a dossier is a document with its claims and its questions, whether these should be
answered, what responders answered, and what detectors and a relevance gate say.
"""

from collections import defaultdict
from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.report.explorers import verdicts
from ragassay.report.explorers.page import Facet, Kind, excerpt
from ragassay.schemas.documents import NO_TOPIC
from ragassay.schemas.scope_answers import PREDICTIONS
from ragassay.studies.scope.detectors.detector import TRAINED_ON
from ragassay.studies.scope.detectors.detector_results import name_of
from ragassay.studies.scope.votes import IN, OUT, UNLABELLED, status

SIDES = {True: OUT, False: IN}
NO_LABEL = "not_judged"
NO_TYPE = "(not said)"
FINDINGS = {
    verdicts.ANSWERED_OUT: ("Answered although out of scope", (verdicts.ANSWERED_OUT,)),
    verdicts.REFUSED_IN: ("Refused although in scope", (verdicts.REFUSED_IN,)),
    verdicts.DECLINED_OUT: ("Declined or corrected, as it should be", (verdicts.DECLINED_OUT,)),
    verdicts.ANSWERED_IN: ("Answered, as it should be", (verdicts.ANSWERED_IN,)),
    verdicts.NO_VERDICT: ("No verdict on a response", (verdicts.NO_VERDICT,)),
    verdicts.MISSED: ("A detector misses that it is out of scope", (verdicts.MISSED,)),
    verdicts.FALSE_ALARM: ("A detector's false alarm", (verdicts.FALSE_ALARM,)),
    verdicts.OUTSIDE: ("The gate takes it for out of knowledge", (verdicts.OUTSIDE,)),
}
KIND = Kind(
    "questions",
    (
        Facet("should", "Should it be answered?", (verdicts.YES, verdicts.NO, verdicts.UNCLEAR)),
        Facet("topic", "Topic", is_name=True),
        Facet("intended", "Written as", (IN, OUT, UNLABELLED)),
        Facet("type", "Type", is_name=True),
        Facet("label", "Judged as", (IN, OUT, "tie", "no_verdict", NO_LABEL)),
        Facet("people", "People say", (IN, OUT)),
        Facet("status", "Status", ("kept", "disputed", "undecided")),
        Facet("hardness", "Hardness", ("hard", "not_hard", "not_graded")),
        Facet("stratum", "Nearness"),
        Facet("part", "To detectors", ("trained_on", "new")),
    ),
    {"responder": "Responder", "prompt": "Prompt", "detector": "Detector", "gate": "Gate"},
    (*verdicts.RESPONSE_OUTCOMES, *verdicts.DETECTOR_OUTCOMES, *verdicts.GATE_OUTCOMES),
    FINDINGS,
    {"nearness": "nearest to the document first", "margin": "closest votes first"},
    {
        "question_id": ("id",),
        "question": ("text",),
        "document_id": ("^", "id"),
        "title": ("^", "title"),
        "file": ("^", "file"),
        "excerpt": ("^", "excerpt"),
        "topic": ("topic",),
        "should be answered": ("should",),
        "written as": ("intended",),
        "type": ("type",),
        "judged as": ("label",),
        "votes out of scope": ("out_votes",),
        "votes in scope": ("in_votes",),
        "votes abstained": ("abstained",),
        "people": ("people",),
        "status": ("status",),
        "nearness": ("nearness",),
        "hardness": ("hardness",),
    },
    {
        "responder": {"response": "text", "outcome": "outcome", "why": "why"},
        "detector": {"predicts": "predicts", "probability": "probability", "outcome": "outcome"},
        "gate": {"decides": "outcome", "p-value": "p_value", "nearest passage": "passage"},
    },
)


def responder_columns(keys: Iterable[tuple[str, str]]) -> list[dict]:
    """One for each responder and prompt, in their order."""
    return [
        {"kind": "responder", "name": f"{responder}, {prompt}", "responder": responder, "prompt": prompt}
        for responder, prompt in dict.fromkeys(keys)
    ]


class Detectors:
    """What detectors predict: the majority of their seeds, and the mean of their probabilities. `load` comes before
    questions are asked about.
    """

    def __init__(self, paths: Iterable):
        self.methods, self.predictions = {}, {}  # method -> question -> what it predicts
        for keys, rows in tables.each(PREDICTIONS, paths, ["head"]):
            self.methods |= dict.fromkeys(_method(keys, head) for head in _heads(rows))

    def load(self, paths: Iterable) -> None:
        """From now on the questions of these files are known, and no others."""
        self.predictions = {method: {} for method in self.methods}
        names = ["question_id", "head", "out_of_scope", "probability", "part"]
        for keys, rows in tables.each(PREDICTIONS, paths, names):
            for head in _heads(rows):
                of_head = _seeds_together(rows.filter(pc.equal(rows["head"], head)).drop_columns("head"))
                predictions = {row["question_id"]: _prediction(row) for row in of_head.to_pylist()}
                self.predictions[_method(keys, head)] |= predictions

    def columns(self) -> list[dict]:
        return [{"kind": "detector", "name": name, "detector": name} for name in self.methods]

    def cells(self, question: dict, should: str) -> list[dict | None]:
        cells = []
        for by_question in self.predictions.values():
            prediction = by_question.get(question["question_id"])
            if prediction:
                is_out = {OUT: True, IN: False}.get(prediction["predicts"])
                prediction = prediction | {"outcome": verdicts.detector_outcome(should, is_out)}
            cells.append(prediction)
        return cells

    def part(self, question: str) -> str:
        """Whether one of them was trained on the question's document."""
        parts = [by_question[question]["part"] for by_question in self.predictions.values() if question in by_question]
        return "trained_on" if "trained_on" in parts else "new" if parts else "(none)"


def _method(keys, head):
    """Questions of a set may be asked of a detector that several generators' questions have trained."""
    trained_on = "" if keys["generator"] == keys["asked"] else f", trained on {keys['generator']}"
    return name_of(keys["detector"], keys["encoder"], head) + trained_on


def _heads(rows):
    return rows["head"].unique().to_pylist()


def _seeds_together(rows):
    """A row for each question."""
    shares = rows["out_of_scope"].cast(pa.int8())
    rows = rows.set_column(rows.column_names.index("out_of_scope"), "out_of_scope", shares)
    wanted = [("out_of_scope", "mean"), ("probability", "mean"), ("part", "max")]
    return rows.group_by("question_id", use_threads=False).aggregate(wanted)


def _prediction(row):
    share = row["out_of_scope_mean"]
    return {
        "predicts": None if share is None else SIDES[share > 0.5],
        "probability": None if share is None else round(row["probability_mean"], 4),
        "part": "trained_on" if row["part_max"] in TRAINED_ON else "new",
    }


class Responses:
    """What responders answered about one shard, and what judges and people say of it."""

    def __init__(self, columns: list[dict], responses: list[dict], labels: list[dict], people: dict):
        self.columns, self.people = columns, people
        self.responses = {_key(row): row for row in responses}
        self.labels = {_key(row): row for row in labels}

    def cells(self, question: dict, should: str) -> list[dict | None]:
        return [self._cell(question["question_id"], column, should) for column in self.columns]

    def _cell(self, question, column, should):
        key = (question, column["responder"], column["prompt"])
        if key not in self.responses:
            return None
        people = self.people.get(key) or self.people.get((question, column["responder"], None))
        outcome, why = verdicts.response_outcome(should, self.responses[key], self.labels.get(key), people)
        return {"text": self.responses[key]["text"], "outcome": outcome, "why": why}


def _key(row):
    return row["question_id"], row["responder"], row["prompt_name"]


def dossiers(
    documents, claims, recovered, novel, questions, labels, votes, hardness, hard, people, detectors, sources
) -> Iterable[dict]:
    """One per document with questions. The arguments up to `hardness` are rows of the tables of these names; `hard`
    says of questions whether they are, `people` is question -> label; `sources` give the cells, detectors among them.
    """
    claims, recovered, questions = (_by("doc_id", rows) for rows in (claims, recovered, questions))
    asked_about, votes = {row["recovered_id"] for row in novel}, _by("question_id", votes)
    labels = {row["question_id"]: row for row in labels}
    hardness = {row["question_id"]: row for row in hardness}
    for document in documents:
        doc_id, rows = document["doc_id"], []
        topic = document["topic"] or NO_TOPIC
        for question in sorted(questions[doc_id], key=lambda row: (row["intended"], row["slot"])):
            name = question["question_id"]
            row = {column: question[column] for column in ("text", "intended", "round")} | {"id": name, "topic": topic}
            row["type"] = question["question_type"] or NO_TYPE
            row |= _labelled(question["intended"], labels.get(name), people.get(name))
            row |= _hardness(hardness.get(name), hard.get(name))
            row |= {"slot": question["slot"] if question["recovered_id"] else None, "votes": _votes(votes[name])}
            cells = [cell for source in sources for cell in source.cells(question, row["should"])]
            rows.append(row | {"part": detectors.part(name), "cells": cells})
        if rows:
            title, published = document["title"] or doc_id, document["published_at"]
            yield {
                "id": doc_id,
                "title": title,
                "sorting": (topic, title),
                "file": document["source_id"] or document["url"],
                "excerpt": excerpt(document["text"]),
                "topic": topic,
                "published": published.date().isoformat() if published else None,
                **{column: document[column] for column in ("url", "site", "text")},
                "claims": _claims(claims[doc_id], recovered[doc_id], asked_about),
                "rows": rows,
            }


def _labelled(intended, label, people):
    named = label["label"] if label else NO_LABEL
    return {
        "label": named,
        "margin": label["margin"] if label else 0.0,
        "people": people or "(none)",
        "status": status(intended, named) if label else "undecided",
        "should": verdicts.should_be_answered(intended, label and named, people),
        **{count: label[count] if label else None for count in ("out_votes", "in_votes", "abstained")},
    }


def _hardness(row, is_hard):
    graded = {True: "hard", False: "not_hard", None: "not_graded"}[is_hard]
    measured = row or {"nearness": None, "stratum": "(none)"}
    return {"nearness": measured["nearness"], "stratum": measured["stratum"], "hardness": graded}


def _claims(claims, recovered, novel):
    """Per claim its rounds: what was guessed in its place, and whether that was found to be novel."""
    rounds = _by("slot", sorted(recovered, key=lambda row: row["round"]))
    return [
        {
            "slot": claim["slot"],
            "text": claim["text"],
            "rounds": [
                {"round": guess["round"], "text": guess["text"], "novel": guess["recovered_id"] in novel}
                for guess in rounds[claim["slot"]]
            ],
        }
        for claim in sorted(claims, key=lambda row: row["slot"])
    ]


def _votes(votes):
    """Per judge its votes in order, each a side or the reason for abstaining."""
    return [
        {"judge": judge, "votes": [SIDES.get(row["verdict"], row["abstained"]) for row in rows]}
        for judge, rows in sorted(_by("judge", sorted(votes, key=lambda row: row["vote"])).items())
    ]


def _by(key, rows):
    grouped = defaultdict(list)
    for row in rows:
        grouped[row[key]].append(row)
    return grouped
