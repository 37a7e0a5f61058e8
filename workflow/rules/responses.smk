"""How responders handle the questions, with the document and without it, and what judges say of that.

Reads   results/documents/{shard}.parquet, results/questions/{generator}/{shard}.parquet, resources/prompts/
Writes  results/responses/{generator}/{responder}/{prompt}/{shard}.parquet                  answers to all questions
        results/service_answers/{generator}/{responder}/{shard}.parquet                     what services answered, each time
        results/service_passages/{generator}/{responder}/{shard}.parquet                    what they retrieved for it
        results/closed_book_answers/{generator}/{responder}/{shard}.parquet                 the same without the document
        results/defusion_votes/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet     every vote of a judge
        results/defusion_votes_{variant}/...                                                asked in another way: the ablation
        results/defusion_labels/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet    their majorities
        results/calls/{rule}/..., ledger/{rule}/...                                         as in questions.smk

That responders say which questions are out of scope ("direct generation") is judge_scope with the responder as judge.
"""

from ragassay.plan import models, question_sets, questions, services
from ragassay.plan.services import asked

ALL, OWN = plan(questions.every), plan(questions.own)
KNOWING = dict(ALL, responder=plan(questions.knowing))
ABLATION = dict(OWN, variant=plan(questions.variants)[1:])
ANSWERED_SETS = plan(question_sets.own_responses)
JUDGED_SETS = plan(question_sets.set_responses)
CALLS += expand(
    "results/calls/respond/{generator}/{responder}/{prompt}/{shard}.parquet",
    asked,
    **dict(ALL, responder=services.models_among(ALL["responder"])),
)
CALLS += plan(services.assayed).over("results/calls/ask_service/{generator}/{responder}/{shard}.parquet")
CALLS += expand("results/calls/answer_closed_book/{generator}/{responder}/{shard}.parquet", **KNOWING)
CALLS += expand("results/calls/judge_defusion/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet", asked, **ALL)
CALLS += expand(
    "results/calls/judge_defusion{variant}/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet",
    asked,
    **ABLATION,
)
CALLS += ANSWERED_SETS.over("results/calls/respond/{name}/{responder}/{prompt}/{name}.parquet")
CALLS += JUDGED_SETS.over("results/calls/judge_defusion/{name}/{responder}/{prompt}/{judge}/{name}.parquet")


rule respond:
    """A responder answers each question from its document."""
    input:
        plan(models.weights_of, role="responder"),
        documents="results/documents/{shard}.parquet",
        questions="results/questions/{generator}/{shard}.parquet",
        prompt=ancient(shipped("resources/prompts/respond_{prompt}.yaml")),
    output:
        responses=table("results/responses/{generator}/{responder}/{prompt}/{shard}.parquet"),
        calls=table("results/calls/respond/{generator}/{responder}/{prompt}/{shard}.parquet"),
    benchmark:
        "logs/respond/{generator}/{responder}/{prompt}/{shard}.benchmark.jsonl"
    wildcard_constraints:
        responder=one_of(services.models_among(config["models"])),
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role="responder")
    resources:
        runtime="4h",
    params:
        code=code("responses/respond.py", models.provider_of, role="responder"),
        settings=plan(questions.respond),
        access=frozen(plan(models.access_of, role="responder")),
    script:
        "../scripts/responses/respond.py"


rule ask_service:
    """A service answers each question, asked alone; its passages are compared with answer and document."""
    input:
        plan(services.local_inputs),
        documents="results/documents/{shard}.parquet",
        questions="results/questions/{generator}/{shard}.parquet",
    output:
        responses=table("results/responses/{generator}/{responder}/question_alone/{shard}.parquet"),
        service_answers=table("results/service_answers/{generator}/{responder}/{shard}.parquet"),
        service_passages=table("results/service_passages/{generator}/{responder}/{shard}.parquet"),
        calls=table("results/calls/ask_service/{generator}/{responder}/{shard}.parquet"),
    benchmark:
        "logs/ask_service/{generator}/{responder}/{shard}.benchmark.jsonl"
    wildcard_constraints:
        responder=one_of(plan(services.names)),
    conda:
        "../../envs/models_and_encoders.yaml"
    threads: plan(models.threads_of, role="responder")
    resources:
        runtime="4h",
    params:
        code=code("responses/ask_service.py", services.modules),
        settings=plan(services.ask_service),
        access=frozen(plan(models.access_of, role="responder")),
    script:
        "../scripts/responses/ask_service.py"


rule answer_closed_book:
    """A responder answers each question without its document: what does it know anyway?"""
    input:
        plan(models.weights_of, role="responder"),
        questions="results/questions/{generator}/{shard}.parquet",
        prompt=ancient(shipped("resources/prompts/answer_closed_book.yaml")),
    output:
        closed_book_answers=table("results/closed_book_answers/{generator}/{responder}/{shard}.parquet"),
        calls=table("results/calls/answer_closed_book/{generator}/{responder}/{shard}.parquet"),
    benchmark:
        "logs/answer_closed_book/{generator}/{responder}/{shard}.benchmark.jsonl"
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role="responder")
    resources:
        runtime="4h",
    params:
        code=code("responses/answer_closed_book.py", models.provider_of, role="responder"),
        settings=plan(questions.answer_closed_book),
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
        prompt=ancient(shipped("resources/prompts/judge_defusion{variant}.yaml")),
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
        settings=plan(questions.judge_defusion),
        access=frozen(plan(models.access_of, role="judge")),
    script:
        "../scripts/responses/judge_defusion.py"


rule label_defusion:
    """The votes on each response become a label."""
    input:
        defusion_votes="results/defusion_votes/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet",
    output:
        defusion_labels=table("results/defusion_labels/{generator}/{responder}/{prompt}/{judge}/{shard}.parquet"),
    conda:
        "../../envs/tables.yaml"
    params:
        settings=config["scope"]["labels"],
    script:
        "../scripts/responses/label_defusion.py"
