"""Logs that hold what no page sends: labels stay within reach, and everything that reads them works."""

import pytest

from annotating import Client, Serving, click, give, project, run, sample
from ragassay import tables
from ragassay.annotation import log
from ragassay.schemas.annotations import ANNOTATIONS
from scripts.people.gather_annotations import gather_annotations

OWN = "annotation/embedded/embedded"
ITEM = "item-scope-0001"


def event(person, kind, **values):
    return {"event": kind, "person": person, "at": 1_795_253_400_000, **click(**values)}


def label(person, label="in_scope", **values):
    about = {"item": ITEM, "role": "annotator", "comment": "", "seconds": 2.0, **values}
    return event(person, "label", label=label, **about)


def logged(folder, events):
    """A project whose log holds these events; returns the log."""
    path = project(folder, sample(scope=1, defusion=0), training_items=0) / OWN / "events.jsonl"
    writing = log.Log(path)
    for one in events:
        writing.append(one)
    writing.close()
    return path


def gathered(folder):
    """The rows of the table annotations."""
    items = folder / "results/annotation_items/embedded/embedded.parquet"
    gather_annotations(items, folder / OWN / "events.jsonl", folder / "annotations.parquet")
    return tables.read(ANNOTATIONS, folder / "annotations.parquet").to_pylist()


def disagreement(**values):
    """Two people join and disagree."""
    said = {"Anna": "in_scope", "Ben": "out_of_scope"}
    return [one for name in said for one in (event(name, "join", group=1), label(name, label=said[name], **values))]


def check_everything_that_reads(folder):
    """Pages of one's own labels, adjudication, both exports and the table; returns the rows of the table."""
    with Serving(folder) as running:
        for name, paths in {"Anna": ("/labels", f"/labels/scope/{ITEM}"), "Cleo": ("/adjudication",)}.items():
            client = Client(running.port)
            client.enter(name)
            assert [client.get(path)[0] for path in paths] == [200] * len(paths)
            client.close()
    for file in ("labels.csv", "labels.json"):
        done = run(folder, "export", file)
        assert done.returncode == 0, done.stderr
        assert (folder / file).read_bytes().decode()
    return gathered(folder)


def test_half_a_character_in_a_log_shuts_nothing(tmp_path):
    logged(tmp_path, disagreement(comment="Why \ud800?"))
    rows = check_everything_that_reads(tmp_path)
    assert [row["comment"] for row in rows] == ["Why \ufffd?"] * 2


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("/clicks/label", {"comment": "\ud800"}),
        ("/clicks/label", {"comment": "\ude00\ud83d"}),
        ("/clicks/label", {"label": "\udfff"}),
        ("/clicks/skip", {"item": "\ud800"}),
        ("/sign-in", {"name": "\ud800"}),
    ],
)
def test_half_a_character_is_refused_before_it_is_stored(tmp_path, path, values):
    with Serving(project(tmp_path, sample(scope=1, defusion=0), training_items=0)) as running:
        anna = Client(running.port)
        anna.enter("Anna")
        anna.post("/clicks/join", click())
        if path == "/sign-in":
            anna.cookie = None
        anna.get()
        status, told = anna.post(path, click(**{"item": ITEM, "seen": "", "label": "in_scope"} | values))
        assert status == 400 and "half of a character" in told["error"]
        anna.cookie = None
        anna.enter("Anna")
        assert give(anna, comment="\U0001f600 whole")[0] == 200
        anna.close()
    stored = log.read(tmp_path / OWN / "events.jsonl")
    assert [one["comment"] for one in stored if one["event"] == "label"] == ["\U0001f600 whole"]
