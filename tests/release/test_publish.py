"""What goes into a release, and what stops one: a line each."""

import importlib.metadata
import io
import itertools
import json
import logging
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from project import ROOT, TINY
from ragassay.base import plain_yaml, tables
from ragassay.base.errors import AssayError
from ragassay.calls.ledger.records import Ledger
from ragassay.release import contents, gathering, publishing
from ragassay.release.__main__ import main
from ragassay.release.publishing import publish
from ragassay.release.redaction import Licences
from ragassay.release.verification import checks
from ragassay.release.verification.release_folder import ReleaseFolder
from ragassay.results import all_tables
from ragassay.schemas.attacks import POISONED_PASSAGES, TARGETS
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_questions import SCOPE_VOTES
from releases import DAY, everything, linked, plan_in_forks
from rows import row

LICENCE = {"licence": "other", "texts": False}


@pytest.fixture
def root(tiny, tmp_path, monkeypatch):
    folder = linked(tiny, tmp_path / "project")
    monkeypatch.chdir(folder)
    plan_in_forks(monkeypatch)
    return folder


def own(root, name):
    """A folder of the project as a copy that may be changed."""
    source = (root / name).resolve()
    (root / name).unlink()
    return shutil.copytree(source, root / name)


def make(root, version="1", **settings):
    """The release with these settings on top of the tiny ones, read back."""
    (root / "own.yaml").write_text(plain_yaml.dump(settings))
    return ReleaseFolder(publish(version, [TINY[1], "own.yaml"], DAY, planned=everything))


def states(release, table):
    rows = release.read("published_texts", ["table", "column", "state", "cells"]).to_pylist()
    return {(row["column"], row["state"]): row["cells"] for row in rows if row["table"] == table}


def test_two_releases_of_one_run_are_the_same_bytes_wherever_they_are_made(root, published, monkeypatch):
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    monkeypatch.setenv("LC_ALL", "C")
    made = make(root, "2026-09")
    assert (made.folder / "SHA256SUMS").read_bytes() == (published / "SHA256SUMS").read_bytes()


def test_texts_are_published_only_where_their_source_allows_it(root):
    free = {**LICENCE, "texts": True}
    sources = {"2026-01": LICENCE, "example.org": free, "tests/tiny/documents": free, "example": free}
    release = make(root, release={"sources": {**sources, "resources/demo": free}})
    assert not list(checks.problems(release.folder))
    rows = release.read("documents", ["source_id", "site", "text", "text_end", "url", "content_hash"]).to_pylist()
    shown = {row["source_id"]: row["text"] is not None for row in rows if row["shard"] == "2026-01"}
    assert shown == {"a1": True, "a2": False, "a4": False}, "by the host above its own, else by its shard"
    assert all(row["text_end"] > 50 and row["content_hash"] for row in rows)
    known = tables.read_all(DOCUMENTS, sorted((root / "results/documents").glob("*.parquet"))).to_pylist()
    assert {row["content_hash"]: row["text_end"] for row in rows} == {d["content_hash"]: len(d["text"]) for d in known}
    assert states(release, "documents") == {("text", "no_licence"): 2, ("text", "published"): 5}
    assert states(release, "articles")["text", "no_licence"] > 1
    assert states(release, "passages") == states(release, "documents")
    assert {state for _, state in states(release, "examples")} == {"no_licence"}, "they name no document"
    card = (release.folder / "README.md").read_text()
    assert re.search(r"\| other \| \d \| \d \| \d \|", card)


@pytest.mark.parametrize("repeats", [True, False])
def test_runs_of_texts_that_may_not_be_published_are_counted_and_removed_by_a_switch(root, repeats):
    settings = {"sources": {"default": LICENCE}, "run_words": 5, "repeats": repeats}
    release = make(root, release=settings)
    assert not list(checks.problems(release.folder))
    found = states(release, "claims")
    assert found["text", "repeats_published" if repeats else "repeats"] > 3
    texts = pq.read_table(release.folder / "tables/claims/authors/2026-01.parquet", partitioning=None)["text"]
    document = tables.read(DOCUMENTS, root / "results/documents/2026-01.parquet")["text"].to_pylist()
    repeated = [text for text in texts.to_pylist() if text and any(text[:40] in whole for whole in document)]
    assert bool(repeated) == repeats
    answers = {state for _, state in states(release, "recorded_answers")}
    assert ("repeats_published" if repeats else "repeats") in answers
    assert "repeats" in (release.folder / "DATASHEET.md").read_text()
    rebuilt = {"claims", "recovered_claims", "novel_claims", "responses"} & {*release.manifest["replay"]["rebuilt"]}
    assert len(rebuilt) == (4 if repeats else 0), "what was made of words that are not here is given to a replay"


def test_every_table_says_whose_its_texts_are_or_what_becomes_of_it():
    declared = all_tables()
    assert not [name for name in declared if not contents.is_known(name)]
    owners = {column.text for table in declared.values() for column in table.columns if column.text}
    assert owners == {"site", "document", "key", "service", "everybody", "ours", "poison"}
    assert {table.release for table in declared.values()} == {None, "whole", "poisoned", "vectors", "never"}
    for table, column, other, target in contents.REFERENCES:
        assert column in declared[table].schema.names and target in declared[other].schema.names


def test_a_replay_runs_the_rules_that_have_all_the_words_that_they_need():
    assert contents.replayed(set(), set()) == contents.RULES
    poison = {("targets", "target"), ("targets", "texts")}
    without = {*contents.RULES} - {*contents.replayed(poison, {"respond"})}
    assert without == {"answer_attacked", "answer_prompts", "respond"}
    assert "answers" in contents.rebuilt(["answers"], contents.RULES) and not contents.rebuilt(["answers"], ["respond"])
    for table, column in itertools.chain(*contents.DEPENDS.values()):
        assert column in contents.TEXTS[table]
    assert {*contents.DEPENDS, *contents.ABOUT} <= {*contents.RULES}


def test_poison_goes_along_by_the_switch_alone(root):
    results = own(root, "results")
    target = row(TARGETS, target_id="t1", question="Who?", answers=["I"], target="you", texts=["It was you."])
    planted = row(POISONED_PASSAGES, passage_id="poison-" + "0" * 16, target_id="t1", text="It was you.", poisoned=True)
    tables.write(TARGETS, results / "targets/demo.parquet", [target])
    tables.write(POISONED_PASSAGES, results / "poisoned_passages/demo/a.parquet", [planted])
    for poisoned in (False, True):
        release = make(root, str(poisoned), export={"poisoned": poisoned})
        assert not list(checks.problems(release.folder))
        [found] = release.read("targets", ["question", "target", "texts"]).to_pylist()
        assert found["question"] == "Who?" and (found["texts"] == ["It was you."]) == poisoned
        assert release.has("poisoned_passages") == poisoned
        assert (states(release, "targets").get(("target", "poison")) == 1) != poisoned


def test_pages_and_what_people_gave_never_go_along(published):
    release = ReleaseFolder(published)
    assert not {"pages", "annotations", "human_labels", "activations", "poisoned_passages"} & release.tables.keys()


def test_opted_out_pages_leave_past_shards(root):
    results = own(root, "results")
    articles = pq.read_table(results / "articles/2026-09.parquet", partitioning=None)
    documents = pq.read_table(results / "documents/2026-09.parquet", partitioning=None)["article_id"].to_pylist()
    gone = next(row for row in articles.to_pylist() if row["article_id"] not in documents)
    (root / "own.txt").write_text(f"{gone['url']}\n")
    release = make(root, crawl={"opt_outs": "own.txt"})
    assert not list(checks.problems(release.folder))
    for path in release.folder.rglob("*.parquet"):
        assert gone["article_id"] not in str(pq.read_table(path, partitioning=None).to_pylist()), path
    assert release.read("articles", ["article_id"]).num_rows > 5


def test_a_changed_table_changes_the_card(root, published):
    results = own(root, "results")
    votes = results / "scope_votes/authors/careful/2026-01.parquet"
    rows = tables.read(SCOPE_VOTES, votes).to_pylist()
    rows[0] |= {"verdict": None, "abstained": "no_verdict"}
    tables.write(SCOPE_VOTES, votes, rows)
    changed, before = make(root).folder / "DATASHEET.md", published / "DATASHEET.md"
    abstained = re.compile(r"^\| scope_votes \| \d+ \| no_verdict \| 1 \|$", re.MULTILINE)
    assert abstained.search(changed.read_text()) and not abstained.search(before.read_text())


def test_what_the_hub_reads_is_there(published):
    front = yaml.safe_load((published / "README.md").read_text().split("---")[1])
    assert front["license"] == "apache-2.0" and len(front["configs"]) == len(list((published / "tables").iterdir()))
    main = next(one for one in front["configs"] if one["config_name"] == "selected_questions")
    assert main["default"] and len(main["data_files"][0]["path"]) == 3
    assert all((published / path).is_file() for one in front["configs"] for path in one["data_files"][0]["path"])


def test_the_answers_of_a_release_hold_no_time_and_no_machine(published):
    for path in (published / "tables/recorded_answers").rglob("*.parquet"):
        names = pq.read_schema(path).names
        assert not {"at", "host", "id"} & set(names)
    models = json.loads((published / "manifest.json").read_text())["models"]
    assert {model["name"]: model["revision"][:7] for model in models}["demo-lm"] == "sha256 "


@pytest.mark.parametrize("day", ["yesterday", "20261123", "2026-11-31"])
def test_a_release_has_a_day(day):
    with pytest.raises(AssayError, match=f"--date: found '{day}', expected a day such as 2026-11-23"):
        publish("1", [], day)


# Each spoils a project; returns the message, and settings of the release.


def there_already(root):
    (root / "releases/1").mkdir(parents=True)
    return "releases/1: found a release of this version, expected none; a release is never changed", {}


def no_version(root):
    return "VERSION: found '', expected letters, digits", {"version": ""}


def no_schema(root):
    shutil.copy(root / "results/documents/2026-01.parquet", own(root, "results") / "mine.parquet")
    return "results/mine.parquet: found a table without a schema", {}


def no_licence(root):
    expected = "release.sources: found no licence of the source 2026-01, expected one; add: 2026-01: {licence"
    return expected, {"release": {"sources": {"x": LICENCE}}}


def open_default(root):
    expected = "release.sources.default.texts: found true, expected false: name the sources whose texts may be"
    return expected, {"release": {"sources": {"default": {**LICENCE, "texts": True}}}}


def opt_outs(root):
    (root / "own.txt").write_text("not a host at all\n")
    return "own.txt:1: found 'not a host at all', expected a host", {"crawl": {"opt_outs": "own.txt"}}


def opted_out_document(root):
    (root / "own.txt").write_text("www.example.org\n")
    return "results/documents/2026-01.parquet: found doc-", {"crawl": {"opt_outs": "own.txt"}}


def open_batch(root):
    ledger = Ledger(own(root, "ledger") / "judge_scope/authors/careful/2026-01")
    ledger.batch("b1", "0" * 64, [("r1", "00" * 16, [0], 0.1, False)])
    ledger.close()
    return "ledger/judge_scope/authors/careful/2026-01: found 1 requests in batches that are still open", {}


def no_ledger(root):
    shutil.rmtree(own(root, "ledger") / "judge_scope")
    return "ledger/judge_scope/authors/careful/2026-01: found no ledger of this job", {}


def no_prompt(root):
    (root / "resources").unlink()
    shutil.copytree(ROOT / "resources", root / "resources", ignore=shutil.ignore_patterns("judge_scope.yaml"))
    return "found the prompt ", {}


def no_results(root):
    (root / "results").unlink()
    return "results: no such folder, expected the results of a finished run", {}


STOPS = [there_already, no_version, no_schema, no_licence, open_default, opt_outs, opted_out_document, open_batch]
STOPS += [no_ledger, no_prompt, no_results]


@pytest.mark.parametrize("spoil", STOPS, ids=lambda spoil: spoil.__name__)
def test_what_stops_a_release_is_one_line_and_leaves_nothing(root, spoil):
    expected, settings = spoil(root)
    before = sorted((root / "releases").glob("*"))
    with pytest.raises(AssayError) as stopped:
        make(root, **settings)
    assert expected in str(stopped.value) and "\n" not in str(stopped.value)
    assert sorted((root / "releases").glob("*")) == before


def test_the_command_says_where_the_release_is_or_why_there_is_none(root):
    words = f"publish 1 --yes --date {DAY} --configfile {TINY[1]}"
    command = [sys.executable, "-m", "ragassay.release", *words.split()]
    done = subprocess.run(command, capture_output=True, text=True)
    count = len(list((root / "releases/1/tables").iterdir()))
    assert f"releases/1: 1: {count} tables, " in done.stdout, done.stderr
    again = subprocess.run(command, capture_output=True, text=True)
    assert again.returncode == 1 and again.stderr.startswith("release: releases/1: found a release of this version")


def test_an_installation_names_its_packages_in_place_of_the_clones_locks(tmp_path, monkeypatch):
    (tmp_path / "shards.tsv").touch()
    monkeypatch.setattr(publishing, "INSTALLED", True)
    publishing._copy_rest(tmp_path, {"shards": str(tmp_path / "shards.tsv"), "models": {}})
    [file] = (tmp_path / "locks").iterdir()
    assert f"pyarrow=={importlib.metadata.version('pyarrow')}\n" in file.read_text()


def test_what_another_configuration_made_stays_behind(root, published, caplog):
    """A private corpus, questions of another run, a shard that is gone: none of them is planned."""
    results = own(root, "results")
    [corpus, *_] = sorted((results / "passages").glob("*.parquet"))
    shutil.copy(corpus, results / "passages/handbook.parquet")
    shutil.copy(results / "documents/2026-01.parquet", results / "documents/gone.parquet")
    shutil.copytree(results / "questions/authors", results / "questions/other")
    with caplog.at_level(logging.INFO):
        release = ReleaseFolder(publish("2026-09", [TINY[1]], DAY))
    assert (release.folder / "SHA256SUMS").read_bytes() == (published / "SHA256SUMS").read_bytes()
    assert "5 tables of other runs stay behind: questions (3), " in caplog.text


def test_a_run_that_is_not_finished_is_not_released(root):
    votes = own(root, "results") / "scope_votes/authors/careful/2026-01.parquet"
    votes.unlink()
    with pytest.raises(AssayError, match="results: found 1 planned files that are missing") as stopped:
        publish("1", [TINY[1]], DAY)
    assert str(stopped.value).endswith(f"run: snakemake --configfile {TINY[1]} -- {votes.relative_to(root)}")


def test_a_run_with_other_settings_is_not_released(root):
    (root / "own.yaml").write_text(plain_yaml.dump({"scope": {"judging": {"votes": 5}}}))
    with pytest.raises(AssayError, match="results: found files that are still to be made, by ") as stopped:
        publish("1", [TINY[1], "own.yaml"], DAY)
    assert "judge_scope (" in str(stopped.value)
    assert str(stopped.value).endswith(f"run: snakemake --configfile {TINY[1]} own.yaml -- report")


def test_own_sources_never_get_the_licence_and_the_note_of_the_demo(root):
    (root / "own.yaml").write_text(plain_yaml.dump({"release": {"sources": {"mine": LICENCE}}}))
    with pytest.raises(AssayError, match=r"export: found none in own\.yaml, which gives release\.sources, expected it"):
        publish("1", ["own.yaml"], DAY, planned=everything)
    (root / "export.yaml").write_text(plain_yaml.dump({"export": {"title": "Mine"}}))
    export = gathering.configuration(["export.yaml"])["export"]
    assert (export["licence"], export["texts"]) == ("other", False) and "invented" not in export["licence_note"]


def test_sources_of_a_file_replace_those_of_the_demo(root):
    """Else the licence of the demo would be that of everybody's texts."""
    file = root / "own.yaml"
    file.write_text(yaml.safe_dump({"release": {"sources": {"mine": LICENCE}}}))
    assert gathering.configuration(["own.yaml"])["release"]["sources"] == {"mine": LICENCE}
    assert "example" in gathering.configuration([])["release"]["sources"]


def test_a_folder_is_the_source_of_what_has_all_its_files_there():
    sources = {"resources/demo": {"licence": "apache-2.0", "texts": True}, "default": LICENCE}
    corpora = {
        "demo": {"files": ["resources/demo/articles"]},
        "mixed": {"files": ["resources/demo/articles", "data/mine.csv"]},
        "beside": {"files": ["resources/demonstration"]},
    }
    licences = Licences({"release": {"sources": sources}, "corpora": corpora}, [], {"s": ["resources/demo/x.csv"]})
    allowed = [licences.allow(None, name) for name in (*corpora, "s", "unknown", "demo.held_out")]
    assert allowed == [True, False, False, True, False, True]
    assert not licences.allow_everything
    assert licences.resolved["mixed"] == LICENCE and licences.resolved["demo"]["licence"] == "apache-2.0"


def test_what_will_be_public_is_shown_and_asked(root, monkeypatch, capsys):
    arguments = ["publish", "1", "--date", DAY, "--configfile", TINY[1]]
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert main(arguments) == 1
    shown = capsys.readouterr()
    assert re.search(r"2026-01 +documents +2 +apache-2.0 +published", shown.out)
    assert "found no terminal to ask at, expected --yes" in shown.err
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda question: "n")
    assert main(arguments) == 1 and "nothing was released, as you said" in capsys.readouterr().err
    assert not list((root / "releases").glob("*"))
    monkeypatch.setattr("builtins.input", lambda question: "y")
    assert main(arguments) == 0


def test_copies_of_objects_are_no_tables_of_a_run(monkeypatch):
    rows = ["output_file\tdate\trule\tlog-file(s)\tstatus\tplan"]
    rows += [f"{path}\t-\trule\t\t{status}\tno update" for path, status in PLANNED.items()]
    done = subprocess.CompletedProcess([], 0, "\n".join(rows), "")
    monkeypatch.setattr(gathering.subprocess, "run", lambda *_, **__: done)
    assert gathering.planned([]) == [Path("results/passages/own.parquet")]


PLANNED = {
    "results/passages/own.parquet": "ok",
    "fetched/corpora.own/s3/bucket/a.parquet": "ok",
    "fetched/corpora.own/s3/bucket/b.parquet": "missing",
    "fetched/corpora.own/s3/bucket/c.parquet": "removed temp file",
}
