"""Invented studies: tables that every reader takes, and gathers that find the rates from which they were drawn."""

import json
from statistics import NormalDist

import pytest

from ragassay.base import tables
from ragassay.results import all_tables
from ragassay.schemas.documents import DOCUMENT_STATISTICS, DOCUMENTS
from ragassay.schemas.hardness import HARDNESS_STRATA
from ragassay.schemas.report import METRICS
from ragassay.schemas.scope_answers import DEFUSION_LABELS, DEFUSION_VOTES
from ragassay.schemas.scope_questions import QUESTIONS, SCOPE_LABELS, SCOPE_VOTES, SELECTED_QUESTIONS
from scaling.gathers import Gathers
from scripts.labels.label_scope import label_scope
from scripts.labels.select_questions import select_questions
from scripts.responses.label_defusion import label_defusion
from tools import synthetic_study
from tools.synthetic_study import TRUE, place

DOCUMENTS_WRITTEN, SHARD = 200, 80


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(synthetic_study, "SHARD", SHARD)
        folder = tmp_path_factory.mktemp("study")
        synthetic_study.write(DOCUMENTS_WRITTEN, folder)
        yield folder


@pytest.fixture
def gathers(folder, tmp_path):
    return Gathers(folder, DOCUMENTS_WRITTEN, tmp_path, resamples=200)


def test_every_table_is_read_and_ids_point_to_rows(folder):
    declared, rows = all_tables(), {}
    for path in sorted(folder.rglob("*.parquet")):
        name = path.relative_to(folder).parts[0]
        name = {"detectors": "detector_training", "defusion_votes_plain": "defusion_votes"}.get(name, name)
        rows.setdefault(name, []).append(tables.read(declared[name], path))
    assert sum(len(part) for part in rows["documents"]) == DOCUMENTS_WRITTEN and len(rows["documents"]) == 3
    columns = [
        (name, column.name, column.refers) for name in rows for column in declared[name].columns if column.refers
    ]
    referring = [names for names in columns if names[2] and names[2].split(".")[0] in rows]
    assert len(referring) >= 15
    for name, column, refers in referring:
        assert values(rows[name], column) - {None} <= values(rows[refers.split(".")[0]], refers.split(".")[1])


def values(parts, column):
    return {value for part in parts for value in part[column].to_pylist()}


def test_labels_and_status_are_those_that_the_stages_give(folder, tmp_path):
    for shard in synthetic_study.shards(DOCUMENTS_WRITTEN):
        again = tmp_path / f"{shard}.parquet"
        label_scope(place(folder, SCOPE_VOTES, shard), again, 0.5)
        assert again.read_bytes() == place(folder, SCOPE_LABELS, shard).read_bytes()
        label_defusion(place(folder, DEFUSION_VOTES, shard), again, 0.5)
        assert again.read_bytes() == place(folder, DEFUSION_LABELS, shard).read_bytes()
        select_questions(*(place(folder, table, shard) for table in (DOCUMENTS, QUESTIONS, SCOPE_LABELS)), again)
        assert again.read_bytes() == place(folder, SELECTED_QUESTIONS, shard).read_bytes()


def test_a_shard_is_the_same_whatever_comes_beside_it(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(synthetic_study, "SHARD", SHARD)
    synthetic_study.write(SHARD, tmp_path, processes=2)
    for path in tmp_path.rglob("s000000.parquet"):
        assert path.read_bytes() == (folder / path.relative_to(tmp_path)).read_bytes()


def numbers(path, table, metric):
    """The rows of a metric, with their keys."""
    rows = tables.read(METRICS, path).to_pylist()
    found_rows = [row | json.loads(row["keys"]) for row in rows if (row["table"], row["metric"]) == (table, metric)]
    assert found_rows
    return found_rows


def holds(row, value, name=""):
    """Whether an interval has the value once it is twice as wide: one of 95 % alone misses some of many values."""
    prefix = f"{name}_" if name else ""
    low, high = row[f"{prefix}low"], row[f"{prefix}high"]
    return low - (high - low) / 2 <= value <= high + (high - low) / 2


def area(difference):
    """The AUROC of scores of two kinds that differ by so many standard deviations."""
    return NormalDist().cdf(difference / 2**0.5)


def test_documents_are_counted(gathers):
    gathers.measure_documents()
    statistics = tables.read(DOCUMENT_STATISTICS, gathers.to("document_statistics"))
    assert sum(statistics["documents"].to_pylist()) == DOCUMENTS_WRITTEN
    assert sum(statistics["words"].to_pylist()) == DOCUMENTS_WRITTEN * 300


def test_the_nearest_stratum_alone_is_hard(gathers):
    gathers.grade_hardness()
    *strata, total = tables.read(HARDNESS_STRATA, gathers.to("hardness_strata")).to_pylist()
    assert [row["hard"] for row in strata] == [False] * 4 + [True]
    for row in strata:
        assert holds(row, area(0 if row["hard"] else TRUE["control"]), "auroc") and holds(row, 0.5, "question_alone")
    assert holds(total, 2 / 7, "share")


def test_judges_agree_as_often_as_they_do(gathers):
    gathers.measure_scope()
    agreed = numbers(gathers.to("scope"), "agreement", "agreement")
    true = {"out of scope": TRUE["agreed_out"], "in scope": TRUE["agreed_in"]}
    assert len(agreed) == 2 and all(holds(row, true[row["intended"]]) for row in agreed)
    assert {row["n"] for row in numbers(gathers.to("scope"), "drift", "to_original")} == {6 * DOCUMENTS_WRITTEN}


def test_responses_defuse_as_often_as_they_do(gathers):
    gathers.measure_responses(flips=100)
    rows = numbers(gathers.to("responses"), "table_2", "accuracy")
    assert len(rows) > 1 and all(holds(row, TRUE["defused"]) for row in rows)
    answered = numbers(gathers.to("responses"), "closed_book", "answered")
    assert all(holds(row, 1 - TRUE["declined"]) for row in answered)


def test_detectors_have_the_auroc_that_they_have(gathers):
    gathers.measure_detectors()
    rows = [row for row in numbers(gathers.to("detectors"), "figure_1", "auroc") if row["role"] == "detector"]
    assert len(rows) == 4 and all(holds(row, area(TRUE["detector"])) for row in rows)


@pytest.mark.parametrize("name", ["train_detector", "measure_agreement", "measure_months", "list_questions"])
def test_other_gathers_take_the_tables_too(gathers, name):
    getattr(gathers, name)()
    assert any(gathers.out.iterdir())
