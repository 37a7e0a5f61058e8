"""How responders handle the questions, with the document and without it, and how judges label that.

Reads   results/documents/{shard}.parquet, results/questions/{generator}/{shard}.parquet, resources/prompts/
        results/selected_questions/, results/scope_labels/, results/hardness_scores/, results/gold/; for the explorer
        results/{claims,recovered_claims,novel_claims,scope_votes,hardness,hardness_strata}/
Writes  results/responses/{generator}/{responder}/{prompt}/{shard}.parquet                  answers to all questions
        results/closed_book_answers/{generator}/{responder}/{shard}.parquet                 the same without the document
        results/defusion_votes/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet     every vote of a judge
        results/defusion_votes_{variant}/...                                                asked in another way: the ablation
        results/defusion_labels/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet    their majorities
        results/metrics/responses.parquet                                                   the report's section
        results/report/explorer/{generator}/{judge}.html                                    a page with all documents and questions
        results/calls/{rule}/..., ledger/{rule}/...                                         as in scope.smk

That responders say which questions are out of scope ("direct generation") is judge_scope with the responder as judge.
"""

from ragassay.plan import models, people, responses, scope

ALL, OWN = plan(scope.every), plan(scope.own)
DECIDED = dict(ALL, judge=plan(scope.deciding))
KNOWING = dict(ALL, responder=plan(responses.knowing))
BY_OWN_JUDGE = dict(ALL, judge=OWN["judge"])
VARIANTS = dict(OWN, variant=plan(responses.variants))
ABLATION = dict(VARIANTS, variant=VARIANTS["variant"][1:])
CALLS += expand("results/calls/respond/{generator}/{responder}/{prompt}/{shard}.parquet", **ALL)
CALLS += expand("results/calls/answer_closed_book/{generator}/{responder}/{shard}.parquet", **KNOWING)
CALLS += expand("results/calls/judge_defusion/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet", **ALL)
CALLS += expand(
    "results/calls/judge_defusion{variant}/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet",
    **ABLATION,
)
SECTIONS["responses"] = {}
EXPLORERS.update(plan(responses.explorers))


wildcard_constraints:
    **plan(responses.wildcards),


rule respond:
    """A responder answers each question from its document."""
    input:
        plan(models.weights_of, role="responder"),
        documents="results/documents/{shard}.parquet",
        questions="results/questions/{generator}/{shard}.parquet",
        prompt="resources/prompts/respond_{prompt}.yaml",
    output:
        responses=table("results/responses/{generator}/{responder}/{prompt}/{shard}.parquet"),
        calls=table("results/calls/respond/{generator}/{responder}/{prompt}/{shard}.parquet"),
    log:
        "logs/respond/{generator}/{responder}/{prompt}/{shard}.log",
    benchmark:
        "logs/respond/{generator}/{responder}/{prompt}/{shard}.benchmark.jsonl"
    wildcard_constraints:
        responder=one_of(config["models"]),
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role="responder")
    resources:
        runtime="4h",
    params:
        code=code("responses/respond.py", models.provider_of, role="responder"),
        settings=plan(responses.respond),
        access=frozen(plan(models.access_of, role="responder")),
    script:
        "../scripts/responses/respond.py"


rule answer_closed_book:
    """A responder answers each question without its document: what does it know anyway?"""
    input:
        plan(models.weights_of, role="responder"),
        questions="results/questions/{generator}/{shard}.parquet",
        prompt="resources/prompts/answer_closed_book.yaml",
    output:
        closed_book_answers=table("results/closed_book_answers/{generator}/{responder}/{shard}.parquet"),
        calls=table("results/calls/answer_closed_book/{generator}/{responder}/{shard}.parquet"),
    log:
        "logs/answer_closed_book/{generator}/{responder}/{shard}.log",
    benchmark:
        "logs/answer_closed_book/{generator}/{responder}/{shard}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role="responder")
    resources:
        runtime="4h",
    params:
        code=code("responses/answer_closed_book.py", models.provider_of, role="responder"),
        settings=plan(responses.answer_closed_book),
        access=frozen(plan(models.access_of, role="responder")),
    script:
        "../scripts/responses/answer_closed_book.py"


rule judge_defusion:
    """A judge votes on each response to an out-of-scope question: does it decline or correct it? A variant asks otherwise."""
    input:
        plan(models.weights_of, role="judge"),
        documents="results/documents/{shard}.parquet",
        questions="results/questions/{generator}/{shard}.parquet",
        responses="results/responses/{generator}/{responder}/{prompt}/{shard}.parquet",
        prompt="resources/prompts/judge_defusion{variant}.yaml",
    output:
        defusion_votes=table("results/defusion_votes{variant}/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet"),
        calls=table("results/calls/judge_defusion{variant}/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet"),
    log:
        "logs/judge_defusion{variant}/{generator}/{responder}/{prompt}/{judge}/{shard}.log",
    benchmark:
        "logs/judge_defusion{variant}/{generator}/{responder}/{prompt}/{judge}/{shard}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role="judge")
    resources:
        runtime="4h",
    params:
        code=code("responses/judge_defusion.py", models.provider_of, role="judge"),
        settings=plan(responses.judge_defusion),
        access=frozen(plan(models.access_of, role="judge")),
    script:
        "../scripts/responses/judge_defusion.py"


rule label_defusion:
    """The votes on each response become a label."""
    input:
        defusion_votes="results/defusion_votes/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet",
    output:
        defusion_labels=table("results/defusion_labels/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet"),
    log:
        "logs/label_defusion/{generator}/{responder}/{prompt}/{judge}/{shard}.log",
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("responses/label_defusion.py"),
        settings=config["scope"]["labels"],
    script:
        "../scripts/responses/label_defusion.py"


rule measure_responses:
    """How often responders decline or correct, where one is better than another, what they know anyway: the report's section."""
    input:
        documents=expand("results/documents/{shard}.parquet", **ALL),
        selected_questions=expand("results/selected_questions/{generator}/{judge}/{shard}.parquet", **BY_OWN_JUDGE),
        responses=expand("results/responses/{generator}/{responder}/{prompt}/{shard}.parquet", **ALL),
        defusion_labels=expand(
            "results/defusion_labels/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet", **ALL
        ),
        defusion_votes=expand(
            "results/defusion_votes{variant}/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet", **VARIANTS
        ),
        scope_labels=expand("results/scope_labels/{generator}/{judge}/{shard}.parquet", **DECIDED),
        hardness_scores=expand("results/hardness_scores/{generator}/{judge}.parquet", **BY_OWN_JUDGE),
        closed_book_answers=expand("results/closed_book_answers/{generator}/{responder}/{shard}.parquet", **KNOWING),
        gold=expand("results/gold/{generator}/{judge}.parquet", zip, **plan(people.labelled, names=ALL["generator"])),
    output:
        metrics=table("results/metrics/responses.parquet"),
    log:
        "logs/measure_responses.log",
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=8000,
        runtime="1h",
    params:
        code=code_version("responses/measure_responses.py"),
        settings=plan(responses.measure_responses),
    script:
        "../scripts/responses/measure_responses.py"


rule build_explorer:
    """Every document with its claims, rounds, questions, votes and responses, on one page."""
    input:
        documents=expand("results/documents/{shard}.parquet", shard=SHARDS),
        claims=expand("results/claims/{{generator}}/{shard}.parquet", shard=SHARDS),
        recovered_claims=expand("results/recovered_claims/{{generator}}/{shard}.parquet", shard=SHARDS),
        novel_claims=expand("results/novel_claims/{{generator}}/{shard}.parquet", shard=SHARDS),
        selected_questions=expand("results/selected_questions/{{generator}}/{{judge}}/{shard}.parquet", shard=SHARDS),
        scope_votes=expand("results/scope_votes/{{generator}}/{judge}/{shard}.parquet", **ALL),
        hardness=expand("results/hardness/{{generator}}/{shard}.parquet", shard=SHARDS),
        hardness_scores="results/hardness_scores/{generator}/{judge}.parquet",
        hardness_strata="results/hardness_strata/{generator}/{judge}.parquet",
        responses=expand("results/responses/{{generator}}/{responder}/{prompt}/{shard}.parquet", **ALL),
        defusion_labels=expand(
            "results/defusion_labels/{{generator}}/{responder}/{prompt}/{{judge}}/{shard}.parquet", **ALL
        ),
        template="workflow/report/explorer.html.j2",
        style="workflow/report/explorer.css",
        behaviour=["workflow/report/dossier.js", "workflow/report/explorer.js"],
    output:
        page=ensure("results/report/explorer/{generator}/{judge}.html", non_empty=True),
    log:
        "logs/build_explorer/{generator}/{judge}.log",
    conda:
        "../../envs/report.yaml"
    resources:
        mem_mb=4000,
    params:
        code=code_version("responses/build_explorer.py"),
        settings={"title": config["report"]["title"]},
    script:
        "../scripts/responses/build_explorer.py"
