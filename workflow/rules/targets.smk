"""Targets of attacks: questions with the right and the wanted answers, which are brought, or made by rules or by a model; and these
questions as users ask them and as defences rewrite them.

Reads   results/passages, results/queries, resources/prompts/, the files that config["datasets"] names
Writes  results/targets/{dataset}.parquet                              questions with the right and the wanted answers
        results/rejects/targets/{dataset}.parquet                      what could not become a target, with the reason
        results/queries/{dataset}.targets.parquet                      the questions as queries
        results/queries/{dataset}.{defence}.parquet                    as a defence puts them in other words
        results/rejects/rewritten_questions/{dataset}/{defence}.parquet    those that it does not, with the reason
        results/calls/{rule}/..., ledger/{rule}/...                    as in questions.smk
"""

from ragassay.plan import defended, models, targets
from ragassay.plan.entries import having, path

WRITTEN = having(config["datasets"], targets.BY_MODEL)
CALLS += expand("results/calls/write_targets/{dataset}.parquet", dataset=WRITTEN)
CALLS += plan(defended.rewritten).over("results/calls/rewrite_questions/{dataset}/{defence}.parquet")
PRODUCTS += expand("results/targets/{dataset}.parquet", dataset=config["datasets"])


wildcard_constraints:
    dataset=one_of(config["datasets"]),


rule read_targets:
    """Targets that somebody brings, without what cannot be used of them."""
    input:
        files=lookup("{dataset}/targets", within=config["datasets"]),
    output:
        targets=table("results/targets/{dataset}.parquet"),
        rejects=table("results/rejects/targets/{dataset}.parquet"),
    wildcard_constraints:
        dataset=one_of(having(config["datasets"], targets.FILES)),
    conda:
        "../../envs/tables.yaml"
    params:
        settings=plan(targets.read_targets),
    script:
        "../scripts/targets/read_targets.py"


rule make_targets:
    """Targets that rules make of what a corpus tells, with answers exchanged."""
    input:
        passages=plan(targets.clean, pattern="results/passages/{corpus}.parquet"),
    output:
        targets=table("results/targets/{dataset}.parquet"),
        rejects=table("results/rejects/targets/{dataset}.parquet"),
    wildcard_constraints:
        dataset=one_of(having(config["datasets"], targets.BY_RULE)),
    conda:
        "../../envs/tables.yaml"
    params:
        settings=plan(targets.make_targets),
    script:
        "../scripts/targets/make_targets.py"


rule write_targets:
    """Targets that a model makes: questions that it knows the answer of, a wrong answer, and texts that state it."""
    input:
        plan(models.weights_of, role=targets.WRITER),
        queries=plan(path, pattern="results/queries/{name}.parquet", name="datasets/{dataset}/by_model/query_set"),
        passages=plan(targets.clean, pattern="results/passages/{corpus}.parquet"),
        answer_prompt=ancient(shipped("resources/prompts/answer_briefly.yaml")),
        propose_prompt=ancient(shipped("resources/prompts/propose_wrong_answer.yaml")),
        text_prompt=ancient(shipped("resources/prompts/write_supporting_texts.yaml")),
    output:
        targets=table("results/targets/{dataset}.parquet"),
        rejects=table("results/rejects/targets/{dataset}.parquet"),
        calls=table("results/calls/write_targets/{dataset}.parquet"),
    benchmark:
        "logs/write_targets/{dataset}.benchmark.jsonl"
    wildcard_constraints:
        dataset=one_of(WRITTEN),
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role=targets.WRITER)
    resources:
        runtime="4h",
    params:
        code=code("targets/write_targets.py", models.provider_of, role=targets.WRITER),
        settings=plan(targets.write_targets),
        access=frozen(plan(models.access_of, role=targets.WRITER)),
    script:
        "../scripts/targets/write_targets.py"


rule collect_target_queries:
    """The questions of a dataset's targets are queries."""
    input:
        targets="results/targets/{dataset}.parquet",
    output:
        queries=table("results/queries/{dataset}.targets.parquet"),
    conda:
        "../../envs/tables.yaml"
    script:
        "../scripts/targets/collect_target_queries.py"


rule rewrite_questions:
    """A defence has the questions put in other words before anybody searches for them."""
    input:
        plan(models.weights_of, role=defended.WRITER),
        queries="results/queries/{dataset}.targets.parquet",
        prompt=ancient(shipped("resources/prompts/rewrite_question.yaml")),
    output:
        rewritten=table("results/queries/{dataset}.{defence}.parquet"),
        rejects=table("results/rejects/rewritten_questions/{dataset}/{defence}.parquet"),
        calls=table("results/calls/rewrite_questions/{dataset}/{defence}.parquet"),
    benchmark:
        "logs/rewrite_questions/{dataset}/{defence}.benchmark.jsonl"
    wildcard_constraints:
        defence=one_of(plan(defended.rewriting)),
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role=defended.WRITER)
    resources:
        runtime="4h",
    params:
        code=code("targets/rewrite_questions.py", defended.writing_kinds),
        settings=plan(defended.rewrite_questions),
        access=frozen(plan(models.access_of, role=defended.WRITER)),
    script:
        "../scripts/targets/rewrite_questions.py"
