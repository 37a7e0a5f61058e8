"""Tables of a release are made again from recorded answers, without network; what is missing is a line."""

import os
import shutil
import subprocess
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from project import ROOT, snakemake
from publishing.sealing import change, with_column
from ragassay.base import tables
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.model import Usage
from ragassay.config import schema, settings
from ragassay.release import ledger_extract
from ragassay.release.__main__ import main
from ragassay.release.opening import Untrusted
from ragassay.release.rehydrating import NotRehydrated, texts
from ragassay.release.replaying import NotReplayed, _brought, _why, replay
from ragassay.release.sandbox import OFFLINE
from ragassay.schemas.release import RECORDED_ANSWERS
from ragassay.schemas.report import CALLS

STATES = "tables/published_texts.parquet"
ANSWERS = "tables/recorded_answers/judge_scope/authors/careful/2026-01.parquet"


def forked(folder, arguments):
    """As a user's, but jobs are forks; that theirs have no network is tested apart."""
    assert not any(argument.startswith("results/") for argument in arguments), "there may be a million"
    return snakemake(folder, *arguments, check=False)


def test_tables_come_out_byte_for_byte_and_elsewhere_too(release, project):
    """In a clone that never ran, from a release without the ledger, the results and the user's files of the run."""
    shutil.rmtree(project / "tests/tiny/documents")
    outcome = replay(release, project, run=forked)
    assert not outcome.other and not outcome.given and not outcome.shown
    made = {file.split("/")[1] for file in outcome.same}
    assert made >= {"claims", "questions", "scope_votes", "responses", "defusion_labels", "calls", "metrics", "rejects"}
    assert {"tables/metrics/detectors.parquet", "tables/metrics/retrieval.parquet"} <= set(outcome.same)
    assert len(outcome.same) == 103
    assert [path.name for path in (project / "results").iterdir()] == ["README.md"] and not any(
        (project / ".snakemake").glob("replay-*")
    )


def test_a_replay_that_misses_an_answer_names_it(release, project):
    rows = pq.read_table(release / ANSWERS, partitioning=None)
    lost = rows["key"][0].as_py()
    for file in (ANSWERS, ANSWERS.replace("recorded_answers", "asked_calls")):
        rows = pq.read_table(release / file, partitioning=None)
        change(release, file, rows.filter(pc.not_equal(rows["key"], lost)))
    states = pq.read_table(release / STATES, partitioning=None)
    less = pc.and_(pc.equal(states["table"], "recorded_answers"), pc.equal(states["state"], "published"))
    cells = pc.subtract(states["cells"], less.cast(pa.int64()))
    change(release, STATES, with_column(states, "cells", cells.to_pylist()))
    with pytest.raises(NotReplayed, match="the ledger has no answer for call") as stopped:
        replay(release, project, only=["scope_votes"], run=forked)
    assert lost in str(stopped.value) and "\n" not in str(stopped.value)


def test_what_cannot_be_replayed_is_a_line(release, project):
    with pytest.raises(NotReplayed, match=r"expected some of those that a replay makes: .*calls"):
        replay(release, project, only=["documents"], run=forked)
    (release / "stray").touch()
    with pytest.raises(Untrusted, match="stray: found a file that SHA256SUMS does not list"):
        replay(release, project, run=forked)
    (release.parent / "empty").mkdir()
    with pytest.raises(Untrusted, match="SHA256SUMS: cannot be read"):
        replay(release.parent / "empty", project, run=forked)


@pytest.mark.parametrize("use", ["create_connection(('127.0.0.1', 9))", "getaddrinfo('example.org', 80)"])
def test_jobs_of_a_replay_have_no_network(use):
    environment = os.environ | {"PYTHONPATH": str(ROOT / "workflow/startup"), OFFLINE: "1"}
    command = [sys.executable, "-c", f"import socket; socket.{use}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode and "expected none in a replay" in done.stderr


def test_the_ledger_of_a_job_is_found_where_no_key_of_its_path_is_its_model(tmp_path):
    """Models answer to other names over the years: the row of calls says which one counts."""
    row = {"model": "new", "requests": 1}
    calls = {"write_targets/mine": row, "respond/a/b": row, "optimise_passages/mine/x": row | {"requests": 0}}
    for folder in ("write_targets/mine/old", "write_targets/mine/new", "respond/a/b"):
        Ledger(tmp_path / folder).refused("00" * 16, [0], "refusal", "no")
    assert list(ledger_extract.jobs(tmp_path, calls)) == ["respond/a/b", "write_targets/mine/new"]
    assert all(ledger_extract.account(job, calls) is row for job in ledger_extract.jobs(tmp_path, calls))
    with pytest.raises(ledger_extract.LedgerGap, match="judge_defusion_plain/a: found no ledger of this job"):
        list(ledger_extract.jobs(tmp_path, {"judge_defusion_plain/a": row}))


@pytest.mark.parametrize(
    ("arguments", "variable"),
    [(["replay", ""], "RELEASE"), (["rehydrate", ""], "RELEASE"), (["diff", "", "b"], "BEFORE")],
)
def test_a_release_without_a_name_is_one_line(arguments, variable, capsys):
    assert main(arguments) == 1
    expected = f"release: {variable}: found nothing, expected the folder of a release, as in: {variable}=releases/"
    assert capsys.readouterr().err.startswith(expected)


def test_texts_that_nobody_fetched_are_one_line(tmp_path):
    with pytest.raises(NotRehydrated, match=r"texts.parquet: no such file, .*; run `make rehydrate` first"):
        texts(tmp_path)


def test_a_replay_that_fails_says_what_its_job_said():
    output = """judge_scope (shard=b): a warning

1 job failed:
  respond (shard=a): results/questions/a.parquet: found nothing, expected a question
    log: logs/respond/a.log
Correct the cause, then run the same command again: it goes on from here, with 3 of 4 jobs done.
"""
    said = "r: the replay failed: respond (shard=a): results/questions/a.parquet: found nothing, expected a question"
    assert _why(output, "r") == said
    planned = "Using a profile.\nragassay: configuration: too much\n"
    assert _why(planned, "r") == "r: the replay failed: configuration: too much"
    assert _why("one\ntwo", "r") == "r: the replay failed: one / two"


def test_a_ledger_made_from_rows_has_the_answers_refusals_and_costs_of_the_first(tmp_path):
    """What was asked in vain, too: retries, failures, requests that were lost."""
    first = Ledger(tmp_path / "first")
    for number, again in enumerate([False, True]):
        sent = first.intent("ab" * 16, [0, 1], 0.5, again)
        first.done(sent, f"body {number}")
        first.settled(sent, Usage(10, 4, 3), 0.25, 2)
    first.failed(first.intent("cd" * 16, [0, 1, 2], 0.5), "timeout", "late", lost=True)
    first.intent("cd" * 16, [0], 0.5)
    first.refused("ef" * 16, [0], "refusal", "no")
    first.close()
    rows = ledger_extract.rows(tmp_path / "first")
    extracted = [(row["key"][:2], row["number"], row["body"]) for row in rows]
    assert extracted == [("ab", 1, "body 0"), ("ab", 2, "body 1"), ("ef", 1, None)]
    tables.write(RECORDED_ANSWERS, tmp_path / "rows", rows)
    account = dict.fromkeys(CALLS.schema.names, 0) | {"requests": 4, "retries": 1, "replies": 2, "failures": 1}
    account["served_as"] = '{"new": 1, "old": 1}'
    account |= {"samples": 4, "prompt_tokens": 20, "cached_tokens": 8, "completion_tokens": 6, "dollars": 0.5}
    ledger_extract.write_ledger(tmp_path / "second", rows, account | {"possibly_billed_twice": 4})
    second = Ledger(tmp_path / "second")
    for name in ("requests", "retries", "replies", "failures", "samples", "prompt", "cached", "completion", "pico"):
        assert second.counts[name] == Ledger(tmp_path / "first").counts[name], name
    assert second.served == {"new": 1, "old": 1}
    assert second.possibly_billed_twice == Ledger(tmp_path / "first").possibly_billed_twice == 4
    assert [body for _, body in second.bodies("ab" * 16)] == ["body 0", "body 1"]
    assert list(second.refusals("ef" * 16)) == [([0], "refusal", "no")]
    assert ledger_extract.rows(tmp_path / "second") == rows, "and it can be published again"


def test_nothing_stands_in_for_files_in_object_stores():
    files = ["s3://bucket/a.csv", "own/b.csv"]
    config = settings.of_files([], schema.merged()) | {"corpora": {"own": {"files": files}}}
    brought = list(_brought(config, "shard\tdocuments\na\ts3://bucket/c.csv\nb\town/d.csv\n"))
    assert {"own/b.csv", "own/d.csv"} <= set(brought) and not [path for path in brought if "://" in path]
