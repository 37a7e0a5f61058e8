"""Datasets under attack: corpora that a model extends, and targets, which are brought, or made by rules or by a model.

The passages of an extended corpus are those of another one and, as its part `{corpus}+1`, rewritings of some of them. All are clean.

Reads   results/passages, results/queries, resources/prompts/, the files that config["datasets"] names
Writes  results/passages/{corpus}+1.parquet                    what is rewritten for an extended corpus
        results/rewritten_passages/{corpus}.parquet            of which passage each of these says the same
        results/rejects/rewritten_passages/{corpus}.parquet    what could not be rewritten, with the reason
        results/targets/{dataset}.parquet                      questions with the right and the wanted answers
        results/rejects/targets/{dataset}.parquet              what could not become a target, with the reason
        results/queries/{dataset}.targets.parquet              the questions as queries
        results/calls/{rule}/..., ledger/{rule}/...            as in scope.smk
"""

from ragassay.plan import datasets, models, retrieval

WRITTEN = plan(datasets.made, origin=datasets.BY_MODEL)
CALLS += expand("results/calls/rewrite_passages/{corpus}.parquet", corpus=plan(datasets.extended))
CALLS += expand("results/calls/write_targets/{dataset}.parquet", dataset=WRITTEN)
PRODUCTS += expand("results/targets/{dataset}.parquet", dataset=config["datasets"])


wildcard_constraints:
    dataset=one_of(config["datasets"]),


rule rewrite_passages:
    """A model says some passages of a corpus in other words."""
    input:
        plan(models.of_named, what=models.weights_of, named=datasets.rewriter),
        passages=plan(datasets.rewritten),
        prompt="resources/prompts/rewrite_passage.yaml",
    output:
        new_passages=table("results/passages/{corpus}+1.parquet"),
        rewritten_passages=table("results/rewritten_passages/{corpus}.parquet"),
        rejects=table("results/rejects/rewritten_passages/{corpus}.parquet"),
        calls=table("results/calls/rewrite_passages/{corpus}.parquet"),
    log:
        "logs/rewrite_passages/{corpus}.log",
    benchmark:
        "logs/rewrite_passages/{corpus}.benchmark.jsonl"
    wildcard_constraints:
        corpus=one_of(plan(retrieval.extended)),
    conda:
        "../../envs/models.yaml"
    threads: plan(models.of_named, what=models.threads_of, named=datasets.rewriter)
    resources:
        runtime="4h",
    params:
        code=code("datasets/rewrite_passages.py", models.of_named, what=models.provider_of, named=datasets.rewriter),
        settings=plan(datasets.rewrite_passages),
        access=frozen(plan(models.of_named, what=models.access_of, named=datasets.rewriter)),
    script:
        "../scripts/datasets/rewrite_passages.py"


rule read_targets:
    """Targets that somebody brings, without what cannot be used of them."""
    input:
        files=plan(datasets.target_files),
    output:
        targets=table("results/targets/{dataset}.parquet"),
        rejects=table("results/rejects/targets/{dataset}.parquet"),
    log:
        "logs/read_targets/{dataset}.log",
    wildcard_constraints:
        dataset=one_of(plan(datasets.made, origin=datasets.FILES)),
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("datasets/read_targets.py"),
        settings=plan(datasets.read_targets),
    script:
        "../scripts/datasets/read_targets.py"


rule make_targets:
    """Targets that rules make of what a corpus tells, with answers exchanged."""
    input:
        passages=plan(datasets.passages),
    output:
        targets=table("results/targets/{dataset}.parquet"),
        rejects=table("results/rejects/targets/{dataset}.parquet"),
    log:
        "logs/make_targets/{dataset}.log",
    wildcard_constraints:
        dataset=one_of(plan(datasets.made, origin=datasets.BY_RULE)),
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("datasets/make_targets.py"),
        settings=plan(datasets.make_targets),
    script:
        "../scripts/datasets/make_targets.py"


rule write_targets:
    """Targets that a model makes: questions that it knows the answer of, a wrong answer, and texts that state it."""
    input:
        plan(models.of_named, what=models.weights_of, named=datasets.target_writer),
        queries=plan(datasets.queries),
        passages=plan(datasets.passages),
        answer_prompt="resources/prompts/answer_briefly.yaml",
        propose_prompt="resources/prompts/propose_wrong_answer.yaml",
        text_prompt="resources/prompts/write_supporting_texts.yaml",
    output:
        targets=table("results/targets/{dataset}.parquet"),
        rejects=table("results/rejects/targets/{dataset}.parquet"),
        calls=table("results/calls/write_targets/{dataset}.parquet"),
    log:
        "logs/write_targets/{dataset}.log",
    benchmark:
        "logs/write_targets/{dataset}.benchmark.jsonl"
    wildcard_constraints:
        dataset=one_of(WRITTEN),
    conda:
        "../../envs/models.yaml"
    threads: plan(models.of_named, what=models.threads_of, named=datasets.target_writer)
    resources:
        runtime="4h",
    params:
        code=code("datasets/write_targets.py", models.of_named, what=models.provider_of, named=datasets.target_writer),
        settings=plan(datasets.write_targets),
        access=frozen(plan(models.of_named, what=models.access_of, named=datasets.target_writer)),
    script:
        "../scripts/datasets/write_targets.py"


rule collect_target_queries:
    """The questions of a dataset's targets are queries."""
    input:
        targets="results/targets/{dataset}.parquet",
    output:
        queries=table("results/queries/{dataset}.targets.parquet"),
    log:
        "logs/collect_target_queries/{dataset}.log",
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("datasets/collect_target_queries.py"),
        settings={},
    script:
        "../scripts/datasets/collect_target_queries.py"
