"""The log: what is acknowledged is on the disk and is read again, whatever stands behind it."""

import errno
import os
import resource

import pytest

from ragassay.people.click_log import Log, LogError, read


def event(number):
    return {"event": "label", "person": "Änne", "item": f"item-{number}", "comment": 'a "b"\n\u2028'}


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
def test_a_torn_line_is_passed_over_and_spoils_no_other(tmp_path, cut):
    path = tmp_path / "events.jsonl"
    filled(path)
    path.write_bytes(path.read_bytes()[:-cut])
    log = Log(path)
    assert log.events == [event(0), event(1)]
    log.append(event(3))
    log.close()
    assert read(path) == [event(0), event(1), event(3)]


def test_a_flipped_bit_is_told(tmp_path, caplog):
    path = tmp_path / "events.jsonl"
    filled(path)
    content = bytearray(path.read_bytes())
    content[20] ^= 1
    path.write_bytes(content)
    assert read(path) == [event(1), event(2)]
    assert f"{path}: damaged at line 1: what was clicked there is lost" in caplog.text


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
