"""From feeds to articles, for the shards that are crawled; and for all shards, which articles are near-duplicates.

Reads   config/shards.tsv, the lists of feeds that the configuration names, the web
Writes  results/feeds/{shard}.parquet               the feeds that can be asked, as they stood then; never listed again
        results/pages/{shard}.parquet               pages as they came; protected, never fetched again
        results/candidates/{shard}.parquet          pages that feeds name, fetched or not
        results/feed_health/{shard}.parquet         how each feed answered
        results/articles/{shard}.parquet            what was extracted from the pages
        results/clusters/{shard}.parquet            near-duplicates, also of earlier shards
        results/rejects/{feeds,pages,articles}/     what was left out, with the reason
        results/metrics/crawl.parquet               the report's section on coverage
        ledger/crawl_shard/{shard}/                 every answer as it came; not an output, never deleted
"""


rule export_feeds:
    """All lists of feeds become one table, once and for all for each shard."""
    output:
        feeds=ensure("results/feeds/{shard}.parquet", non_empty=True),
        rejects=ensure("results/rejects/feeds/{shard}.parquet", non_empty=True),
    log:
        "logs/export_feeds/{shard}.log",
    wildcard_constraints:
        shard=one_of(CRAWLED),
    conda:
        "../../envs/crawl.yaml"
    resources:
        mem_mb=2000,
        runtime="10m",
    params:
        code=frozen(code_version("news/export_feeds.py")),
        settings=frozen(settings.feeds(config["crawl"])),
    script:
        "../scripts/news/export_feeds.py"


rule crawl_shard:
    """The feeds of one shard and the pages that they name are fetched, once and for all."""
    input:
        feeds="results/feeds/{shard}.parquet",
    output:
        pages=protected(ensure("results/pages/{shard}.parquet", non_empty=True)),
        candidates=ensure("results/candidates/{shard}.parquet", non_empty=True),
        feed_health=ensure("results/feed_health/{shard}.parquet", non_empty=True),
        rejects=ensure("results/rejects/pages/{shard}.parquet", non_empty=True),
    log:
        "logs/crawl_shard/{shard}.log",
    benchmark:
        "logs/crawl_shard/{shard}.benchmark.jsonl"
    wildcard_constraints:
        shard=one_of(CRAWLED),
    conda:
        "../../envs/crawl.yaml"
    resources:
        mem_mb=2000,
        runtime="12h",
    params:
        code=frozen(code_version("news/crawl_shard.py")),
        settings=frozen(of_shard(settings.crawl)),
    script:
        "../scripts/news/crawl_shard.py"


rule extract_articles:
    """Each page that holds an article in the shard's days gives its text, language and date."""
    input:
        pages="results/pages/{shard}.parquet",
    output:
        articles=ensure("results/articles/{shard}.parquet", non_empty=True),
        rejects=ensure("results/rejects/articles/{shard}.parquet", non_empty=True),
    log:
        "logs/extract_articles/{shard}.log",
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
        code=code_version("news/extract_articles.py"),
        settings=of_shard(settings.extraction),
    script:
        "../scripts/news/extract_articles.py"


rule find_duplicates:
    """Articles that are nearly the same, in this shard and those before it, form clusters."""
    input:
        articles="results/articles/{shard}.parquet",
        before=before("results/clusters/{shard}.parquet"),
    output:
        clusters=ensure("results/clusters/{shard}.parquet", non_empty=True),
    log:
        "logs/find_duplicates/{shard}.log",
    conda:
        "../../envs/extract.yaml"
    resources:
        mem_mb=2000,
        runtime="1h",
    params:
        code=code_version("news/find_duplicates.py"),
        settings=of_shard(settings.duplicates),
    script:
        "../scripts/news/find_duplicates.py"


rule measure_crawl:
    """What was asked for, found, fetched and kept becomes the report's section on coverage."""
    input:
        feed_health=expand("results/feed_health/{shard}.parquet", shard=CRAWLED),
        candidates=expand("results/candidates/{shard}.parquet", shard=CRAWLED),
        pages=expand("results/pages/{shard}.parquet", shard=CRAWLED),
        articles=expand("results/articles/{shard}.parquet", shard=CRAWLED),
        documents=expand("results/documents/{shard}.parquet", shard=CRAWLED),
        rejects=expand(
            "results/rejects/{table}/{shard}.parquet",
            table=["pages", "articles", "documents"],
            shard=CRAWLED,
        ),
    output:
        metrics=ensure("results/metrics/crawl.parquet", non_empty=True),
    log:
        "logs/measure_crawl.log",
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=2000,
        runtime="30m",
    params:
        code=code_version("news/measure_crawl.py"),
        settings=settings.coverage(SHARDS, CRAWLED, config["crawl"]),
    script:
        "../scripts/news/measure_crawl.py"
