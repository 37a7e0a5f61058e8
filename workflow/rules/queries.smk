"""Queries: the study's questions and those of question sets, the user's, those that are written from a corpus by a model or taken from
its texts; and logs of queries.

The study's kept questions are the query set `questions`; a question set is one, too. Others are in the configuration.

Reads   results/selected_questions, results/questions, results/passages/{corpus}.parquet, the files that config["query_sets"] and
        config["query_logs"] name, resources/prompts/
Writes  results/queries/{query_set}.parquet                         what is searched for
        results/query_logs/{query_log}.parquet                      the user's logs, and one with a drift on a known day
        results/rejects/synthetic_queries/{query_set}.parquet       what could not become a query, with the reason
        results/rejects/query_logs/{query_log}.parquet              the same for rows of the user's logs
        results/calls/{rule}/..., ledger/{rule}/...                 as in questions.smk
"""

from ragassay.plan import models, queries, questions, search
from ragassay.plan.entries import chosen, having, lacking, path

WRITTEN = having(config["synthetic_queries"], "model")
CALLS += expand("results/calls/write_synthetic_queries/{query_set}.parquet", query_set=WRITTEN)
PRODUCTS += expand("results/query_logs/{query_log}.parquet", query_log=config["query_logs"])


wildcard_constraints:
    query_log=one_of(config["query_logs"]),
    query_set=NAME,


rule collect_queries:
    """The kept questions of the study's own generator and judge are queries."""
    input:
        selected_questions=expand(
            "results/selected_questions/{generator}/{judge}/{shard}.parquet", **plan(questions.own)
        ),
    output:
        queries=table("results/queries/questions.parquet"),
    conda:
        "../../envs/tables.yaml"
    script:
        "../scripts/queries/collect_queries.py"


rule collect_set_queries:
    """The questions of a set are queries over its documents."""
    input:
        questions="results/questions/{question_set}/{question_set}.parquet",
    output:
        queries=table("results/queries/{question_set}.parquet"),
    conda:
        "../../envs/tables.yaml"
    script:
        "../scripts/queries/collect_set_queries.py"


rule read_queries:
    """A set of the user's queries, with what is relevant to each where that was judged."""
    input:
        files=plan(search.query_files),
        qrels=plan(search.qrels),
        lists=plan(search.row_lists),
    output:
        queries=table("results/queries/{query_set}.parquet"),
    wildcard_constraints:
        query_set=one_of(config["query_sets"]),
    conda:
        "../../envs/tables.yaml"
    resources:
        runtime="1h",
    params:
        settings=plan(search.read_queries),
    script:
        "../scripts/queries/read_queries.py"


rule write_synthetic_queries:
    """A model writes a question with options and its answer from each of some passages."""
    input:
        plan(models.weights_of, role=queries.WRITER),
        passages=plan(path, pattern="results/passages/{name}.parquet", name="synthetic_queries/{query_set}/corpus"),
        prompt=ancient(shipped("resources/prompts/write_synthetic_queries.yaml")),
    output:
        queries=table("results/queries/{query_set}.parquet"),
        rejects=table("results/rejects/synthetic_queries/{query_set}.parquet"),
        calls=table("results/calls/write_synthetic_queries/{query_set}.parquet"),
    benchmark:
        "logs/write_synthetic_queries/{query_set}.benchmark.jsonl"
    wildcard_constraints:
        query_set=one_of(WRITTEN),
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role=queries.WRITER)
    resources:
        runtime="4h",
    params:
        code=code("queries/write_synthetic_queries.py", models.provider_of, role=queries.WRITER),
        settings=plan(queries.write_synthetic_queries),
        access=frozen(plan(models.access_of, role=queries.WRITER)),
    script:
        "../scripts/queries/write_synthetic_queries.py"


rule take_synthetic_queries:
    """Sentences of a corpus become queries, where no model writes any."""
    input:
        passages=plan(path, pattern="results/passages/{name}.parquet", name="synthetic_queries/{query_set}/corpus"),
    output:
        queries=table("results/queries/{query_set}.parquet"),
    wildcard_constraints:
        query_set=one_of(lacking(config["synthetic_queries"], "model")),
    conda:
        "../../envs/tables.yaml"
    params:
        settings=plan(chosen, place="synthetic_queries/{query_set}", keys="count taken"),
    script:
        "../scripts/queries/take_synthetic_queries.py"


rule read_query_log:
    """One of the user's logs, in the order of time."""
    input:
        files=lookup("{query_log}/files", within=config["query_logs"]),
    output:
        query_log=table("results/query_logs/{query_log}.parquet"),
        rejects=table("results/rejects/query_logs/{query_log}.parquet"),
    wildcard_constraints:
        query_log=one_of(having(config["query_logs"], "files")),
    conda:
        "../../envs/tables.yaml"
    params:
        settings=plan(queries.read_query_log),
    script:
        "../scripts/queries/read_query_log.py"


rule mix_query_log:
    """A log of queries with dates, in which the mixture changes on a known day."""
    input:
        query_sets=plan(queries.mixed),
    output:
        query_log=table("results/query_logs/{query_log}.parquet"),
    wildcard_constraints:
        query_log=one_of(lacking(config["query_logs"], "files")),
    conda:
        "../../envs/tables.yaml"
    params:
        settings=plan(chosen, place="query_logs/{query_log}", keys="before after first_day drift_day days queries seed"),
    script:
        "../scripts/queries/mix_query_log.py"
