"""Your own questions, measured: their labels, responses and votes went through the stages of the scope study.

Reads   results/documents, questions, human_labels, gold, scope_labels, defusion_labels, predictions, fold_predictions, queries and neighbours of sets
Writes  results/overlap/{generator}/{shard}.parquet     what the overlap control goes by
        results/metrics/question_sets.parquet           the report's section
        embeddings/                                     vectors of texts; not an output
"""

from ragassay.plan import models, people, question_sets
from ragassay.plan.entries import having
from ragassay.plan.report import draws

SETS = list(config["question_sets"])
JUDGED = plan(question_sets.set_responses)
PREDICTED = plan(question_sets.predictions)
SECTIONS["question_sets"] = {"page": "scope", "shown": bool(SETS)}


rule question_sets:
    """Judges, detectors and responders measured on your own questions, and people where they labelled some."""
    input:
        expand(
            ["results/metrics/{section}.parquet", "<report>/{section}.csv", "<report>/figures/{section}"],
            section=plan(question_sets.sections),
        ),


rule compute_overlap:
    """What each question shares with its document, in words and similarity: all that the overlap control knows."""
    input:
        plan(models.encoder_weights),
        documents="results/documents/{shard}.parquet",
        questions="results/questions/{generator}/{shard}.parquet",
    output:
        overlap=table("results/overlap/{generator}/{shard}.parquet"),
    benchmark:
        "logs/compute_overlap/{generator}/{shard}.benchmark.jsonl"
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("question_sets/compute_overlap.py", models.encoder_kind),
        settings=plan(models.encoder),
    script:
        "../scripts/question_sets/compute_overlap.py"


rule measure_question_sets:
    """Judges, detectors and responders against intentions and people's labels: the report's section."""
    input:
        questions=expand("results/questions/{name}/{name}.parquet", name=SETS),
        human_labels=expand("results/human_labels/{name}.parquet", name=SETS),
        gold=plan(people.labelled, names=SETS).over("results/gold/{generator}/{judge}.parquet"),
        scope_labels=plan(question_sets.set_judges).over("results/scope_labels/{name}/{judge}/{name}.parquet"),
        defusion_labels=JUDGED.over("results/defusion_labels/{name}/{responder}/{prompt}/{judge}/{name}.parquet"),
        overlap=expand("results/overlap/{name}/{name}.parquet", name=SETS),
        predictions=PREDICTED.over("results/predictions/{detector}/{generator}/{judge}/{asked}/{asked}.parquet"),
        fold_predictions=expand("results/fold_predictions/{name}.parquet", name=plan(question_sets.in_folds)),
        queries=expand("results/queries/{name}.parquet", name=having(config["question_sets"], "retrieval")),
        neighbours=plan(question_sets.searches).over("results/neighbours/{name}/{retriever}/{name}.parquet"),
    output:
        metrics=table("results/metrics/question_sets.parquet"),
    conda:
        "../../envs/encoders.yaml"
    params:
        settings=plan(draws, section="question_sets"),
    script:
        "../scripts/question_sets/measure_question_sets.py"
