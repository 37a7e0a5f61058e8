"""`make rehydrate`: fetch the texts that a release withholds from the pages that published them. A text is kept only
if its hash is the one in the release. What was fetched is kept in a ledger. Opt-outs, robots.txt and pauses hold as
in a crawl."""

import asyncio
import hashlib
from collections import Counter
from pathlib import Path

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.documents.documents import clean
from ragassay.documents.readers import Readers
from ragassay.news.crawl import Crawl, fetcher, local_site
from ragassay.news.extraction.extractor import Extractor, Reject
from ragassay.news.feeds.feed import PROGRAM
from ragassay.news.fetching.archive import Answers
from ragassay.news.opt_outs import OptOuts
from ragassay.release.opening import opened as opened_release
from ragassay.schemas.release import REHYDRATED_TEXTS

CHANGED = "another_text"  # the page is there, and its text is not the one in the release


class NotRehydrated(AssayError):
    """There is no release, nothing to fetch from it, or nothing was fetched."""


def rehydrate(release, crawl: dict, folder, signers=None) -> Counter:
    """Write `texts.parquet` into the folder; returns how many texts were found and why others were not."""
    wanted = _wanted(opened_release(release, signers))
    folder = Path(folder)
    opted_out = OptOuts.read(crawl["opt_outs"]).matches
    limits = {"seconds": crawl["seconds_per_page"], "memory_mb": crawl["megabytes_per_page"]}
    with (
        Answers(folder / "ledger" / "pages") as answers,
        local_site(crawl) as connect_to,
        Readers(PROGRAM, **limits) as readers,
    ):
        asyncio.run(_ask(sorted(wanted), crawl, answers, readers, connect_to, opted_out))
        outcomes, rows, pages = Counter(), {}, []
        for url in sorted(wanted):
            page = answers.own.get(url)
            if page and page.outcome == "ok":
                pages.append(page)
            else:
                outcomes[page.outcome if page else "not_asked"] += len(wanted[url])
        with Extractor(**limits) as extractor:
            contents = ((page.url, page.body() or b"", page.headers, page.final_url) for page in pages)
            for url, result in extractor.extract(contents):
                text = "" if isinstance(result, Reject) else clean(result.text)
                digest = hashlib.sha256(text.encode()).hexdigest()
                for content_hash in wanted[url]:
                    if digest == content_hash:
                        rows[digest] = {"content_hash": digest, "url": url, "text": text}
                        outcomes["found"] += 1
                    else:
                        outcomes[result.reason if isinstance(result, Reject) else CHANGED] += 1
    tables.write(REHYDRATED_TEXTS, folder / "texts.parquet", rows.values())
    return +outcomes


def texts(folder) -> dict[str, str]:
    """content_hash -> text."""
    path = Path(folder) / "texts.parquet"
    if not path.is_file():
        raise NotRehydrated(f"{path}: no such file, expected texts that were fetched; run `make rehydrate` first")
    rows = tables.read(REHYDRATED_TEXTS, path, ["content_hash", "text"])
    return dict(zip(*(column.to_pylist() for column in rows.columns), strict=True))


def _wanted(opened):
    """url -> hashes of the texts that it had."""
    wanted, withheld = {}, 0
    for table in ("documents", "articles"):
        for _, rows in opened.each(table, ["url", "content_hash", "text"]):
            for row in rows.to_pylist():
                withheld += row["text"] is None
                if row["text"] is None and row["url"]:
                    wanted.setdefault(row["url"], set()).add(row["content_hash"])
    if not wanted:
        without = f"found {withheld} texts that it withholds, none with an address"
        problem = without if withheld else "found all texts in it"
        raise NotRehydrated(f"{opened.folder}: {problem}; there is nothing to fetch")
    return wanted


async def _ask(urls, crawl, answers, readers, connect_to, opted_out):
    """Whoever made the release chose the addresses: none is the user's, as those of `allow_hosts` would have to be."""
    async with fetcher(crawl, connect_to, opted_out) as asking:
        of_host, of_all = 3600 * crawl["hours_per_host"], 3600 * crawl["hours_per_shard"]
        crawling = Crawl(asking, answers, readers, "rehydrate", host_seconds=of_host, seconds=of_all)
        await crawling.ask(urls, foreign=set(urls))
