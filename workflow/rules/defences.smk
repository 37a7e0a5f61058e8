"""Defences of a corpus under attack: what they remove of what questions find, and what responders answer from the rest.

`none`, `oracle`, which removes exactly the poison, and `closed_book`, which removes all, are defences like others.

Reads   results/targets, results/retrieved, results/neighbours, results/passages, results/poisoned_passages, results/passage_scores,
        resources/prompts/
Writes  results/guards/{dataset}/{retriever}/{defence}.json                            what a defence learns from clean text
        results/filtered/{dataset}/{retriever}/{attack}/{defence}.parquet              what is removed, and what is left
        results/answers/{dataset}/{retriever}/{attack}/{defence}/{responder}.parquet   what is answered from that
        results/calls/answer_attacked/..., ledger/answer_attacked/...                  as in scope.smk
"""

from ragassay.plan import defences, models

DEFENDED = plan(defences.columns)
ANSWERS = expand("results/answers/{dataset}/{retriever}/{attack}/{defence}/{responder}.parquet", zip, **DEFENDED)
CALLS += expand(
    "results/calls/answer_attacked/{dataset}/{retriever}/{attack}/{defence}/{responder}.parquet", zip, **DEFENDED
)
PRODUCTS += ANSWERS


wildcard_constraints:
    defence=one_of(plan(defences.defences)),


rule fit_defence:
    """A defence learns from clean text what is usual: for each fold of queries from the others, and from all of them."""
    input:
        plan(defences.weights),
        targets="results/targets/{dataset}.parquet",
        neighbours=plan(defences.snapshot, pattern="results/neighbours/{corpus}/{retriever}/{query_set}.parquet"),
        passages=plan(defences.snapshot, pattern="results/passages/{corpus}.parquet"),
        passage_scores=plan(defences.null_scores),
        poisoned=plan(defences.poisoned_null),
    output:
        guard="results/guards/{dataset}/{retriever}/{defence}.json",
    log:
        "logs/fit_defence/{dataset}/{retriever}/{defence}.log",
    conda:
        "../../envs/encoders.yaml"
    params:
        code=code("defences/fit_defence.py", defences.kinds),
        settings=plan(defences.fit_defence),
    script:
        "../scripts/defences/fit_defence.py"


rule filter_retrieved:
    """A defence removes what it holds for poison from what was retrieved."""
    input:
        plan(defences.weights),
        targets="results/targets/{dataset}.parquet",
        retrieved="results/retrieved/{dataset}/{retriever}/{attack}.parquet",
        passages=plan(defences.passages),
        poisoned_passages="results/poisoned_passages/{dataset}/{attack}.parquet",
        passage_scores=plan(defences.scores),
        guard=plan(defences.guard),
    output:
        filtered=table("results/filtered/{dataset}/{retriever}/{attack}/{defence}.parquet"),
    log:
        "logs/filter_retrieved/{dataset}/{retriever}/{attack}/{defence}.log",
    conda:
        "../../envs/encoders.yaml"
    params:
        code=code("defences/filter_retrieved.py", defences.kinds),
        settings=plan(defences.filter_retrieved),
    script:
        "../scripts/defences/filter_retrieved.py"


rule answer_attacked:
    """A responder answers each target's question from the passages that a defence left."""
    input:
        plan(models.weights_of, role="responder"),
        targets="results/targets/{dataset}.parquet",
        filtered="results/filtered/{dataset}/{retriever}/{attack}/{defence}.parquet",
        passages=plan(defences.passages),
        poisoned_passages="results/poisoned_passages/{dataset}/{attack}.parquet",
        prompt=plan(defences.prompt),
        closed_book_prompt="resources/prompts/answer_closed_book.yaml",
    output:
        answers=table("results/answers/{dataset}/{retriever}/{attack}/{defence}/{responder}.parquet"),
        calls=table("results/calls/answer_attacked/{dataset}/{retriever}/{attack}/{defence}/{responder}.parquet"),
    log:
        "logs/answer_attacked/{dataset}/{retriever}/{attack}/{defence}/{responder}.log",
    benchmark:
        "logs/answer_attacked/{dataset}/{retriever}/{attack}/{defence}/{responder}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role="responder")
    resources:
        runtime="4h",
    params:
        code=code("defences/answer_attacked.py", models.provider_of, role="responder"),
        settings=plan(defences.answer_attacked),
        access=frozen(plan(models.access_of, role="responder")),
    script:
        "../scripts/defences/answer_attacked.py"
