"""Detectors of out-of-scope questions: heads on features of frozen models, what they say of any questions, and how they
compare. Asks no model of a provider.

Reads   results/documents, questions, selected_questions, scope_labels, hardness_scores, gold, human_labels, resources/prompts/, and
        the weights that `models` and `encoders` name, such as resources/demo/demo-lm/
Writes  results/detectors/{detector}/{encoder}/{generator}/{judge}/                 heads, card, training, documents
        results/predictions/{detector}/{encoder}/{generator}/{judge}/{asked}/{shard}.parquet
                                                                                    what they say of a generator's or set's questions
        results/fold_predictions/{asked}.parquet            the same of detectors that are trained on a set's own labels, in folds
        results/metrics/detectors.parquet                                           the report's section
        embeddings/                                                                 features; not an output, never deleted
"""

from ragassay.plan import detectors, documents, people, question_sets, questions

ALL, OWN = plan(questions.every), plan(questions.own)
BY_OWN_JUDGE = dict(ALL, judge=OWN["judge"])
TRAINED_ON = plan(documents.trained_on, section="detectors")
USED = plan(detectors.used)  # each with its encoder
TRAINED = "results/detectors/{detector}/{{generator}}/{{judge}}"
ASKED = dict(BY_OWN_JUDGE, detector=USED, asked=ALL["generator"])
DECIDED = dict(ALL, judge=plan(questions.deciding))
WITH_PEOPLE = plan(question_sets.with_people)
LABELLED = plan(people.labelled)
JUDGED_SETS = plan(question_sets.set_judges, names=WITH_PEOPLE)
ASKED_SETS = plan(question_sets.predictions, names=WITH_PEOPLE)
SECTIONS["detectors"] = {"page": "scope"}
SECTIONS["detectors_numbers"] = {"page": "scope", "metrics": "detectors"}
SECTIONS["detectors_gold"] = {"page": "scope", "metrics": "detectors", "shown": bool(LABELLED or WITH_PEOPLE)}


wildcard_constraints:
    asked=NAME,
    detector=one_of(config["detectors"]["methods"]),
    encoder=one_of([*config["encoders"], *config["models"]]),


rule detectors:
    """Detectors of out-of-scope questions, trained, applied and compared."""
    input:
        "results/metrics/detectors.parquet",


rule train_detector:
    """Heads on features of a frozen model are trained on the kept questions."""
    input:
        documents=expand("results/documents/{shard}.parquet", shard=TRAINED_ON),
        selected_questions=expand(
            "results/selected_questions/{{generator}}/{{judge}}/{shard}.parquet", shard=TRAINED_ON
        ),
        prompt=ancient(shipped("resources/prompts/detect_scope.yaml")),
        weights=plan(detectors.weights, of=detectors.trained),
    output:
        heads="results/detectors/{detector}/{encoder}/{generator}/{judge}/heads.safetensors",
        card="results/detectors/{detector}/{encoder}/{generator}/{judge}/card.json",
        training=table("results/detectors/{detector}/{encoder}/{generator}/{judge}/training.parquet"),
        known_documents=table("results/detectors/{detector}/{encoder}/{generator}/{judge}/documents.parquet"),
    benchmark:
        "logs/train_detector/{detector}/{encoder}/{generator}/{judge}.benchmark.jsonl"
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("detectors/train_detector.py", detectors.modules, of=detectors.trained),
        settings=plan(detectors.train_detector),
    script:
        "../scripts/detectors/train_detector.py"


rule apply_detectors:
    """The scores of all detectors for the questions of a generator (the one they were trained on, or another) or a question set."""
    input:
        heads=expand(f"{TRAINED}/heads.safetensors", detector=USED),
        cards=expand(f"{TRAINED}/card.json", detector=USED),
        known_documents=expand(f"{TRAINED}/documents.parquet", detector=USED),
        documents="results/documents/{shard}.parquet",
        questions="results/questions/{asked}/{shard}.parquet",
        prompt=ancient(shipped("resources/prompts/detect_scope.yaml")),
        weights=plan(detectors.weights, of=detectors.applied),
    output:
        predictions=table(
            expand(
                "results/predictions/{detector}/{{generator}}/{{judge}}/{{asked}}/{{shard}}.parquet",
                detector=USED or ["none/none"],
            )
        ),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("detectors/apply_detectors.py", detectors.modules, of=detectors.applied),
        settings=plan(detectors.apply_detectors),
    script:
        "../scripts/detectors/apply_detectors.py"


rule predict_in_folds:
    """Detectors trained on a question set's own labels, each asked about documents that it was not trained on."""
    input:
        documents="results/documents/{asked}.parquet",
        questions="results/questions/{asked}/{asked}.parquet",
        prompt=ancient(shipped("resources/prompts/detect_scope.yaml")),
        weights=plan(detectors.weights, of=detectors.folded),
    output:
        fold_predictions=table("results/fold_predictions/{asked}.parquet"),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("detectors/predict_in_folds.py", detectors.modules, of=detectors.folded),
        settings=plan(detectors.predict_in_folds),
    script:
        "../scripts/detectors/predict_in_folds.py"


rule measure_detectors:
    """Detectors, baselines and judges side by side: the report's section."""
    input:
        documents=[
            *expand("results/documents/{shard}.parquet", **ALL),
            *expand("results/documents/{name}.parquet", name=WITH_PEOPLE),
        ],
        selected_questions=expand("results/selected_questions/{generator}/{judge}/{shard}.parquet", **BY_OWN_JUDGE),
        scope_labels=[
            *expand("results/scope_labels/{generator}/{judge}/{shard}.parquet", **DECIDED),
            *JUDGED_SETS.over("results/scope_labels/{name}/{judge}/{name}.parquet"),
        ],
        hardness_scores=expand("results/hardness_scores/{generator}/{judge}.parquet", **BY_OWN_JUDGE),
        training=expand("results/detectors/{detector}/{generator}/{judge}/training.parquet", **OWN, detector=USED),
        predictions=[
            *expand("results/predictions/{detector}/{generator}/{judge}/{asked}/{shard}.parquet", **ASKED),
            *ASKED_SETS.over("results/predictions/{detector}/{generator}/{judge}/{asked}/{asked}.parquet"),
        ],
        gold=LABELLED.over("results/gold/{generator}/{judge}.parquet"),
        human_labels=expand("results/human_labels/{name}.parquet", name=plan(question_sets.voted)),
    output:
        metrics=table("results/metrics/detectors.parquet"),
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=4000,
    params:
        settings=plan(detectors.measure_detectors),
    script:
        "../scripts/detectors/measure_detectors.py"
