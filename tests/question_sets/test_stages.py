"""A small question set through every stage, with one command, in a project whose tiny study has run."""

import json
import shutil

import pytest
import yaml

from project import TINY, planned, snakemake
from ragassay.base import tables
from ragassay.release.publishing import publish
from ragassay.release.replaying import replay
from ragassay.release.verification import checks
from ragassay.schemas.report import METRICS
from ragassay.schemas.scope_answers import PREDICTIONS, RESPONSES
from releases import DAY, everything, sources

MINE = (*TINY, "mine.yaml")
GOAL = ("question_sets", "results/metrics/detectors.parquet", "results/report/index.html")
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
SAID = [("2", "old-model", "The document does not say."), ("4", "old-model", "The Osk Company insured it.")]


def write(project, name, head, rows):
    lines = [json.dumps(dict(zip(head.split(), row, strict=True))) for row in rows]
    (project / name).write_text("\n".join(lines) + "\n")


def configured(project, **more):
    mine = {"documents": ["texts.jsonl"], "questions": ["asked.jsonl"], "human_votes": ["votes.jsonl"]}
    mine |= {"responses": ["said.jsonl"], "responders": {"old": "old-model"}}
    settings = {"question_sets": {"mine": mine | more}, "release": sources("mine")}
    (project / "mine.yaml").write_text(yaml.safe_dump(settings))


@pytest.fixture(scope="module")
def study(tiny, tmp_path_factory):
    return with_a_set(tiny, tmp_path_factory.mktemp("stages") / "project")


def with_a_set(tiny, folder):
    """Two documents of the set's own and one of the study, questions, responses, and votes of two people."""
    project = shutil.copytree(tiny, folder, symlinks=True)
    known = json.loads((project / "tests/tiny/documents/january.jsonl").read_text().splitlines()[0])["text"]
    texts = [(*own, "travel") for own in [*TEXTS.items(), ("known", known)]]
    write(project, "texts.jsonl", "doc_id text topic", texts)
    write(project, "asked.jsonl", "question_id doc_id question out_of_scope", ASKED)
    write(project, "said.jsonl", "question_id responder response", SAID)
    votes = [(name, who, "scope", "", label) for name, _, _, label in ASKED for who in ("ann", "ben")]
    votes += [("2", who, "defusion", "old", "defused") for who in ("ann", "ben")]
    write(project, "votes.jsonl", "question_id annotator task responder label", votes)
    configured(project)
    return project


@pytest.fixture(scope="module")
def measured(study):
    """The set has been through all stages: section -> (table, metric) -> [(keys, row)]."""
    configured(study, responding=True)
    snakemake(study, *GOAL, *MINE)
    assert planned(study, *GOAL, *MINE) == {}
    sections = {}
    for section in ("question_sets", "agreement", "detectors"):
        found = sections.setdefault(section, {})
        for row in tables.read(METRICS, study / f"results/metrics/{section}.parquet").to_pylist():
            found.setdefault((row["table"], row["metric"]), []).append((json.loads(row["keys"]), row))
    return sections


def test_a_set_alone_asks_for_no_more_than_judges_detectors_and_a_search(tiny, tmp_path):
    study = with_a_set(tiny, tmp_path / "project")
    plan = planned(study, "question_sets", *MINE)
    assert (plan["apply_detectors"], plan["judge_scope"], plan["judge_defusion"], plan["search_bm25"]) == (1, 1, 1, 1)
    assert not {"train_detector", "write_questions", "respond"} & plan.keys()
    configured(study, detectors=False, retrieval=False)
    assert not {"apply_detectors", "search_bm25"} & planned(study, "question_sets", *MINE).keys()
    configured(study, responding=True)
    assert planned(study, "question_sets", *MINE)["respond"] == 2


def test_judges_and_every_detector_are_measured_on_intended_labels_and_on_those_of_people(measured):
    judges = {(keys["judge"], keys["truth"]) for keys, _ in measured["question_sets"]["accuracy", "accuracy"]}
    names = {"careful", "(overlap control)", "sbert_nli (minilm)", "unused_token (demo-lm)", "overlap control (minilm)"}
    assert {(name, truth) for name in names for truth in ("intention", "people")} <= judges


def test_a_document_of_the_study_is_known_again(measured, study):
    path = "results/predictions/sbert_nli/minilm/authors/careful/mine/mine.parquet"
    rows = tables.read(PREDICTIONS, study / path).to_pylist()
    parts = {row["part"] for row in rows if row["intended"] == "in_scope"}  # asked about the set's own documents
    assert parts == {"unseen"} and {row["part"] for row in rows} > parts


def test_recorded_and_own_responses_are_judged_and_counted(measured, study):
    found = {
        (keys["responder"], keys["prompt"]): row["n"] for keys, row in measured["question_sets"]["responses", "defused"]
    }
    assert found == {("old", "recorded"): 2, ("careful", "basic"): 3, ("careful", "two_shot"): 3}
    same = {keys["prompt"]: row for keys, row in measured["question_sets"]["responses", "as_people_say"]}
    assert (same["recorded"]["value"], same["recorded"]["n"]) == (1, 1) and same["basic"]["value"] is None
    rows = tables.read(RESPONSES, study / "results/responses/mine/careful/basic/mine.parquet").to_pylist()
    assert len(rows) == len(ASKED) and all(row["text"] for row in rows)


def test_every_retriever_searches_the_sets_documents(measured):
    found = {keys["retriever"]: row for keys, row in measured["question_sets"]["retrieval", "recall_5"]}
    assert {name: row["value"] for name, row in found.items()} == {"bm25": 1, "minilm": 1}


def test_agreement_and_the_confusion_matrix_are_of_the_sets_votes(measured):
    [(keys, row)] = [one for one in measured["agreement"]["table_4", "kappa"] if one[0]["group"] == "1"][:1]
    assert (keys["questions"], row["n"]) == ("mine", 1 if keys["task"] == "defusion" else 5)
    cells = measured["agreement"]["figure_2_scope", "items"]
    assert sum(row["value"] for keys, row in cells if keys["judge"] == "careful") == len(ASKED)


def test_figure_1_and_the_report_have_the_set(measured, study):
    methods = {keys["method"] for keys, _ in measured["detectors"]["figure_1_gold", "accuracy"]}
    assert {"careful, asked directly", "sbert_nli (minilm)", "unused_token (demo-lm)"} <= methods
    topics = {keys["topic"] for keys, _ in measured["detectors"]["topics_gold", "accuracy"]}
    assert topics == {"travel"}
    page = (study / "results/report/scope.html").read_text()
    assert "judges against gold, scope" in page and "Detectors against people" in page
    assert "<svg" in (study / "results/report/figures/agreement/figure_2_scope.svg").read_text()


def test_a_release_of_the_set_is_whole_and_a_replay_is_given_what_the_user_brought(
    measured, study, project, monkeypatch
):
    """Questions and recorded responses came from files that a stranger has not; all else comes out of answers."""
    monkeypatch.chdir(study)
    release = study / publish("1", [TINY[1], "mine.yaml"], DAY, planned=everything)
    assert not list(checks.problems(release))

    def run(folder, arguments):
        return snakemake(folder, *arguments, check=False)

    outcome = replay(release, project, only=["questions", "responses", "scope_votes"], run=run)
    assert {file.removeprefix("tables/") for file in outcome.given} == {
        "questions/mine/mine.parquet",
        "responses/mine/old/recorded/mine.parquet",
    }
    assert "tables/scope_votes/mine/careful/mine.parquet" in outcome.same and not outcome.other
