"""From feeds to articles, for the shards that are crawled.

Reads   config/shards.tsv, the lists of feeds that the configuration names, the web
Writes  results/feeds/{shard}.parquet               the feeds that can be asked, as they stood then; never listed again
        results/pages/{shard}.parquet               pages as they came; protected, never fetched again
        results/candidates/{shard}.parquet          pages that feeds name, fetched or not
        results/feed_health/{shard}.parquet         how each feed answered
        results/articles/{shard}.parquet            what was extracted from the pages
        results/rejects/{feeds,pages,articles}/     what was left out, with the reason
        ledger/crawl_shard/{shard}/                 every answer as it came; not an output, never deleted
"""

from ragassay.plan import documents
from ragassay.plan.entries import lacking

CRAWLED = lacking(SHARDS, "documents")


rule export_feeds:
    """All lists of feeds become one table, once and for all for each shard."""
    output:
        feeds=table("results/feeds/{shard}.parquet"),
        rejects=table("results/rejects/feeds/{shard}.parquet"),
    wildcard_constraints:
        shard=one_of(CRAWLED),
    conda:
        "../../envs/crawl.yaml"
    params:
        code=frozen(code_version("news/export_feeds.py")),
        settings=frozen(plan(documents.export_feeds)),
    script:
        "../scripts/news/export_feeds.py"


rule crawl_shard:
    """The feeds of one shard and the pages that they name are fetched, once and for all."""
    input:
        feeds="results/feeds/{shard}.parquet",
    output:
        pages=protected(table("results/pages/{shard}.parquet")),
        candidates=table("results/candidates/{shard}.parquet"),
        feed_health=table("results/feed_health/{shard}.parquet"),
        rejects=table("results/rejects/pages/{shard}.parquet"),
    benchmark:
        "logs/crawl_shard/{shard}.benchmark.jsonl"
    wildcard_constraints:
        shard=one_of(CRAWLED),
    conda:
        "../../envs/crawl.yaml"
    resources:
        runtime="12h",
    params:
        code=frozen(code_version("news/crawl_shard.py")),
        settings=frozen(plan(documents.crawl_shard)),
    script:
        "../scripts/news/crawl_shard.py"


rule extract_articles:
    """Each page that holds an article in the shard's days gives its text, language and date."""
    input:
        pages="results/pages/{shard}.parquet",
    output:
        articles=table("results/articles/{shard}.parquet"),
        rejects=table("results/rejects/articles/{shard}.parquet"),
    benchmark:
        "logs/extract_articles/{shard}.benchmark.jsonl"
    wildcard_constraints:
        shard=one_of(CRAWLED),
    conda:
        "../../envs/extract.yaml"
    resources:
        mem_mb=3000,
        runtime="4h",
    params:
        settings=plan(documents.extract_articles),
    script:
        "../scripts/news/extract_articles.py"
