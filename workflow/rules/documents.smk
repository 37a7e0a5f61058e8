"""From the user's files and from articles to documents, and what they are like.

Reads   config/shards.tsv and the files or folders that it names, results/articles
Writes  results/articles/{shard}.parquet              the articles in the user's files
        results/clusters/{shard}.parquet              near-duplicates, also of earlier shards
        results/documents/{shard}.parquet             the documents
        results/rejects/{articles,documents}/         what could not be one, with the reason
        results/document_statistics.parquet           per shard and topic
        results/metrics/documents.parquet             the report's section
"""

from ragassay.plan import documents

SECTIONS["documents"] = {}


rule documents:
    """The documents of all shards and what they are like."""
    input:
        "results/metrics/documents.parquet",


rule read_articles:
    """The usable texts of the user's files become articles; the others are rejected with a reason."""
    input:
        source=plan(documents.files),
    output:
        articles=table("results/articles/{shard}.parquet"),
        rejects=table("results/rejects/articles/{shard}.parquet"),
    log:
        "logs/read_articles/{shard}.log",
    wildcard_constraints:
        shard=one_of(plan(documents.from_files)),
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("documents/read_articles.py"),
        settings=plan(documents.read_articles),
    script:
        "../scripts/documents/read_articles.py"


rule find_duplicates:
    """Articles that are nearly the same, in this shard and those before it, form clusters."""
    input:
        articles="results/articles/{shard}.parquet",
        before=plan(documents.before, pattern="results/clusters/{shard}.parquet"),
    output:
        clusters=table("results/clusters/{shard}.parquet"),
    log:
        "logs/find_duplicates/{shard}.log",
    conda:
        "../../envs/extract.yaml"
    resources:
        runtime="1h",
    params:
        code=code_version("documents/find_duplicates.py"),
        settings=plan(documents.find_duplicates),
    script:
        "../scripts/documents/find_duplicates.py"


rule collect_documents:
    """One of near-duplicate articles, long enough and cut, as many of each topic as the shard asks for."""
    input:
        articles="results/articles/{shard}.parquet",
        clusters="results/clusters/{shard}.parquet",
        opt_outs=config["crawl"]["opt_outs"],
    output:
        documents=table("results/documents/{shard}.parquet"),
        rejects=table("results/rejects/documents/{shard}.parquet"),
    log:
        "logs/collect_documents/{shard}.log",
    conda:
        "../../envs/crawl.yaml"
    params:
        code=code_version("documents/collect_documents.py"),
        settings=plan(documents.collect_documents),
    script:
        "../scripts/documents/collect_documents.py"


rule describe_documents:
    """All shards are counted: documents, words, sites and dates for each topic."""
    input:
        documents=expand("results/documents/{shard}.parquet", shard=SHARDS),
    output:
        statistics=table("results/document_statistics.parquet"),
    log:
        "logs/describe_documents.log",
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("documents/describe_documents.py"),
        settings={},
    script:
        "../scripts/documents/describe_documents.py"


rule measure_documents:
    """The counts become the metrics of the report's section."""
    input:
        documents=expand("results/documents/{shard}.parquet", shard=SHARDS),
        rejects=expand("results/rejects/{table}/{shard}.parquet", table=["articles", "documents"], shard=SHARDS),
        statistics="results/document_statistics.parquet",
    output:
        metrics=table("results/metrics/documents.parquet"),
    log:
        "logs/measure_documents.log",
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("documents/measure_documents.py"),
        settings=config["statistics"],
    script:
        "../scripts/documents/measure_documents.py"
