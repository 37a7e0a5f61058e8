"""Logs that hold what no page sends: labels stay within reach, and everything that reads them works."""

import pytest

from people import Client, Serving, click, give, project, run, sample
from ragassay.base import tables
from ragassay.people import click_log, folder
from ragassay.schemas.people import ANNOTATIONS
from scripts.labels.gather_annotations import gather_annotations

OWN = "annotation/authors/careful"
ITEM = "item-scope-0001"


def event(person, kind, **values):
    return {"event": kind, "person": person, "at": 1_795_253_400_000, **click(), **values}


def label(person, label="in_scope", **values):
    about = {"item": ITEM, "role": "annotator", "comment": "", "seconds": 2.0, **values}
    return event(person, "label", label=label, **about)


def logged(root, events):
    """A project whose log holds these events; returns the log."""
    path = project(root, sample(scope=1, defusion=0), training_items=0) / OWN / "events.jsonl"
    writing = click_log.Log(path)
    for one in events:
        writing.append(one)
    writing.close()
    return path


def gathered(root):
    """The rows of the table annotations."""
    items = root / "results/annotation_items/authors/careful.parquet"
    gather_annotations(items, root / OWN / "events.jsonl", root / "annotations.parquet")
    return tables.read(ANNOTATIONS, root / "annotations.parquet").to_pylist()


def disagreement(**values):
    """Two people join and disagree."""
    said = {"Anna": "in_scope", "Ben": "out_of_scope"}
    return [one for name in said for one in (event(name, "join", group=1), label(name, label=said[name], **values))]


def check_everything_that_reads(root):
    """Pages of one's own labels, adjudication, both exports and the table; returns the rows of the table."""
    with Serving(root) as running:
        for name, paths in {"Anna": ("/labels", f"/labels/scope/{ITEM}"), "Cleo": ("/adjudication",)}.items():
            client = Client(running.port)
            client.enter(name)
            assert [client.get(path)[0] for path in paths] == [200] * len(paths)
            client.close()
    for file in ("labels.csv", "labels.json"):
        done = run(root, "export", file)
        assert done.returncode == 0, done.stderr
        assert (root / file).read_bytes().decode()
    return gathered(root)


def test_half_a_character_in_a_log_shuts_nothing(tmp_path):
    logged(tmp_path, disagreement(comment="Why \ud800?"))
    rows = check_everything_that_reads(tmp_path)
    assert [row["comment"] for row in rows] == ["Why \ufffd?"] * 2


@pytest.mark.parametrize("at", [253_402_387_139_000, -62_135_683_140_000])
def test_a_moment_in_a_log_that_nobody_can_have_labelled_at_is_unknown(tmp_path, at):
    logged(tmp_path, disagreement(at=at))
    assert [row["labelled_at"] for row in check_everything_that_reads(tmp_path)] == [None, None]


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
    stored = click_log.read(tmp_path / OWN / "events.jsonl")
    assert [one["comment"] for one in stored if one["event"] == "label"] == ["\U0001f600 whole"]


def undo(labelled):
    """The event that takes a label back."""
    return event(labelled["person"], "undo", **{name: labelled[name] for name in ("item", "role")})


def history():
    """Anna and Ben disagree after one of them changed her mind, Cleo settles it and takes that back, Dan settles it."""
    events = disagreement(comment="Why?")
    taken_back, settled = label("Anna"), label("Cleo", role="adjudicator")
    events[1:1] = [taken_back, undo(taken_back), event("Anna", "skip", item=ITEM)]
    return [*events, settled, undo(settled), label("Dan", "out_of_scope", role="adjudicator")]


def flip(path, line, byte=30):
    """One bit of a line of the log."""
    lines = path.read_bytes().split(b"\n")
    content = bytearray(lines[line - 1])
    content[byte] ^= 1
    path.write_bytes(b"\n".join([*lines[: line - 1], bytes(content), *lines[line:]]))


@pytest.mark.parametrize("line", range(1, len(history()) + 1))
def test_a_damaged_line_costs_its_own_click_alone(tmp_path, caplog, line):
    path, expected = logged(tmp_path, history()), {}
    flip(path, line)
    for one in [one for number, one in enumerate(history(), 1) if number != line]:
        if one["event"] == "label":
            expected[one["person"], one["role"]] = one["label"]
        elif one["event"] == "undo":
            expected.pop((one["person"], one["role"]), None)
    rows = gathered(tmp_path)
    assert sorted((row["role"], row["label"]) for row in rows) == sorted(
        (role, label) for (_, role), label in expected.items()
    )
    assert f"{path}: damaged at line {line}: what was clicked there is lost" in caplog.text
    done = run(tmp_path, "export", "labels.csv")
    assert done.stdout == f"labels.csv: 1 items with {len(expected)} labels\n", done.stderr


def test_people_are_told_of_damaged_lines_and_go_on(tmp_path):
    path = logged(tmp_path, history())
    for line, byte in ((2, 30), (8, 10), (9, 30)):  # a label that was taken back, the length of one, a take-back
        flip(path, line, byte)
    with Serving(tmp_path) as running:
        anna = Client(running.port)
        assert "3 clicks in the log of labels cannot be read any more" in anna.enter("Anna")[1]
        assert anna.get("/labels")[0] == 200
        anna.close()


def test_a_label_of_somebody_whose_joining_is_damaged_keeps_its_group(tmp_path):
    path = logged(tmp_path, disagreement())
    flip(path, 1)
    with Serving(tmp_path) as running:
        anna = Client(running.port)
        assert "Label group" not in anna.enter("Anna")[1], "she is in it"
        assert anna.shown(f"/labels/scope/{ITEM}")["kind"] == "own"
        anna.close()


def test_a_take_back_of_somebody_else_s_decision_leaves_that_of_the_last(tmp_path):
    """Cleo's take-back is damaged, Dan settled the item meanwhile: when Cleo takes back again, Dan's decision stays."""
    events = history()
    path = logged(tmp_path, [*events, undo(events[-3])])
    flip(path, len(events) - 1)
    items = tmp_path / "results/annotation_items/authors/careful.parquet"
    assert folder.read_state(items, path, per_item=2).settled == {ITEM: "Dan"}


@pytest.mark.parametrize("cut", [1, 2, 60, 120])
def test_a_line_that_was_torn_by_a_kill_is_no_damage(tmp_path, caplog, cut):
    path = logged(tmp_path, disagreement())
    path.write_bytes(path.read_bytes()[:-cut] if cut > 1 else path.read_bytes() + b"0123abcd 1")
    click_log.Log(path).close()
    read = len(click_log.read(path))
    assert read == (4 if cut == 1 else 3) and "damaged" not in caplog.text
