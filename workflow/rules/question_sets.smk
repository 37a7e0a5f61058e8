"""Your own questions, with their labels, responses and votes, go through the stages of the scope study.

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

from ragassay.plan import encoders, people, question_sets

SETS = list(config["question_sets"])
ASKED = plan(question_sets.asked_judges)
ANSWERED = plan(question_sets.own_responses)
JUDGED = plan(question_sets.set_responses)
PREDICTED = plan(question_sets.predictions)
CALLS += expand("results/calls/judge_scope/{name}/{judge}/{name}.parquet", zip, **ASKED)
CALLS += expand("results/calls/respond/{name}/{responder}/{prompt}/{name}.parquet", zip, **ANSWERED)
CALLS += expand("results/calls/judge_defusion/{name}/{responder}/{prompt}/{judge}/{name}.parquet", zip, **JUDGED)
SECTIONS["question_sets"] = {"shown": bool(SETS)}


wildcard_constraints:
    question_set=one_of(SETS),


rule question_sets:
    """Judges, detectors and responders measured on your own questions, and people where they labelled some."""
    input:
        expand(
            ["results/metrics/{section}.parquet", "results/report/{section}.csv", "results/figures/{section}"],
            section=plan(question_sets.sections),
        ),


ruleorder: read_question_set > collect_documents
ruleorder: write_questions > write_near_misses


rule read_question_set:
    """Documents, questions and people's votes of a set become tables like the study's own."""
    input:
        document_files=plan(question_sets.documents),
        question_files=lookup("{question_set}/questions", within=config["question_sets"]),
        vote_files=lookup("{question_set}/human_votes", within=config["question_sets"]),
    output:
        documents=table("results/documents/{question_set}.parquet"),
        questions=table("results/questions/{question_set}/{question_set}.parquet"),
        human_labels=table("results/human_labels/{question_set}.parquet"),
    log:
        "logs/read_question_set/{question_set}.log",
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("question_sets/read_question_set.py"),
        settings=plan(question_sets.read_question_set),
    script:
        "../scripts/question_sets/read_question_set.py"


rule read_responses:
    """The recorded responses to a set, by one responder."""
    input:
        document_files=plan(question_sets.documents),
        question_files=lookup("{question_set}/questions", within=config["question_sets"]),
        response_files=lookup("{question_set}/responses", within=config["question_sets"]),
    output:
        responses=table("results/responses/{question_set}/{responder}/recorded/{question_set}.parquet"),
    log:
        "logs/read_responses/{question_set}/{responder}.log",
    wildcard_constraints:
        responder=one_of(plan(question_sets.recorded, role="responders")),
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("question_sets/read_responses.py"),
        settings=plan(question_sets.read_responses),
    script:
        "../scripts/question_sets/read_responses.py"


rule read_verdicts:
    """The recorded verdicts of a judge or detector on a set."""
    input:
        document_files=plan(question_sets.documents),
        question_files=lookup("{question_set}/questions", within=config["question_sets"]),
    output:
        scope_votes=table("results/scope_votes/{question_set}/{judge}/{question_set}.parquet"),
    log:
        "logs/read_verdicts/{question_set}/{judge}.log",
    wildcard_constraints:
        judge=one_of(plan(question_sets.recorded, role="judges")),
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("question_sets/read_verdicts.py"),
        settings=plan(question_sets.read_verdicts),
    script:
        "../scripts/question_sets/read_verdicts.py"


rule compute_overlap:
    """What each question shares with its document, in words and similarity: all that the overlap control knows."""
    input:
        plan(encoders.weights),
        documents="results/documents/{shard}.parquet",
        questions="results/questions/{generator}/{shard}.parquet",
    output:
        overlap=table("results/overlap/{generator}/{shard}.parquet"),
    log:
        "logs/compute_overlap/{generator}/{shard}.log",
    benchmark:
        "logs/compute_overlap/{generator}/{shard}.benchmark.jsonl"
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("question_sets/compute_overlap.py", encoders.kind_of_study),
        settings=plan(encoders.encoder),
    script:
        "../scripts/question_sets/compute_overlap.py"


rule collect_set_queries:
    """The questions of a set are queries over its documents."""
    input:
        questions="results/questions/{question_set}/{question_set}.parquet",
    output:
        queries=table("results/queries/{question_set}.parquet"),
    log:
        "logs/collect_set_queries/{question_set}.log",
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("question_sets/collect_set_queries.py"),
        settings={},
    script:
        "../scripts/question_sets/collect_set_queries.py"


rule measure_question_sets:
    """Judges, detectors and responders against intentions and people's labels: the report's section."""
    input:
        questions=expand("results/questions/{name}/{name}.parquet", name=SETS),
        human_labels=expand("results/human_labels/{name}.parquet", name=SETS),
        gold=expand("results/gold/{generator}/{judge}.parquet", zip, **plan(people.labelled, names=SETS)),
        scope_labels=expand("results/scope_labels/{name}/{judge}/{name}.parquet", zip, **plan(question_sets.set_judges)),
        defusion_labels=expand(
            "results/defusion_labels/{name}/{responder}/{prompt}/{judge}/{name}.parquet",
            zip,
            **JUDGED,
        ),
        overlap=expand("results/overlap/{name}/{name}.parquet", name=SETS),
        predictions=expand("results/predictions/{detector}/{generator}/{judge}/{asked}.parquet", zip, **PREDICTED),
        queries=expand("results/queries/{name}.parquet", name=plan(question_sets.searched)),
        neighbours=expand("results/neighbours/{name}/{retriever}/{name}.parquet", zip, **plan(question_sets.searches)),
    output:
        metrics=table("results/metrics/question_sets.parquet"),
    log:
        "logs/measure_question_sets.log",
    conda:
        "../../envs/encoders.yaml"
    params:
        code=code_version("question_sets/measure_question_sets.py"),
        settings=plan(question_sets.measure_question_sets),
    script:
        "../scripts/question_sets/measure_question_sets.py"
