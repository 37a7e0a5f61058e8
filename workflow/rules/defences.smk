"""Defences of a corpus under attack: what they remove of what questions find, and what responders answer from the rest.

`none`, `oracle`, which removes exactly the poison, and `closed_book`, which removes all, are defences like others.

Reads   results/targets, results/retrieved, results/neighbours, results/passages, results/poisoned_passages, results/passage_scores,
        resources/prompts/
Writes  results/queries/{dataset}.{defence}.parquet                                    questions that a defence puts in other words
        results/rejects/rewritten_questions/{dataset}/{defence}.parquet                those that it does not, with the reason
        results/found_rewritten/{dataset}/{retriever}/{attack}/{defence}.parquet       what these find in a corpus under attack
        results/guards/{dataset}/{retriever}/{defence}.json                            what a defence learns from clean text
        results/filtered/{dataset}/{retriever}/{attack}/{defence}.parquet              what is removed, and what is left
        results/answers/{dataset}/{retriever}/{attack}/{defence}/{responder}.parquet   what is answered from that
        results/calls/{rule}/..., ledger/{rule}/...                                    as in scope.smk
"""

from ragassay.plan import attacks, defences, defended, models, retrieval

DEFENDED = plan(defences.columns)
ANSWERS = expand("results/answers/{dataset}/{retriever}/{attack}/{defence}/{responder}.parquet", zip, **DEFENDED)
CALLS += expand(
    "results/calls/answer_attacked/{dataset}/{retriever}/{attack}/{defence}/{responder}.parquet", zip, **DEFENDED
)
CALLS += expand("results/calls/rewrite_questions/{dataset}/{defence}.parquet", zip, **plan(defended.rewritten))
PRODUCTS += ANSWERS


wildcard_constraints:
    defence=one_of(plan(defences.defences)),


rule rewrite_questions:
    """A defence has the questions put in other words before anybody searches for them."""
    input:
        plan(models.of_named, what=models.weights_of, named=defended.question_writer),
        queries="results/queries/{dataset}.targets.parquet",
        prompt="resources/prompts/rewrite_question.yaml",
    output:
        rewritten=table("results/queries/{dataset}.{defence}.parquet"),
        rejects=table("results/rejects/rewritten_questions/{dataset}/{defence}.parquet"),
        calls=table("results/calls/rewrite_questions/{dataset}/{defence}.parquet"),
    log:
        "logs/rewrite_questions/{dataset}/{defence}.log",
    benchmark:
        "logs/rewrite_questions/{dataset}/{defence}.benchmark.jsonl"
    wildcard_constraints:
        defence=one_of(plan(defended.rewriting)),
    conda:
        "../../envs/models.yaml"
    threads: plan(models.of_named, what=models.threads_of, named=defended.question_writer)
    resources:
        runtime="4h",
    params:
        code=code("defences/rewrite_questions.py", defended.writing_kinds),
        settings=plan(defended.rewrite_questions),
        access=frozen(plan(models.of_named, what=models.access_of, named=defended.question_writer)),
    script:
        "../scripts/defences/rewrite_questions.py"


rule retrieve_rewritten:
    """What rewritten questions find, as retrieve_dense finds it for those that users ask."""
    input:
        plan(retrieval.retriever_weights),
        queries="results/queries/{dataset}.{defence}.parquet",
        neighbours=plan(defended.rewritten_neighbours),
        poisoned_passages="results/poisoned_passages/{dataset}/{attack}.parquet",
    output:
        found_rewritten=table("results/found_rewritten/{dataset}/{retriever}/{attack}/{defence}.parquet"),
    log:
        "logs/retrieve_rewritten/{dataset}/{retriever}/{attack}/{defence}.log",
    wildcard_constraints:
        defence=one_of(plan(defended.rewriting)),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("defences/retrieve_rewritten.py", retrieval.retriever_kinds),
        settings=plan(attacks.retrieve_dense),
    script:
        "../scripts/defences/retrieve_rewritten.py"


rule fit_defence:
    """A defence learns from clean text what is usual: for each fold of queries from the others, and from all of them."""
    input:
        plan(defences.fitting_weights),
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
        retrieved=plan(defended.retrieved),
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
        prompt=plan(defended.prompt),
        closed_book_prompt="resources/prompts/answer_closed_book.yaml",
        prompts=plan(defended.prompts),
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
        code=code("defences/answer_attacked.py", defended.answering_kinds),
        settings=plan(defended.answer_attacked),
        access=frozen(plan(models.access_of, role="responder")),
    script:
        "../scripts/defences/answer_attacked.py"
