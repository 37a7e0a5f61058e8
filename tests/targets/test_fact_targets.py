"""Targets by rules: facts of a corpus with their answers exchanged."""

import pytest

from project import ROOT
from ragassay.corpora.corpus import cuts
from ragassay.documents.sources import document_files, records
from ragassay.grading.matches import contains
from scripts.targets.make_targets import DATE, LONGEST, NAME, NUMBER, aliases, fact_targets, form


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
