"""The scope study: from documents to questions that they answer and questions that they cannot, by a generator model,
and what judge models say about them.

Reads   results/documents/{shard}.parquet, resources/prompts/
Writes  results/claims/{generator}/{shard}.parquet                          the claims of each document
        results/recovered_claims/{generator}/{shard}.parquet                what was guessed for blanked claims, in all rounds
        results/novel_claims/{generator}/{shard}.parquet                    the guesses that no document supports
        results/questions/{generator}/{shard}.parquet                       questions in and out of scope
        results/scope_votes/{generator}/{judge}/{shard}.parquet             every vote of a judge
        results/scope_labels/{generator}/{judge}/{shard}.parquet            their majorities
        results/selected_questions/{generator}/{judge}/{shard}.parquet      all questions with status and split
        results/rejects/{table}/{generator}/{shard}.parquet                 what could not become a row, with the reason
        results/calls/{rule}/...                                            what was asked and paid
        ledger/{rule}/...                                                   every answer as it came; not an output, never deleted
"""


rule extract_claims:
    """The generator lists what each document claims."""
    input:
        settings.weights_of(config, "generator"),
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
        access=frozen(settings.access_of(config, "generator")),
    script:
        "../scripts/scope/extract_claims.py"


rule recover_claims:
    """Claims are blanked in turns, and the generator, without the document, guesses what stood there."""
    input:
        settings.weights_of(config, "generator"),
        claims="results/claims/{generator}/{shard}.parquet",
        prompt="resources/prompts/recover_claims.yaml",
    output:
        recovered_claims=ensure("results/recovered_claims/{generator}/{shard}.parquet", non_empty=True),
        rejects=ensure("results/rejects/recovered_claims/{generator}/{shard}.parquet", non_empty=True),
        calls=ensure("results/calls/recover_claims/{generator}/{shard}.parquet", non_empty=True),
    log:
        "logs/recover_claims/{generator}/{shard}.log",
    benchmark:
        "logs/recover_claims/{generator}/{shard}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    resources:
        mem_mb=2000,
        runtime="4h",
    params:
        code=code_with_model("scope/recover_claims.py", "generator"),
        settings=asking("recover_claims", "generator", config["scope"]["recovery"]),
        access=frozen(settings.access_of(config, "generator")),
    script:
        "../scripts/scope/recover_claims.py"


rule remove_supported_claims:
    """The generator drops the guesses that document or claims support."""
    input:
        settings.weights_of(config, "generator"),
        documents="results/documents/{shard}.parquet",
        claims="results/claims/{generator}/{shard}.parquet",
        recovered_claims="results/recovered_claims/{generator}/{shard}.parquet",
        prompt="resources/prompts/remove_supported_claims.yaml",
    output:
        novel_claims=ensure("results/novel_claims/{generator}/{shard}.parquet", non_empty=True),
        rejects=ensure("results/rejects/novel_claims/{generator}/{shard}.parquet", non_empty=True),
        calls=ensure("results/calls/remove_supported_claims/{generator}/{shard}.parquet", non_empty=True),
    log:
        "logs/remove_supported_claims/{generator}/{shard}.log",
    benchmark:
        "logs/remove_supported_claims/{generator}/{shard}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    resources:
        mem_mb=2000,
        runtime="4h",
    params:
        code=code_with_model("scope/remove_supported_claims.py", "generator"),
        settings=asking("remove_supported_claims", "generator", config["scope"]["removal"]),
        access=frozen(settings.access_of(config, "generator")),
    script:
        "../scripts/scope/remove_supported_claims.py"


rule write_questions:
    """The generator asks about each novel claim, and for what the documents do answer."""
    input:
        settings.weights_of(config, "generator"),
        documents="results/documents/{shard}.parquet",
        novel_claims="results/novel_claims/{generator}/{shard}.parquet",
        out_of_scope_prompt="resources/prompts/write_out_of_scope_questions.yaml",
        in_scope_prompt="resources/prompts/write_in_scope_questions.yaml",
    output:
        questions=ensure("results/questions/{generator}/{shard}.parquet", non_empty=True),
        rejects=ensure("results/rejects/questions/{generator}/{shard}.parquet", non_empty=True),
        calls=ensure("results/calls/write_questions/{generator}/{shard}.parquet", non_empty=True),
    log:
        "logs/write_questions/{generator}/{shard}.log",
    benchmark:
        "logs/write_questions/{generator}/{shard}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    resources:
        mem_mb=2000,
        runtime="4h",
    params:
        code=code_with_model("scope/write_questions.py", "generator"),
        settings=asking("write_questions", "generator", config["scope"]["questions"]),
        access=frozen(settings.access_of(config, "generator")),
    script:
        "../scripts/scope/write_questions.py"


rule judge_scope:
    """A judge votes on each question: can its document answer it?"""
    input:
        settings.weights_of(config, "judge"),
        documents="results/documents/{shard}.parquet",
        questions="results/questions/{generator}/{shard}.parquet",
        prompt="resources/prompts/judge_scope.yaml",
    output:
        scope_votes=ensure("results/scope_votes/{generator}/{judge}/{shard}.parquet", non_empty=True),
        calls=ensure("results/calls/judge_scope/{generator}/{judge}/{shard}.parquet", non_empty=True),
    log:
        "logs/judge_scope/{generator}/{judge}/{shard}.log",
    benchmark:
        "logs/judge_scope/{generator}/{judge}/{shard}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    resources:
        mem_mb=2000,
        runtime="4h",
    params:
        code=code_with_model("scope/judge_scope.py", "judge"),
        settings=asking("judge_scope", "judge", config["scope"]["judging"]),
        access=frozen(settings.access_of(config, "judge")),
    script:
        "../scripts/scope/judge_scope.py"


rule label_scope:
    """The votes on each question become a label."""
    input:
        scope_votes="results/scope_votes/{generator}/{judge}/{shard}.parquet",
    output:
        scope_labels=ensure("results/scope_labels/{generator}/{judge}/{shard}.parquet", non_empty=True),
    log:
        "logs/label_scope/{generator}/{judge}/{shard}.log",
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=1000,
        runtime="30m",
    params:
        code=code_version("scope/label_scope.py"),
        settings=config["scope"]["labels"],
    script:
        "../scripts/scope/label_scope.py"


rule select_questions:
    """Each question gets a status, by intent and label, and a split."""
    input:
        documents="results/documents/{shard}.parquet",
        questions="results/questions/{generator}/{shard}.parquet",
        scope_labels="results/scope_labels/{generator}/{judge}/{shard}.parquet",
    output:
        selected_questions=ensure("results/selected_questions/{generator}/{judge}/{shard}.parquet", non_empty=True),
    log:
        "logs/select_questions/{generator}/{judge}/{shard}.log",
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=1000,
        runtime="30m",
    params:
        code=code_version("scope/select_questions.py"),
        settings={},
    script:
        "../scripts/scope/select_questions.py"
