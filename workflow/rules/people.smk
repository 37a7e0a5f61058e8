"""What people say of questions and of responses. Without any label of theirs there is a sample to label and nothing else.

Reads   results/documents, results/selected_questions, results/responses
        annotation/{generator}/{judge}/items.parquet, events.jsonl          written by `make annotate`, never by a rule
Writes  results/annotation_items/{generator}/{judge}.parquet                what people are to label
        results/annotations/{generator}/{judge}.parquet                     what they said
        results/gold/{generator}/{judge}.parquet                            what they agree on, or an adjudicator decided
"""

from ragassay.plan import people
from ragassay.plan.entries import chosen


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
    localrule: True
    conda:
        "../../envs/tables.yaml"
    params:
        settings=plan(chosen, place="scope/annotation", keys="questions confidence margin groups seed"),
    script:
        "../scripts/people/sample_for_annotation.py"


rule gather_annotations:
    """The clicks of people become a table of their latest labels."""
    input:
        annotation_items=plan(people.file, name="items.parquet"),
        events=plan(people.file, name="events.jsonl"),
    output:
        annotations=table("results/annotations/{generator}/{judge}.parquet"),
    localrule: True
    conda:
        "../../envs/tables.yaml"
    script:
        "../scripts/people/gather_annotations.py"


rule settle_gold:
    """Labels on which all annotators of an item agree are gold; otherwise an adjudicator decides."""
    input:
        annotations="results/annotations/{generator}/{judge}.parquet",
    output:
        gold=table("results/gold/{generator}/{judge}.parquet"),
    localrule: True
    conda:
        "../../envs/tables.yaml"
    params:
        settings=plan(chosen, place="scope/annotation", keys="annotators_per_item"),
    script:
        "../scripts/people/settle_gold.py"
