"""gather_annotations: what each person said last, with numbers for names."""

from people import click, item, project, run, sample, state
from ragassay.base import tables
from ragassay.people.click_log import Log
from ragassay.people.page.clicks import decide
from ragassay.schemas.people import ANNOTATION_ITEMS, ANNOTATIONS
from scripts.labels.gather_annotations import gather_annotations


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
