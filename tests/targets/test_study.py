"""A folder as BEIR has them from end to end, with rules as the only model: a corpus that is extended,
targets that it makes of judged questions, retrieval under attack, and answers.
"""

import csv
import json
import shutil

import pyarrow.parquet as pq
import pytest
import yaml

from project import NOTHING, ROOT, copy_project, planned, snakemake
from ragassay.base import tables
from ragassay.documents.sources import document_files, records
from ragassay.grading.matches import contains
from ragassay.release.publishing import publish
from ragassay.release.verification import checks
from ragassay.release.verification.release_folder import ReleaseFolder
from ragassay.schemas.attacks import ANSWERS, RETRIEVED, TARGETS
from ragassay.schemas.corpora import PASSAGES, REWRITTEN_PASSAGES
from ragassay.schemas.report import CALLS
from releases import DAY, everything, sources
from scripts.attacks.retrieve_bm25 import retrieve_bm25

DOCUMENTS = 30
CONFIG = """
corpora:
  small: {beir: data/small}
  more: {extends: small, rewritten: {model: careful, count: 8}}
query_sets:
  judged: {beir: data/small, columns: {answers: answer}}
datasets:
  mine: {corpus: more, by_model: {model: careful, query_set: judged, agreement: answers, texts: 3, tries: 2}}
attacks:
  paraphrased: {kind: adaptive_paraphrase, writer: careful, settings: {texts: 2}}
under_attack:
  cells:
    - datasets: [mine]
      retrievers: [bm25]
      attacks: [none, poisonedrag_black]
      defences: [none]
      responders: [careful]
    - {datasets: [mine], retrievers: [bm25], attacks: [paraphrased]}
"""
RESULTS = [f"results/answers/mine/bm25/{attack}/none/careful.parquet" for attack in ("none", "poisonedrag_black")]
RESULTS.append("results/retrieved/mine/bm25/paraphrased.parquet")


def write_beir(folder):
    """The first articles of the demo that questions are about, with these."""
    with (ROOT / "resources/demo/relevance/answered.csv").open(newline="") as lines:
        questions = list(csv.DictReader(lines))
    texts = {one.fields["url"]: one.fields for one in records(document_files(ROOT / "resources/demo/articles"))}
    names = list(dict.fromkeys(one["document"] for one in questions))[:DOCUMENTS]
    asked = [one for one in questions if one["document"] in names]
    (folder / "qrels").mkdir(parents=True)
    corpus = [{"_id": name, "title": texts[name]["title"], "text": texts[name]["text"]} for name in names]
    queries = [{"_id": one["question_id"], "text": one["question"], "answer": one["answer"]} for one in asked]
    for name, rows in (("corpus", corpus), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    judged = "".join(f"{one['question_id']}\t{one['document']}\t1\n" for one in asked)
    (folder / "qrels/test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judged}")
    return asked


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    project = copy_project(tmp_path_factory.mktemp("beir") / "project")
    asked = write_beir(project / "data/small")
    settings = {"release": sources("data"), "export": {"licence": "apache-2.0"}}
    (project / "mine.yaml").write_text(CONFIG + yaml.safe_dump(settings))
    snakemake(project, *RESULTS, "--configfile", "mine.yaml")

    def read(table, path):
        return tables.read(table, project / f"results/{path}.parquet").to_pylist()

    return project, asked, read


def test_the_extended_corpus_has_all_passages_and_the_rewritten_ones(study):
    _, _, read = study
    known, sources = read(PASSAGES, "passages/more"), read(REWRITTEN_PASSAGES, "rewritten_passages/more")
    assert 0 < len(sources) <= 8 and len(known) == DOCUMENTS + len(sources)
    documents = {one["passage_id"]: one["document_id"] for one in known}
    assert all(documents[one["passage_id"]] == one["source_passage"] for one in sources), "a document here is a passage"


def test_judged_questions_become_targets_or_rejects(study):
    _, asked, read = study
    rows, rejects = read(TARGETS, "targets/mine"), read(tables.REJECTS, "rejects/targets/mine")
    told = {one["item"] for one in rejects} | {one["target_id"] for one in rows}
    assert told >= {one["question_id"] for one in asked} and len(rows) >= 5
    answers = {one["question_id"]: (one["document"], one["answer"]) for one in asked}
    assert all(one["document"] == answers[one["target_id"]][0] for one in rows)
    assert all(contains(answers[one["target_id"]][1], one["answers"][0]) for one in rows)  # the shorter one is right
    assert read(CALLS, "calls/write_targets/mine")[0]["samples"] > 2 * len(rows)


def test_what_is_planted_is_retrieved_and_turns_answers(study):
    _, _, read = study
    targets = {one["target_id"] for one in read(TARGETS, "targets/mine")}
    for attack in ("poisonedrag_black", "paraphrased"):
        best = [one for one in read(RETRIEVED, f"retrieved/mine/bm25/{attack}") if one["rank"] == 1]
        assert {one["target_id"] for one in best} == targets and all(one["poisoned"] for one in best)
    clean, attacked = (
        [one["outcome"] for one in read(ANSWERS, f"answers/mine/bm25/{attack}/none/careful")]
        for attack in ("none", "poisonedrag_black")
    )
    assert "target" not in clean and clean.count("correct") > 0
    assert attacked.count("target") > len(attacked) / 2


def test_what_was_retrieved_in_parts_is_what_one_job_finds(study, tmp_path):
    project, _, read = study
    assert len([*project.glob("results/part_retrieved/mine/*/bm25/*.parquet")]) == 2 * len(RESULTS)
    for attack in ("none", "poisonedrag_black", "paraphrased"):
        count = max(one["rank"] for one in read(RETRIEVED, f"retrieved/mine/bm25/{attack}"))
        names = ["passages/more", "queries/mine.targets", f"poisoned_passages/mine/{attack}"]
        inputs = [project / f"results/{name}.parquet" for name in names]
        retrieve_bm25(*inputs, tmp_path / "whole.parquet", {}, count)
        in_parts = project / f"results/retrieved/mine/bm25/{attack}.parquet"
        assert (tmp_path / "whole.parquet").read_bytes() == in_parts.read_bytes()


def test_a_release_of_it_is_whole_and_holds_what_models_were_asked_whose_name_no_path_has(study, monkeypatch):
    project, _, read = study
    monkeypatch.chdir(project)
    release = ReleaseFolder(publish("1", ["mine.yaml"], DAY, planned=everything))
    assert not list(checks.problems(release.folder))
    [rewritten] = [file for file in release.files["recorded_answers"] if "/rewrite_passages/" in file]
    assert rewritten == "tables/recorded_answers/rewrite_passages/more/careful.parquet"
    recorded = pq.read_metadata(release.folder / rewritten).num_rows
    assert recorded == read(CALLS, "calls/rewrite_passages/more")[0]["replies"] > 0


def test_a_second_run_has_nothing_to_do_and_vectors_of_the_other_corpus_are_used_again(study):
    project, _, _ = study
    assert NOTHING in snakemake(project, *RESULTS, "--configfile", "mine.yaml").stdout
    wanted = "results/retrieved/mine/minilm/none.parquet"
    assert planned(project, wanted, "--configfile", "mine.yaml") == {
        "embed_passages": 2, "search_dense": 2, "merge_neighbours": 1, "retrieve_dense": 1,
    }  # fmt: skip


def test_a_further_defence_is_fitted_and_filters_and_nothing_is_asked_again(study, tmp_path):
    """No scorer, judge, attack or retrieval runs again, no word is counted again, and no answer is paid again; the
    first defence that is fitted needs what questions find in the clean corpus.
    """
    project = shutil.copytree(study[0], tmp_path / "project", symlinks=True)

    def read(table, path):
        return tables.read(table, project / f"results/{path}.parquet").to_pylist()

    paid = [str(path.relative_to(project / "results"))[: -len(".parquet")] for path in calls_of(project)]
    before = {path: read(CALLS, path) for path in paid}

    def behind(*defences):
        (project / "further.yaml").write_text(CONFIG.replace("defences: [none]", f"defences: [{', '.join(defences)}]"))
        answers = [path.replace("/none/careful", f"/{name}/careful") for path in RESULTS[:2] for name in defences]
        return *answers, RESULTS[2], "--configfile", "further.yaml"

    wanted = behind("none", "question_share")
    assert planned(project, *wanted) == {
        "search_part": 2, "merge_parts": 1,
        "fit_defence": 1, "filter_retrieved": 2, "answer_attacked": 4,
    }  # fmt: skip
    snakemake(project, *wanted)
    assert {path: read(CALLS, path) for path in paid} == before and len(calls_of(project)) == len(paid) + 2
    assert planned(project, *behind("none", "question_share", "duplicates")) == {
        "filter_retrieved": 2, "answer_attacked": 6,
    }  # fmt: skip


def calls_of(project):
    return list(project.glob("results/calls/**/*.parquet"))
