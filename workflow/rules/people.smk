"""What people label, and the results. Without any label there is a sample to label and nothing else.

Reads   results/documents/{shard}.parquet, results/selected_questions/{generator}/{judge}/{shard}.parquet,
        results/responses/, results/defusion_labels/,
        results/questions, scope_labels, human_labels                   question sets among them
        annotation/{generator}/{judge}/items.parquet, events.jsonl      written by `make annotate`, never by a rule
Writes  results/annotation_items/{generator}/{judge}.parquet    what people are to label
        results/annotations/{generator}/{judge}.parquet         what they said
        results/gold/{generator}/{judge}.parquet                what they agree on, or an adjudicator decided
        results/metrics/agreement.parquet                       the report's section
"""

from ragassay.plan import people, question_sets, scope

LABELLED = plan(people.labelled)
WITH_PEOPLE = plan(question_sets.with_people)
JUDGED_SETS = plan(question_sets.set_judges, names=WITH_PEOPLE)
ANSWERED_SETS = plan(question_sets.set_responses, names=WITH_PEOPLE)
ALL = plan(scope.every)
OF_LABELLED = dict(ALL, generator=plan(people.labelled, names=ALL["generator"])["generator"])
SECTIONS["agreement"] = {"shown": bool(LABELLED["generator"] or WITH_PEOPLE)}


rule sample_for_annotation:
    """As many questions as Cochran's formula asks for, in proportion to topics and labels, and responses to some of them."""
    input:
        documents=plan(people.tables_of, pattern="results/documents/{shard}.parquet"),
        selected_questions=plan(
            people.tables_of, pattern="results/selected_questions/{generator}/{judge}/{shard}.parquet"
        ),
        responses=plan(people.tables_of, pattern="results/responses/{generator}/{responder}/{prompt}/{shard}.parquet"),
    output:
        annotation_items=table("results/annotation_items/{generator}/{judge}.parquet"),
    log:
        "logs/sample_for_annotation/{generator}/{judge}.log",
    localrule: True
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("people/sample_for_annotation.py"),
        settings=plan(people.sample_for_annotation),
    script:
        "../scripts/people/sample_for_annotation.py"


rule gather_annotations:
    """The clicks of people become a table of their latest labels."""
    input:
        annotation_items=plan(people.file, name="items.parquet"),
        events=plan(people.file, name="events.jsonl"),
    output:
        annotations=table("results/annotations/{generator}/{judge}.parquet"),
    log:
        "logs/gather_annotations/{generator}/{judge}.log",
    localrule: True
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("people/gather_annotations.py"),
        settings={},
    script:
        "../scripts/people/gather_annotations.py"


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
        code=code_version("people/settle_gold.py"),
        settings=plan(people.settle_gold),
    script:
        "../scripts/people/settle_gold.py"


rule measure_agreement:
    """How far people agree with each other, and judges with them: Table 4 and Figure 2 of the scope paper."""
    input:
        annotation_items=expand(plan(people.file, name="items.parquet"), zip, **LABELLED),
        annotations=expand("results/annotations/{generator}/{judge}.parquet", zip, **LABELLED),
        gold=expand("results/gold/{generator}/{judge}.parquet", zip, **LABELLED),
        human_labels=expand("results/human_labels/{name}.parquet", name=plan(question_sets.voted)),
        questions=[
            *expand("results/questions/{generator}/{shard}.parquet", **OF_LABELLED),
            *expand("results/questions/{name}/{name}.parquet", name=WITH_PEOPLE),
        ],
        scope_labels=[
            *expand("results/scope_labels/{generator}/{judge}/{shard}.parquet", **OF_LABELLED),
            *expand("results/scope_labels/{name}/{judge}/{name}.parquet", zip, **JUDGED_SETS),
        ],
        defusion_labels=[
            *expand("results/defusion_labels/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet", **OF_LABELLED),
            *expand(
                "results/defusion_labels/{name}/{responder}/{prompt}/{judge}/{name}.parquet", zip, **ANSWERED_SETS
            ),
        ],
    output:
        metrics=table("results/metrics/agreement.parquet"),
    log:
        "logs/measure_agreement.log",
    conda:
        "../../envs/encoders.yaml"
    params:
        code=code_version("people/measure_agreement.py"),
        settings=plan(people.measure_agreement),
    script:
        "../scripts/people/measure_agreement.py"
