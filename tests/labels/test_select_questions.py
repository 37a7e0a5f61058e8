"""select_questions: intent against label gives a status, nothing is deleted, near-duplicates share a split."""

from scripts.labels.select_questions import select_questions
from study import document, question

LABELS = ["out_of_scope", "in_scope", "tie", "no_verdict"]
STATUS = {"out_of_scope": ["kept", "disputed"], "in_scope": ["disputed", "kept"]}


def label(number, name):
    row = {"question_id": f"question-{number}", "doc_id": "a", "label": name, "margin": 0.5, "judge": "j"}
    return row | {"prompt": "p", "out_votes": 1, "in_votes": 1, "abstained": 0}


def run(study):
    tables = ["documents", "questions", "scope_labels"]
    [rows] = study.run(select_questions, tables, ["selected_questions"], asking=False)
    return rows


def test_every_question_gets_a_status(study):
    intents = [intended for intended in STATUS for _ in LABELS]
    study.write(
        documents=[document("a", "text")],
        questions=[question("a", number, intended) for number, intended in enumerate(intents)],
        scope_labels=[label(number, LABELS[number % 4]) for number in range(8)],
    )
    found = {row["question_id"]: row for row in run(study)}
    assert len(found) == 8
    for number, intended in enumerate(intents):
        row = found[f"question-{number}"]
        assert row["status"] == [*STATUS[intended], "undecided", "undecided"][number % 4]
        assert (row["label"], row["judge"], row["margin"]) == (LABELS[number % 4], "j", 0.5)


def test_a_split_belongs_to_a_text_and_does_not_move(study):
    names = [f"doc-{number}" for number in range(60)]
    write = {"questions": [question(name, number, "in_scope") for number, name in enumerate(names)]}
    write["scope_labels"] = [label(number, "in_scope") for number in range(60)]
    study.write(documents=[document(name, f"text {number // 2}") for number, name in enumerate(names)], **write)
    splits = {row["doc_id"]: row["split"] for row in run(study)}
    assert all(splits[f"doc-{number}"] == splits[f"doc-{number + 1}"] for number in range(0, 60, 2))
    assert set(splits.values()) == {"train", "validation", "test"}
    few = {name: rows[:9] for name, rows in write.items()}
    study.write(documents=[document(name, f"text {number // 2}") for number, name in enumerate(names[:9])], **few)
    assert all(splits[row["doc_id"]] == row["split"] for row in run(study))
