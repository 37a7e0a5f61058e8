"""What people label and what comes of it. Runs without any label: then there is a sample to label and nothing else.

Reads   results/documents/{shard}.parquet, results/selected_questions/{generator}/{judge}/{shard}.parquet,
        results/responses/, results/defusion_labels/,
        results/questions, scope_labels, human_labels                   question sets among them
        annotation/{generator}/{judge}/items.parquet, events.jsonl      written by `make annotate`, never by a rule
Writes  results/annotation_items/{generator}/{judge}.parquet    what people are to label
        results/annotations/{generator}/{judge}.parquet         what they said
        results/gold/{generator}/{judge}.parquet                what they agree on, or an adjudicator decided
        results/metrics/agreement.parquet                       the report's section
"""

from functools import partial

from ragassay.annotation import settings as annotation

LABELLED = annotation.labelled(config, config["scope"]["generators"])["generator"]  # generators
of_generator = partial(partial, annotation.of_generator, config, SHARDS)  # a pattern of paths


rule sample_for_annotation:
    """As many questions as Cochran's formula asks for, in proportion to topics and labels, and responses to some of them."""
    input:
        documents=of_generator("results/documents/{shard}.parquet"),
        selected_questions=of_generator("results/selected_questions/{generator}/{judge}/{shard}.parquet"),
        responses=of_generator("results/responses/{generator}/{responder}/{prompt}/{shard}.parquet"),
    output:
        annotation_items=ensure("results/annotation_items/{generator}/{judge}.parquet", non_empty=True),
    log:
        "logs/sample_for_annotation/{generator}/{judge}.log",
    localrule: True
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=2000,
        runtime="30m",
    params:
        code=code_version("people/sample_for_annotation.py"),
        settings=annotation.sample(config),
    script:
        "../scripts/people/sample_for_annotation.py"


rule gather_annotations:
    """What people clicked becomes a table of what each said last."""
    input:
        annotation_items=annotation.file(config, "items.parquet"),
        events=annotation.file(config, "events.jsonl"),
    output:
        annotations=ensure("results/annotations/{generator}/{judge}.parquet", non_empty=True),
    log:
        "logs/gather_annotations/{generator}/{judge}.log",
    localrule: True
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=1000,
        runtime="10m",
    params:
        code=code_version("people/gather_annotations.py"),
        settings={},
    script:
        "../scripts/people/gather_annotations.py"


rule settle_gold:
    """What all annotators of an item say is gold; where they disagree, what an adjudicator says."""
    input:
        annotations="results/annotations/{generator}/{judge}.parquet",
    output:
        gold=ensure("results/gold/{generator}/{judge}.parquet", non_empty=True),
    log:
        "logs/settle_gold/{generator}/{judge}.log",
    localrule: True
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=1000,
        runtime="10m",
    params:
        code=code_version("people/settle_gold.py"),
        settings=annotation.gold(config),
    script:
        "../scripts/people/settle_gold.py"


rule measure_agreement:
    """How far people agree with each other, and judges with them: Table 4 and Figure 2 of the scope paper."""
    input:
        annotation_items=expand(annotation.file(config, "items.parquet"), zip, **annotation.labelled(config)),
        annotations=expand(
            "results/annotations/{generator}/{judge}.parquet",
            zip,
            **annotation.labelled(config),
        ),
        gold=expand("results/gold/{generator}/{judge}.parquet", zip, **annotation.labelled(config)),
        human_labels=expand("results/human_labels/{name}.parquet", name=sets.voted(config)),
        questions=[
            *expand("results/questions/{generator}/{shard}.parquet", generator=LABELLED, shard=SHARDS),
            *expand("results/questions/{name}/{name}.parquet", name=sets.with_people(config)),
        ],
        scope_labels=[
            *expand(
                "results/scope_labels/{generator}/{judge}/{shard}.parquet",
                generator=LABELLED,
                judge=config["scope"]["judges"],
                shard=SHARDS,
            ),
            *expand(
                "results/scope_labels/{question_set}/{judge}/{question_set}.parquet",
                zip,
                **sets.set_judges(config, sets.with_people(config)),
            ),
        ],
        defusion_labels=[
            *expand(
                "results/defusion_labels/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet",
                generator=LABELLED,
                responder=config["scope"]["responders"],
                prompt=config["scope"]["responding"]["prompts"],
                judge=config["scope"]["judges"],
                shard=SHARDS,
            ),
            *expand(
                "results/defusion_labels/{question_set}/{responder}/{prompt}/{judge}/{question_set}.parquet",
                zip,
                **sets.set_responses(config, sets.with_people(config)),
            ),
        ],
    output:
        metrics=ensure("results/metrics/agreement.parquet", non_empty=True),
    log:
        "logs/measure_agreement.log",
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=2000,
        runtime="30m",
    params:
        code=code_version("people/measure_agreement.py"),
        settings=annotation.agreement(config),
    script:
        "../scripts/people/measure_agreement.py"
