"""RAG services as they run, measured by the questions of the scope study and of question sets, which they were asked in responses.smk, and
by the poison that gets through them.

Reads   results/service_answers/{generator}/{responder}/{shard}.parquet,
        results/defusion_labels/{generator}/{responder}/question_alone/{judge}/{shard}.parquet,
        results/metrics/drift.parquet, results/metrics/coverage.parquet,
        results/targets, results/poisoned_passages, results/gates, results/guards, results/scorers
Writes  results/poisoned_service_answers/{responder}.parquet    what services answer with and without the poison of each attack
        results/calls/{rule}/..., ledger/{rule}/...             as in questions.smk
        staging/                                                manifests of what is in collections for tests meanwhile
        results/metrics/services.parquet                        the report's section
        results/service_outcomes.parquet                        what counts, question by question
        <report>/card.html, card.json                           five numbers of each service, and what they mean
"""

from ragassay.plan import models, service_poison, services

ASSAYED = plan(services.assayed)
POISONED_SERVICES = plan(service_poison.measured)
SECTIONS["services"] = {"shown": bool(len(ASSAYED) or POISONED_SERVICES)}
EXPLORERS.update(plan(services.pages, measured=[*ASSAYED.column("responder"), *POISONED_SERVICES]))
CALLS += expand("results/calls/poison_service/{responder}.parquet", responder=POISONED_SERVICES)


localrules:
    render_card,


rule poison_service:
    """A service answers the questions of targets, as it is and with poisoned passages in its collection for tests."""
    input:
        plan(services.local_inputs),
        plan(service_poison.weights),
        targets=plan(service_poison.targets),
        poisoned_passages=plan(service_poison.passages),
        gate=plan(service_poison.gate),
        guard=plan(service_poison.guard),
        scorer=plan(service_poison.scorer),
    output:
        poisoned_service_answers=table("results/poisoned_service_answers/{responder}.parquet"),
        calls=table("results/calls/poison_service/{responder}.parquet"),
    benchmark:
        "logs/poison_service/{responder}.benchmark.jsonl"
    wildcard_constraints:
        responder=one_of(POISONED_SERVICES),
    conda:
        "../../envs/models_and_encoders.yaml"
    threads: plan(models.threads_of, role="responder")
    resources:
        mem_mb=4000,
        runtime="4h",
    params:
        code=code("services/poison_service.py", service_poison.modules),
        settings=plan(service_poison.poison_service),
        access=frozen(plan(models.access_of, role="responder")),
    script:
        "../scripts/services/poison_service.py"


rule services:
    """Services measured on the questions that they were asked."""
    input:
        [
            "results/metrics/services.parquet",
            "<report>/services.csv",
            "<report>/figures/services",
            "<report>/card.html",
        ]
        if len(ASSAYED) or POISONED_SERVICES
        else [],


rule measure_services:
    """What services answer and decline, and whether their passages bear it out: the report's section."""
    input:
        service_answers=ASSAYED.over("results/service_answers/{generator}/{responder}/{shard}.parquet"),
        defusion_labels=ASSAYED.over(
            "results/defusion_labels/{generator}/{responder}/question_alone/{judge}/{shard}.parquet"
        ),
        poisoned_service_answers=expand(
            "results/poisoned_service_answers/{responder}.parquet", responder=POISONED_SERVICES
        ),
    output:
        metrics=table("results/metrics/services.parquet"),
        outcomes=table("results/service_outcomes.parquet"),
    conda:
        "../../envs/encoders.yaml"
    params:
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
    localrule: True
    conda:
        "../../envs/encoders.yaml"
    params:
        settings=plan(services.render_card, files=CONFIG_FILES),
    script:
        "../scripts/services/render_card.py"
