"""Import and export: labels come back as they went, twice is once, and what does not fit is named with its place."""

import csv
import json
import re

import pytest

from people import item, project, run, sample
from ragassay.people import click_log

TRICKY = '=HYPERLINK("x"), "quoted"; ünï\ncode, two lines'


def labels(folder):
    """(person, role, item) -> label, comment, seconds, moment, from the log."""
    found = {}
    for event in click_log.read(folder / "annotation/careful/careful/events.jsonl"):
        if event["event"] == "label":
            key = (event["person"], event["role"], event["item"])
            found[key] = tuple(event[name] for name in ("label", "comment", "seconds", "at"))
    return found


def written(path, rows):
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)))
        table.writeheader()
        table.writerows(rows)
    return path


def label_studio(comment="", **values):
    """An export of Label Studio with one label."""
    label = {"from_name": "label", "to_name": "document", "type": "choices", "value": {"choices": ["in_scope"]}}
    text = {"from_name": "comment", "to_name": "document", "type": "textarea", "value": {"text": comment}}
    annotation = {"completed_by": {"email": "Anna"}, "result": [label, text], **values}
    return json.dumps([{"data": {"item_id": "item-scope-0001"}, "annotations": [annotation]}])


ROWS = [
    {"item_id": "item-scope-0001", "annotator": "Anna", "label": "in_scope", "comment": TRICKY, "seconds": "3.5"},
    {"item_id": "item-scope-0001", "annotator": "Ben", "label": "out_of_scope", "labelled_at": "2026-11-21T09:30:00Z"},
    {"item_id": "item-scope-0001", "annotator": "Cleo", "label": "out_of_scope", "role": "adjudicator"},
    {"item_id": "item-defusion-0002", "annotator": "anna@example.org", "label": "not_defused"},
    {"item_id": "item-scope-0002", "annotator": "", "label": ""},
]


@pytest.mark.parametrize("ending", ["csv", "json"])
def test_labels_go_round(tmp_path, ending):
    one, other = (project(tmp_path / name, sample()) for name in ("one", "other"))
    done = run(one, "import", written(tmp_path / "labels.csv", ROWS))
    assert done.stdout.endswith("4 labels stored, 0 were already stored\n"), done.stderr
    first = labels(one)
    assert first["Anna", "annotator", "item-scope-0001"] == ("in_scope", TRICKY, 3.5, 0)
    assert first["Ben", "annotator", "item-scope-0001"] == ("out_of_scope", "", None, 1795253400000)
    file = tmp_path / f"labels.{ending}"
    assert "5 items with 4 labels" in run(one, "export", file).stdout
    run(other, "import", file)
    assert labels(other) == first
    again = run(other, "import", file)
    assert again.stdout.endswith("0 labels stored, 4 were already stored\n") and labels(other) == first
    before = file.read_bytes()
    run(other, "export", file)
    assert file.read_bytes() == before


def test_a_spreadsheet_runs_no_text(tmp_path):
    folder = project(tmp_path, [item(1, title="=1+1", document="@SUM(A1)", question="-2", position=1)])
    run(folder, "export", "items.csv")
    [row] = csv.DictReader((folder / "items.csv").read_text().splitlines())
    assert (row["title"], row["document"], row["question"], row["label"]) == ("'=1+1", "'@SUM(A1)", "'-2", "")


def test_label_studio_gets_tasks_that_tell_no_label_of_a_model(tmp_path):
    folder = project(tmp_path, sample())
    run(folder, "export", "tasks.json")
    tasks = json.loads((folder / "tasks.json").read_text())
    assert [len(task["annotations"]) for task in tasks] == [0] * 5
    assert tasks[0]["data"]["labels"] == [{"value": "out_of_scope"}, {"value": "in_scope"}]
    assert not {"responder", "prompt_name"} & tasks[-1]["data"].keys() and tasks[-1]["data"]["response"]


def test_the_interface_names_what_tasks_hold(tmp_path):
    folder = project(tmp_path, sample())
    run(folder, "export", "tasks.json")
    [data, *_] = [task["data"] for task in json.loads((folder / "tasks.json").read_text())]
    named = set(re.findall(r'value="\$(\w+)"', run(folder, "interface").stdout))
    assert named == {"question", "document", "response", "labels"} and named <= data.keys()


def test_what_label_studio_exports_is_taken(tmp_path):
    choice = {"from_name": "label", "to_name": "document", "type": "choices", "value": {"choices": ["in_scope"]}}
    text = {"from_name": "comment", "to_name": "document", "type": "textarea", "value": {"text": ["so", "so"]}}
    same = {"id": 7, "lead_time": 4.2, "created_at": "2026-11-21T09:30:00.123456Z"}
    annotations = [
        {**same, "completed_by": 3, "result": [text, choice]},
        {**same, "completed_by": {"id": 4, "email": "b@example.org"}, "result": [choice], "ground_truth": True},
        {**same, "completed_by": 5, "result": [], "was_cancelled": True},
        {**same, "result": [choice]},
    ]
    folder = project(tmp_path, sample())
    (tmp_path / "export.json").write_text(
        json.dumps([{"id": 1, "data": {"item_id": "item-scope-0001"}, "annotations": annotations}])
    )
    assert run(folder, "import", "export.json", "--annotator", "Dan").returncode == 0
    assert labels(folder) == {
        ("label-studio-3", "annotator", "item-scope-0001"): ("in_scope", "so\nso", 4.2, 1795253400123),
        ("b@example.org", "adjudicator", "item-scope-0001"): ("in_scope", "", 4.2, 1795253400123),
        ("Dan", "annotator", "item-scope-0001"): ("in_scope", "", 4.2, 1795253400123),
    }


@pytest.mark.parametrize(("text", "stored"), [(None, ""), ([], ""), ("so", "so"), (["so", "so"], "so\nso")])
def test_comments_come_as_text_or_as_a_list(tmp_path, text, stored):
    (tmp_path / "export.json").write_text(label_studio(text))
    assert run(project(tmp_path, sample()), "import", "export.json").returncode == 0
    assert labels(tmp_path)["Anna", "annotator", "item-scope-0001"][:2] == ("in_scope", stored)


def test_another_label_of_the_same_person_is_refused_unless_it_is_to_replace(tmp_path):
    folder = project(tmp_path, sample())
    run(folder, "import", written(tmp_path / "labels.csv", ROWS[:1]))
    changed = written(tmp_path / "changed.csv", [ROWS[1] | {"annotator": "Dan"}, ROWS[0] | {"label": "out_of_scope"}])
    refused = run(folder, "import", changed)
    assert (
        refused.returncode == 1
        and "to let the file win, add --replace" in refused.stderr
        and "changed.csv:4" in refused.stderr
    )
    assert len(labels(folder)) == 1, "all or nothing"
    assert run(folder, "import", changed, "--replace").returncode == 0
    assert labels(folder)["Anna", "annotator", "item-scope-0001"][0] == "out_of_scope"


BAD_CSV = [
    ({"item_id": "item-none"}, "labels.csv:2: found the item 'item-none', expected one of this sample"),
    ({"label": "yes"}, "labels.csv:2: found the label 'yes', expected one of out_of_scope, in_scope"),
    ({"role": "boss"}, "found the role 'boss', expected annotator or adjudicator"),
    ({"annotator": ""}, "labels.csv:2: annotator: found no name"),
    ({"seconds": "long"}, "labels.csv:2: found 'long' seconds, expected a number"),
    ({"labelled_at": "yesterday"}, "labels.csv:2: found the time 'yesterday'"),
    (
        {"labelled_at": "9999-12-31T23:59:59-23:59"},
        "labels.csv:2: found the time '9999-12-31T23:59:59-23:59', expected one between 1970 and 2100",
    ),
    ({"labelled_at": "0001-01-01T00:00:00+23:59"}, "labels.csv:2: found the time '0001-01-01T00:00:00+23:59'"),
    ({"labelled_at": "1969-12-31"}, "labels.csv:2: found the time '1969-12-31', expected one between 1970 and 2100"),
]


@pytest.mark.parametrize(("change", "message"), BAD_CSV, ids=[message for _, message in BAD_CSV])
def test_a_wrong_row_is_named(tmp_path, change, message):
    folder = project(tmp_path, sample())
    done = run(folder, "import", written(tmp_path / "labels.csv", [ROWS[0] | {"comment": ""} | change]))
    assert done.returncode == 1 and message in done.stderr and labels(folder) == {}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "item,label\nx,y\n", "a.csv:1: found no column item_id"),
        ("a.csv", 'item_id,label\n"x', "a.csv:1: not CSV"),
        ("a.csv", "", "a.csv:1: found no column item_id, label"),
        ("a.json", "{", "a.json: not JSON"),
        ("a.json", "{}", "a.json: found no list of tasks"),
        ("a.json", '[{"data": {}, "annotations": []}]', "a.json: task 1: found no data.item_id"),
        ("a.json", '[{"data": {"item_id": "x"}}]', "a.json: task 1: found no annotations, expected a list"),
        ("a.json", '[{"data": {"item_id": "x"}, "annotations": [{"result": []}]}]', "found no choice named label"),
        ("a.json", '[{"data": {"item_id": "x"}, "annotations": [3]}]', "task 1: found 3, expected an annotation"),
        ("a.json", label_studio(created_at="0001-01-01T00:00:00+23:59"), "task 1: found the time '0001-01-01T"),
        ("a.json", label_studio(comment=5), "a.json: task 1: found the comment 5, expected text"),
        ("a.json", label_studio(comment=["so", 5]), "a.json: task 1: found the comment ['so', 5], expected text"),
        ("a.json", label_studio(lead_time=10**400), "a.json: task 1: found 1000000"),
        ("a.json", label_studio(result=[{"from_name": ["label"], "value": {}}]), "found no choice named label"),
        ("a.json", label_studio(comment="\ud83d"), "a.json: task 1: comment: found U+D83D, half of a character"),
        ("a.json", label_studio(comment="a\x1b[2Jb"), "a.json: task 1: comment: found U+001B, a character that nobody"),
        ("a.json", label_studio(comment="a" * 4001), "comment: found 4,001 characters, expected at most 4,000"),
    ],
)
def test_a_file_of_another_form_is_named(tmp_path, name, content, message):
    folder = project(tmp_path, sample())
    (folder / name).write_text(content)
    done = run(folder, "import", name)
    assert done.returncode == 1 and message in done.stderr and len(done.stderr.splitlines()) == 1
