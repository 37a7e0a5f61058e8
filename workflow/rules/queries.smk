"""Queries that are made here: written from a corpus by a model or taken from its texts, mixed into logs; and how relevant a model
finds what was retrieved for queries.

Reads   results/passages/{corpus}.parquet, results/queries, results/neighbours/{corpus}/{retriever}/{query_set}.parquet, resources/prompts/
Writes  results/queries/{query_set}.parquet                                         synthetic queries, which their corpus answers
        results/query_logs/{query_log}.parquet                                      the user's logs, and one with a drift on a known day
        results/lm_relevance/{rater}/{corpus}/{retriever}/{query_set}.parquet       every vote on how relevant passages are
        results/rejects/synthetic_queries/{query_set}.parquet                       what could not become a query, with the reason
        results/calls/{rule}/..., ledger/{rule}/...                                 as in scope.smk
"""

from ragassay.plan import models, queries

RATED = plan(queries.rated)
CALLS += expand("results/calls/write_synthetic_queries/{query_set}.parquet", query_set=plan(queries.by_model))
CALLS += expand("results/calls/rate_relevance/{rater}/{corpus}/{retriever}/{query_set}.parquet", zip, **RATED)
PRODUCTS += expand("results/lm_relevance/{rater}/{corpus}/{retriever}/{query_set}.parquet", zip, **RATED)
PRODUCTS += expand("results/query_logs/{query_log}.parquet", query_log=config["query_logs"])


wildcard_constraints:
    query_log=one_of(config["query_logs"]),
    rater=one_of(config["models"]),


rule write_synthetic_queries:
    """A model writes a question with options and its answer from each of some passages."""
    input:
        plan(models.of_named, what=models.weights_of, named=queries.writer),
        passages=plan(queries.passages),
        prompt="resources/prompts/write_synthetic_queries.yaml",
    output:
        queries=table("results/queries/{query_set}.parquet"),
        rejects=table("results/rejects/synthetic_queries/{query_set}.parquet"),
        calls=table("results/calls/write_synthetic_queries/{query_set}.parquet"),
    log:
        "logs/write_synthetic_queries/{query_set}.log",
    benchmark:
        "logs/write_synthetic_queries/{query_set}.benchmark.jsonl"
    wildcard_constraints:
        query_set=one_of(plan(queries.by_model)),
    conda:
        "../../envs/models.yaml"
    threads: plan(models.of_named, what=models.threads_of, named=queries.writer)
    resources:
        runtime="4h",
    params:
        code=code("queries/write_synthetic_queries.py", models.of_named, what=models.provider_of, named=queries.writer),
        settings=plan(queries.write_synthetic_queries),
        access=frozen(plan(models.of_named, what=models.access_of, named=queries.writer)),
    script:
        "../scripts/queries/write_synthetic_queries.py"


rule take_synthetic_queries:
    """Sentences of a corpus become queries, where no model writes any."""
    input:
        passages=plan(queries.passages),
    output:
        queries=table("results/queries/{query_set}.parquet"),
    log:
        "logs/take_synthetic_queries/{query_set}.log",
    wildcard_constraints:
        query_set=one_of(plan(queries.from_corpus)),
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("queries/take_synthetic_queries.py"),
        settings=plan(queries.take_synthetic_queries),
    script:
        "../scripts/queries/take_synthetic_queries.py"


rule read_query_log:
    """One of the user's logs, in the order of time."""
    input:
        files=plan(queries.log_files),
    output:
        query_log=table("results/query_logs/{query_log}.parquet"),
    log:
        "logs/read_query_log/{query_log}.log",
    wildcard_constraints:
        query_log=one_of(plan(queries.logs, own=True)),
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("queries/read_query_log.py"),
        settings=plan(queries.read_query_log),
    script:
        "../scripts/queries/read_query_log.py"


rule mix_query_log:
    """A log of queries with dates, in which the mixture changes on a known day."""
    input:
        query_sets=plan(queries.mixed),
    output:
        query_log=table("results/query_logs/{query_log}.parquet"),
    log:
        "logs/mix_query_log/{query_log}.log",
    wildcard_constraints:
        query_log=one_of(plan(queries.logs, own=False)),
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("queries/mix_query_log.py"),
        settings=plan(queries.mix_query_log),
    script:
        "../scripts/queries/mix_query_log.py"


rule rate_relevance:
    """A model reads each query with the passages found for it and says how relevant they are."""
    input:
        plan(models.weights_of, role="rater"),
        passages="results/passages/{corpus}.parquet",
        queries="results/queries/{query_set}.parquet",
        neighbours="results/neighbours/{corpus}/{retriever}/{query_set}.parquet",
        prompt="resources/prompts/rate_relevance.yaml",
    output:
        lm_relevance=table("results/lm_relevance/{rater}/{corpus}/{retriever}/{query_set}.parquet"),
        calls=table("results/calls/rate_relevance/{rater}/{corpus}/{retriever}/{query_set}.parquet"),
    log:
        "logs/rate_relevance/{rater}/{corpus}/{retriever}/{query_set}.log",
    benchmark:
        "logs/rate_relevance/{rater}/{corpus}/{retriever}/{query_set}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role="rater")
    resources:
        runtime="4h",
    params:
        code=code("queries/rate_relevance.py", models.provider_of, role="rater"),
        settings=plan(queries.rate_relevance),
        access=frozen(plan(models.access_of, role="rater")),
    script:
        "../scripts/queries/rate_relevance.py"
