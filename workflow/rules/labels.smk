"""Which questions are out of scope: the votes of judges, and what follows from them.

Reads   results/documents, results/questions, resources/prompts/
        results/annotation_items, for judges that vote on the sample alone
Writes  results/scope_votes/{generator}/{judge}/{shard}.parquet             every vote of a judge
        results/scope_labels/{generator}/{judge}/{shard}.parquet            their majorities
        results/selected_questions/{generator}/{judge}/{shard}.parquet      all questions with status and split
        results/calls/{rule}/..., ledger/{rule}/...                         as in questions.smk
"""

from ragassay.plan import models, question_sets, questions

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
    conda:
        "../../envs/tables.yaml"
    params:
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
    conda:
        "../../envs/tables.yaml"
    script:
        "../scripts/labels/select_questions.py"
