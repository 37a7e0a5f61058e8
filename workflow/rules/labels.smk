"""Which questions are out of scope: the votes of judges, what people label, and what follows from both. Without any label of people
there is a sample to label and nothing else.

Reads   results/documents, results/questions, results/responses, resources/prompts/
        annotation/{generator}/{judge}/items.parquet, events.jsonl          written by `make annotate`, never by a rule
Writes  results/scope_votes/{generator}/{judge}/{shard}.parquet             every vote of a judge
        results/scope_labels/{generator}/{judge}/{shard}.parquet            their majorities
        results/selected_questions/{generator}/{judge}/{shard}.parquet      all questions with status and split
        results/annotation_items/{generator}/{judge}.parquet                what people are to label
        results/annotations/{generator}/{judge}.parquet                     what they said
        results/gold/{generator}/{judge}.parquet                            what they agree on, or an adjudicator decided
        results/calls/{rule}/..., ledger/{rule}/...                         as in questions.smk
"""

from ragassay.plan import labels, models, question_sets, questions

ALL = plan(questions.every)
DECIDED = dict(ALL, judge=plan(questions.deciding))
CALLS += expand("results/calls/judge_scope/{generator}/{judge}/{shard}.parquet", **DECIDED)
CALLS += plan(question_sets.asked_judges).over("results/calls/judge_scope/{name}/{judge}/{name}.parquet")
PRODUCTS += expand("results/selected_questions/{generator}/{judge}/{shard}.parquet", **ALL)


rule judge_scope:
    """A judge votes on each question: can its document answer it?"""
    input:
        plan(models.weights_of, role="judge"),
        documents="results/documents/{shard}.parquet",
        questions="results/questions/{generator}/{shard}.parquet",
        sample=plan(questions.sample),
        prompt=ancient(shipped("resources/prompts/judge_scope.yaml")),
    output:
        scope_votes=table("results/scope_votes/{generator}/{judge}/{shard}.parquet"),
        calls=table("results/calls/judge_scope/{generator}/{judge}/{shard}.parquet"),
    log:
        "logs/judge_scope/{generator}/{judge}/{shard}.log",
    benchmark:
        "logs/judge_scope/{generator}/{judge}/{shard}.benchmark.jsonl"
    wildcard_constraints:
        judge=one_of(config["models"]),
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role="judge")
    resources:
        runtime="4h",
    params:
        code=code("labels/judge_scope.py", models.provider_of, role="judge"),
        settings=plan(questions.judge_scope),
        access=frozen(plan(models.access_of, role="judge")),
    script:
        "../scripts/labels/judge_scope.py"


rule label_scope:
    """The votes on each question become a label."""
    input:
        scope_votes="results/scope_votes/{generator}/{judge}/{shard}.parquet",
    output:
        scope_labels=table("results/scope_labels/{generator}/{judge}/{shard}.parquet"),
    log:
        "logs/label_scope/{generator}/{judge}/{shard}.log",
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("labels/label_scope.py"),
        settings=config["scope"]["labels"],
    script:
        "../scripts/labels/label_scope.py"


rule select_questions:
    """Each question gets a status, by intent and label, and a split."""
    input:
        documents="results/documents/{shard}.parquet",
        questions="results/questions/{generator}/{shard}.parquet",
        scope_labels="results/scope_labels/{generator}/{judge}/{shard}.parquet",
    output:
        selected_questions=table("results/selected_questions/{generator}/{judge}/{shard}.parquet"),
    log:
        "logs/select_questions/{generator}/{judge}/{shard}.log",
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("labels/select_questions.py"),
        settings={},
    script:
        "../scripts/labels/select_questions.py"


rule sample_for_annotation:
    """As many questions as Cochran's formula asks for, in proportion to topics and labels, and responses to some of them."""
    input:
        documents=plan(labels.tables_of, pattern="results/documents/{shard}.parquet"),
        selected_questions=plan(
            labels.tables_of, pattern="results/selected_questions/{generator}/{judge}/{shard}.parquet"
        ),
        responses=plan(labels.tables_of, pattern="results/responses/{generator}/{responder}/{prompt}/{shard}.parquet"),
    output:
        annotation_items=table("results/annotation_items/{generator}/{judge}.parquet"),
    log:
        "logs/sample_for_annotation/{generator}/{judge}.log",
    localrule: True
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("labels/sample_for_annotation.py"),
        settings=plan(labels.sample_for_annotation),
    script:
        "../scripts/labels/sample_for_annotation.py"


rule gather_annotations:
    """The clicks of people become a table of their latest labels."""
    input:
        annotation_items=plan(labels.file, name="items.parquet"),
        events=plan(labels.file, name="events.jsonl"),
    output:
        annotations=table("results/annotations/{generator}/{judge}.parquet"),
    log:
        "logs/gather_annotations/{generator}/{judge}.log",
    localrule: True
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("labels/gather_annotations.py"),
        settings={},
    script:
        "../scripts/labels/gather_annotations.py"


rule settle_gold:
    """Labels on which all annotators of an item agree are gold; otherwise an adjudicator decides."""
    input:
        annotations="results/annotations/{generator}/{judge}.parquet",
    output:
        gold=table("results/gold/{generator}/{judge}.parquet"),
    log:
        "logs/settle_gold/{generator}/{judge}.log",
    localrule: True
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("labels/settle_gold.py"),
        settings=plan(labels.settle_gold),
    script:
        "../scripts/labels/settle_gold.py"
