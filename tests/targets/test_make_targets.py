"""Targets that rules make of a corpus, up to a number."""

import pytest

from passages import write_passages
from project import ROOT
from ragassay.base import tables
from ragassay.base.tally import MostRejected
from ragassay.documents.sources import document_files, records
from ragassay.schemas.attacks import TARGETS
from scripts.targets.make_targets import make_targets

TEXTS = {one.file: one.fields["text"] for one in records(document_files(ROOT / "resources/demo/articles")[:4])}


@pytest.fixture
def make(tmp_path):
    def make(texts, count=400, most_rejected=0.5):
        paths = [tmp_path / f"{name}.parquet" for name in ("passages", "targets", "rejects")]
        write_passages(paths[0], texts)
        make_targets(*paths, dataset="facts", count=count, texts=2, most_rejected=most_rejected)
        return [tables.read(kind, path).to_pylist() for kind, path in ((TARGETS, paths[1]), (tables.REJECTS, paths[2]))]

    return make


def test_as_many_are_made_as_asked_for_and_each_says_that_rules_made_it(make):
    rows, _ = make(TEXTS, count=12)
    assert len(rows) == 12 and {row["origin"] for row in rows} == {"rules"}
    assert {row["document"] for row in rows} <= set(TEXTS) and max(len(row["texts"]) for row in rows) == 2


def test_facts_that_become_none_are_rejects(make):
    rows, rejects = make(TEXTS)
    assert rows and {row["reason"] for row in rejects} <= {"no_wrong_answer", "asked_with"}
    assert {(row["stage"], row["shard"]) for row in rejects} == {("make_targets", "facts")}
    assert not {row["item"] for row in rejects} & {row["target_id"] for row in rows}


def test_a_corpus_whose_facts_have_nobody_to_be_exchanged_with_stops(make):
    with pytest.raises(MostRejected, match=r"passages\.parquet: .* rejected.*These rules need plain English prose"):
        make({"p": "The ferry sails at nine. The town has 40 boats. Ada Vance opened the lock in May."})
