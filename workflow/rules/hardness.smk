"""How near questions are to their documents, where shared words alone cannot tell the kinds apart, and what the whole
scope study came to. Asks no model.

Reads   results/documents, claims, recovered_claims, novel_claims, questions, scope_labels, selected_questions, rejects
Writes  results/drift/{generator}/{shard}.parquet                   how far recovered claims are from the claims at first
        results/hardness/{generator}/{shard}.parquet                nearness and shared words of each question
        results/hardness_scores/{generator}/{judge}.parquet         what shared words alone tell of each kept question
        results/hardness_strata/{generator}/{judge}.parquet         the strata, and which of them are hard
        results/rejects/hardness/{generator}/{shard}.parquet        questions that cannot be measured
        results/metrics/scope.parquet, results/examples/scope.parquet       the report's section
        embeddings/                                                 vectors of texts; not an output, never deleted
"""


rule measure_hardness:
    """How near questions and recovered claims are to their document, and which words and names questions share with it."""
    input:
        documents="results/documents/{shard}.parquet",
        claims="results/claims/{generator}/{shard}.parquet",
        recovered_claims="results/recovered_claims/{generator}/{shard}.parquet",
        questions="results/questions/{generator}/{shard}.parquet",
    output:
        hardness=ensure("results/hardness/{generator}/{shard}.parquet", non_empty=True),
        drift=ensure("results/drift/{generator}/{shard}.parquet", non_empty=True),
        rejects=ensure("results/rejects/hardness/{generator}/{shard}.parquet", non_empty=True),
    log:
        "logs/measure_hardness/{generator}/{shard}.log",
    benchmark:
        "logs/measure_hardness/{generator}/{shard}.benchmark.jsonl"
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=4000,
        runtime="2h",
    params:
        code=code_version("scope/measure_hardness.py", settings.encoder_module(config)),
        settings=settings.nearness(config),
    script:
        "../scripts/scope/measure_hardness.py"


rule grade_hardness:
    """The overlap control learns from all shards, and strata where it cannot tell the kinds apart are hard."""
    input:
        hardness=expand("results/hardness/{{generator}}/{shard}.parquet", shard=SHARDS),
        selected_questions=expand("results/selected_questions/{{generator}}/{{judge}}/{shard}.parquet", shard=SHARDS),
    output:
        hardness_scores=ensure("results/hardness_scores/{generator}/{judge}.parquet", non_empty=True),
        hardness_strata=ensure("results/hardness_strata/{generator}/{judge}.parquet", non_empty=True),
    log:
        "logs/grade_hardness/{generator}/{judge}.log",
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=4000,
        runtime="1h",
    params:
        code=code_version("scope/grade_hardness.py"),
        settings=settings.grading(config),
    script:
        "../scripts/scope/grade_hardness.py"


rule measure_scope:
    """From documents to kept questions, step by step and in numbers, and three examples: the report's section."""
    input:
        documents=expand("results/documents/{shard}.parquet", shard=SHARDS),
        claims=expand(
            "results/claims/{generator}/{shard}.parquet",
            generator=config["scope"]["generators"][:1],
            shard=SHARDS,
        ),
        recovered_claims=expand(
            "results/recovered_claims/{generator}/{shard}.parquet",
            generator=config["scope"]["generators"][:1],
            shard=SHARDS,
        ),
        drift=expand(
            "results/drift/{generator}/{shard}.parquet",
            generator=config["scope"]["generators"][:1],
            shard=SHARDS,
        ),
        novel_claims=expand(
            "results/novel_claims/{generator}/{shard}.parquet",
            generator=config["scope"]["generators"][:1],
            shard=SHARDS,
        ),
        scope_labels=expand(
            "results/scope_labels/{generator}/{judge}/{shard}.parquet",
            generator=config["scope"]["generators"][:1],
            judge=config["scope"]["judges"][:1],
            shard=SHARDS,
        ),
        selected_questions=expand(
            "results/selected_questions/{generator}/{judge}/{shard}.parquet",
            generator=config["scope"]["generators"],
            judge=config["scope"]["judges"],
            shard=SHARDS,
        ),
        hardness=expand(
            "results/hardness/{generator}/{shard}.parquet",
            generator=config["scope"]["generators"][:1],
            shard=SHARDS,
        ),
        hardness_scores=expand(
            "results/hardness_scores/{generator}/{judge}.parquet",
            generator=config["scope"]["generators"][:1],
            judge=config["scope"]["judges"][:1],
        ),
        hardness_strata=expand(
            "results/hardness_strata/{generator}/{judge}.parquet",
            generator=config["scope"]["generators"],
            judge=config["scope"]["judges"],
        ),
        rejects=expand(
            "results/rejects/{table}/{generator}/{shard}.parquet",
            table=["claims", "recovered_claims", "novel_claims", "questions", "hardness"],
            generator=config["scope"]["generators"][:1],
            shard=SHARDS,
        ),
    output:
        metrics=ensure("results/metrics/scope.parquet", non_empty=True),
        examples=ensure("results/examples/scope.parquet", non_empty=True),
    log:
        "logs/measure_scope.log",
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=4000,
        runtime="30m",
    params:
        code=code_version("scope/measure_scope.py"),
        settings=settings.scope_metrics(config),
    script:
        "../scripts/scope/measure_scope.py"
