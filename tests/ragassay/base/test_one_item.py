"""An item from outside costs itself: what nobody foresaw of it is a reason of class crash with type and place, which is
counted, and the rest goes on. The same fault, a ValueError about one item, is put into the way of each source.
"""

import itertools
import logging
import re
from pathlib import Path
from unittest.mock import Mock

import pytest

from fuzzing import whole_releases
from fuzzing.fitted_files import made
from ragassay import Gate
from ragassay.base import errors, fitted_files, tables
from ragassay.base.atomic import write_lines
from ragassay.base.errors import AssayError, Unusable, one_item
from ragassay.calls.model import Failure, Model, Provider, Usage
from ragassay.calls.parsers import numbered_lists
from ragassay.calls.parsers.numbered_lists import parse_numbered
from ragassay.calls.parsers.result import Abstain, Ok
from ragassay.corpora import user_files
from ragassay.documents import documents, sources, table_files
from ragassay.documents.readers import _reply
from ragassay.documents.record import SourceError
from ragassay.people import click_log, folder
from ragassay.people.labelling import Labelling
from ragassay.queries import query_log
from ragassay.release import opening
from ragassay.release.verification import checks
from ragassay.release.verification import table_files as released_tables
from ragassay.schemas.documents import ARTICLES
from scripts.documents import read_articles
from scripts.queries.read_query_log import read_query_log

DETAIL = re.compile(r"reading it raised ValueError at \w+\.py:\d+: nobody foresaw evil")
COLUMNS = {"id": "id", "text": "text"}
ROWS = [{"id": str(number), "text": text} for number, text in enumerate(["It was.", "evil", "So it is.", "No."])]


def faulty(patch, owner, name):
    """Put a fault into a function: it fails where any of its arguments is the evil item."""
    whole = getattr(owner, name)

    def stumble(*arguments, **named):
        if "evil" in repr((arguments, named)):
            raise ValueError("nobody foresaw evil")
        return whole(*arguments, **named)

    patch.setattr(owner, name, stumble)


@pytest.fixture
def files(tmp_path):
    """The rows as a file of each kind."""
    write_lines(tmp_path / "x.jsonl", ROWS)
    (tmp_path / "x.csv").write_text("id,text\n" + "".join(f"{row['id']},{row['text']}\n" for row in ROWS))
    tables.pq.write_table(tables.pa.Table.from_pylist(ROWS), tmp_path / "x.parquet")
    return {kind: str(tmp_path / f"x.{kind}") for kind in ("jsonl", "csv", "parquet")}


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_a_row_of_a_file(files, monkeypatch, kind):
    faulty(monkeypatch, table_files, "fields_of")
    records = [*sources.records([files[kind]])]
    assert [record.reason for record in records] == ["", "crash", "", ""]
    assert DETAIL.fullmatch(records[1].detail) and records[1].place == f"{files[kind]} row 2"


def test_a_reader_that_fails_costs_the_rest_of_its_file_and_no_other(files, monkeypatch):
    """A file that is all there is does not end in the middle as if it were whole."""
    whole = table_files.read_csv

    def evil(*arguments):
        yield from itertools.islice(whole(*arguments), 2)
        raise ValueError("nobody foresaw evil")

    monkeypatch.setitem(sources.READERS, ".csv", evil)
    ending = "; nothing behind it was read; take it out and report a bug"
    said = rf"{re.escape(files['csv'])} row 3: {DETAIL.pattern}{ending}"
    *_, unreadable = list(sources.records([files["jsonl"], files["csv"]]))
    assert (unreadable.reason, unreadable.row) == ("unreadable", 3) and re.fullmatch(said, unreadable.detail)
    assert len(list(sources.records([files["csv"], files["jsonl"]]))) == 2 + 1 + 4
    with pytest.raises(SourceError, match=said):
        list(sources.records([files["csv"]]))


@pytest.mark.parametrize("count", [1, 3])
def test_an_article_of_a_shard(tmp_path, monkeypatch, caplog, count):
    faulty(monkeypatch, documents, "clean")
    texts = [f"It was {number}." for number in range(40)] + [f"evil {number}" for number in range(count)]
    write_lines(tmp_path / "x.jsonl", [{"text": text} for text in texts])
    outputs = tmp_path / "articles.parquet", tmp_path / "rejects.parquet"
    read_articles.read_articles([str(tmp_path / "x.jsonl")], *outputs, "a", 0.5)
    rejects = tables.read(tables.REJECTS, outputs[1]).to_pylist()
    assert [row["reason"] for row in rejects] == ["crash"] * count
    assert all(DETAIL.match(row["detail"]) for row in rejects) and rejects[0]["item"].endswith("x.jsonl row 41")
    assert tables.read(ARTICLES, outputs[0]).num_rows == 40
    assert ("crashed what read them" in caplog.text) == (count == 3)


def test_a_document_in_the_process_that_can_be_killed(monkeypatch):
    """An error for a person is one of this document, too: the process would end, and begin again, for nothing."""

    def read(body, error):
        raise error

    monkeypatch.setattr("signal.setitimer", lambda *_: None)
    reply = _reply(read, b"", [ValueError("nobody foresaw evil")], 1.0, 1 << 20)
    assert reply["reason"] == "crash" and DETAIL.fullmatch(reply["detail"])
    assert _reply(read, b"", [AssayError("do this")], 1.0, 1 << 20) == {"reason": "crash", "detail": "do this"}


def test_a_text_of_a_corpus(files, monkeypatch, caplog):
    """A row of a table is an error, since no reject would say that it is missing; a file with one text is left out."""
    faulty(monkeypatch, user_files, "_value")
    with pytest.raises(user_files.TextError, match=rf"{re.escape(files['jsonl'])} row 2: {DETAIL.pattern}"):
        [*user_files.texts([files["jsonl"]], COLUMNS, ())]
    folder = Path(files["jsonl"]).parent
    texts = [folder / "a.txt", folder / "b.txt"]
    for path, text in zip(texts, ["It was.", "evil"], strict=True):
        path.write_text(text)
    rows = [*user_files.texts([*map(str, texts)], COLUMNS, (), below=(str(folder),))]
    assert [row["id"] for row in rows] == ["a.txt"]
    assert f"left out {texts[1]}: crash: reading it raised ValueError" in caplog.text


def test_an_entry_of_a_log_of_queries(tmp_path, monkeypatch):
    faulty(monkeypatch, query_log, "moment")
    faulty(monkeypatch, query_log, "clean")
    (tmp_path / "x.csv").write_text("date,text\n2026-11-01,Is it?\n2026-11-02,evil\n2026-11-03,Why?\n")
    outputs, names = (tmp_path / "log.parquet", tmp_path / "rejects.parquet"), {"date": "date", "text": "text"}
    read_query_log([str(tmp_path / "x.csv")], *outputs, "a", names | {"session": "session"}, None, 0.5)
    [reject] = tables.read(tables.REJECTS, outputs[1]).to_pylist()
    assert reject["reason"] == "crash" and DETAIL.fullmatch(reject["detail"])
    assert tables.pq.read_metadata(outputs[0]).num_rows == 2


def test_a_click(tmp_path, monkeypatch, caplog):
    items = [{"item_id": name, "task": "scope", "group": 1, "position": 1} for name in ("good", "evil")]
    same = {"event": "label", "person": "Anna", "role": "annotator", "label": "in_scope", "comment": "", "at": 1}
    log = click_log.Log(tmp_path / "events.jsonl")
    for number, item in enumerate(["evil", "good"]):
        log.append(same | {"item": item, "seconds": 1.0, "click": f"{number}"})
    log.close()
    monkeypatch.setattr(Labelling, "_label", _stumbling(Labelling._label))
    state = folder.state(items, click_log.read(log.path), 2, {}, log.path)
    assert [*state.people["Anna"].votes] == [("annotator", "good")] and [*state.clicks] == ["1"]
    assert re.search(r"left out the click label 0: reading it raised ValueError at labelling\.py:\d+", caplog.text)


def _stumbling(apply):
    def label(self, person, event):
        apply(self, person, event)
        if event["item"] == "evil":
            raise ValueError("nobody foresaw evil")

    return label


def test_a_reply(monkeypatch):
    class Evil(Provider):
        send = None

        def read(self, body):
            if body == "evil":
                raise ValueError("nobody foresaw evil")
            return [], Usage()

    Evil.__abstractmethods__ = frozenset()
    provider = Evil(Model("m", "p", "m"))
    with pytest.raises(Failure) as failure:
        provider.answers("evil")
    assert failure.value.refused == "crash" and DETAIL.fullmatch(failure.value.detail)
    assert provider.answers("good") == ([], Usage())
    for error in (AssayError("a setting"), Unusable("no_text", "a setting")):
        monkeypatch.setattr(Evil, "read", Mock(side_effect=error))
        with pytest.raises(Failure, match="a setting") as failure:
            provider.answers("good")
        assert failure.value.refused == "crash"


def test_an_answer_that_a_parser_stumbles_over(monkeypatch, caplog):
    faulty(monkeypatch, numbered_lists, "answer_part")
    assert parse_numbered("1. evil") == Abstain("crash")
    assert isinstance(parse_numbered("1. Bo\n2. Al"), Ok)
    assert DETAIL.search(caplog.text)


def test_a_table_of_a_release_and_a_check(monkeypatch):
    """Each is a line, and the others are looked at all the same."""
    release = whole_releases.honest()
    assert opening.problems(release) == []

    def stumble(release):
        raise IndexError("nobody foresaw evil")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checks, "_prompts", stumble)
        [problem] = checks.problems(release)
        assert re.search(r"cannot be checked \(IndexError at test_one_item\.py:\d+", problem)
    looked_at = []

    def evil(release, file, *others):
        looked_at.append(file)
        if "metrics" in file:
            raise RuntimeError("nobody foresaw evil")
        return ()

    monkeypatch.setattr(released_tables, "_of_file", evil)
    [problem] = checks.problems(release)
    assert len(looked_at) == 3
    assert re.search(r"metrics.*\(RuntimeError at test_one_item\.py:\d+: nobody foresaw evil\)", problem)


def test_a_file_of_a_guard_is_an_error_of_its_kind_and_others_open():
    gate = made() / "gate"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fitted_files, "array", lambda path: [].pop(0) if "calibration" in str(path) else None)
        with pytest.raises(AssayError, match="cannot read it"):
            Gate.load(gate)
    assert Gate.load(gate)


def test_what_a_person_has_to_act_on_and_what_is_foreseen_passes():
    for error in (AssayError("do this"), Unusable("empty_text", "found nothing"), MemoryError(), OSError("foreseen")):
        with pytest.raises(type(error)) as raised, one_item(OSError):
            raise error
        assert raised.value is error
    with pytest.raises(Unusable) as crash, one_item():
        raise OSError("\x1b[2J")
    assert crash.value.reason == errors.CRASH and crash.value.detail.isprintable()
    assert "OSError at test_one_item.py:" in crash.value.detail, "the fault is in code that is none of the library"
    assert isinstance(crash.value.__cause__, OSError)


@pytest.fixture(autouse=True)
def informed(caplog):
    caplog.set_level(logging.INFO, "ragassay")
