"""How near questions are to their documents, where shared words alone cannot tell the kinds apart, and what the whole
scope study came to. Asks no model.

Reads   results/documents, claims, recovered_claims, novel_claims, questions, scope_labels, selected_questions, rejects, and
        the weights that `encoders` names
Writes  results/drift/{generator}/{shard}.parquet                   how far recovered claims are from the claims at first
        results/hardness/{generator}/{shard}.parquet                nearness and shared words of each question
        results/hardness_scores/{generator}/{judge}.parquet         what shared words alone tell of each kept question
        results/hardness_strata/{generator}/{judge}.parquet         the strata, and which of them are hard
        results/rejects/hardness/{generator}/{shard}.parquet        questions that cannot be measured
        results/metrics/scope.parquet, results/examples/scope.parquet       the report's section
        embeddings/                                                 vectors of texts; not an output, never deleted
"""

from ragassay.plan import encoders, hardness, scope

ALL, OWN = plan(scope.every), plan(scope.own)
REJECTING = ["claims", "recovered_claims", "novel_claims", "questions", "hardness"]
SECTIONS["scope"] = {"examples": "results/examples/scope.parquet"}


rule compute_hardness:
    """How near questions and recovered claims are to their document, and which words and names questions share with it."""
    input:
        plan(encoders.weights),
        documents="results/documents/{shard}.parquet",
        claims="results/claims/{generator}/{shard}.parquet",
        recovered_claims="results/recovered_claims/{generator}/{shard}.parquet",
        questions="results/questions/{generator}/{shard}.parquet",
    output:
        hardness=table("results/hardness/{generator}/{shard}.parquet"),
        drift=table("results/drift/{generator}/{shard}.parquet"),
        rejects=table("results/rejects/hardness/{generator}/{shard}.parquet"),
    log:
        "logs/compute_hardness/{generator}/{shard}.log",
    benchmark:
        "logs/compute_hardness/{generator}/{shard}.benchmark.jsonl"
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("hardness/compute_hardness.py", encoders.kind_of_study),
        settings=plan(hardness.compute_hardness),
    script:
        "../scripts/hardness/compute_hardness.py"


rule grade_hardness:
    """The overlap control is trained on all shards, and strata where it cannot tell the kinds apart are hard."""
    input:
        hardness=expand("results/hardness/{{generator}}/{shard}.parquet", shard=SHARDS),
        selected_questions=expand("results/selected_questions/{{generator}}/{{judge}}/{shard}.parquet", shard=SHARDS),
    output:
        hardness_scores=table("results/hardness_scores/{generator}/{judge}.parquet"),
        hardness_strata=table("results/hardness_strata/{generator}/{judge}.parquet"),
    log:
        "logs/grade_hardness/{generator}/{judge}.log",
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code_version("hardness/grade_hardness.py"),
        settings=plan(hardness.grade_hardness),
    script:
        "../scripts/hardness/grade_hardness.py"


rule measure_scope:
    """From documents to kept questions, step by step and in numbers, and three examples: the report's section."""
    input:
        documents=expand("results/documents/{shard}.parquet", **OWN),
        claims=expand("results/claims/{generator}/{shard}.parquet", **OWN),
        recovered_claims=expand("results/recovered_claims/{generator}/{shard}.parquet", **OWN),
        drift=expand("results/drift/{generator}/{shard}.parquet", **OWN),
        novel_claims=expand("results/novel_claims/{generator}/{shard}.parquet", **OWN),
        scope_labels=expand("results/scope_labels/{generator}/{judge}/{shard}.parquet", **OWN),
        selected_questions=expand("results/selected_questions/{generator}/{judge}/{shard}.parquet", **ALL),
        hardness=expand("results/hardness/{generator}/{shard}.parquet", **OWN),
        hardness_scores=expand("results/hardness_scores/{generator}/{judge}.parquet", **OWN),
        hardness_strata=expand("results/hardness_strata/{generator}/{judge}.parquet", **ALL),
        rejects=expand("results/rejects/{table}/{generator}/{shard}.parquet", **OWN, table=REJECTING),
    output:
        metrics=table("results/metrics/scope.parquet"),
        examples=table("results/examples/scope.parquet"),
    log:
        "logs/measure_scope.log",
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=4000,
    params:
        code=code_version("hardness/measure_scope.py"),
        settings=plan(hardness.measure_scope),
    script:
        "../scripts/hardness/measure_scope.py"
