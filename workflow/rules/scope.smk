"""From documents to claims, by a generator model.

Reads   results/documents/{shard}.parquet, resources/prompts/
Writes  results/claims/{generator}/{shard}.parquet                   the claims of each document
        results/rejects/claims/{generator}/{shard}.parquet           documents without a usable answer
        results/calls/extract_claims/{generator}/{shard}.parquet     what was asked and paid
        ledger/extract_claims/{generator}/{shard}/                   every answer as it came; not an output, never deleted
"""


rule extract_claims:
    """The generator lists what each document claims."""
    input:
        documents="results/documents/{shard}.parquet",
        prompt="resources/prompts/extract_claims.yaml",
    output:
        claims=ensure("results/claims/{generator}/{shard}.parquet", non_empty=True),
        rejects=ensure("results/rejects/claims/{generator}/{shard}.parquet", non_empty=True),
        calls=ensure("results/calls/extract_claims/{generator}/{shard}.parquet", non_empty=True),
    log:
        "logs/extract_claims/{generator}/{shard}.log",
    benchmark:
        "logs/extract_claims/{generator}/{shard}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    resources:
        mem_mb=2000,
        runtime="4h",
    params:
        code=code_with_model("scope/extract_claims.py", "generator"),
        settings=asking("extract_claims", "generator", config["scope"]["claims"]),
    script:
        "../scripts/scope/extract_claims.py"
