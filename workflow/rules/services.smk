"""RAG services as they run, measured by the questions of the scope study and of question sets: they were asked in responses.smk.

Reads   results/service_answers/{generator}/{responder}/{shard}.parquet,
        results/defusion_labels/{generator}/{responder}/question_alone/{judge}/{shard}.parquet
Writes  results/metrics/services.parquet    the report's section
"""

from ragassay.plan import services

ASSAYED = plan(services.assayed)
SECTIONS["services"] = {"shown": bool(len(ASSAYED))}


rule services:
    """Services measured on the questions that they were asked."""
    input:
        ["results/metrics/services.parquet", "<report>/services.csv", "<report>/figures/services"]
        if len(ASSAYED)
        else [],


rule measure_services:
    """What services answer and decline, and whether their passages bear it out: the report's section."""
    input:
        service_answers=ASSAYED.over("results/service_answers/{generator}/{responder}/{shard}.parquet"),
        defusion_labels=ASSAYED.over(
            "results/defusion_labels/{generator}/{responder}/question_alone/{judge}/{shard}.parquet"
        ),
    output:
        metrics=table("results/metrics/services.parquet"),
    log:
        "logs/measure_services.log",
    conda:
        "../../envs/encoders.yaml"
    params:
        code=code_version("services/measure_services.py"),
        settings=plan(services.measure_services),
    script:
        "../scripts/services/measure_services.py"
