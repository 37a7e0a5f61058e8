"""What each shard came to, and what changed since the one before it. Asks no model.

Reads   results/documents, selected_questions, hardness_scores, defusion_labels, predictions, calls
Writes  results/metrics/months.parquet      the report's section, shown from two shards on
"""

from ragassay.plan import detectors, documents, questions
from ragassay.plan.report import draws
from ragassay.plan.services import asked

OWN = plan(questions.own)
ANSWERED = dict(OWN, responder=plan(questions.every)["responder"])
SECTIONS["months"] = {"shown": len(SHARDS) > 1}


rule measure_months:
    """The numbers of each shard become trends and changes: the report's section."""
    input:
        documents=expand("results/documents/{shard}.parquet", shard=SHARDS),
        selected_questions=expand("results/selected_questions/{generator}/{judge}/{shard}.parquet", **OWN),
        hardness_scores=expand("results/hardness_scores/{generator}/{judge}.parquet", **OWN),
        defusion_labels=expand(
            "results/defusion_labels/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet", asked, **ANSWERED
        ),
        predictions=expand(
            "results/predictions/{detector}/{generator}/{judge}/{generator}/{shard}.parquet",
            **OWN,
            detector=plan(detectors.used),
        ),
        calls=plan(documents.calls_of_shards, calls=CALLS),
    output:
        metrics=table("results/metrics/months.parquet"),
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=4000,
    params:
        settings=plan(draws, section="months"),
    script:
        "../scripts/months/measure_months.py"
