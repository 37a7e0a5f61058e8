"""Targets made of facts of a corpus, and the queries that they become."""

import pytest

from passages import write_passages
from project import ROOT
from ragassay.base import tables
from ragassay.base.tally import MostRejected
from ragassay.corpora.corpus import cuts
from ragassay.documents.sources import document_files, records
from ragassay.grading.matches import contains
from ragassay.schemas.attacks import TARGETS
from ragassay.schemas.corpora import QUERIES
from scripts.targets.collect_target_queries import collect_target_queries
from scripts.targets.make_targets import DATE, LONGEST, NAME, NUMBER, aliases, fact_targets, form, make_targets
from targets import write_targets


def passages(texts):
    return [
        {"passage_id": f"{one['url']}#{at}", "document_id": one["url"], "text": one["text"][start:end]}
        for one in texts
        for at, (start, end) in enumerate(cuts(one["text"], 40, 15), 1)
    ]


ALL = [record.fields for record in records(document_files(ROOT / "resources/demo/articles"))]
TEXTS = ALL[:12]
PASSAGES = passages(TEXTS)


@pytest.fixture(scope="module")
def made():
    return list(fact_targets(PASSAGES, 3))


def test_every_fact_is_a_target_or_has_a_reason(made):
    assert len([row for row, _ in made if row]) > 60
    assert all(bool(row) != bool(problems) for row, problems in made)
    assert {problem.reason for _, problems in made for problem in problems} <= {"no_wrong_answer", "asked_with"}


def test_the_document_gives_the_right_answer_and_nothing_of_the_wrong_one(made):
    texts = {one["url"]: " ".join(one["text"].split()) for one in TEXTS}
    for row in (row for row, _ in made if row):
        assert contains(texts[row["document"]], row["answers"][0]), row
        assert not contains(texts[row["document"]], row["target"]), row
        assert not any(contains(row["question"], one) for one in [*row["answers"], row["target"]]), row
        assert (row["origin"], row["made_by"], row["tries"]) == ("rules", "rule", [])


def test_texts_state_the_wrong_answer_beside_what_is_true(made):
    for row in (row for row, _ in made if row):
        assert 1 <= len(row["texts"]) <= 3 and row["flags"] == [""] * len(row["texts"]), row
        assert len(set(row["texts"])) == len(row["texts"])
        assert all(len(text.split()) <= LONGEST for text in row["texts"])


def test_a_question_quotes_a_sentence_with_a_gap_and_documents_take_turns(made):
    rows = [row for row, _ in made if row]
    assert {row["kind"] for row in rows} == {NUMBER, DATE, NAME}
    for row in rows:
        asked, _, quoted = row["question"].partition(" is missing here: ")
        assert asked == f"Which {row['kind']}" and quoted.count("...") == 1
        text = next(one["text"] for one in TEXTS if one["url"] == row["document"])
        assert quoted.rstrip("?").replace("...", row["answers"][0]) in " ".join(text.split())
    first = [row["document"] for row in rows][: len(TEXTS) // 2]
    assert len(set(first)) == len(first)


def test_the_same_corpus_in_another_order_gives_the_same_targets(made):
    again = {row["target_id"]: row for row, _ in fact_targets(PASSAGES, 3) if row}
    assert again == {row["target_id"]: row for row, _ in made if row}


@pytest.mark.parametrize(
    ("kind", "one", "other", "alike"),
    [
        (NUMBER, "9,400", "2,400", True),
        (NUMBER, "9,400", "12", False),
        (DATE, "26 November", "12 March", True),
        (DATE, "26 November", "26 November 2026", False),
        (NAME, "Ada Vance", "Bo Lind", True),
        (NAME, "Ada Vance", "Brackwater", False),
    ],
)
def test_answers_are_exchanged_for_such_as_look_alike(kind, one, other, alike):
    assert (form(kind, one) == form(kind, other)) == alike


@pytest.mark.parametrize(
    ("kind", "answer", "others"),
    [
        (NUMBER, "5.7", []),
        (DATE, "26 November 2026", ["November 26 2026"]),
        (NAME, "Ada Vance", ["Vance"]),
        (NAME, "Brackwater", []),
    ],
)
def test_other_ways_to_write_an_answer(kind, answer, others):
    assert list(aliases(kind, answer)) == others


ARTICLES = {one.file: one.fields["text"] for one in records(document_files(ROOT / "resources/demo/articles")[:4])}


@pytest.fixture
def make(tmp_path):
    def make(texts, count=400, most_rejected=0.5):
        paths = [tmp_path / f"{name}.parquet" for name in ("passages", "targets", "rejects")]
        write_passages(paths[0], texts)
        make_targets(*paths, dataset="facts", count=count, texts=2, most_rejected=most_rejected)
        return [tables.read(kind, path).to_pylist() for kind, path in ((TARGETS, paths[1]), (tables.REJECTS, paths[2]))]

    return make


def test_as_many_are_made_as_asked_for_and_each_says_that_rules_made_it(make):
    rows, _ = make(ARTICLES, count=12)
    assert len(rows) == 12 and {row["origin"] for row in rows} == {"rules"}
    assert {row["document"] for row in rows} <= set(ARTICLES) and max(len(row["texts"]) for row in rows) == 2


def test_facts_that_become_none_are_rejects(make):
    rows, rejects = make(ARTICLES)
    assert rows and {row["reason"] for row in rejects} <= {"no_wrong_answer", "asked_with"}
    assert {(row["stage"], row["shard"]) for row in rejects} == {("make_targets", "facts")}
    assert not {row["item"] for row in rejects} & {row["target_id"] for row in rows}


def test_a_corpus_whose_facts_have_nobody_to_be_exchanged_with_stops(make):
    with pytest.raises(MostRejected, match=r"passages\.parquet: .* rejected.*These rules need plain English prose"):
        make({"p": "The ferry sails at nine. The town has 40 boats. Ada Vance opened the lock in May."})


def test_each_target_is_a_query_with_its_right_answers_and_document(tmp_path):
    collect_target_queries(write_targets(tmp_path / "targets.parquet"), tmp_path / "queries.parquet")
    rows = {row["query_id"]: row for row in tables.read(QUERIES, tmp_path / "queries.parquet").to_pylist()}
    assert set(rows) == {"bridge", "ferry"}
    own = rows["bridge"]
    assert (own["text"], own["passage_id"], own["answers"]) == ("What fell in the storm", "p2", ["a bridge", "bridge"])
