"""From the user's files to documents, and what they are like.

Reads   config/shards.tsv and the files or folders that it names
Writes  results/documents/{shard}.parquet             the documents
        results/rejects/documents/{shard}.parquet     what could not be one, with the reason
        results/document_statistics.parquet           per shard and topic
        results/metrics/documents.parquet             the report's first section
"""


rule collect_documents:
    """The usable texts of one shard become documents; the others are rejected with a reason."""
    input:
        source=shard_files,
    output:
        documents=ensure("results/documents/{shard}.parquet", non_empty=True),
        rejects=ensure("results/rejects/documents/{shard}.parquet", non_empty=True),
    log:
        "logs/collect_documents/{shard}.log",
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=1000,
        runtime="30m",
    params:
        code=code_version("documents/collect_documents.py"),
        settings=shard_settings,
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
        rejects=expand("results/rejects/documents/{shard}.parquet", shard=SHARDS),
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
