"""From the user's files and from articles to documents, and what they are like.

Reads   config/shards.tsv and the files or folders that it names, results/articles, results/clusters
Writes  results/articles/{shard}.parquet              the articles in the user's files
        results/documents/{shard}.parquet             the documents
        results/rejects/{articles,documents}/         what could not be one, with the reason
        results/document_statistics.parquet           per shard and topic
        results/metrics/documents.parquet             the report's first section
"""


rule read_articles:
    """The usable texts of the user's files become articles; the others are rejected with a reason."""
    input:
        source=of_shard(settings.files),
    output:
        articles=ensure("results/articles/{shard}.parquet", non_empty=True),
        rejects=ensure("results/rejects/articles/{shard}.parquet", non_empty=True),
    log:
        "logs/read_articles/{shard}.log",
    wildcard_constraints:
        shard=one_of(FILED),
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=1000,
        runtime="30m",
    params:
        code=code_version("documents/read_articles.py"),
        settings=of_shard(settings.articles),
    script:
        "../scripts/documents/read_articles.py"


rule collect_documents:
    """One of near-duplicate articles, long enough and cut, as many of each topic as the shard asks for."""
    input:
        articles="results/articles/{shard}.parquet",
        clusters="results/clusters/{shard}.parquet",
        opt_outs=config["crawl"]["opt_outs"],
    output:
        documents=ensure("results/documents/{shard}.parquet", non_empty=True),
        rejects=ensure("results/rejects/documents/{shard}.parquet", non_empty=True),
    log:
        "logs/collect_documents/{shard}.log",
    conda:
        "../../envs/crawl.yaml"
    resources:
        mem_mb=1000,
        runtime="30m",
    params:
        code=code_version("documents/collect_documents.py"),
        settings=of_shard(settings.documents),
    script:
        "../scripts/documents/collect_documents.py"


rule describe_documents:
    """All shards are counted: documents, words, sites and dates for each topic."""
    input:
        documents=expand("results/documents/{shard}.parquet", shard=SHARDS),
    output:
        statistics=ensure("results/document_statistics.parquet", non_empty=True),
    log:
        "logs/describe_documents.log",
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=2000,
        runtime="30m",
    params:
        code=code_version("documents/describe_documents.py"),
        settings={},
    script:
        "../scripts/documents/describe_documents.py"


rule measure_documents:
    """The counts become the metrics of the report's first section."""
    input:
        documents=expand("results/documents/{shard}.parquet", shard=SHARDS),
        rejects=expand(
            "results/rejects/{table}/{shard}.parquet",
            table=["articles", "documents"],
            shard=SHARDS,
        ),
        statistics="results/document_statistics.parquet",
    output:
        metrics=ensure("results/metrics/documents.parquet", non_empty=True),
    log:
        "logs/measure_documents.log",
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=2000,
        runtime="30m",
    params:
        code=code_version("documents/measure_documents.py"),
        settings=config["statistics"],
    script:
        "../scripts/documents/measure_documents.py"
