"""Articles and documents: what is usable becomes one, everything else a reject."""

import csv
import json
import random
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from files_of_users import pdf
from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.base.tally import MostRejected
from ragassay.documents.documents import article
from ragassay.documents.sources import SourceError, document_files
from ragassay.schemas.documents import ARTICLES, CLUSTERS, DOCUMENTS
from ragassay.text.duplicate_index import DuplicateIndex
from ragassay.text.near_duplicates import HASHES, VIEWS
from scripts.documents.collect_documents import collect_documents
from scripts.documents.read_articles import read_articles

TEXTS = [f"Item {name} was found in Tolven. It weighs {len(name)} grams, and no more." for name in ("a", "bb", "ccc")]


@pytest.fixture
def read(tmp_path):
    """Write files, by name and content, and run the stage on them; return the rows of both tables."""

    def run(files, order=None, most_rejected=0.5):
        for name, content in files.items():
            path = tmp_path / name
            if isinstance(content, list):
                content = "".join(json.dumps(row) + "\n" for row in content)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        source = [str(tmp_path / name) for name in order or sorted(files)]
        outputs = tmp_path / "articles.parquet", tmp_path / "rejects.parquet"
        read_articles(source, *outputs, "january", most_rejected)
        return tuple(tables.read(table, path).to_pylist() for table, path in zip(SCHEMAS, outputs, strict=True))

    return run


SCHEMAS = ARTICLES, tables.REJECTS


def bytes_of(folder):
    return [(folder / f"{name}.parquet").read_bytes() for name in ("articles", "rejects")]


def reasons(rejects):
    return [(Path(row["item"]).name, row["reason"]) for row in rejects]


def test_usable_records_become_articles_and_the_others_rejects(read):
    files = {"a.jsonl": [{"text": TEXTS[0], "id": 1}, {"text": " "}, {"title": "none"}], "b.txt": TEXTS[1]}
    articles, rejects = read(files)
    assert sorted(row["text"] for row in articles) == TEXTS[:2]
    assert {row["shard"] for row in articles + rejects} == {"january"}
    assert {row["stage"] for row in rejects} == {"read_articles"}
    assert reasons(rejects) == [("a.jsonl row 2", "empty_text"), ("a.jsonl row 3", "empty_text")]
    assert rejects[0]["detail"] == "found no text, expected at least one sentence"


def test_all_kinds_of_files_go_together(read, tmp_path):
    files = {"a.csv": f'text\n"{TEXTS[0]}"\n" "\n', "b.tsv": "text\ttitle\nonly one cell\n", "c.md": TEXTS[1]}
    files["d.jsonl"] = "{nonsense\n"
    pq.write_table(pa.table({"text": [TEXTS[2]]}), tmp_path / "e.parquet")
    files["e.parquet"] = (tmp_path / "e.parquet").read_bytes()
    files["f.txt"] = b"m\xe9moire"
    articles, rejects = read(files)
    assert sorted(row["text"] for row in articles) == TEXTS
    expected = [("a.csv row 2", "empty_text"), ("b.tsv row 1", "bad_row"), ("d.jsonl row 1", "bad_row")]
    assert reasons(rejects) == [*expected, ("f.txt row 1", "encoding")]


def test_a_repeated_text_is_rejected_with_the_place_of_the_first(read, tmp_path):
    variants = [TEXTS[0], f"\ufeff {TEXTS[0]}\r\n", TEXTS[0].replace(" ", " \x00")]
    articles, rejects = read({"a.jsonl": [{"text": variants[0]}], "b.jsonl": [{"text": v} for v in variants[1:]]})
    assert len(articles) == 1
    assert reasons(rejects) == [("b.jsonl row 1", "duplicate_text"), ("b.jsonl row 2", "duplicate_text")]
    place = f"found the same text as {tmp_path / 'a.jsonl'} row 1, expected each once"
    assert {row["detail"] for row in rejects} == {place}


def test_a_repeated_id_is_rejected_with_the_place_of_the_first(read, tmp_path):
    rows = [{"text": text, "id": i} for text, i in zip(TEXTS, ["x", " x ", "X"], strict=True)]
    articles, rejects = read({"a.jsonl": rows})
    assert {row["source_id"] for row in articles} == {"x", "X"}
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
def test_a_rejected_record_keeps_no_later_one_out(read, rejected, reason):
    rows = [{"text": TEXTS[0], "id": "x"}, rejected, {"text": TEXTS[1], "id": "y"}]
    articles, rejects = read({"a.jsonl": rows})
    assert sorted(row["source_id"] for row in articles) == ["x", "y"]
    assert reasons(rejects) == [("a.jsonl row 2", reason)]


def test_records_without_id_are_no_duplicates_of_each_other(read):
    rows = [{"text": text, "id": empty} for text, empty in zip(TEXTS, ["", None, " "], strict=True)]
    assert len(read({"a.jsonl": rows})[0]) == 3


MESSY = [{"text": f"{text} Again {n}.", "id": f"{n}{len(text)}"} for n in range(20) for text in TEXTS]
MESSY += [{"text": " "}, {"text": 7}, {"text": f"{TEXTS[0]} {TEXTS[1]}", "url": "javascript:x"}, {}]


def test_another_order_of_files_gives_the_same_bytes(read, tmp_path):
    files = {f"{n}.jsonl": [row] for n, row in enumerate(MESSY)}
    articles, rejects = read(files)
    assert len(articles) + len(rejects) == len(MESSY) and len({row["item"] for row in rejects}) == len(rejects)
    first = bytes_of(tmp_path)
    order = list(files)
    random.Random(7).shuffle(order)
    read(files, order)
    assert bytes_of(tmp_path) == first


def test_another_order_of_rows_kind_and_name_of_file_gives_the_same_articles(read, tmp_path):
    read({"a.jsonl": MESSY[:60]})
    first, _ = bytes_of(tmp_path)
    with (tmp_path / "new.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["id", "text"])
        writer.writeheader()
        writer.writerows(reversed(MESSY[:60]))
    read({"new.csv": (tmp_path / "new.csv").read_bytes()})
    assert bytes_of(tmp_path)[0] == first


def test_a_shard_without_any_usable_record_is_one_clear_error(read, tmp_path, caplog):
    caplog.set_level("INFO", "ragassay")
    rows = [{"text": ""}, {"text": " "}, {"text": 7}]
    with pytest.raises(MostRejected) as caught:
        read({"a.jsonl": rows})
    first = f"{tmp_path / 'a.jsonl'} row 1: found no text, expected at least one sentence"
    counts = f"3 of 3 records rejected, expected at most 50%; 2 as empty_text, such as {first}"
    assert str(caught.value).startswith(f"shard january: {counts}. The log names file and row of each.")
    assert f"rejected {tmp_path / 'a.jsonl'} row 3: bad_text: found int in 'text', expected text" in caplog.text
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


@pytest.mark.parametrize("files", [{"a.jsonl": ""}, {"a.csv": "text,id\n", "b.jsonl": "\n\n"}])
def test_files_without_records_are_an_error_that_says_so(read, files):
    with pytest.raises(SourceError, match="found no record in its files, expected at least one"):
        read(files)


DATED = [{"text": f"{TEXTS[0]} Again {n}.", "date": "2026-03-12" if n % 2 else "12.03.2026"} for n in range(40)]


def test_a_shard_of_which_half_cannot_be_read_goes_on_and_with_one_record_more_it_stops(read, tmp_path):
    articles, rejects = read({"a.jsonl": DATED})
    assert len(articles) == len(rejects) == 20
    first = bytes_of(tmp_path)
    told = r"21 of 41 records rejected.* 21 as bad_date, such as .*a.jsonl row 1: found"
    with pytest.raises(MostRejected, match=told):
        read({"a.jsonl": [*DATED, DATED[0]]})
    assert bytes_of(tmp_path) == first, "no table is written"
    assert len(read({"a.jsonl": [*DATED, DATED[0]]}, most_rejected=0.6)[1]) == 21


def test_records_that_come_again_are_no_failures(read):
    articles, rejects = read({"a.jsonl": DATED[1:2] * 40})
    assert (len(articles), len(rejects)) == (1, 39)


def test_a_file_that_cannot_be_read_leaves_the_old_tables_as_they_are(read, tmp_path):
    read({"a.jsonl": MESSY})
    first = bytes_of(tmp_path)
    with pytest.raises(SourceError, match="no column 'text' among body"):
        read({"a.jsonl": MESSY[:3], "b.csv": "body\nx\n"})
    assert bytes_of(tmp_path) == first
    names = ["a.jsonl", "articles.parquet", "b.csv", "rejects.parquet"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names


def test_a_folder_of_all_kinds_keeps_paths_titles_and_reasons(tmp_path):
    folder = tmp_path / "handbook"
    (folder / "more").mkdir(parents=True)
    (folder / "leave.md").write_text(f"# Leave\n\n{TEXTS[0]}")
    (folder / "more/pay.pdf").write_bytes(pdf(TEXTS[1]))
    (folder / "faq.csv").write_text(f'body,day\n"{TEXTS[2]}",21.11.2026\n" ",22.11.2026\n"A text.",2026-11-21\n')
    (folder / "logo.png").write_bytes(b"a picture")
    outputs = tmp_path / "articles.parquet", tmp_path / "rejects.parquet"
    columns = {"text": "body", "date": "day"}
    read_articles(document_files(folder), *outputs, "january", 0.5, columns, "%d.%m.%Y", str(folder))
    articles, rejects = (tables.read(table, path).to_pylist() for table, path in zip(SCHEMAS, outputs, strict=True))
    named = {row["source_id"]: row["title"] for row in articles}
    assert named == {"leave.md": "Leave", "more/pay.pdf": "pay", "faq.csv row 1": None}
    [dated] = [row["published_at"].date().isoformat() for row in articles if row["published_at"]]
    assert dated == "2026-11-21"
    assert sorted(row["reason"] for row in rejects) == ["bad_date", "empty_text", "unknown_kind"]


def test_the_place_of_a_file_is_no_part_of_what_an_article_is_called(tmp_path):
    def ids(name):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(TEXTS[0])
        outputs = tmp_path / "articles.parquet", tmp_path / "rejects.parquet"
        read_articles([str(tmp_path / name)], *outputs, "january", 0.5, folder=str(tmp_path))
        return [row["article_id"] for row in tables.read(ARTICLES, outputs[0]).to_pylist()]

    assert ids("here.txt") == ids("elsewhere/there.txt")


NEWS = [f"Item {number} was found in Tolven. It weighs {number} grams, and no more." for number in range(12)]


@pytest.fixture
def collect(tmp_path):
    """Run the stage on articles with these texts and topics; those in `twins` are near-duplicates of another, and those
    in `known` of an article of an earlier shard.
    """

    def run(articles, twins=(), known=(), opt_outs="", per_topic=None, min_words=5, cut_after_words=300):
        rows = [
            article({"text": text, "topic": topic, "id": n, "url": f"http://a.example/{n}"}, "may")
            for n, (text, topic) in enumerate(articles)
        ]
        columns = {
            "content_hash": [row["content_hash"] for row in rows],
            "cluster_id": [f"cluster-{row['source_id']}" for row in rows],
            "representative": ["another" if at in twins else row["article_id"] for at, row in enumerate(rows)],
        }
        signatures = np.random.default_rng(0).integers(0, 2**16, (len(rows), VIEWS, HASHES), np.uint16)
        DuplicateIndex.of(signatures, np.arange(len(rows)), **columns).write(tmp_path / "index.arrow")
        earlier = tmp_path / "earlier.arrow"
        DuplicateIndex.of(
            signatures[list(known)], np.arange(len(known)), cluster_id=["cluster-of-april"] * len(known)
        ).write(earlier)
        names = ("documents", "rejects", "clusters")
        articles, opted_out, *written = (tmp_path / name for name in ("articles", "opt_outs.txt", *names))
        opted_out.write_text(opt_outs)
        tables.write(ARTICLES, articles, rows)
        read = articles, tmp_path / "index.arrow", [earlier], opted_out
        collect_documents(*read, *written, "may", per_topic, min_words, cut_after_words, 0.8)
        assert len(tables.read(CLUSTERS, written[2])) == len(rows)
        return tables.read(DOCUMENTS, written[0]).to_pylist(), tables.read(tables.REJECTS, written[1]).to_pylist()

    return run


def test_an_article_becomes_a_document_that_knows_its_cluster(collect):
    ((row,), rejects) = collect([(NEWS[0], "food")])
    assert (row["cluster_id"], row["source_id"], row["topic"], row["shard"]) == ("cluster-0", "0", "food", "may")
    assert row["text"] == NEWS[0] and row["article_id"].startswith("art-") and rejects == []


def test_near_duplicates_and_short_texts_are_rejected(collect):
    documents, rejects = collect([(NEWS[0], None), (NEWS[1], None), ("Too short.", None)], twins={1})
    assert [row["text"] for row in documents] == [NEWS[0]]
    assert sorted(row["reason"] for row in rejects) == ["near_duplicate", "too_short"]
    assert {row["stage"] for row in rejects} == {"collect_documents"}


def test_what_an_earlier_shard_has_is_rejected_and_the_earlier_cluster_named(collect):
    documents, rejects = collect([(text, None) for text in NEWS[:3]], known=[1])
    assert {row["cluster_id"] for row in documents} == {"cluster-0", "cluster-2"}
    ((reason, detail),) = ((row["reason"], row["detail"]) for row in rejects)
    assert reason == "near_duplicate" and "cluster-of-april" in detail


def test_settings_are_used(collect):
    documents, _ = collect([(text, "food") for text in NEWS], cut_after_words=5)
    assert {row["n_words"] for row in documents} == {6}
    with pytest.raises(AssayError, match=r"none of 12 articles can be a document \(12 too_short\)"):
        collect([(text, "food") for text in NEWS], min_words=100)


def test_of_too_many_the_same_ones_are_kept_whatever_their_order(collect):
    articles = [(text, "food" if number % 3 else "music") for number, text in enumerate(NEWS)]
    documents, rejects = collect(articles, per_topic=3)
    assert sorted(row["topic"] for row in documents) == ["food"] * 3 + ["music"] * 3
    assert {row["reason"] for row in rejects} == {"surplus"} and len(rejects) == 6
    kept = {row["content_hash"] for row in documents}
    assert kept != {row["content_hash"] for row in collect(articles[:6], per_topic=3)[0]}
    again, _ = collect(list(articles), per_topic=3)
    assert {row["content_hash"] for row in again} == kept


def test_those_that_cannot_be_documents_do_not_count_for_their_topic(collect):
    documents, rejects = collect([("Short.", "food"), (NEWS[0], "food"), (NEWS[1], "food")], twins={1}, per_topic=1)
    assert [row["text"] for row in documents] == [NEWS[1]]
    assert sorted(row["reason"] for row in rejects) == ["near_duplicate", "too_short"]


def test_who_opts_out_leaves_the_shard(collect):
    two = [(NEWS[0], "food"), (NEWS[1], "food")]
    documents, rejects = collect(two, opt_outs="a.example/1  # by mail\n", per_topic=2)
    assert [row["text"] for row in documents] == [NEWS[0]]
    assert rejects[0]["reason"] == "opted_out" and "opt_outs.txt:1" in rejects[0]["detail"]
