"""Collect the documents of one shard from its articles: one of near-duplicates, cut at whole sentences, as many of each
topic as the shard asks for.

An article that does not become a document is a row of rejects with its reason. If there are too many, a hash of their
texts decides which are taken, so that neither order nor machine matters. No article represents a cluster of
near-duplicates that an earlier shard has; of those, only indexes of texts are read, so that no shard waits for another
one's documents.
"""

import hashlib
from collections import Counter

from ragassay.base import tables
from ragassay.base.errors import AssayError, Unusable, one_item
from ragassay.base.stage import log, run
from ragassay.documents.documents import document
from ragassay.news.opt_outs import OptOuts
from ragassay.schemas.documents import ARTICLES, CLUSTERS, DOCUMENTS
from ragassay.text.duplicate_index import DuplicateIndex, earlier_clusters


def collect_documents(
    articles, index, earlier, opt_outs, documents, rejects, clusters,
    shard, per_topic, min_words, cut_after_words, similarity,
):  # fmt: skip
    """`earlier` are indexes of all earlier shards, in their order."""
    twins = clusters_of(articles, index, [earlier] if isinstance(earlier, str) else earlier, similarity)
    tables.write(CLUSTERS, clusters, twins.values())
    opted_out = OptOuts.read(opt_outs)

    @one_item()
    def made(article):
        twin = twins[article["article_id"]]
        if article["url"] and (place := opted_out.listed(article["url"])):
            raise Unusable("opted_out", f"found its address in {place}")
        if not twin["representative"]:
            same = f"found another article of {twin['cluster_id']}, expected one of each cluster"
            raise Unusable("near_duplicate", same)
        return document(article, twin["cluster_id"], min_words, cut_after_words)

    surplus = _surplus(_usable(articles, made), per_topic) if per_topic else ()
    reasons, seen = Counter(), 0
    with tables.Writer(DOCUMENTS, documents) as kept, tables.Writer(tables.REJECTS, rejects) as refused:
        for batch in tables.batches(ARTICLES, articles):
            for article in batch.to_pylist():
                seen += 1
                try:
                    row = made(article)
                    if article["article_id"] in surplus:
                        raise Unusable(
                            "surplus", f"found {per_topic} others of its topic, which are all that is asked for"
                        )
                except Unusable as why:
                    reasons[why.reason] += 1
                    log.info("rejected %s: %s: %s", article["article_id"], why.reason, why.detail)
                    row = {"stage": "collect_documents", "shard": shard, "item": article["article_id"]}
                    refused.add(row | {"reason": why.reason, "detail": why.detail})
                else:
                    kept.add(row)
        if seen == reasons.total():
            counts = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common()) or "there are none"
            told = f"shard {shard}: none of {seen} articles can be a document ({counts})"
            raise AssayError(f"{told}; results/rejects says of each why")
    assert seen == kept.written + refused.written
    log.info("%d articles: %d documents, %d rejected", seen, kept.written, refused.written)


def clusters_of(articles, index, earlier, similarity):
    """article -> its row of the table."""
    of_shard = DuplicateIndex.read(index)
    joined = earlier_clusters(of_shard, [DuplicateIndex.read(path) for path in earlier], similarity)
    texts = of_shard.rows.select(["content_hash", "cluster_id", "representative", "first"]).to_pylist()
    by_content = {text["content_hash"]: text for text in texts}
    clusters = {}
    for article in tables.read(ARTICLES, articles, ["article_id", "content_hash"]).to_pylist():
        text, name = by_content[article["content_hash"]], article["article_id"]
        cluster_id = joined.get(text["first"])
        representative = cluster_id is None and text["representative"] == name
        row = {"article_id": name, "cluster_id": cluster_id or text["cluster_id"], "representative": representative}
        clusters[name] = row
    log.info("%d clusters, %d of these known from earlier shards", len({t["first"] for t in texts}), len(joined))
    return clusters


def _usable(articles, made):
    """(topic, article id, content_hash) of the articles that can be documents."""
    for batch in tables.batches(ARTICLES, articles):
        for article in batch.to_pylist():
            try:
                made(article)
            except Unusable:
                continue
            yield article["topic"], article["article_id"], article["content_hash"]


def _surplus(usable, per_topic):
    """The ids of surplus articles of a topic."""
    topics = {}
    for topic, article_id, content_hash in usable:
        order = hashlib.sha256(f"{article_id} {content_hash}".encode()).digest()
        topics.setdefault(topic, []).append((order, article_id))
    return {article_id for found in topics.values() for _, article_id in sorted(found)[per_topic:]}


if __name__ == "__main__":
    run(collect_documents, snakemake)
