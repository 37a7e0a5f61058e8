"""Labels of judges and people, and what both make of a question."""

from datetime import UTC, datetime

import pytest

from ballots import LABELS, NO, NOT, YES, votes
from people import click, item, project, run, sample, state
from ragassay.base import tables
from ragassay.people.click_log import Log
from ragassay.people.page.clicks import decide
from ragassay.schemas.people import ANNOTATION_ITEMS, ANNOTATIONS, GOLD
from rows import row
from scripts.labels.judge_scope import judge_scope
from scripts.labels.label_scope import label_scope
from scripts.labels.select_questions import select_questions
from scripts.people.gather_annotations import gather_annotations
from scripts.people.settle_gold import settle_gold
from study import document, question
from tools.loopback import Loopback


def gathered(folder, clicks, items=None):
    """The table after these clicks, (name, kind, values) each."""
    labelling, log = state(items), Log(folder / "events.jsonl")
    for name, kind, values in clicks:
        event = decide(labelling, name, kind, click(**values))
        log.append(event)
        labelling.apply(event)
    log.close()
    tables.write(ANNOTATION_ITEMS, folder / "items.parquet", items or sample())
    gather_annotations(folder / "items.parquet", folder / "events.jsonl", folder / "annotations.parquet")
    return tables.read(ANNOTATIONS, folder / "annotations.parquet").to_pylist()


def test_the_last_word_counts_and_names_stay_in_the_log(tmp_path):
    first = {"item": "item-scope-0001", "label": "in_scope", "seen": "", "click": "aaaaaaaa", "seconds": 2}
    clicks = [
        ("Zoe", "join", {}),
        ("Anna", "join", {}),
        ("Zoe", "label", first),
        ("Zoe", "undo", {"item": "item-scope-0001", "place": "scope", "seen": "aaaaaaaa"}),
        ("Zoe", "label", {"item": "item-scope-0001", "label": "out_of_scope", "seen": "", "comment": "No."}),
        ("Anna", "skip", {"item": "item-scope-0001"}),
        ("Anna", "label", {"item": "item-scope-0002", "label": "in_scope", "seen": ""}),
    ]
    one, two = gathered(tmp_path, clicks)
    assert (one["item_id"], one["person"], one["label"], one["comment"]) == (
        "item-scope-0001",
        "person-1",
        "out_of_scope",
        "No.",
    )
    assert (one["given"], one["role"], one["question_id"], one["group"]) == (2, "annotator", "question-1", 1)
    assert (two["person"], two["comment"], two["seconds"], two["given"]) == ("person-2", None, None, 1)
    content = (tmp_path / "annotations.parquet").read_bytes()
    assert b"Zoe" not in content and b"Anna" not in content


def test_nothing_labelled_is_an_empty_table(tmp_path):
    assert gathered(tmp_path, [("Anna", "join", {})]) == []


def test_a_label_without_a_moment_has_none(tmp_path):
    folder = project(tmp_path, [item(1)])
    (folder / "labels.csv").write_text("item_id,annotator,label\nitem-scope-0001,Anna,in_scope\n")
    assert run(folder, "import", "labels.csv").returncode == 0
    own = folder / "annotation/careful/careful"
    gather_annotations(own / "items.parquet", own / "events.jsonl", tmp_path / "annotations.parquet")
    [found] = tables.read(ANNOTATIONS, tmp_path / "annotations.parquet").to_pylist()
    assert found["labelled_at"] is None and found["label"] == "in_scope"


def voted(study, votes, **more):
    prompts = {"prompt": "judge_scope"}
    return study.run(judge_scope, ["documents", "questions"], ["scope_votes"], prompts, votes=votes, **more)


def test_every_vote_is_a_row_and_only_missing_ones_are_paid(study):
    questions = [question("a", number, "in_scope", f"Question {number}?") for number in (1, 2)]
    study.write(documents=[document("a", "text of a")], questions=questions)
    with Loopback(respond="answers:vote", fresh_samples=True) as server:
        study.asks(server.url)
        [rows] = voted(study, 4)
        summary = server.summary()
        assert (summary["billed"], summary["samples"]) == (2, 8)
        [more] = voted(study, 6)
        assert server.summary()["samples"] == 12
    assert [(row["question_id"], row["vote"]) for row in rows] == [
        (f"question-{q}", v) for q in (1, 2) for v in (1, 2, 3, 4)
    ]
    assert [(row["verdict"], row["abstained"]) for row in rows[:4]] == [
        (True, None), (False, None), (None, "no_verdict"), (True, None)
    ]  # fmt: skip
    assert [row for row in more if row["vote"] <= 4] == rows
    assert {(row["judge"], row["doc_id"]) for row in rows} == {("m", "a")}


def test_with_a_sample_only_its_questions_are_asked_about(study):
    questions = [question("a", number, "in_scope", f"Question {number}?") for number in (1, 2, 3)]
    study.write(documents=[document("a", "text of a")], questions=questions)
    item = {"item_id": "item-1", "question_id": "question-2", "task": "scope"}
    tables.write(ANNOTATION_ITEMS, study.path("sample"), [row(ANNOTATION_ITEMS, **item)])
    with Loopback(respond="answers:vote") as server:
        study.asks(server.url)
        [votes] = voted(study, 3, sample=[study.path("sample")])
        assert server.summary()["billed"] == 1
    assert [vote["question_id"] for vote in votes] == ["question-2"] * 3


@pytest.mark.parametrize(("verdicts", "label", "margin"), LABELS)
def test_labels_of_questions(study, verdicts, label, margin):
    same = {"question_id": "q", "doc_id": "a", "judge": "m", "prompt": "p"}
    study.write(scope_votes=votes(verdicts, same))
    [[row]] = study.run(label_scope, ["scope_votes"], ["scope_labels"], asking=False, least_share=0.5)
    counts = dict(zip(("out_votes", "in_votes", "abstained"), map(verdicts.count, (YES, NO, NOT)), strict=True))
    assert row == same | counts | {"label": label, "margin": pytest.approx(margin)}


OUTCOMES = ["out_of_scope", "in_scope", "tie", "no_verdict"]
STATUS = {"out_of_scope": ["kept", "disputed"], "in_scope": ["disputed", "kept"]}


def label(number, name):
    row = {"question_id": f"question-{number}", "doc_id": "a", "label": name, "margin": 0.5, "judge": "j"}
    return row | {"prompt": "p", "out_votes": 1, "in_votes": 1, "abstained": 0}


def selected(study):
    tables = ["documents", "questions", "scope_labels"]
    [rows] = study.run(select_questions, tables, ["selected_questions"], asking=False)
    return rows


def test_every_question_gets_a_status(study):
    intents = [intended for intended in STATUS for _ in OUTCOMES]
    study.write(
        documents=[document("a", "text")],
        questions=[question("a", number, intended) for number, intended in enumerate(intents)],
        scope_labels=[label(number, OUTCOMES[number % 4]) for number in range(8)],
    )
    found = {row["question_id"]: row for row in selected(study)}
    assert len(found) == 8
    for number, intended in enumerate(intents):
        row = found[f"question-{number}"]
        assert row["status"] == [*STATUS[intended], "undecided", "undecided"][number % 4]
        assert (row["label"], row["judge"], row["margin"]) == (OUTCOMES[number % 4], "j", 0.5)


def test_a_split_belongs_to_a_text_and_does_not_move(study):
    names = [f"doc-{number}" for number in range(60)]
    write = {"questions": [question(name, number, "in_scope") for number, name in enumerate(names)]}
    write["scope_labels"] = [label(number, "in_scope") for number in range(60)]
    study.write(documents=[document(name, f"text {number // 2}") for number, name in enumerate(names)], **write)
    splits = {row["doc_id"]: row["split"] for row in selected(study)}
    assert all(splits[f"doc-{number}"] == splits[f"doc-{number + 1}"] for number in range(0, 60, 2))
    assert set(splits.values()) == {"train", "validation", "test"}
    few = {name: rows[:9] for name, rows in write.items()}
    study.write(documents=[document(name, f"text {number // 2}") for number, name in enumerate(names[:9])], **few)
    assert all(splits[row["doc_id"]] == row["split"] for row in selected(study))


def said(number, label, role="annotator", hour=1):
    moment = datetime(2026, 11, 21, hour, tzinfo=UTC)
    who = {"item_id": "item-1", "role": role, "person": f"person-{number}", "labelled_at": moment}
    return row(ANNOTATIONS, **who, label=label, task="scope", question_id="question-1", doc_id="doc-1", given=1)


def gold(folder, *rows, needed=2):
    tables.write(ANNOTATIONS, folder / "annotations.parquet", rows)
    settle_gold(folder / "annotations.parquet", folder / "gold.parquet", needed)
    return [(g["label"], g["settled"], g["annotators"]) for g in tables.read(GOLD, folder / "gold.parquet").to_pylist()]


IN, OUT = "in_scope", "out_of_scope"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], []),
        ([said(1, IN)], []),
        ([said(1, IN), said(2, IN)], [(IN, "agreed", 2)]),
        ([said(1, IN), said(2, OUT)], []),
        ([said(1, IN), said(2, OUT), said(3, OUT, "adjudicator")], [(OUT, "adjudicated", 2)]),
        ([said(1, IN), said(3, OUT, "adjudicator")], []),
        ([said(1, IN), said(2, IN), said(3, OUT, "adjudicator")], [(IN, "agreed", 2)]),  # they changed their mind
        ([said(1, IN), said(2, OUT), said(3, IN)], []),
        (
            [said(1, IN), said(2, OUT), said(4, IN, "adjudicator", hour=3), said(3, OUT, "adjudicator", hour=2)],
            [(IN, "adjudicated", 2)],  # the last one
        ),
    ],
)
def test_what_is_gold(tmp_path, rows, expected):
    assert gold(tmp_path, *rows) == expected


def test_one_annotator_may_be_enough(tmp_path):
    assert gold(tmp_path, said(1, IN), needed=1) == [(IN, "agreed", 1)]
