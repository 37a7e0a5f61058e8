"""What the section `crawl` of the configuration means for fetching: how we introduce ourselves, whom we may ask, how
often.
"""

import contextlib
from collections.abc import Callable, Iterator

from ragassay.news.fetching.fetcher import Fetcher

AGENT = "ragassay/0.1"


def fetcher(crawl: dict, connect_to: dict | None, opted_out: Callable[[str], bool]) -> Fetcher:
    return Fetcher(
        f"{AGENT} (+{crawl['contact']})" if crawl["contact"] else AGENT,
        allow_hosts=crawl["allow_hosts"],
        connect_to=connect_to,
        gap=crawl["seconds_between_requests"],
        own_gap=crawl["seconds_between_requests_own_hosts"],
        spacing_folder=crawl["spacing_folder"],
        opted_out=opted_out,
    )


@contextlib.contextmanager
def local_site(crawl: dict) -> Iterator[dict | None]:
    """Serve the configured articles; where to connect for each of their hosts."""
    if not crawl["local_site"]:
        yield None
        return
    from ragassay.news.demo.loopback_server import LocalSite

    with LocalSite(crawl["local_site"]) as site:
        yield site.connect_to
