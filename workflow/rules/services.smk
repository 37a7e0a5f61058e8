"""RAG services as they run, measured by the questions of the scope study and of question sets: they were asked in responses.smk.

Reads   results/service_answers/{generator}/{responder}/{shard}.parquet,
        results/defusion_labels/{generator}/{responder}/question_alone/{judge}/{shard}.parquet,
        results/metrics/drift.parquet, results/metrics/coverage.parquet
Writes  results/metrics/services.parquet    the report's section
        results/service_outcomes.parquet    what counts, question by question
        <report>/card.html, card.json       five numbers of each service, and what they mean
"""

from ragassay.plan import services

ASSAYED = plan(services.assayed)
SECTIONS["services"] = {"shown": bool(len(ASSAYED))}
EXPLORERS.update(plan(services.pages, assayed=ASSAYED))


localrules:
    render_card,


rule services:
    """Services measured on the questions that they were asked."""
    input:
        [
            "results/metrics/services.parquet",
            "<report>/services.csv",
            "<report>/figures/services",
            "<report>/card.html",
        ]
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
        outcomes=table("results/service_outcomes.parquet"),
    log:
        "logs/measure_services.log",
    conda:
        "../../envs/encoders.yaml"
    params:
        code=code_version("services/measure_services.py"),
        settings=plan(services.measure_services),
    script:
        "../scripts/services/measure_services.py"


rule render_card:
    """Five numbers of each service and what they mean become a page, and JSON for pipelines."""
    input:
        metrics="results/metrics/services.parquet",
        gates=plan(services.gates),
        outcomes="results/service_outcomes.parquet",
        earlier=[config["report"]["against"]] if config["report"]["against"] else [],
        templates=shipped(["workflow/report/card.html.j2", "workflow/report/provenance.html.j2"]),
        style=shipped("workflow/report/page.css"),
        behaviour=shipped("workflow/report/page.js"),
    output:
        page=ensure("<report>/card.html", non_empty=True),
        card="<report>/card.json",
    log:
        "logs/render_card.log",
    localrule: True
    conda:
        "../../envs/encoders.yaml"
    params:
        code=code_version("services/render_card.py"),
        settings=plan(services.render_card, files=CONFIG_FILES),
    script:
        "../scripts/services/render_card.py"
