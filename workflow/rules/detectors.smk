"""Detectors of questions out of scope: a small language model to train them with, heads on features of frozen models, what they
say of any questions, and how they compare. Asks no model of a provider.

Reads   results/documents, questions, selected_questions, scope_labels, hardness_scores, gold, human_labels, resources/prompts/
Writes  results/models/demo-lm/                                                     the demo's language model
        results/detectors/{detector}/{encoder}/{generator}/{judge}/                 heads, card, training, documents
        results/predictions/{detector}/{encoder}/{generator}/{judge}/{asked}.parquet
                                                                                    what they say of a generator's or set's questions
        results/metrics/detectors.parquet                                           the report's section
        embeddings/                                                                 features; not an output, never deleted
"""

from functools import partial

from ragassay.detectors import settings as detectors

of_asked = partial(partial, detectors.of_asked, config, SHARDS)  # a pattern of paths


rule train_demo_lm:
    """A decoder small enough for this machine learns the documents by heart and to follow passages."""
    input:
        documents=expand("results/documents/{shard}.parquet", shard=SHARDS),
        closed_book_prompt="resources/prompts/answer_closed_book.yaml",
        passages_prompt="resources/prompts/respond_passages.yaml",
    output:
        model=directory("results/models/demo-lm"),
    log:
        "logs/train_demo_lm.log",
    benchmark:
        "logs/train_demo_lm.benchmark.jsonl"
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=3000,
        runtime="1h",
    params:
        code=code_version("models/train_demo_lm.py"),
        settings=config["demo_lm"],
    script:
        "../scripts/models/train_demo_lm.py"


rule train_detector:
    """Heads on features of a frozen model learn from the questions that were kept."""
    input:
        documents=expand("results/documents/{shard}.parquet", shard=SHARDS),
        selected_questions=expand("results/selected_questions/{{generator}}/{{judge}}/{shard}.parquet", shard=SHARDS),
        prompt="resources/prompts/detect_scope.yaml",
        weights=detectors.of_detector(config, detectors.made_weights),
    output:
        heads="results/detectors/{detector}/{encoder}/{generator}/{judge}/heads.safetensors",
        card="results/detectors/{detector}/{encoder}/{generator}/{judge}/card.json",
        training=ensure(
            "results/detectors/{detector}/{encoder}/{generator}/{judge}/training.parquet",
            non_empty=True,
        ),
        known_documents=ensure(
            "results/detectors/{detector}/{encoder}/{generator}/{judge}/documents.parquet",
            non_empty=True,
        ),
    log:
        "logs/train_detector/{detector}/{encoder}/{generator}/{judge}.log",
    benchmark:
        "logs/train_detector/{detector}/{encoder}/{generator}/{judge}.benchmark.jsonl"
    wildcard_constraints:
        detector=NAME,
        encoder=NAME,
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=4000,
        runtime="4h",
    params:
        code=detectors.code(config, "detectors/train_detector.py"),
        settings=detectors.of_stage(config, detectors.training(config)),
    script:
        "../scripts/detectors/train_detector.py"


rule apply_detector:
    """What a detector says of the questions of a generator, be it that which it learnt from or another, or of a question set."""
    input:
        heads="results/detectors/{detector}/{encoder}/{generator}/{judge}/heads.safetensors",
        card="results/detectors/{detector}/{encoder}/{generator}/{judge}/card.json",
        known_documents="results/detectors/{detector}/{encoder}/{generator}/{judge}/documents.parquet",
        documents=of_asked("results/documents/{shard}.parquet"),
        questions=of_asked("results/questions/{asked}/{shard}.parquet"),
        prompt="resources/prompts/detect_scope.yaml",
        weights=detectors.of_detector(config, detectors.made_weights),
    output:
        predictions=ensure(
            "results/predictions/{detector}/{encoder}/{generator}/{judge}/{asked}.parquet",
            non_empty=True,
        ),
    log:
        "logs/apply_detector/{detector}/{encoder}/{generator}/{judge}/{asked}.log",
    wildcard_constraints:
        detector=NAME,
        encoder=NAME,
        asked=NAME,
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=4000,
        runtime="4h",
    params:
        code=detectors.code(config, "detectors/apply_detector.py"),
        settings=detectors.of_stage(config, detectors.applying(config)),
    script:
        "../scripts/detectors/apply_detector.py"


rule measure_detectors:
    """Detectors, baselines and judges side by side: the report's section."""
    input:
        documents=[
            *expand("results/documents/{shard}.parquet", shard=SHARDS),
            *expand("results/documents/{name}.parquet", name=sets.with_people(config)),
        ],
        selected_questions=expand(
            "results/selected_questions/{generator}/{judge}/{shard}.parquet",
            generator=config["scope"]["generators"],
            judge=config["scope"]["judges"][:1],
            shard=SHARDS,
        ),
        scope_labels=[
            *expand(
                "results/scope_labels/{generator}/{judge}/{shard}.parquet",
                generator=config["scope"]["generators"],
                judge=settings.detectors(config),
                shard=SHARDS,
            ),
            *expand(
                "results/scope_labels/{question_set}/{judge}/{question_set}.parquet",
                zip,
                **sets.set_judges(config, sets.with_people(config)),
            ),
        ],
        hardness_scores=expand(
            "results/hardness_scores/{generator}/{judge}.parquet",
            generator=config["scope"]["generators"],
            judge=config["scope"]["judges"][:1],
        ),
        training=expand(
            "results/detectors/{detector}/{generator}/{judge}/training.parquet",
            detector=detectors.used(config),
            generator=config["scope"]["generators"][:1],
            judge=config["scope"]["judges"][:1],
        ),
        predictions=[
            *expand(
                "results/predictions/{detector}/{generator}/{judge}/{asked}.parquet",
                detector=detectors.used(config),
                generator=config["scope"]["generators"],
                judge=config["scope"]["judges"][:1],
                asked=config["scope"]["generators"],
            ),
            *expand(
                "results/predictions/{detector}/{generator}/{judge}/{asked}.parquet",
                zip,
                **sets.predictions(config, sets.with_people(config)),
            ),
        ],
        gold=expand("results/gold/{generator}/{judge}.parquet", zip, **annotation.labelled(config)),
        human_labels=expand("results/human_labels/{name}.parquet", name=sets.voted(config)),
    output:
        metrics=ensure("results/metrics/detectors.parquet", non_empty=True),
    log:
        "logs/measure_detectors.log",
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=4000,
        runtime="30m",
    params:
        code=code_version("detectors/measure_detectors.py"),
        settings=detectors.metrics(config),
    script:
        "../scripts/detectors/measure_detectors.py"
