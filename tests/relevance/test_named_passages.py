"""Queries that name passages have the same held-out ones as queries that name documents; a set without any says so."""

import logging

import pytest

from ragassay.base import tables
from ragassay.schemas.corpora import QUERIES
from ragassay.studies.relevance.study_set import Options, StudySet
from rows import place, written


@pytest.fixture
def study_set(files, study, entry, options, tmp_path):
    """A function that makes the set from queries that name other things; gives None to a query about nothing."""

    def study_set(rename):
        old = place(study, QUERIES, query_set="natural")
        rows = tables.read(QUERIES, old).to_pylist()
        documents = [row["passage_id"].removesuffix("#0") for row in rows]
        rows = [row | rename(name) for row, name in zip(rows, documents, strict=True)]
        new = written(tmp_path, QUERIES, rows, query_set="natural")
        queries = [str(new) if path == str(old) else path for path in files["queries"]]
        own = {name: files[name] for name in ("passages", "held_out_documents", "queries", "neighbours")}
        return StudySet("one", entry, Options(**options), own | {"queries": queries})

    return study_set


def passage(document):
    return f"{document}#0"


NAMES = {
    "passages": lambda name: {"passage_id": passage(name)},
    "judged passages": lambda name: {"passage_id": None, "relevant": [passage(name)], "grades": [2]},
    "either": lambda name: {"passage_id": passage(name) if int(name[1:]) % 2 else name},
}


@pytest.mark.parametrize("names", NAMES)
def test_held_out_queries_are_those_of_queries_that_name_documents(study_set, names):
    known, other = study_set(lambda name: {"passage_id": name}), study_set(NAMES[names])
    assert len(known.held_out.ids) > 20
    for part in ("held_out", "remaining", "known"):
        own, their = getattr(known, part), getattr(other, part)
        assert own.ids.tolist() == their.ids.tolist() and own.keys.tolist() == their.keys.tolist()
        assert own.documents == their.documents


def test_a_query_about_two_passages_is_held_out_only_without_both(study_set):
    left = next(iter(study_set(NAMES["passages"]).remaining.keys)).removeprefix("document ")
    found = study_set(lambda name: {"passage_id": passage(name), "relevant": [passage(name), passage(left)]})
    assert not len(found.held_out.ids) and len(found.remaining.ids) == len(found.known.ids)


def test_a_set_without_held_out_queries_says_so_in_one_line(study_set, caplog):
    some = study_set(NAMES["passages"])
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    left = {key.removeprefix("document ") for key in some.remaining.keys}
    study_set(lambda name: {"passage_id": passage(name) if name in left else None})
    [record] = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert "set one: found no held-out query" in record.message and "\n" not in record.message
