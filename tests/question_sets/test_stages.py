"""A small question set through every stage, with one command each, in a project whose tiny study has run."""

import json

import pytest
import yaml

from ragassay import tables
from ragassay.schemas.metrics import METRICS
from ragassay.schemas.predictions import PREDICTIONS
from snake import TINY, planned, snakemake

MINE = (*TINY, "mine.yaml")
RESULT = "results/metrics/question_sets.parquet"
TEXTS = {
    "ferry": "The ferry to Brinmoor sails at nine. It carries forty cars and a hundred people. Its captain is Ada.",
    "bridge": "A footbridge fell into the river Osk in May. Nobody was hurt. A new one is wanted by June.",
}
ASKED = [
    ("1", "ferry", "When does the ferry to Brinmoor sail?", "in_scope"),
    ("2", "ferry", "Who painted the ferry red last winter?", "out_of_scope"),
    ("3", "bridge", "When did the footbridge fall into the river?", "in_scope"),
    ("4", "bridge", "Which company insured the footbridge against floods?", "out_of_scope"),
    ("5", "known", "How many whales were counted by the queen?", "out_of_scope"),
]


def write(project, name, head, rows):
    lines = [json.dumps(dict(zip(head.split(), row, strict=True))) for row in rows]
    (project / name).write_text("\n".join(lines) + "\n")


def configured(project, **more):
    mine = {"documents": ["texts.jsonl"], "questions": ["asked.jsonl"], "human_votes": ["votes.jsonl"], **more}
    (project / "mine.yaml").write_text(yaml.safe_dump({"question_sets": {"mine": mine}}))


def metrics(project, path=RESULT):
    """table -> [(keys, metric, row)]"""
    found = {}
    for row in tables.read(METRICS, project / path).to_pylist():
        found.setdefault(row["table"], []).append((json.loads(row["keys"]), row["metric"], row))
    return found


@pytest.fixture
def study(done):
    """Two documents of the set's own and one of the study, questions about them, and votes of two people."""
    known = json.loads((done / "tests/tiny/documents/january.jsonl").read_text().splitlines()[0])["text"]
    write(done, "texts.jsonl", "doc_id text topic", [(*own, "travel") for own in [*TEXTS.items(), ("known", known)]])
    write(done, "asked.jsonl", "question_id doc_id question out_of_scope", ASKED)
    votes = [(row[0], person, row[3]) for row in ASKED for person in ("ann", "ben")]
    write(done, "votes.jsonl", "question_id annotator label", votes)
    return done


def test_judges_and_every_detector_are_measured_with_one_command(study):
    configured(study)
    plan = planned(study, "question_sets", *MINE)
    assert plan["apply_detector"] == 3 and plan["judge_scope"] == 1
    assert not {"train_detector", "write_questions", "respond"} & plan.keys()
    snakemake(study, "question_sets", *MINE)
    assert planned(study, "question_sets", *MINE) == {}
    accuracy = [(keys, row) for keys, name, row in metrics(study)["accuracy"] if name == "accuracy"]
    judges = {(keys["judge"], keys["truth"]) for keys, _ in accuracy}
    names = {
        "embedded",
        "(overlap control)",
        "sbert_nli (minilm)",
        "unused_token (demo-lm)",
        "overlap control (minilm)",
    }
    assert {(name, truth) for name in names for truth in ("intention", "people")} <= judges
    rows = tables.read(
        PREDICTIONS, study / "results/predictions/sbert_nli/minilm/embedded/embedded/mine.parquet"
    ).to_pylist()
    parts = {row["part"] for row in rows if row["intended"] == "in_scope"}
    assert parts == {"unseen"} and {row["part"] for row in rows} > parts, "an article of the study is known again"


def test_a_set_that_wants_no_detectors_needs_no_study(study):
    configured(study, detectors=False)
    assert "apply_detector" not in planned(study, "question_sets", *MINE)
