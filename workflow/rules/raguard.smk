"""How surprising the passages of a corpus and what attacks plant there are, and how well defences tell both apart.

Reads   results/passages, results/poisoned_passages, results/targets, results/retrieved, results/filtered, results/answers, results/guards
Writes  results/scorers/{dataset}/{scorer}/                            a scorer that is trained on each half of the documents
        results/passage_scores/{dataset}/{scorer}/{attack}.parquet     of what is planted; under the attack `none`, of the corpus
        results/raguard_sweeps/{dataset}/{retriever}.parquet           RAGuard under other settings
        results/sweep_shown/{dataset}/{retriever}.parquet              what is answered from behind it
        results/sweep_answers/{dataset}/{retriever}/{responder}.parquet    what is answered from that
        results/calls/answer_sweeps/..., ledger/answer_sweeps/...      as in scope.smk
        results/quarantine/{dataset}/{retriever}/{attack}/{defence}.parquet    what screening holds back
        results/metrics/raguard.parquet                                the report's section
"""

from ragassay.plan import attacks, defences, defended, models, raguard, retrieval, screening

FILTERED = expand("results/filtered/{dataset}/{retriever}/{attack}/{defence}.parquet", zip, **plan(defences.filters))
POISONED = expand("results/poisoned_passages/{dataset}/{attack}.parquet", zip, **plan(defences.filters))
SECTIONS["raguard"] = {"shown": bool(FILTERED)}
PRODUCTS += FILTERED
QUARANTINE = expand(
    "results/quarantine/{dataset}/{retriever}/{attack}/{defence}.parquet", zip, **plan(screening.columns)
)
PRODUCTS += QUARANTINE
SWEEPS = plan(raguard.swept_answers)
CALLS += expand("results/calls/answer_sweeps/{dataset}/{retriever}/{responder}.parquet", zip, **SWEEPS)


wildcard_constraints:
    scorer=one_of(plan(raguard.scorers)),


rule raguard:
    """What defences remove of what questions find, and what they cost."""
    input:
        FILTERED,
        QUARANTINE,
        "results/metrics/raguard.parquet",
        "results/report/raguard.csv",
        "results/figures/raguard",


rule train_scorer:
    """A scorer learns each half of the documents, so that the other half is new to it."""
    input:
        passages=plan(defences.snapshot, pattern="results/passages/{corpus}.parquet"),
    output:
        scorer=directory("results/scorers/{dataset}/{scorer}"),
    log:
        "logs/train_scorer/{dataset}/{scorer}.log",
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=4000,
    params:
        code=code("raguard/train_scorer.py", raguard.kinds),
        settings=plan(raguard.train_scorer),
    script:
        "../scripts/raguard/train_scorer.py"


rule score_passages:
    """How surprising each passage is, as a whole and in chunks."""
    input:
        plan(raguard.weights),
        passages=plan(raguard.passages),
        poisoned_passages="results/poisoned_passages/{dataset}/{attack}.parquet",
        scorer=plan(raguard.trained),
    output:
        passage_scores=table("results/passage_scores/{dataset}/{scorer}/{attack}.parquet"),
    log:
        "logs/score_passages/{dataset}/{scorer}/{attack}.log",
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("raguard/score_passages.py", raguard.kinds),
        settings=plan(raguard.score_passages),
    script:
        "../scripts/raguard/score_passages.py"


rule sweep_raguard:
    """RAGuard under other settings, row by row of a table, from stored scores."""
    input:
        plan(retrieval.retriever_weights),
        targets="results/targets/{dataset}.parquet",
        neighbours=plan(defences.snapshot, pattern="results/neighbours/{corpus}/{retriever}/{query_set}.parquet"),
        passages=plan(raguard.passages),
        poisoned_passages=plan(raguard.swept_tables, pattern="results/poisoned_passages/{dataset}/{attack}.parquet"),
        passage_scores=plan(raguard.swept_scores),
        retrieved=plan(raguard.swept_tables, pattern="results/retrieved/{dataset}/{retriever}/{attack}.parquet"),
    output:
        raguard_sweeps=table("results/raguard_sweeps/{dataset}/{retriever}.parquet"),
        sweep_shown=table("results/sweep_shown/{dataset}/{retriever}.parquet"),
    log:
        "logs/sweep_raguard/{dataset}/{retriever}.log",
    conda:
        "../../envs/encoders.yaml"
    params:
        code=code("raguard/sweep_raguard.py", raguard.sweep_modules),
        settings=plan(raguard.sweep_raguard),
    script:
        "../scripts/raguard/sweep_raguard.py"


rule screen_passages:
    """Texts that come in are held back or admitted, before any question is known that finds them. A search has stored
    their vectors.
    """
    input:
        plan(retrieval.retriever_weights),
        "results/retrieved/{dataset}/{retriever}/{attack}.parquet",
        guard=plan(screening.guard),
        passages=plan(raguard.passages),
        poisoned_passages="results/poisoned_passages/{dataset}/{attack}.parquet",
        passage_scores=plan(defences.scores),
        queries=plan(screening.queries),
        reviews=plan(screening.reviews),
    output:
        quarantine=table("results/quarantine/{dataset}/{retriever}/{attack}/{defence}.parquet"),
    log:
        "logs/screen_passages/{dataset}/{retriever}/{attack}/{defence}.log",
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("raguard/screen_passages.py", defences.kinds),
        settings=plan(screening.screen_passages),
    script:
        "../scripts/raguard/screen_passages.py"


rule answer_sweeps:
    """What a responder answers behind RAGuard under other settings."""
    input:
        plan(models.weights_of, role="responder"),
        targets="results/targets/{dataset}.parquet",
        sweep_shown="results/sweep_shown/{dataset}/{retriever}.parquet",
        passages=plan(defences.passages),
        poisoned_passages=plan(raguard.swept_tables, pattern="results/poisoned_passages/{dataset}/{attack}.parquet"),
        prompt=plan(defended.prompt),
        closed_book_prompt="resources/prompts/answer_closed_book.yaml",
    output:
        sweep_answers=table("results/sweep_answers/{dataset}/{retriever}/{responder}.parquet"),
        calls=table("results/calls/answer_sweeps/{dataset}/{retriever}/{responder}.parquet"),
    log:
        "logs/answer_sweeps/{dataset}/{retriever}/{responder}.log",
    benchmark:
        "logs/answer_sweeps/{dataset}/{retriever}/{responder}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role="responder")
    resources:
        runtime="4h",
    params:
        code=code("raguard/answer_sweeps.py", models.provider_of, role="responder"),
        settings=plan(raguard.answer_sweeps),
        access=frozen(plan(models.access_of, role="responder")),
    script:
        "../scripts/raguard/answer_sweeps.py"


rule measure_raguard:
    """What defences remove, miss and cost: the report's section."""
    input:
        targets=expand("results/targets/{dataset}.parquet", dataset=plan(attacks.attacked)),
        poisoned_passages=list(dict.fromkeys(POISONED)),
        retrieved=plan(defended.founds, own=False),
        found_rewritten=plan(defended.founds, own=True),
        filtered=FILTERED,
        quarantine=QUARANTINE,
        guards=plan(defences.guards),
        answers=expand(
            "results/answers/{dataset}/{retriever}/{attack}/{defence}/{responder}.parquet",
            zip,
            **plan(defences.columns),
        ),
        raguard_sweeps=expand("results/raguard_sweeps/{dataset}/{retriever}.parquet", zip, **plan(raguard.swept)),
        sweep_answers=expand("results/sweep_answers/{dataset}/{retriever}/{responder}.parquet", zip, **SWEEPS),
    output:
        metrics=table("results/metrics/raguard.parquet"),
    log:
        "logs/measure_raguard.log",
    conda:
        "../../envs/encoders.yaml"
    params:
        code=code_version("raguard/measure_raguard.py"),
        settings=plan(raguard.measure_raguard),
    script:
        "../scripts/raguard/measure_raguard.py"
