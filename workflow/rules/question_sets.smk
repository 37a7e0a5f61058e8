"""Bring your own: questions that were made elsewhere, with what is known of them, go through the stages of the scope study.

A set's name stands in the place of generator and shard, and whatever is asked of the study's questions can be asked of it.

Reads   the files that config["question_sets"] names, results/scope_labels/{question_set}/{judge}/{question_set}.parquet
        results/defusion_labels/{question_set}/{responder}/{prompt}/{judge}/{question_set}.parquet
        results/predictions/{detector}/{encoder}/{generator}/{judge}/{question_set}.parquet, results/gold/
        results/neighbours/{question_set}/{retriever}/{question_set}.parquet
Writes  results/documents/{question_set}.parquet, results/questions/{question_set}/{question_set}.parquet
        results/human_labels/{question_set}.parquet                                             what people said of them
        results/responses/{question_set}/{responder}/recorded/{question_set}.parquet            responses that were recorded
        results/scope_votes/{question_set}/{judge}/{question_set}.parquet                       verdicts that were recorded
        results/overlap/{generator}/{shard}.parquet                                             what the overlap control goes by
        results/queries/{question_set}.parquet                                                  its questions, to search its documents for
        results/metrics/question_sets.parquet                                                   the report's section
        embeddings/                                                                             vectors of texts; not an output
"""

from functools import partial

from ragassay.question_sets import settings as sets


ruleorder: read_question_set > collect_documents
ruleorder: read_question_set > write_questions
ruleorder: read_responses > respond
ruleorder: read_verdicts > judge_scope


rule read_question_set:
    """Documents, questions and people's votes of a set become tables like the study's own."""
    input:
        document_files=lookup("{question_set}/documents", within=config["question_sets"]),
        question_files=lookup("{question_set}/questions", within=config["question_sets"]),
        vote_files=lookup("{question_set}/human_votes", within=config["question_sets"]),
    output:
        documents=ensure("results/documents/{question_set}.parquet", non_empty=True),
        questions=ensure("results/questions/{question_set}/{question_set}.parquet", non_empty=True),
        human_labels=ensure("results/human_labels/{question_set}.parquet", non_empty=True),
    log:
        "logs/read_question_set/{question_set}.log",
    wildcard_constraints:
        question_set=one_of(config["question_sets"]),
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=2000,
        runtime="30m",
    params:
        code=code_version("question_sets/read_question_set.py"),
        settings=partial(sets.question_set, config),
    script:
        "../scripts/question_sets/read_question_set.py"


rule read_responses:
    """What a responder of a set answered, recorded elsewhere."""
    input:
        document_files=lookup("{question_set}/documents", within=config["question_sets"]),
        question_files=lookup("{question_set}/questions", within=config["question_sets"]),
        response_files=lookup("{question_set}/responses", within=config["question_sets"]),
    output:
        responses=ensure(
            "results/responses/{question_set}/{responder}/recorded/{question_set}.parquet",
            non_empty=True,
        ),
    log:
        "logs/read_responses/{question_set}/{responder}.log",
    wildcard_constraints:
        question_set=one_of(config["question_sets"]),
        responder=NAME,
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=2000,
        runtime="30m",
    params:
        code=code_version("question_sets/read_responses.py"),
        settings=partial(sets.recorded_responses, config),
    script:
        "../scripts/question_sets/read_responses.py"


rule read_verdicts:
    """What a judge or detector said of a set's questions, recorded elsewhere."""
    input:
        document_files=lookup("{question_set}/documents", within=config["question_sets"]),
        question_files=lookup("{question_set}/questions", within=config["question_sets"]),
    output:
        scope_votes=ensure(
            "results/scope_votes/{question_set}/{judge}/{question_set}.parquet",
            non_empty=True,
        ),
    log:
        "logs/read_verdicts/{question_set}/{judge}.log",
    wildcard_constraints:
        question_set=one_of(config["question_sets"]),
        judge=one_of(sets.recorded_judges(config)),
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=2000,
        runtime="30m",
    params:
        code=code_version("question_sets/read_verdicts.py"),
        settings=partial(sets.recorded_verdicts, config),
    script:
        "../scripts/question_sets/read_verdicts.py"


rule measure_overlap:
    """What each question shares with its document, in words and likeness: all that the overlap control knows."""
    input:
        documents="results/documents/{shard}.parquet",
        questions="results/questions/{generator}/{shard}.parquet",
    output:
        overlap=ensure("results/overlap/{generator}/{shard}.parquet", non_empty=True),
    log:
        "logs/measure_overlap/{generator}/{shard}.log",
    benchmark:
        "logs/measure_overlap/{generator}/{shard}.benchmark.jsonl"
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=4000,
        runtime="2h",
    params:
        code=code_version("question_sets/measure_overlap.py", settings.encoder_module(config)),
        settings=settings.encoder(config),
    script:
        "../scripts/question_sets/measure_overlap.py"


rule collect_set_queries:
    """The questions of a set are queries over its documents."""
    input:
        questions="results/questions/{question_set}/{question_set}.parquet",
    output:
        queries=ensure("results/queries/{question_set}.parquet", non_empty=True),
    log:
        "logs/collect_set_queries/{question_set}.log",
    wildcard_constraints:
        question_set=one_of(config["question_sets"]),
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=1000,
        runtime="30m",
    params:
        code=code_version("question_sets/collect_set_queries.py"),
        settings={},
    script:
        "../scripts/question_sets/collect_set_queries.py"


rule measure_question_sets:
    """Judges, detectors and responders against what questions were meant to be and what people say: the report's section."""
    input:
        questions=expand("results/questions/{name}/{name}.parquet", name=config["question_sets"]),
        human_labels=expand("results/human_labels/{name}.parquet", name=config["question_sets"]),
        gold=expand(
            "results/gold/{generator}/{judge}.parquet",
            zip,
            **settings.labelled(config, config["question_sets"]),
        ),
        scope_labels=expand(
            "results/scope_labels/{question_set}/{judge}/{question_set}.parquet",
            zip,
            **sets.set_judges(config),
        ),
        defusion_labels=expand(
            "results/defusion_labels/{question_set}/{responder}/{prompt}/{judge}/{question_set}.parquet",
            zip,
            **sets.set_responses(config),
        ),
        overlap=expand("results/overlap/{name}/{name}.parquet", name=config["question_sets"]),
        predictions=expand(
            "results/predictions/{detector}/{generator}/{judge}/{asked}.parquet",
            zip,
            **sets.predictions(config),
        ),
        queries=expand("results/queries/{name}.parquet", name=sets.searched(config)),
        neighbours=expand(
            "results/neighbours/{question_set}/{retriever}/{question_set}.parquet",
            zip,
            **sets.searches(config),
        ),
    output:
        metrics=ensure("results/metrics/question_sets.parquet", non_empty=True),
    log:
        "logs/measure_question_sets.log",
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=2000,
        runtime="30m",
    params:
        code=code_version("question_sets/measure_question_sets.py"),
        settings=settings.draws(config),
    script:
        "../scripts/question_sets/measure_question_sets.py"
