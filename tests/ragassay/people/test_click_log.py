"""The log: what is acknowledged is on the disk and is read again, whatever stands behind it or is damaged in it."""

import errno
import os
import resource

import pytest

from people import Serving, click, give, project, run, sample
from ragassay.base import tables
from ragassay.calls.ledger.journal import encode
from ragassay.people import click_log, folder
from ragassay.people.click_log import Log, LogError, read
from ragassay.schemas.people import ANNOTATIONS
from scripts.people.gather_annotations import gather_annotations


def event(number):
    return {"event": "label", "person": "Änne", "item": f"item-{number}", "comment": 'a "b"\n\u2028 * J'}


def filled(path, count=3):
    log = Log(path)
    for number in range(count):
        log.append(event(number))
    log.close()


def test_events_come_back_in_their_order_and_more_can_follow(tmp_path):
    path = tmp_path / "new/events.jsonl"
    assert read(path) == []
    filled(path)
    log = Log(path)
    assert log.events == [event(number) for number in range(3)]
    log.append(event(3))
    log.close()
    assert read(path) == [event(number) for number in range(4)]
    assert path.stat().st_mode & 0o077 == 0, "names of people are for their owner"


@pytest.mark.parametrize("cut", range(2, 60, 7))
def test_a_torn_line_is_passed_over_and_spoils_no_other(tmp_path, caplog, cut):
    path = tmp_path / "events.jsonl"
    filled(path)
    path.write_bytes(path.read_bytes()[:-cut])
    log = Log(path)
    assert log.events == [event(0), event(1)]
    log.append(event(3))
    log.close()
    assert read(path) == [event(0), event(1), event(3)] and "damaged" not in caplog.text
    assert {record.getMessage() for record in caplog.records} == {f"{path} line 3: {click_log.CUT_OFF}"}


def test_one_flipped_bit_costs_no_click_wherever_it_is(tmp_path, caplog):
    path = tmp_path / "events.jsonl"
    filled(path)
    content = path.read_bytes()
    bits = {8 * at + at % 8 for at in range(len(content))}
    bits |= {8 * at + bit for at in range(len(content)) if content[at : at + 1] in b"\n*J" for bit in range(8)}
    for bit in bits:  # one of each byte, and all that make or unmake the end of a line
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        caplog.clear()
        assert read(path) == [event(number) for number in range(3)], bit
        number = content.count(b"\n", 0, bit // 8) + 1
        assert caplog.messages == [f"{path} line {number}: {click_log.FLIPPED}"], bit


def test_one_flipped_bit_costs_no_long_comment(tmp_path):
    path, long = tmp_path / "events.jsonl", event(0) | {"comment": "這是一個很長的評論。" * 400}
    content = encode(long) + encode(event(1))
    for at in [*range(0, len(content), 997), len(encode(long)) - 1]:
        changed = bytearray(content)
        changed[at] ^= 1 << at % 8
        path.write_bytes(changed)
        assert read(path) == [long, event(1)], at


@pytest.mark.parametrize("removed", range(0, 90, 5))
def test_bytes_that_are_gone_cost_the_lines_that_they_were_of(tmp_path, caplog, removed):
    """With the end of a line or without it, and each line that lost any is named."""
    path = tmp_path / "events.jsonl"
    filled(path, 5)
    lines = path.read_bytes().splitlines(keepends=True)
    start = len(lines[0]) + removed  # within the second line, or at its end
    content = b"".join(lines)
    path.write_bytes(content[:start] + content[start + 30 :])
    kept = [event(0), *([] if start + 30 > len(lines[0] + lines[1]) else [event(2)]), event(3), event(4)]
    assert read(path) == kept
    assert caplog.messages and all(message.startswith(f"{path} line 2: damaged") for message in caplog.messages)


def test_what_somebody_writes_is_never_taken_for_an_event(tmp_path):
    """A comment that is a line of the log, in a line that is damaged."""
    path, planted = tmp_path / "events.jsonl", encode(event(7)).decode()
    log = Log(path)
    log.append(event(0) | {"comment": f"x\n{planted}"})
    log.close()
    flip(path, 1, 3, 20)
    assert read(path) == []


def test_one_process_at_a_time(tmp_path):
    log = Log(tmp_path / "events.jsonl")
    with pytest.raises(LogError, match="in use by another process"):
        Log(tmp_path / "events.jsonl")
    log.close()
    Log(tmp_path / "events.jsonl").close()


def test_a_full_disk_refuses_the_click_and_the_next_one_is_whole(tmp_path):
    path = tmp_path / "events.jsonl"
    filled(path)
    log = Log(path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (log.size + 10, hard))
    try:
        with pytest.raises(LogError, match="the last click was not stored"):
            log.append(event(3))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    log.append(event(4))
    log.close()
    assert read(path) == [event(0), event(1), event(2), event(4)]


def test_what_is_left_of_a_line_spoils_no_other_even_if_it_cannot_be_cut_off(tmp_path, monkeypatch):
    log = Log(tmp_path / "events.jsonl")
    log.append({"number": 1})
    write = os.write

    def broken(*_):
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as disk:
        disk.setattr(os, "write", lambda file, line: write(file, line[:5]) if len(line) > 5 else broken())
        disk.setattr(os, "ftruncate", broken)
        disk.setattr(os, "fsync", broken)
        with pytest.raises(LogError, match="was not stored"):
            log.append({"number": 2})
    with pytest.raises(LogError, match=r"nothing more is stored; .*start again"):
        log.append({"number": 3})
    log.close()
    log = Log(tmp_path / "events.jsonl")
    log.append({"number": 4})
    log.close()
    assert [event["number"] for event in read(tmp_path / "events.jsonl")] == [1, 4]


def test_a_place_where_nothing_can_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(LogError, match="labels are kept there"):
        Log(tmp_path / "file/events.jsonl")


OWN = "annotation/careful/careful"
ITEM = "item-scope-0001"


def event_click_log_content(person, kind, **values):
    return {"event": kind, "person": person, "at": 1_795_253_400_000, **click(), **values}


def label(person, label="in_scope", **values):
    about = {"item": ITEM, "role": "annotator", "comment": "", "seconds": 2.0, **values}
    return event_click_log_content(person, "label", label=label, **about)


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
    items = root / "results/annotation_items/careful/careful.parquet"
    gather_annotations(items, root / OWN / "events.jsonl", root / "annotations.parquet")
    return tables.read(ANNOTATIONS, root / "annotations.parquet").to_pylist()


def disagreement(**values):
    """Two people join and disagree."""
    said = {"Anna": "in_scope", "Ben": "out_of_scope"}
    return [
        one
        for name in said
        for one in (event_click_log_content(name, "join", group=1), label(name, label=said[name], **values))
    ]


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("/clicks/label", {"comment": "\ud800"}),
        ("/clicks/skip", {"item": "\ud800"}),
        ("/sign-in", {"name": "\ud800"}),
        ("/clicks/label", {"comment": "\x1b]0;owned\x07"}),
    ],
)
def test_what_cannot_be_stored_or_seen_is_refused_before_it_is_stored(tmp_path, path, values):
    with Serving(project(tmp_path, sample(scope=1, defusion=0), training_items=0)) as running:
        anna = running.person("Anna")
        if path == "/sign-in":
            anna.cookie = None
        anna.get()
        status, told = anna.post(path, click(**{"item": ITEM, "seen": "", "label": "in_scope"} | values))
        assert status == 400 and ("half of a character" in told["error"] or "that nobody sees" in told["error"])
        anna.cookie = None
        anna.enter("Anna")
        assert give(anna, comment="\U0001f600 whole")[0] == 200
    stored = click_log.read(tmp_path / OWN / "events.jsonl")
    assert [one["comment"] for one in stored if one["event"] == "label"] == ["\U0001f600 whole"]


def undo(labelled):
    """The event that takes a label back."""
    return event_click_log_content(labelled["person"], "undo", **{name: labelled[name] for name in ("item", "role")})


def history():
    """Anna and Ben disagree after one of them changed her mind, Cleo settles it and takes that back, Dan settles it."""
    events = disagreement(comment="Why?")
    taken_back, settled = label("Anna"), label("Cleo", role="adjudicator")
    events[1:1] = [taken_back, undo(taken_back), event_click_log_content("Anna", "skip", item=ITEM)]
    return [*events, settled, undo(settled), label("Dan", "out_of_scope", role="adjudicator")]


def flip(path, line, *at):
    """A bit of each of these bytes of a line of the log."""
    lines = path.read_bytes().split(b"\n")
    content = bytearray(lines[line - 1])
    for byte in at:
        content[byte] ^= 1
    path.write_bytes(b"\n".join([*lines[: line - 1], bytes(content), *lines[line:]]))


@pytest.mark.parametrize("line", range(1, len(history()) + 1))
def test_a_damaged_line_costs_its_own_click_alone(tmp_path, caplog, line):
    path, expected = logged(tmp_path, history()), {}
    flip(path, line, 30, 50)
    for one in [one for number, one in enumerate(history(), 1) if number != line]:
        if one["event"] == "label":
            expected[one["person"], one["role"]] = one["label"]
        elif one["event"] == "undo":
            expected.pop((one["person"], one["role"]), None)
    rows = gathered(tmp_path)
    assert sorted((row["role"], row["label"]) for row in rows) == sorted(
        (role, label) for (_, role), label in expected.items()
    )
    assert caplog.messages[0].startswith(f"{path} line {line}: damaged: what was clicked there is lost")
    done = run(tmp_path, "export", "labels.csv")
    assert done.stdout == f"labels.csv: 1 items with {len(expected)} labels\n", done.stderr


def test_people_are_told_of_damaged_lines_and_go_on(tmp_path):
    path = logged(tmp_path, history())
    for line, byte in ((2, 30), (8, 10), (9, 30)):  # a label that was taken back, the length of one, a take-back
        flip(path, line, byte, 50)
    with Serving(tmp_path) as running:
        anna = running.visitor()
        assert "3 clicks in the log of labels cannot be read any more" in anna.enter("Anna")[1]
        assert anna.get("/labels")[0] == 200


def test_a_label_of_somebody_whose_joining_is_damaged_keeps_its_group(tmp_path):
    path = logged(tmp_path, disagreement())
    flip(path, 1, 30, 50)
    with Serving(tmp_path) as running:
        anna = running.visitor()
        assert "Label group" not in anna.enter("Anna")[1], "she is in it"
        assert anna.shown(f"/labels/scope/{ITEM}")["kind"] == "own"


def test_a_take_back_of_somebody_else_s_decision_leaves_that_of_the_last(tmp_path):
    """Cleo's take-back is damaged, Dan settled the item meanwhile: when Cleo takes back again, Dan's decision stays."""
    events = history()
    path = logged(tmp_path, [*events, undo(events[-3])])
    flip(path, len(events) - 1, 30, 50)
    items = tmp_path / "results/annotation_items/careful/careful.parquet"
    assert folder.read_state(items, path, per_item=2).settled == {ITEM: "Dan"}
