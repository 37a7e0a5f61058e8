"""The statistics of the documents agree with a plain recomputation, whatever the shards hold."""

import datetime
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragassay.base import tables
from ragassay.schemas.documents import DOCUMENT_STATISTICS, DOCUMENTS
from scripts.documents.describe_documents import describe_documents

DATES = st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2100, 1, 1), timezones=st.just(datetime.UTC))
DATES = DATES.map(lambda moment: moment.replace(microsecond=0))
VARYING = {
    "topic": st.sampled_from([None, "food", "news", "žurnál", "(none)"]),
    "site": st.sampled_from([None, "a.example", "b.example"]),
    "published_at": st.none() | DATES,
    "n_words": st.integers(1, 2**31 - 1),
}
SHARDS = st.dictionaries(
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


def recomputed(shards):
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
@given(SHARDS)
def test_the_statistics_agree_with_a_plain_recomputation(described, shards):
    assert described(shards)[0] == list(recomputed(shards))


@settings(max_examples=20, deadline=None)
@given(SHARDS)
def test_the_order_of_the_shards_changes_no_byte(described, shards):
    assert described(shards) == described(shards, backwards=True)
