"""The command line for ledgers: what they hold, the records of one call, and refusals that are asked again."""

import json
from contextlib import closing

import pytest

from ragassay.calls.ledger.__main__ import main
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.model import Usage
from ragassay.release import ledger_extract

KEYS = [f"{number:032x}" for number in range(1, 9)]


@pytest.fixture
def ledger(tmp_path):
    """Two jobs: one answer each, and refusals for two reasons; what lies beside them holds no calls."""
    for job in ("extract_claims/paid/2026-09", "judge_scope/plain/_free/2026-09"):
        with closing(Ledger(tmp_path / job)) as journal:
            sent = journal.intent(KEYS[0], [0], worst=0.5)
            journal.done(sent, json.dumps({"text": "it is \x1b[2J"}))
            journal.settled(sent, Usage(7, 0, 3), 0.1, 1)
            for key in KEYS[1:4]:
                journal.refused(key, [0, 1], "provider_error", "HTTP 400: paused")
            journal.refused(KEYS[4], [0], "refusal", "flagged")
    (tmp_path / "crawl_shard/2026-09").mkdir(parents=True)
    (tmp_path / "crawl_shard/2026-09/1.jsonl").write_text("no calls\n")
    return tmp_path


def run(ledger, *arguments):
    return main(["--ledger", str(ledger), *arguments])


def reasons(folder):
    with closing(Ledger(folder)) as journal:
        return {key: [reason for _, reason, _ in journal.refusals(key)] for key in KEYS[1:5]}


def test_verify_counts_what_there_is(ledger, capsys):
    assert run(ledger, "verify") == 0
    *jobs, total = capsys.readouterr().out.splitlines()
    assert len(jobs) == 2 and jobs[0].startswith(f"{ledger}/extract_claims/paid/2026-09: 1 requests, 1 replies, ")
    assert total.startswith("all: 2 requests, 2 replies, ") and "6 refused as provider_error" in total


def test_verify_names_damaged_lines_and_fails(ledger, capsys):
    (file,) = (ledger / "extract_claims/paid/2026-09").glob("*.jsonl")
    lines = file.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b"it is", b"it IS")
    file.write_bytes(b"".join(lines) + b"torn")
    assert run(ledger, "verify") == 1
    out = capsys.readouterr().out
    assert f"2 damaged lines ({file}:2, {file}:8)" in out and "asked again" in out


@pytest.mark.parametrize("by", ["key", "id"])
def test_show_prints_all_records_of_a_call_and_steers_no_terminal(ledger, capsys, by):
    key = KEYS[0]
    if by == "id":
        (file,) = (ledger / "extract_claims/paid/2026-09").glob("*.jsonl")
        key = json.loads(file.read_bytes().splitlines()[1].split(b" ", 2)[2])["id"]
    assert run(ledger, "show", key) == 0
    folder, *lines = capsys.readouterr().out.splitlines()
    assert folder == f"{ledger}/extract_claims/paid/2026-09:"
    assert [json.loads(line)["t"] for line in lines] == ["i", "d", "u"]
    assert "\x1b" not in "".join(lines)


@pytest.mark.parametrize("key", ["ff" * 16, "no key"])
def test_what_is_not_there_is_told_in_one_line(ledger, tmp_path, capsys, key):
    assert run(ledger, "show", key) == 1
    assert f"found no call {key}, expected the key of a call" in capsys.readouterr().err
    assert run(tmp_path / "empty", "verify") == 1
    assert "found no ledger of calls, expected a folder" in capsys.readouterr().err


def test_forget_withdraws_refusals_for_one_reason_and_nothing_else(ledger, capsys):
    folder = ledger / "extract_claims/paid/2026-09"
    before = {path: path.read_bytes() for path in ledger.rglob("*.jsonl")}
    assert run(ledger, "forget", "--reason", "provider_error", "--dry-run") == 0
    assert "3 would be forgotten" in capsys.readouterr().out
    assert {path: path.read_bytes() for path in ledger.rglob("*.jsonl")} == before
    assert run(ledger, "forget", "--reason", "provider_error") == 0
    out = capsys.readouterr().out
    assert "6 refusals as provider_error" in out and "--forcerun extract_claims judge_scope" in out
    assert reasons(folder) == {KEYS[1]: [], KEYS[2]: [], KEYS[3]: [], KEYS[4]: ["refusal"]}
    assert all(path.read_bytes() == content for path, content in before.items()), "only added to"
    with closing(Ledger(folder)) as journal:
        assert len(list(journal.bodies(KEYS[0]))) == 1
    assert [row["key"] for row in ledger_extract.rows(folder)] == [KEYS[0], KEYS[4]]
    assert run(ledger, "forget", "--reason", "provider_error") == 0
    assert capsys.readouterr().out == "0 refusals as provider_error\n"


def test_what_is_refused_again_stands_again_whatever_the_clocks_said(ledger, monkeypatch):
    """A record names what it withdraws, and does not go by the order of files."""
    folder = ledger / "extract_claims/paid/2026-09"
    run(ledger, "forget", "--reason", "provider_error")
    monkeypatch.setattr("ragassay.calls.ledger.journal.time.time_ns", lambda: 1)
    with closing(Ledger(folder)) as journal:
        journal.refused(KEYS[1], [0, 1], "provider_error", "again")
    assert reasons(folder)[KEYS[1]] == ["provider_error"] and reasons(folder)[KEYS[2]] == []


@pytest.mark.parametrize(("model", "folders"), [("paid", [0]), ("free", [1]), ("other", []), ("2026-09", [0, 1])])
def test_a_model_is_found_in_the_path_of_its_ledger(ledger, model, folders):
    run(ledger, "forget", "--reason", "refusal", "--model", model)
    jobs = [ledger / "extract_claims/paid/2026-09", ledger / "judge_scope/plain/_free/2026-09"]
    assert [number for number, job in enumerate(jobs) if not reasons(job)[KEYS[4]]] == folders
