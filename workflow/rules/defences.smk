"""Defences of a corpus under attack: what they remove of what questions find, what responders answer from the rest, and what they hold
back of texts as these come in.

`none`, `oracle`, which removes exactly the poison, and `closed_book`, which removes all, are defences like others.

Reads   results/targets, results/queries, results/retrieved, results/neighbours, results/passages, results/poisoned_passages,
        results/passage_scores, results/guards, resources/prompts/
Writes  results/found_rewritten/{dataset}/{retriever}/{attack}/{defence}.parquet       what rewritten questions find in a corpus under attack
        results/filtered/{dataset}/{retriever}/{attack}.parquet                        what each removes, and what is left
        results/fewer_planted/{dataset}/{retriever}/{attack}.parquet                   the same if fewer texts were planted
        results/filter_times/{dataset}/{retriever}/{attack}.parquet                    how long each took for a question
        results/answers/{dataset}/{retriever}/{attack}/{defence}/{responder}.parquet   what is answered from that
        results/quarantine/{dataset}/{retriever}/{attack}/{defence}.parquet            what screening holds back
        results/calls/{rule}/..., ledger/{rule}/...                                    as in questions.smk
"""

from ragassay.plan import attacks, defences, defended, measures, models, search, targets

DEFENDED = plan(defences.answered)
CALLS += DEFENDED.over("results/calls/answer_attacked/{dataset}/{retriever}/{attack}/{defence}/{responder}.parquet")
PRODUCTS += plan(defences.filtered).over("results/filtered/{dataset}/{retriever}/{attack}.parquet")
PRODUCTS += DEFENDED.over("results/answers/{dataset}/{retriever}/{attack}/{defence}/{responder}.parquet")
PRODUCTS += plan(defended.screened).over("results/quarantine/{dataset}/{retriever}/{attack}/{defence}.parquet")


rule retrieve_rewritten:
    """What rewritten questions find, as retrieve_dense finds it for those that users ask."""
    input:
        plan(search.retriever_weights),
        queries="results/queries/{dataset}.{defence}.parquet",
        neighbours=plan(targets.clean, pattern="results/neighbours/{corpus}/{retriever}/{dataset}.{defence}.parquet"),
        poisoned_passages="results/poisoned_passages/{dataset}/{attack}.parquet",
    output:
        found_rewritten=table("results/found_rewritten/{dataset}/{retriever}/{attack}/{defence}.parquet"),
    wildcard_constraints:
        defence=one_of(plan(defended.rewriting)),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("defences/retrieve_rewritten.py", search.retriever_kinds),
        settings=plan(attacks.retrieve_dense),
    script:
        "../scripts/defences/retrieve_rewritten.py"


rule filter_retrieved:
    """Each defence removes what it holds for poison from what was retrieved."""
    input:
        plan(defences.of_all, of=defences.weights),
        targets="results/targets/{dataset}.parquet",
        retrieved="results/retrieved/{dataset}/{retriever}/{attack}.parquet",
        found_rewritten=plan(defended.found_rewritten),
        passages=plan(targets.clean, pattern="results/passages/{corpus}.parquet"),
        poisoned_passages="results/poisoned_passages/{dataset}/{attack}.parquet",
        passage_scores=plan(defences.of_all, of=defences.scores),
        guards=plan(defences.of_all, of=defences.guard),
    output:
        filtered=table("results/filtered/{dataset}/{retriever}/{attack}.parquet"),
        fewer_planted=table("results/fewer_planted/{dataset}/{retriever}/{attack}.parquet"),
        filter_times=table("results/filter_times/{dataset}/{retriever}/{attack}.parquet"),
    conda:
        "../../envs/encoders.yaml"
    params:
        code=code("defences/filter_retrieved.py", defences.of_all, of=defences.kinds),
        settings=plan(defences.filter_retrieved),
    script:
        "../scripts/defences/filter_retrieved.py"


rule answer_attacked:
    """A responder answers each target's question from the passages that a defence left."""
    input:
        plan(models.weights_of, role="responder"),
        targets="results/targets/{dataset}.parquet",
        filtered="results/filtered/{dataset}/{retriever}/{attack}.parquet",
        passages=plan(targets.clean, pattern="results/passages/{corpus}.parquet"),
        poisoned_passages="results/poisoned_passages/{dataset}/{attack}.parquet",
        prompt=ancient(plan(defended.prompt)),
        closed_book_prompt=ancient(shipped("resources/prompts/answer_closed_book.yaml")),
        prompts=ancient(plan(defended.prompts)),
    output:
        answers=table("results/answers/{dataset}/{retriever}/{attack}/{defence}/{responder}.parquet"),
        calls=table("results/calls/answer_attacked/{dataset}/{retriever}/{attack}/{defence}/{responder}.parquet"),
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


rule screen_passages:
    """Texts that come in are held back or admitted, before any question is known that finds them. A search has stored
    their vectors.
    """
    input:
        plan(search.retriever_weights),
        "results/retrieved/{dataset}/{retriever}/{attack}.parquet",
        guard="results/guards/{dataset}/{retriever}/{defence}.json",
        passages=plan(measures.passages),
        poisoned_passages="results/poisoned_passages/{dataset}/{attack}.parquet",
        passage_scores=plan(defences.scores),
        queries=plan(defended.screened_by),
        reviews=config["raguard"]["reviews"],
    output:
        quarantine=table("results/quarantine/{dataset}/{retriever}/{attack}/{defence}.parquet"),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("defences/screen_passages.py", defences.kinds),
        settings=plan(search.compared),
    script:
        "../scripts/defences/screen_passages.py"
