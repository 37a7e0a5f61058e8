"""Rows about pages whose publishers opted out: they leave releases of past shards, too."""

from pathlib import Path

import pyarrow as pa

from ragassay.base import tables
from ragassay.news.opt_outs import OptOuts
from ragassay.release.gathering import NotReleasable
from ragassay.schemas.documents import ARTICLES, DOCUMENTS

ADDRESSES = {"articles": ["url", "canonical_url"], "candidates": ["url", "feed_url"], "feeds": ["feed_url"]}
ADDRESSES |= {"feed_health": ["feed_url"]}
ITEMS = {"clusters": "article_id", "rejects": "item"}  # rows about articles and addresses


class OptedOut:
    """`files` are those of a run, by table; a document that opted out stops the release, since others rest on it."""

    def __init__(self, opt_outs: str, files: dict[str, list[Path]]):
        self.opt_outs, self.articles = OptOuts.read(opt_outs), set()
        if not self.opt_outs:
            return
        for path in files.get("documents", ()):
            for row in tables.read(DOCUMENTS, path, ["doc_id", "url"]).to_pylist():
                if place := row["url"] and self.opt_outs.listed(row["url"]):
                    problem = f"found {row['doc_id']} from {row['url']}, which {place} lists"
                    raise NotReleasable(f"{path}: {problem}; run the pipeline again, which removes it and all about it")
        for path in files.get("articles", ()):
            for row in tables.read(ARTICLES, path, ["article_id", *ADDRESSES["articles"]]).to_pylist():
                if self._matches(row["url"], row["canonical_url"]):
                    self.articles.add(row["article_id"])

    def concerns(self, table: str) -> bool:
        """Whether rows of this table may have to go."""
        return bool(self.opt_outs) and (table in ADDRESSES or table in ITEMS)

    def without(self, table: str, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The rows that may be published."""
        if not self.concerns(table):
            return batch
        if table in ADDRESSES:
            columns = [batch[name].to_pylist() for name in ADDRESSES[table]]
            kept = [not self._matches(*urls) for urls in zip(*columns, strict=True)]
        else:
            kept = [not (item in self.articles or self._matches(item)) for item in batch[ITEMS[table]].to_pylist()]
        if all(kept):
            return batch
        return batch.filter(pa.array(kept))

    def _matches(self, *urls):
        return any("://" in url and self.opt_outs.matches(url) for url in urls if url)
