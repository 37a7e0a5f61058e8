"""What responders make of the questions, with the document and without it, and what judges say of that.

Reads   results/documents/{shard}.parquet, results/questions/{generator}/{shard}.parquet, resources/prompts/
        results/selected_questions/, results/scope_labels/, results/hardness_scores/, results/gold/
Writes  results/responses/{generator}/{responder}/{prompt}/{shard}.parquet                  answers to all questions
        results/closed_book_answers/{generator}/{responder}/{shard}.parquet                 the same without the document
        results/defusion_votes/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet     every vote of a judge
        results/defusion_votes_{variant}/...                                                asked in another way: the ablation
        results/defusion_labels/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet    their majorities
        results/metrics/responses.parquet                                                   the report's section
        results/calls/{rule}/..., ledger/{rule}/...                                         as in scope.smk

That responders say which questions are out of scope ("direct generation") is judge_scope with the responder as judge.
"""


rule respond:
    """A responder answers each question from its document."""
    input:
        settings.weights_of(config, "responder"),
        documents="results/documents/{shard}.parquet",
        questions="results/questions/{generator}/{shard}.parquet",
        prompt="resources/prompts/respond_{prompt}.yaml",
    output:
        responses=ensure("results/responses/{generator}/{responder}/{prompt}/{shard}.parquet", non_empty=True),
        calls=ensure("results/calls/respond/{generator}/{responder}/{prompt}/{shard}.parquet", non_empty=True),
    log:
        "logs/respond/{generator}/{responder}/{prompt}/{shard}.log",
    benchmark:
        "logs/respond/{generator}/{responder}/{prompt}/{shard}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    resources:
        mem_mb=2000,
        runtime="4h",
    params:
        code=code_with_model("scope/respond.py", "responder"),
        settings=asking("respond", "responder", settings.responding(config)),
        access=frozen(settings.access_of(config, "responder")),
    script:
        "../scripts/scope/respond.py"


rule answer_closed_book:
    """A responder answers each question without its document: what does it know anyway?"""
    input:
        settings.weights_of(config, "responder"),
        questions="results/questions/{generator}/{shard}.parquet",
        prompt="resources/prompts/answer_closed_book.yaml",
    output:
        closed_book_answers=ensure(
            "results/closed_book_answers/{generator}/{responder}/{shard}.parquet", non_empty=True
        ),
        calls=ensure("results/calls/answer_closed_book/{generator}/{responder}/{shard}.parquet", non_empty=True),
    log:
        "logs/answer_closed_book/{generator}/{responder}/{shard}.log",
    benchmark:
        "logs/answer_closed_book/{generator}/{responder}/{shard}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    resources:
        mem_mb=2000,
        runtime="4h",
    params:
        code=code_with_model("scope/answer_closed_book.py", "responder"),
        settings=asking("answer_closed_book", "responder", config["scope"]["closed_book"]),
        access=frozen(settings.access_of(config, "responder")),
    script:
        "../scripts/scope/answer_closed_book.py"


rule judge_defusion:
    """A judge votes on each response to a question out of scope: does it decline or correct it? A variant asks otherwise."""
    input:
        settings.weights_of(config, "judge"),
        documents="results/documents/{shard}.parquet",
        questions="results/questions/{generator}/{shard}.parquet",
        responses="results/responses/{generator}/{responder}/{prompt}/{shard}.parquet",
        prompt="resources/prompts/judge_defusion{variant}.yaml",
    output:
        defusion_votes=ensure(
            "results/defusion_votes{variant}/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet",
            non_empty=True,
        ),
        calls=ensure(
            "results/calls/judge_defusion{variant}/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet",
            non_empty=True,
        ),
    log:
        "logs/judge_defusion{variant}/{generator}/{responder}/{prompt}/{judge}/{shard}.log",
    benchmark:
        "logs/judge_defusion{variant}/{generator}/{responder}/{prompt}/{judge}/{shard}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    resources:
        mem_mb=2000,
        runtime="4h",
    params:
        code=code_with_model("scope/judge_defusion.py", "judge"),
        settings=asking("judge_defusion", "judge", settings.defusion(config)),
        access=frozen(settings.access_of(config, "judge")),
    script:
        "../scripts/scope/judge_defusion.py"


rule label_defusion:
    """The votes on each response become a label."""
    input:
        defusion_votes="results/defusion_votes/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet",
    output:
        defusion_labels=ensure(
            "results/defusion_labels/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet",
            non_empty=True,
        ),
    log:
        "logs/label_defusion/{generator}/{responder}/{prompt}/{judge}/{shard}.log",
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=1000,
        runtime="30m",
    params:
        code=code_version("scope/label_defusion.py"),
        settings=config["scope"]["labels"],
    script:
        "../scripts/scope/label_defusion.py"


rule measure_responses:
    """How often responders decline or correct, where one is better than another, what they know anyway: the report's section."""
    input:
        documents=expand("results/documents/{shard}.parquet", shard=sorted(set(PAIRS["shard"]))),
        selected_questions=expand(
            expand(
                "results/selected_questions/{generator}/{judge}/{shard}.parquet",
                zip,
                **PAIRS,
                allow_missing=True,
            ),
            judge=config["scope"]["judges"][:1],
        ),
        responses=expand(
            expand(
                "results/responses/{generator}/{responder}/{prompt}/{shard}.parquet",
                zip,
                **PAIRS,
                allow_missing=True,
            ),
            responder=config["scope"]["responders"],
            prompt=config["scope"]["responding"]["prompts"],
        ),
        defusion_labels=expand(
            expand(
                "results/defusion_labels/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet",
                zip,
                **PAIRS,
                allow_missing=True,
            ),
            responder=config["scope"]["responders"],
            prompt=config["scope"]["responding"]["prompts"],
            judge=config["scope"]["judges"],
        ),
        defusion_votes=expand(
            "results/defusion_votes{variant}/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet",
            variant=settings.variants(config),
            generator=config["scope"]["generators"][:1],
            responder=config["scope"]["responders"][:1],
            prompt=config["scope"]["responding"]["prompts"],
            judge=config["scope"]["judges"][:1],
            shard=SHARDS,
        ),
        scope_labels=expand(
            expand(
                "results/scope_labels/{generator}/{judge}/{shard}.parquet",
                zip,
                **PAIRS,
                allow_missing=True,
            ),
            judge=settings.detectors(config),
        ),
        hardness_scores=expand(
            "results/hardness_scores/{generator}/{judge}.parquet",
            generator=config["scope"]["generators"],
            judge=config["scope"]["judges"][:1],
        ),
        closed_book_answers=expand(
            expand(
                "results/closed_book_answers/{generator}/{responder}/{shard}.parquet",
                zip,
                **PAIRS,
                allow_missing=True,
            ),
            responder=config["scope"]["responders"],
        ),
        gold=expand(
            "results/gold/{generator}/{judge}.parquet",
            zip,
            **settings.labelled(config, config["scope"]["generators"]),
        ),
    output:
        metrics=ensure("results/metrics/responses.parquet", non_empty=True),
    log:
        "logs/measure_responses.log",
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=8000,
        runtime="1h",
    params:
        code=code_version("scope/measure_responses.py"),
        settings=settings.response_metrics(config),
    script:
        "../scripts/scope/measure_responses.py"
