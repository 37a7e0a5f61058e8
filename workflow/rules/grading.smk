"""Responders are asked queries whose right answers are known, with the passages that a retriever found and without any, and what
they say is graded by its words: right, wrong or declined. Studies say who is asked what, and measure it.

Reads   results/passages/{corpus}.parquet, results/queries, results/neighbours/{corpus}/{retriever}/{query_set}.parquet, resources/prompts/
Writes  results/passage_answers/{responder}/{corpus}/{retriever}/{query_set}.parquet    answers from passages, graded
        results/direct_answers/{responder}/{query_set}.parquet                          answers without any, graded
        results/calls/{rule}/..., ledger/{rule}/...                                     as in questions.smk
"""

from ragassay.plan import grading, models


rule answer_from_passages:
    """A responder answers each query from the passages found for it."""
    input:
        plan(models.weights_of, role="responder"),
        passages="results/passages/{corpus}.parquet",
        queries="results/queries/{query_set}.parquet",
        neighbours="results/neighbours/{corpus}/{retriever}/{query_set}.parquet",
        prompt=ancient(shipped("resources/prompts/respond_passages.yaml")),
    output:
        passage_answers=table("results/passage_answers/{responder}/{corpus}/{retriever}/{query_set}.parquet"),
        calls=table("results/calls/answer_from_passages/{responder}/{corpus}/{retriever}/{query_set}.parquet"),
    benchmark:
        "logs/answer_from_passages/{responder}/{corpus}/{retriever}/{query_set}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role="responder")
    resources:
        runtime="4h",
    params:
        code=code("grading/answer_from_passages.py", models.provider_of, role="responder"),
        settings=plan(grading.answer_from_passages),
        access=frozen(plan(models.access_of, role="responder")),
    script:
        "../scripts/grading/answer_from_passages.py"


rule answer_directly:
    """A responder answers each query without any passage: what does it know anyway?"""
    input:
        plan(models.weights_of, role="responder"),
        queries="results/queries/{query_set}.parquet",
        prompt=ancient(shipped("resources/prompts/answer_closed_book.yaml")),
    output:
        direct_answers=table("results/direct_answers/{responder}/{query_set}.parquet"),
        calls=table("results/calls/answer_directly/{responder}/{query_set}.parquet"),
    benchmark:
        "logs/answer_directly/{responder}/{query_set}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role="responder")
    resources:
        runtime="4h",
    params:
        code=code("grading/answer_directly.py", models.provider_of, role="responder"),
        settings=plan(models.asking, stage="answer_directly", role="responder", sampling=config["answers"]["sampling"]),
        access=frozen(plan(models.access_of, role="responder")),
    script:
        "../scripts/grading/answer_directly.py"
