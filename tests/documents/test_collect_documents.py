"""Collecting the documents of a shard: one of near-duplicates, usable, not more of a topic than is asked for."""

import pytest

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.documents.documents import article
from ragassay.schemas.documents import ARTICLES, CLUSTERS, DOCUMENTS
from scripts.documents.collect_documents import collect_documents

TEXTS = [f"Item {number} was found in Tolven. It weighs {number} grams, and no more." for number in range(12)]


@pytest.fixture
def collect(tmp_path):
    """Run the stage on articles with these texts and topics; those in `twins` are near-duplicates of another."""

    def run(articles, twins=(), opt_outs="", per_topic=None, min_words=5, cut_after_words=300):
        rows = [
            article({"text": text, "topic": topic, "id": n, "url": f"http://a.example/{n}"}, "may")
            for n, (text, topic) in enumerate(articles)
        ]
        clusters = [
            {
                "article_id": row["article_id"],
                "cluster_id": f"cluster-{row['source_id']}",
                "representative": int(row["source_id"]) not in twins,
                "signature": b"",
            }
            for row in rows
        ]
        names = ("articles.parquet", "clusters.parquet", "opt_outs.txt", "documents.parquet", "rejects.parquet")
        paths = [tmp_path / name for name in names]
        paths[2].write_text(opt_outs)
        tables.write(ARTICLES, paths[0], rows)
        tables.write(CLUSTERS, paths[1], clusters)
        collect_documents(*paths, "may", per_topic, min_words, cut_after_words)
        return tables.read(DOCUMENTS, paths[3]).to_pylist(), tables.read(tables.REJECTS, paths[4]).to_pylist()

    return run


def test_an_article_becomes_a_document_that_knows_its_cluster(collect):
    ((row,), rejects) = collect([(TEXTS[0], "food")])
    assert (row["cluster_id"], row["source_id"], row["topic"], row["shard"]) == ("cluster-0", "0", "food", "may")
    assert row["text"] == TEXTS[0] and row["article_id"].startswith("art-") and rejects == []


def test_near_duplicates_and_short_texts_are_rejected(collect):
    documents, rejects = collect([(TEXTS[0], None), (TEXTS[1], None), ("Too short.", None)], twins={1})
    assert [row["text"] for row in documents] == [TEXTS[0]]
    assert sorted(row["reason"] for row in rejects) == ["near_duplicate", "too_short"]
    assert {row["stage"] for row in rejects} == {"collect_documents"}


def test_settings_are_used(collect):
    documents, _ = collect([(text, "food") for text in TEXTS], cut_after_words=5)
    assert {row["n_words"] for row in documents} == {6}
    with pytest.raises(AssayError, match=r"none of 12 articles can be a document \(12 too_short\)"):
        collect([(text, "food") for text in TEXTS], min_words=100)


def test_of_too_many_the_same_ones_are_kept_whatever_their_order(collect):
    articles = [(text, "food" if number % 3 else "music") for number, text in enumerate(TEXTS)]
    documents, rejects = collect(articles, per_topic=3)
    assert sorted(row["topic"] for row in documents) == ["food"] * 3 + ["music"] * 3
    assert {row["reason"] for row in rejects} == {"surplus"} and len(rejects) == 6
    kept = {row["content_hash"] for row in documents}
    assert kept != {row["content_hash"] for row in collect(articles[:6], per_topic=3)[0]}
    again, _ = collect(list(articles), per_topic=3)
    assert {row["content_hash"] for row in again} == kept


def test_those_that_cannot_be_documents_do_not_count_for_their_topic(collect):
    documents, rejects = collect([("Short.", "food"), (TEXTS[0], "food"), (TEXTS[1], "food")], twins={1}, per_topic=1)
    assert [row["text"] for row in documents] == [TEXTS[1]]
    assert sorted(row["reason"] for row in rejects) == ["near_duplicate", "too_short"]


def test_who_opts_out_leaves_the_shard(collect):
    documents, rejects = collect(
        [(TEXTS[0], "food"), (TEXTS[1], "food")], opt_outs="a.example/1  # by mail\n", per_topic=2
    )
    assert [row["text"] for row in documents] == [TEXTS[0]]
    assert rejects[0]["reason"] == "opted_out" and "opt_outs.txt:1" in rejects[0]["detail"]
