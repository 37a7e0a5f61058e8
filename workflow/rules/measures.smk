"""What attacks reach, and how well defences tell poisoned passages from clean ones.

Reads   results/passages, results/poisoned_passages, results/passage_scores, results/targets, results/retrieved, results/found_rewritten,
        results/filtered, results/fewer_planted, results/filter_times, results/quarantine, results/guards, results/answers
Writes  results/raguard_sweeps/{dataset}/{retriever}.parquet                RAGuard under other settings
        results/sweep_shown/{dataset}/{retriever}.parquet                   which passages it lets pass
        results/sweep_answers/{dataset}/{retriever}/{responder}.parquet     what is answered from these
        results/calls/answer_sweeps/..., ledger/answer_sweeps/...           as in questions.smk
        results/metrics/attacks.parquet, raguard.parquet                    the report's sections
        results/metrics/raguard_costs.parquet                               what depends on the machine, too
"""

from ragassay.plan import attacks, defences, defended, measures, models, search, targets

ATTACKED = plan(attacks.cells)
DEFENDED = plan(defences.filtered)
SWEEPS = plan(measures.swept_answers)
CALLS += SWEEPS.over("results/calls/answer_sweeps/{dataset}/{retriever}/{responder}.parquet")
SECTIONS["attacks"] = {"page": "raguard", "shown": bool(ATTACKED)}
SECTIONS["raguard"] = {"shown": bool(DEFENDED)}
SECTIONS["raguard_thresholds"] = {"page": "raguard", "metrics": "raguard", "shown": bool(DEFENDED)}
SECTIONS["raguard_answers"] = {"page": "raguard", "metrics": "raguard", "shown": bool(DEFENDED)}
SECTIONS["raguard_costs"] = {"page": "raguard", "shown": bool(DEFENDED)}
SECTIONS["raguard_settings"] = {"page": "raguard", "metrics": "raguard", "shown": bool(DEFENDED)}


rule attacks:
    """What attacks reach, and what is left of that behind defences."""
    input:
        ATTACKED.over("results/retrieved/{dataset}/{retriever}/{attack}.parquet"),
        "results/metrics/attacks.parquet",
        "<report>/attacks.csv",
        "<report>/figures/attacks",


rule raguard:
    """What defences remove of what questions find, and what they cost."""
    input:
        DEFENDED.over("results/filtered/{dataset}/{retriever}/{attack}.parquet"),
        plan(defended.screened).over("results/quarantine/{dataset}/{retriever}/{attack}/{defence}.parquet"),
        "results/metrics/raguard.parquet",
        "<report>/raguard.csv",
        "<report>/figures/raguard",


rule sweep_raguard:
    """RAGuard under other settings, row by row of a table, from stored scores."""
    input:
        plan(search.retriever_weights),
        targets="results/targets/{dataset}.parquet",
        neighbours=plan(defences.snapshot, pattern="results/neighbours/{corpus}/{retriever}/{query_set}.parquet"),
        passages=plan(measures.passages),
        poisoned_passages=plan(measures.swept_tables, pattern="results/poisoned_passages/{dataset}/{attack}.parquet"),
        passage_scores=plan(measures.swept_scores),
        retrieved=plan(measures.swept_tables, pattern="results/retrieved/{dataset}/{retriever}/{attack}.parquet"),
    output:
        raguard_sweeps=table("results/raguard_sweeps/{dataset}/{retriever}.parquet"),
        sweep_shown=table("results/sweep_shown/{dataset}/{retriever}.parquet"),
    conda:
        "../../envs/encoders.yaml"
    params:
        code=code("measures/sweep_raguard.py", measures.sweep_modules),
        settings=plan(measures.sweep_raguard),
    script:
        "../scripts/measures/sweep_raguard.py"


rule answer_sweeps:
    """What a responder answers behind RAGuard under other settings."""
    input:
        plan(models.weights_of, role="responder"),
        targets="results/targets/{dataset}.parquet",
        sweep_shown="results/sweep_shown/{dataset}/{retriever}.parquet",
        passages=plan(targets.clean, pattern="results/passages/{corpus}.parquet"),
        poisoned_passages=plan(measures.swept_tables, pattern="results/poisoned_passages/{dataset}/{attack}.parquet"),
        prompt=ancient(plan(defended.prompt)),
        closed_book_prompt=ancient(shipped("resources/prompts/answer_closed_book.yaml")),
    output:
        sweep_answers=table("results/sweep_answers/{dataset}/{retriever}/{responder}.parquet"),
        calls=table("results/calls/answer_sweeps/{dataset}/{retriever}/{responder}.parquet"),
    benchmark:
        "logs/answer_sweeps/{dataset}/{retriever}/{responder}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role="responder")
    resources:
        runtime="4h",
    params:
        code=code("measures/answer_sweeps.py", models.provider_of, role="responder"),
        settings=plan(models.asking, stage="answer_sweeps", role="responder", **plan(defences.answering)),
        access=frozen(plan(models.access_of, role="responder")),
    script:
        "../scripts/measures/answer_sweeps.py"


rule measure_attacks:
    """How much of what is planted is found, how loud it is, and what is answered: the report's section."""
    input:
        targets=ATTACKED.over("results/targets/{dataset}.parquet"),
        poisoned_passages=ATTACKED.over("results/poisoned_passages/{dataset}/{attack}.parquet"),
        passages=expand("results/passages/{corpus}.parquet", corpus=plan(attacks.corpora)),
        retrieved=ATTACKED.over("results/retrieved/{dataset}/{retriever}/{attack}.parquet"),
        answers=plan(defences.answered).over(
            "results/answers/{dataset}/{retriever}/{attack}/{defence}/{responder}.parquet"
        ),
    output:
        metrics=table("results/metrics/attacks.parquet"),
    conda:
        "../../envs/encoders.yaml"
    params:
        settings=plan(attacks.measure_attacks),
    script:
        "../scripts/measures/measure_attacks.py"


rule measure_raguard:
    """What defences remove, miss and cost: the report's section."""
    input:
        targets=ATTACKED.over("results/targets/{dataset}.parquet"),
        poisoned_passages=DEFENDED.over("results/poisoned_passages/{dataset}/{attack}.parquet"),
        retrieved=plan(defended.as_asked).over(defended.RETRIEVED),
        found_rewritten=plan(defended.rewritten).over(defended.REWRITTEN),
        filtered=DEFENDED.over("results/filtered/{dataset}/{retriever}/{attack}.parquet"),
        fewer_planted=DEFENDED.over("results/fewer_planted/{dataset}/{retriever}/{attack}.parquet"),
        filter_times=DEFENDED.over("results/filter_times/{dataset}/{retriever}/{attack}.parquet"),
        quarantine=plan(defended.screened).over("results/quarantine/{dataset}/{retriever}/{attack}/{defence}.parquet"),
        guards=plan(defences.fitted).over("results/guards/{dataset}/{retriever}/{defence}.json"),
        answers=plan(defences.answered).over(
            "results/answers/{dataset}/{retriever}/{attack}/{defence}/{responder}.parquet"
        ),
        raguard_sweeps=plan(measures.swept).over("results/raguard_sweeps/{dataset}/{retriever}.parquet"),
        sweep_answers=SWEEPS.over("results/sweep_answers/{dataset}/{retriever}/{responder}.parquet"),
    output:
        metrics=table("results/metrics/raguard.parquet"),
        costs=table("results/metrics/raguard_costs.parquet"),
    conda:
        "../../envs/encoders.yaml"
    params:
        settings=plan(measures.measure_raguard),
    script:
        "../scripts/measures/measure_raguard.py"
