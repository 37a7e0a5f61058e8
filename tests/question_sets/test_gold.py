"""A gold set made elsewhere, through the real rules with one command. The data lie beside the project."""

import json
import sys

import pytest
import yaml

from project import ROOT, copy_project, planned, snakemake
from ragassay.base import tables
from ragassay.schemas.report import METRICS
from ragassay.schemas.scope_answers import RESPONSES

GOLD = (ROOT / "../shared/data/scopeqa_gold").resolve()
MINE = ("--configfile", "mine.yaml")
RESULT = "results/metrics/question_sets.parquet"
RESPONDED = "results/responses/gold/gpt-3.5/recorded/gold.parquet"


def configured(project, **more):
    """The gold set, and others, in the configuration."""
    gold = {name: [f"gold/{name}_{group}.parquet" for group in (1, 2)] for name in ("documents", "questions")}
    gold["detectors"] = False  # they need the whole study
    gold |= {"responders": {"gpt-3.5": "response"}, "judges": {"recorded-judge": "judged_out_of_scope"}}
    (project / "mine.yaml").write_text(
        yaml.safe_dump({"question_sets": {"natural": {"used": False}, "gold": gold, **more}})
    )


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    assert GOLD.is_dir(), f"{GOLD}: no such folder; acceptance tests need the gold questions there"
    project = copy_project(tmp_path_factory.mktemp("gold") / "project")
    (project / "gold").symlink_to(GOLD)
    configured(project)
    output = snakemake(project, "question_sets", *MINE).stdout
    return project, output


def test_the_careful_judge_is_measured_with_one_command(judged):
    project, output = judged
    rows = tables.read(METRICS, project / RESULT).to_pylist()
    defused = next(row for row in rows if row["table"] == "responses" and row["metric"] == "defused")
    assert (defused["n"], defused["abstained"]) == (76, 0) and 0.05 < defused["value"] < 0.6
    found = {(row["table"], json.loads(row["keys"]).get("judge"), row["metric"]): row for row in rows}
    sys.stdout.writelines(f"{line}\n" for line in output.splitlines() if "% measure_question_sets" in line)
    own, control, recorded = (
        found["accuracy", judge, "accuracy"] for judge in ("careful", "(overlap control)", "recorded-judge")
    )
    assert own["n"] == control["n"] == recorded["n"] == 144
    assert recorded["value"] == 1  # every intended label there agrees with it
    assert 0.6 < own["value"] < 1 and own["low"] < own["value"] < own["high"]
    assert 0.8 <= control["value"] < 1  # shared words alone go far: no judge has to be proud of as much
    assert len(tables.read(RESPONSES, project / RESPONDED)) == 144
    retrieved = {json.loads(row["keys"])["retriever"]: row for row in rows if row["metric"] == "recall_10"}
    assert all(row["value"] > 0.9 for row in retrieved.values()) and len(retrieved) == 2


def test_a_new_set_runs_its_own_jobs_and_the_gather(judged):
    project, _ = judged
    assert planned(project, RESULT, *MINE) == {}
    (project / "texts.csv").write_text("doc_id,text\n1,A ferry sails at nine.\n")
    (project / "asked.csv").write_text("doc_id,question,out_of_scope\n1,When does it sail?,false\n")
    configured(project, new={"documents": ["texts.csv"], "questions": ["asked.csv"], "detectors": False})
    jobs = "read_question_set judge_scope label_scope compute_overlap measure_question_sets"
    searching = "collect_passages collect_set_queries embed_passages search_bm25 search_dense"
    assert planned(project, RESULT, *MINE) == dict.fromkeys([*jobs.split(), *searching.split()], 1)
    (project / "asked.csv").write_text("doc_id,question\n2,When does it sail?\n")
    failed = snakemake(project, RESULT, *MINE, check=False)
    assert failed.returncode == 1 and "Traceback" not in failed.stdout
    assert "question_sets.new.questions: asked.csv row 1: found document '2', expected one of the" in failed.stdout
    configured(project)
