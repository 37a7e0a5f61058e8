"""Documents of shards described and measured, as a plain recomputation gives it."""

import datetime
import json
from collections import Counter, defaultdict

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ragassay.base import tables
from ragassay.schemas.documents import DOCUMENT_STATISTICS, DOCUMENTS
from ragassay.schemas.report import METRICS
from rows import place
from scripts.documents.describe_documents import describe_documents
from scripts.documents.measure_documents import measure_documents

DATES = st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2100, 1, 1), timezones=st.just(datetime.UTC))
DATES = DATES.map(lambda moment: moment.replace(microsecond=0))
VARYING = {
    "topic": st.sampled_from([None, "food", "news", "žurnál", "(none)"]),
    "site": st.sampled_from([None, "a.example", "b.example"]),
    "published_at": st.none() | DATES,
    "n_words": st.integers(1, 2**31 - 1),
}
SHARDS_OF_ROWS = st.dictionaries(
    st.sampled_from(["2026-09", "2026-10", "x"]), st.lists(st.fixed_dictionaries(VARYING), min_size=1), min_size=1
)


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    """Write one table of documents per shard, run the stage, and return its rows and its bytes."""
    folder = tmp_path_factory.mktemp("described")

    def run(shards, backwards=False):
        paths = []
        for shard, rows in shards.items():
            full = [
                dict.fromkeys(DOCUMENTS.schema.names, "x") | row | {"doc_id": f"doc-{n:016x}", "shard": shard}
                for n, row in enumerate(rows)
            ]
            paths.append(folder / f"{shard}.parquet")
            tables.write(DOCUMENTS, paths[-1], full)
        statistics = folder / "statistics.parquet"
        describe_documents(paths[::-1] if backwards else paths, statistics)
        return tables.read(DOCUMENT_STATISTICS, statistics).to_pylist(), statistics.read_bytes()

    return run


def recomputed_statistics(shards):
    groups = defaultdict(list)
    for shard, rows in shards.items():
        for row in rows:
            groups[shard, row["topic"] or "(none)"].append(row)
    for (shard, topic), rows in sorted(groups.items()):
        words = [row["n_words"] for row in rows]
        dates = [row["published_at"] for row in rows if row["published_at"]]
        yield {
            "shard": shard,
            "topic": topic,
            "documents": len(rows),
            "sites": len({row["site"] for row in rows} - {None}),
            "undated": len(rows) - len(dates),
            "first_published": min(dates, default=None),
            "last_published": max(dates, default=None),
            "words": sum(words),
            "fewest_words": min(words),
            "most_words": max(words),
        }


@settings(deadline=None)
@given(SHARDS_OF_ROWS)
def test_the_statistics_agree_with_a_plain_recomputation(described, shards):
    assert described(shards)[0] == list(recomputed_statistics(shards))


@settings(max_examples=20, deadline=None)
@given(SHARDS_OF_ROWS)
def test_the_order_of_the_shards_changes_no_byte(described, shards):
    assert described(shards) == described(shards, backwards=True)


SHARDS = ["2026-09", "2026-10", "x"]
DOCUMENT = st.fixed_dictionaries(
    {
        "shard": st.sampled_from(SHARDS),
        "topic": st.sampled_from([None, "food", "news"]),
        "published_at": st.sampled_from([None, datetime.datetime(2026, 9, 26, tzinfo=datetime.UTC)]),
        "n_words": st.integers(1, 3000),
    }
)
REJECT = st.fixed_dictionaries(
    {"shard": st.sampled_from(SHARDS), "reason": st.sampled_from(["too_short", "bad_row", "encoding"])}
)
# Every shard has a document: the stage before sees to it.
ONE_EACH = [{"shard": shard, "topic": "food", "published_at": None, "n_words": 160} for shard in SHARDS]
DOCUMENT_ROWS = st.lists(DOCUMENT, max_size=30).map(lambda rows: rows + ONE_EACH)


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Write documents and rejects, run the stages, and return value and n by (table, key, metric), and the bytes."""
    folder = tmp_path_factory.mktemp("measured")

    def write(table, rows, fill, key):
        paths = []
        for shard in SHARDS:
            own = [dict.fromkeys(table.schema.names, fill) | row for row in rows if row["shard"] == shard]
            own = [row | {key: f"{shard} {n}"} for n, row in enumerate(own)]
            paths.append(place(folder / shard, table, shard=shard))
            tables.write(table, paths[-1], own)
        return paths

    def run(documents, rejects, words_per_bin=25):
        paths = write(DOCUMENTS, documents, "x", "doc_id"), write(tables.REJECTS, rejects, "x", "item")
        statistics, metrics = folder / "document_statistics.parquet", folder / "metrics.parquet"
        describe_documents(paths[0], statistics)
        measure_documents(*paths, statistics, metrics, words_per_bin)
        rows = tables.read(METRICS, metrics).to_pylist()
        assert {row["study"] for row in rows} == {"documents"}
        assert {(row["low"], row["high"], row["abstained"]) for row in rows} == {(None, None, 0)}
        found = {}
        for row in rows:
            (key,) = json.loads(row["keys"]).items()
            found[row["table"], key, row["metric"]] = (row["value"], row["n"])
        return found, metrics.read_bytes()

    return run


def recomputed(documents, rejects, step):
    expected = {}
    for table, column in (("by_topic", "topic"), ("by_shard", "shard")):
        for value in {row[column] for row in documents}:
            own = [row for row in documents if row[column] == value]
            words = [row["n_words"] for row in own]
            numbers = {
                "documents": len(own),
                "undated": sum(row["published_at"] is None for row in own),
                "mean_words": sum(words) / len(own),
                "fewest_words": min(words),
                "most_words": max(words),
            }
            for name, number in numbers.items():
                expected[table, (column, value or "(none)"), name] = (number, len(own))
    for shard in SHARDS:
        count = sum(row["shard"] == shard for row in rejects)
        expected["by_shard", ("shard", shard), "rejected"] = (count, count)
    for reason, count in Counter(row["reason"] for row in rejects).items():
        expected["rejects", ("reason", reason), "rejected"] = (count, count)
    lengths = [row["n_words"] for row in documents]
    for number in range(min(lengths) // step, max(lengths) // step + 1):
        first, last = number * step, number * step + step - 1
        count = sum(first <= length <= last for length in lengths)
        expected["lengths", ("words", f"{first}-{last}"), "documents"] = (count, len(lengths))
    return expected


@settings(max_examples=40, deadline=None)
@given(DOCUMENT_ROWS, st.lists(REJECT), st.sampled_from([1, 7, 25, 1000, 10**6]))
@example(ONE_EACH, [], 160)
@example(ONE_EACH, [], 161)
def test_the_metrics_agree_with_a_plain_recomputation(measured, documents, rejects, words_per_bin):
    found, _ = measured(documents, rejects, words_per_bin)
    assert found == recomputed(documents, rejects, words_per_bin)


def test_an_empty_bin_between_full_ones_is_a_row(measured):
    found, _ = measured([*ONE_EACH, ONE_EACH[0] | {"n_words": 230}], [])
    lengths = {key[1]: value for (table, key, _), (value, _) in found.items() if table == "lengths"}
    assert lengths == {"150-174": 3, "175-199": 0, "200-224": 0, "225-249": 1}
