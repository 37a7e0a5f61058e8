"""How near questions are to their documents, where shared words alone cannot tell the kinds apart, and what the whole
scope study came to. Asks no model.

Reads   results/documents, claims, recovered_claims, novel_claims, questions, scope_votes, scope_labels, selected_questions, rejects,
        responses, closed_book_answers, defusion_votes, defusion_labels, annotations, gold, human_labels, and the weights that
        `encoders` names
Writes  results/drift/{generator}/{shard}.parquet                   how far recovered claims are from the claims at first
        results/hardness/{generator}/{shard}.parquet                nearness and shared words of each question
        results/hardness_scores/{generator}/{judge}.parquet         what shared words alone tell of each kept question
        results/hardness_strata/{generator}/{judge}.parquet         the strata, and which of them are hard
        results/rejects/hardness/{generator}/{shard}.parquet        questions that cannot be measured
        results/metrics/{scope,responses,agreement}.parquet         sections of the report
        results/examples/scope.parquet                              three examples for the first of them
        embeddings/                                                 vectors of texts; not an output, never deleted
"""

from ragassay.plan import models, people, question_sets, questions
from ragassay.plan.services import asked

ALL, OWN = plan(questions.every), plan(questions.own)
DECIDED = dict(ALL, judge=plan(questions.deciding))
KNOWING = dict(ALL, responder=plan(questions.knowing))
BY_OWN_JUDGE = dict(ALL, judge=OWN["judge"])
VARIANTS = dict(OWN, variant=plan(questions.variants))
REJECTING = ["claims", "recovered_claims", "novel_claims", "questions", "hardness"]
LABELLED = plan(people.labelled)
WITH_PEOPLE = plan(question_sets.with_people)
JUDGED_SETS = plan(question_sets.set_judges, names=WITH_PEOPLE)
ANSWERED_SETS = plan(question_sets.set_responses, names=WITH_PEOPLE)
OF_LABELLED = dict(ALL, generator=plan(people.labelled, names=ALL["generator"]).column("generator"))
SECTIONS["scope"] = {"examples": "results/examples/scope.parquet"}
SECTIONS["scope_questions"] = {"page": "scope", "metrics": "scope"}
SECTIONS["responses"] = {"page": "scope"}
SECTIONS["responses_judge"] = {"page": "scope", "metrics": "responses"}
SECTIONS["responses_numbers"] = {"page": "scope", "metrics": "responses"}
SECTIONS["agreement"] = {"page": "scope", "shown": bool(LABELLED or WITH_PEOPLE)}


rule scope:
    """In-scope and out-of-scope questions about all documents, judged and answered, how hard they are, and the numbers."""
    input:
        "results/metrics/scope.parquet",
        "results/metrics/responses.parquet",
        expand("results/selected_questions/{generator}/{judge}/{shard}.parquet", **ALL),


rule compute_hardness:
    """How near questions and recovered claims are to their document, and which words and names questions share with it."""
    input:
        plan(models.encoder_weights),
        documents="results/documents/{shard}.parquet",
        claims="results/claims/{generator}/{shard}.parquet",
        recovered_claims="results/recovered_claims/{generator}/{shard}.parquet",
        questions="results/questions/{generator}/{shard}.parquet",
    output:
        hardness=table("results/hardness/{generator}/{shard}.parquet"),
        drift=table("results/drift/{generator}/{shard}.parquet"),
        rejects=table("results/rejects/hardness/{generator}/{shard}.parquet"),
    benchmark:
        "logs/compute_hardness/{generator}/{shard}.benchmark.jsonl"
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("hardness/compute_hardness.py", models.encoder_kind),
        settings={**plan(models.encoder), "limits": sorted(config["scope"]["hardness"]["limits"])},
    script:
        "../scripts/hardness/compute_hardness.py"


rule grade_hardness:
    """The controls are fitted on all shards, or on 100,000 of their questions; strata where they cannot tell the kinds apart are hard."""
    input:
        hardness=expand("results/hardness/{{generator}}/{shard}.parquet", shard=SHARDS),
        selected_questions=expand("results/selected_questions/{{generator}}/{{judge}}/{shard}.parquet", shard=SHARDS),
    output:
        hardness_scores=table("results/hardness_scores/{generator}/{judge}.parquet"),
        hardness_strata=table("results/hardness_strata/{generator}/{judge}.parquet"),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        settings=plan(questions.grade_hardness),
    script:
        "../scripts/hardness/grade_hardness.py"


rule measure_scope:
    """From documents to kept questions, step by step and in numbers, and three examples: the report's section."""
    input:
        documents=expand("results/documents/{shard}.parquet", **OWN),
        claims=expand("results/claims/{generator}/{shard}.parquet", **OWN),
        recovered_claims=expand("results/recovered_claims/{generator}/{shard}.parquet", **OWN),
        drift=expand("results/drift/{generator}/{shard}.parquet", **OWN),
        novel_claims=expand("results/novel_claims/{generator}/{shard}.parquet", **OWN),
        scope_labels=expand("results/scope_labels/{generator}/{judge}/{shard}.parquet", **OWN),
        selected_questions=expand("results/selected_questions/{generator}/{judge}/{shard}.parquet", **ALL),
        hardness=expand("results/hardness/{generator}/{shard}.parquet", **OWN),
        hardness_scores=expand("results/hardness_scores/{generator}/{judge}.parquet", **OWN),
        hardness_strata=expand("results/hardness_strata/{generator}/{judge}.parquet", **ALL),
        rejects=expand("results/rejects/{table}/{generator}/{shard}.parquet", **OWN, table=REJECTING),
    output:
        metrics=table("results/metrics/scope.parquet"),
        examples=table("results/examples/scope.parquet"),
    conda:
        "../../envs/encoders.yaml"
    params:
        settings=plan(questions.measure_scope),
    script:
        "../scripts/hardness/measure_scope.py"


rule measure_responses:
    """How often responders decline or correct, where one is better than another, what they know anyway: the report's section."""
    input:
        documents=expand("results/documents/{shard}.parquet", **ALL),
        selected_questions=expand("results/selected_questions/{generator}/{judge}/{shard}.parquet", **BY_OWN_JUDGE),
        responses=expand("results/responses/{generator}/{responder}/{prompt}/{shard}.parquet", asked, **ALL),
        defusion_labels=expand(
            "results/defusion_labels/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet", asked, **ALL
        ),
        defusion_votes=expand(
            "results/defusion_votes{variant}/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet",
            asked,
            **VARIANTS,
        ),
        scope_labels=expand("results/scope_labels/{generator}/{judge}/{shard}.parquet", **DECIDED),
        hardness_scores=expand("results/hardness_scores/{generator}/{judge}.parquet", **BY_OWN_JUDGE),
        closed_book_answers=expand("results/closed_book_answers/{generator}/{responder}/{shard}.parquet", **KNOWING),
        gold=plan(people.labelled, names=ALL["generator"]).over("results/gold/{generator}/{judge}.parquet"),
    output:
        metrics=table("results/metrics/responses.parquet"),
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=4000,
        runtime="1h",
    params:
        settings=plan(questions.measure_responses),
    script:
        "../scripts/hardness/measure_responses.py"


rule measure_agreement:
    """How far people agree with each other, and judges with them: Table 4 and Figure 2 of the scope paper."""
    input:
        annotation_items=LABELLED.over(plan(people.file, name="items.parquet")),
        annotations=LABELLED.over("results/annotations/{generator}/{judge}.parquet"),
        gold=LABELLED.over("results/gold/{generator}/{judge}.parquet"),
        human_labels=expand("results/human_labels/{name}.parquet", name=plan(question_sets.voted)),
        questions=[
            *expand("results/questions/{generator}/{shard}.parquet", **OF_LABELLED),
            *expand("results/questions/{name}/{name}.parquet", name=WITH_PEOPLE),
        ],
        scope_labels=[
            *expand("results/scope_labels/{generator}/{judge}/{shard}.parquet", **OF_LABELLED),
            *JUDGED_SETS.over("results/scope_labels/{name}/{judge}/{name}.parquet"),
        ],
        defusion_labels=[
            *expand(
                "results/defusion_labels/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet",
                asked,
                **OF_LABELLED,
            ),
            *ANSWERED_SETS.over("results/defusion_labels/{name}/{responder}/{prompt}/{judge}/{name}.parquet"),
        ],
    output:
        metrics=table("results/metrics/agreement.parquet"),
    conda:
        "../../envs/encoders.yaml"
    params:
        settings=plan(people.measure_agreement),
    script:
        "../scripts/hardness/measure_agreement.py"
