"""From documents to questions that they answer and questions that they cannot, written by a generator model.

Reads   results/documents/{shard}.parquet, resources/prompts/
Writes  results/claims/{generator}/{shard}.parquet                  the claims of each document
        results/recovered_claims/{generator}/{shard}.parquet        what was guessed for blanked claims, in all rounds
        results/novel_claims/{generator}/{shard}.parquet            the guesses that no document supports
        results/written_questions/{generator}/{shard}.parquet       questions as they were written, where near misses are wanted
        results/near_misses/{generator}/{shard}.parquet             what rewriting made of them, try by try
        results/questions/{generator}/{shard}.parquet               questions in and out of scope
        results/rejects/{table}/{generator}/{shard}.parquet         what could not become a row, with the reason
        results/calls/{rule}/...                                    what was asked and paid
        ledger/{rule}/...                                           every answer as it came; not an output, never deleted
"""

from ragassay.plan import models, questions

ALL = plan(questions.every)
KIND = {"kind": config["documents"]["kind"]}
CALLS += expand("results/calls/{stage}/{generator}/{shard}.parquet", **ALL, stage=plan(questions.generating))
ESTIMATES["most_requests"] |= plan(questions.most_requests)
ESTIMATES["switches"] |= plan(questions.switches)


wildcard_constraints:
    **plan(questions.wildcards),


ruleorder: write_questions > write_near_misses


rule extract_claims:
    """The generator lists what each document claims."""
    input:
        plan(models.weights_of, role="generator"),
        documents="results/documents/{shard}.parquet",
        prompt=ancient(shipped("resources/prompts/extract_claims.yaml")),
    output:
        claims=table("results/claims/{generator}/{shard}.parquet"),
        rejects=table("results/rejects/claims/{generator}/{shard}.parquet"),
        calls=table("results/calls/extract_claims/{generator}/{shard}.parquet"),
    benchmark:
        "logs/extract_claims/{generator}/{shard}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role="generator")
    resources:
        runtime="4h",
    params:
        code=code("questions/extract_claims.py", models.provider_of, role="generator"),
        settings=plan(models.asking, stage="extract_claims", role="generator", **KIND, **config["scope"]["claims"]),
        access=frozen(plan(models.access_of, role="generator")),
    script:
        "../scripts/questions/extract_claims.py"


rule recover_claims:
    """Claims are removed subset by subset, and the generator guesses them without the document."""
    input:
        plan(models.weights_of, role="generator"),
        claims="results/claims/{generator}/{shard}.parquet",
        prompt=ancient(shipped("resources/prompts/recover_claims.yaml")),
    output:
        recovered_claims=table("results/recovered_claims/{generator}/{shard}.parquet"),
        rejects=table("results/rejects/recovered_claims/{generator}/{shard}.parquet"),
        calls=table("results/calls/recover_claims/{generator}/{shard}.parquet"),
    benchmark:
        "logs/recover_claims/{generator}/{shard}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role="generator")
    resources:
        runtime="4h",
    params:
        code=code("questions/recover_claims.py", models.provider_of, role="generator"),
        settings=plan(models.asking, stage="recover_claims", role="generator", **KIND, **config["scope"]["recovery"]),
        access=frozen(plan(models.access_of, role="generator")),
    script:
        "../scripts/questions/recover_claims.py"


rule remove_supported_claims:
    """The generator drops the guesses that document or claims support."""
    input:
        plan(models.weights_of, role="generator"),
        documents="results/documents/{shard}.parquet",
        claims="results/claims/{generator}/{shard}.parquet",
        recovered_claims="results/recovered_claims/{generator}/{shard}.parquet",
        prompt=ancient(shipped("resources/prompts/remove_supported_claims.yaml")),
    output:
        novel_claims=table("results/novel_claims/{generator}/{shard}.parquet"),
        rejects=table("results/rejects/novel_claims/{generator}/{shard}.parquet"),
        calls=table("results/calls/remove_supported_claims/{generator}/{shard}.parquet"),
    benchmark:
        "logs/remove_supported_claims/{generator}/{shard}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role="generator")
    resources:
        runtime="4h",
    params:
        code=code("questions/remove_supported_claims.py", models.provider_of, role="generator"),
        settings=plan(models.asking, stage="remove_supported_claims", role="generator", **config["scope"]["removal"]),
        access=frozen(plan(models.access_of, role="generator")),
    script:
        "../scripts/questions/remove_supported_claims.py"


rule write_questions:
    """The generator writes a question about each novel claim, and some that the documents answer."""
    input:
        plan(models.weights_of, role="generator"),
        documents="results/documents/{shard}.parquet",
        novel_claims="results/novel_claims/{generator}/{shard}.parquet",
        out_of_scope_prompt=ancient(shipped("resources/prompts/write_out_of_scope_questions.yaml")),
        in_scope_prompt=ancient(shipped("resources/prompts/write_in_scope_questions.yaml")),
    output:
        questions=table(plan(questions.written_questions)),
        rejects=table("results/rejects/questions/{generator}/{shard}.parquet"),
        calls=table("results/calls/write_questions/{generator}/{shard}.parquet"),
    benchmark:
        "logs/write_questions/{generator}/{shard}.benchmark.jsonl"
    wildcard_constraints:
        generator=one_of(config["models"]),
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role="generator")
    resources:
        runtime="4h",
    params:
        code=code("questions/write_questions.py", models.provider_of, role="generator"),
        settings=plan(models.asking, stage="write_questions", role="generator", **config["scope"]["questions"]),
        access=frozen(plan(models.access_of, role="generator")),
    script:
        "../scripts/questions/write_questions.py"


rule write_near_misses:
    """The generator rewrites out-of-scope questions until counting words does not tell them from in-scope ones."""
    input:
        plan(models.weights_of, role="generator"),
        plan(models.encoder_weights),
        documents="results/documents/{shard}.parquet",
        written_questions="results/written_questions/{generator}/{shard}.parquet",
        prompt=ancient(shipped("resources/prompts/write_near_misses.yaml")),
    output:
        questions=table("results/questions/{generator}/{shard}.parquet"),
        near_misses=table("results/near_misses/{generator}/{shard}.parquet"),
        calls=table("results/calls/write_near_misses/{generator}/{shard}.parquet"),
    benchmark:
        "logs/write_near_misses/{generator}/{shard}.benchmark.jsonl"
    wildcard_constraints:
        generator=one_of(config["models"]),
    conda:
        "../../envs/models_and_encoders.yaml"
    threads: plan(models.threads_of, role="generator")
    resources:
        **ENCODING,
    params:
        code=code("questions/write_near_misses.py", questions.rewriting_kinds),
        settings=plan(questions.write_near_misses),
        access=frozen(plan(models.access_of, role="generator")),
    script:
        "../scripts/questions/write_near_misses.py"
