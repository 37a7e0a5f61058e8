"""Collecting the documents of a shard: nothing vanishes, each text once, and the same bytes however the files lie."""

import csv
import json
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragassay import tables
from ragassay.schemas.documents import DOCUMENTS
from ragassay.sources import SourceError
from scripts.documents.collect_documents import collect_documents

TEXTS = [f"Item {name} was found in Tolven. It weighs {len(name)} grams, and no more." for name in ("a", "bb", "ccc")]


@pytest.fixture
def collect(tmp_path):
    """Write files, by name and content, and run the stage on them; return the rows of both tables."""

    def run(files, order=None, min_words=5, cut_after_words=300):
        for name, content in files.items():
            path = tmp_path / name
            if isinstance(content, list):
                content = "".join(json.dumps(row) + "\n" for row in content)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        source = [str(tmp_path / name) for name in order or sorted(files)]
        outputs = tmp_path / "documents.parquet", tmp_path / "rejects.parquet"
        collect_documents(source, *outputs, "january", min_words, cut_after_words)
        return tuple(tables.read(table, path).to_pylist() for table, path in zip(SCHEMAS, outputs, strict=True))

    return run


SCHEMAS = DOCUMENTS, tables.REJECTS


def bytes_of(folder):
    return [(folder / f"{name}.parquet").read_bytes() for name in ("documents", "rejects")]


def reasons(rejects):
    return [(Path(row["item"]).name, row["reason"]) for row in rejects]


def test_usable_records_become_documents_and_the_others_rejects(collect):
    files = {"a.jsonl": [{"text": TEXTS[0], "id": 1}, {"text": "Too short."}, {"title": "none"}], "b.txt": TEXTS[1]}
    documents, rejects = collect(files)
    assert sorted(row["text"] for row in documents) == TEXTS[:2]
    assert {row["shard"] for row in documents + rejects} == {"january"}
    assert {row["stage"] for row in rejects} == {"collect_documents"}
    assert reasons(rejects) == [("a.jsonl row 2", "too_short"), ("a.jsonl row 3", "empty_text")]
    assert rejects[0]["detail"] == "found 2 words, expected at least 5"


def test_all_kinds_of_files_go_together(collect, tmp_path):
    files = {"a.csv": f'text\n"{TEXTS[0]}"\nshort\n', "b.tsv": "text\ttitle\nonly one cell\n", "c.md": TEXTS[1]}
    files["d.jsonl"] = "{nonsense\n"
    pq.write_table(pa.table({"text": [TEXTS[2]]}), tmp_path / "e.parquet")
    files["e.parquet"] = (tmp_path / "e.parquet").read_bytes()
    files["f.txt"] = b"m\xe9moire"
    documents, rejects = collect(files)
    assert sorted(row["text"] for row in documents) == TEXTS
    expected = [("a.csv row 2", "too_short"), ("b.tsv row 1", "bad_row"), ("d.jsonl row 1", "bad_row")]
    assert reasons(rejects) == [*expected, ("f.txt row 1", "encoding")]


def test_settings_are_used(collect):
    files = {"a.jsonl": [{"text": text} for text in TEXTS]}
    documents, _ = collect(files, cut_after_words=5)
    assert {row["n_words"] for row in documents} == {6}
    with pytest.raises(SourceError, match="3 too_short"):
        collect(files, min_words=100)


def test_a_repeated_text_is_rejected_with_the_place_of_the_first(collect, tmp_path):
    variants = [TEXTS[0], f"\ufeff {TEXTS[0]}\r\n", TEXTS[0].replace(" ", " \x00")]
    documents, rejects = collect({"a.jsonl": [{"text": variants[0]}], "b.jsonl": [{"text": v} for v in variants[1:]]})
    assert len(documents) == 1
    assert reasons(rejects) == [("b.jsonl row 1", "duplicate_text"), ("b.jsonl row 2", "duplicate_text")]
    place = f"found the same text as {tmp_path / 'a.jsonl'} row 1, expected each once"
    assert {row["detail"] for row in rejects} == {place}


def test_texts_that_differ_only_behind_the_cut_are_two_documents(collect):
    documents, rejects = collect({"a.jsonl": [{"text": f"{TEXTS[0]} {n} more."} for n in "12"]}, cut_after_words=5)
    assert (len(documents), rejects) == (2, [])
    assert documents[0]["text"] == documents[1]["text"]


def test_a_repeated_id_is_rejected_with_the_place_of_the_first(collect, tmp_path):
    rows = [{"text": text, "id": i} for text, i in zip(TEXTS, ["x", " x ", "X"], strict=True)]
    documents, rejects = collect({"a.jsonl": rows})
    assert {row["source_id"] for row in documents} == {"x", "X"}
    assert reasons(rejects) == [("a.jsonl row 2", "duplicate_id")]
    assert rejects[0]["detail"] == f"found the same id as {tmp_path / 'a.jsonl'} row 1, expected each once"


@pytest.mark.parametrize(
    ("rejected", "reason"),
    [
        ({"text": TEXTS[0], "id": "y"}, "duplicate_text"),
        ({"text": TEXTS[1], "id": "x"}, "duplicate_id"),
        ({"text": TEXTS[1], "id": "y", "date": "soon"}, "bad_date"),
    ],
)
def test_a_rejected_record_keeps_no_later_one_out(collect, rejected, reason):
    rows = [{"text": TEXTS[0], "id": "x"}, rejected, {"text": TEXTS[1], "id": "y"}]
    documents, rejects = collect({"a.jsonl": rows})
    assert sorted(row["source_id"] for row in documents) == ["x", "y"]
    assert reasons(rejects) == [("a.jsonl row 2", reason)]


def test_records_without_id_are_no_duplicates_of_each_other(collect):
    rows = [{"text": text, "id": empty} for text, empty in zip(TEXTS, ["", None, " "], strict=True)]
    documents, _ = collect({"a.jsonl": rows})
    assert len(documents) == 3


MESSY = [{"text": f"{text} Again {n}.", "id": f"{n}{len(text)}"} for n in range(20) for text in TEXTS]
MESSY += [{"text": "short"}, {"text": 7}, {"text": f"{TEXTS[0]} {TEXTS[1]}", "url": "javascript:x"}, {}]


def test_a_second_run_gives_the_same_bytes(collect, tmp_path):
    collect({"a.jsonl": MESSY})
    first = bytes_of(tmp_path)
    collect({"a.jsonl": MESSY})
    assert bytes_of(tmp_path) == first


def test_another_order_of_files_gives_the_same_bytes(collect, tmp_path):
    files = {f"{n}.jsonl": [row] for n, row in enumerate(MESSY)}
    collect(files)
    first = bytes_of(tmp_path)
    order = list(files)
    random.Random(7).shuffle(order)
    collect(files, order)
    assert bytes_of(tmp_path) == first


def test_another_order_of_rows_kind_and_name_of_file_gives_the_same_documents(collect, tmp_path):
    collect({"a.jsonl": MESSY[:60]})
    first, _ = bytes_of(tmp_path)
    with (tmp_path / "new.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["id", "text"])
        writer.writeheader()
        writer.writerows(reversed(MESSY[:60]))
    collect({"new.csv": (tmp_path / "new.csv").read_bytes()})
    assert bytes_of(tmp_path)[0] == first


def test_a_shard_without_any_usable_record_is_one_clear_error(collect, tmp_path, caplog):
    caplog.set_level("INFO", "ragassay")
    rows = [{"text": "short"}, {"text": "too short"}, {"text": 7}]
    with pytest.raises(SourceError) as caught:
        collect({"a.jsonl": rows})
    counts = "none of 3 records can be a document (2 too_short, 1 bad_text)"
    assert str(caught.value) == f"shard january: {counts}; the log names file and row"
    assert f"rejected {tmp_path / 'a.jsonl'} row 3: bad_text: found int in 'text', expected text" in caplog.text
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


@pytest.mark.parametrize("files", [{"a.jsonl": ""}, {"a.csv": "text,id\n", "b.jsonl": "\n\n"}])
def test_files_without_records_are_an_error_that_says_so(collect, files):
    with pytest.raises(SourceError, match=r"none of 0 records can be a document \(the files are empty\)"):
        collect(files)


def test_a_file_that_cannot_be_read_leaves_the_old_tables_as_they_are(collect, tmp_path):
    collect({"a.jsonl": MESSY})
    first = bytes_of(tmp_path)
    with pytest.raises(SourceError, match="no column 'text' among body"):
        collect({"a.jsonl": MESSY[:3], "b.csv": "body\nx\n"})
    assert bytes_of(tmp_path) == first
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.jsonl",
        "b.csv",
        "documents.parquet",
        "rejects.parquet",
    ]


VALUES = (
    st.none() | st.integers(0, 3) | st.floats() | st.booleans() | st.text(max_size=5) | st.lists(st.text(), max_size=1)
)
WORDS = st.lists(st.sampled_from(["Tolven", "a", "Mr.", "end.", "\r\n", "\x00", "é", "e\u0301", "\ud800"]), max_size=8)
RECORDS = st.fixed_dictionaries(
    {},
    optional={
        "text": WORDS.map(" ".join) | VALUES,
        "id": VALUES,
        "title": VALUES,
        "topic": VALUES,
        "date": st.sampled_from(["2026-01-02", "2026-13-01", "2026-01-02T03:04:05+02:00", 1700000000000]) | VALUES,
        "url": st.sampled_from(["https://a.example/x", "javascript:x", "http://"]) | VALUES,
    },
)
LINES = RECORDS.map(json.dumps) | st.sampled_from(["{", "[1]", "null", "7", '{"text": "\xff"}'])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.lists(LINES, max_size=8), min_size=1, max_size=3))
def test_rows_in_are_documents_and_rejects_whatever_they_hold(collect, files):
    contents = {f"{n}.jsonl": "\n\n".join(lines).encode("latin-1") for n, lines in enumerate(files)}
    items = sum(map(len, files))
    try:
        documents, rejects = collect({"good.txt": TEXTS[0], **contents}, min_words=2, cut_after_words=3)
    except SourceError:
        pytest.fail("one text is good")
    assert len(documents) + len(rejects) == items + 1
    assert len({row["item"] for row in rejects}) == len(rejects)
    assert all(row["reason"] and row["detail"] for row in rejects)
    assert len({row["content_hash"] for row in documents}) == len(documents)
