"""What others get: the study's questions in the forms that they know, and a page to look through them all.

Reads   results/documents/{shard}.parquet, results/claims/, results/recovered_claims/, results/novel_claims/,
        results/selected_questions/, results/scope_votes/, results/hardness/, results/hardness_scores/, results/hardness_strata/,
        results/responses/, results/defusion_labels/, workflow/report/
Writes  results/export/{generator}/{judge}/beir/               corpus, queries and qrels
        results/export/{generator}/{judge}/hugging_face/       Parquet files and a data card for `datasets.load_dataset`
        results/report/explorer/{generator}/{judge}.html       one self-contained page with all documents and questions
"""


rule export_questions:
    """Questions and documents as a BEIR folder and as one for the `datasets` library."""
    input:
        documents=expand("results/documents/{shard}.parquet", shard=SHARDS),
        selected_questions=expand("results/selected_questions/{{generator}}/{{judge}}/{shard}.parquet", shard=SHARDS),
        novel_claims=expand("results/novel_claims/{{generator}}/{shard}.parquet", shard=SHARDS),
        hardness=expand("results/hardness/{{generator}}/{shard}.parquet", shard=SHARDS),
        hardness_scores="results/hardness_scores/{generator}/{judge}.parquet",
    output:
        beir=directory("results/export/{generator}/{judge}/beir"),
        hugging_face=directory("results/export/{generator}/{judge}/hugging_face"),
    log:
        "logs/export_questions/{generator}/{judge}.log",
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=2000,
        runtime="30m",
    params:
        code=code_version("scope/export_questions.py"),
        settings=settings.export(config["export"]),
    script:
        "../scripts/scope/export_questions.py"


rule build_explorer:
    """Every document with its claims, rounds, questions, votes and responses, on one page."""
    input:
        documents=expand("results/documents/{shard}.parquet", shard=SHARDS),
        claims=expand("results/claims/{{generator}}/{shard}.parquet", shard=SHARDS),
        recovered_claims=expand("results/recovered_claims/{{generator}}/{shard}.parquet", shard=SHARDS),
        novel_claims=expand("results/novel_claims/{{generator}}/{shard}.parquet", shard=SHARDS),
        selected_questions=expand("results/selected_questions/{{generator}}/{{judge}}/{shard}.parquet", shard=SHARDS),
        scope_votes=expand(
            "results/scope_votes/{{generator}}/{judge}/{shard}.parquet",
            judge=config["scope"]["judges"],
            shard=SHARDS,
        ),
        hardness=expand("results/hardness/{{generator}}/{shard}.parquet", shard=SHARDS),
        hardness_scores="results/hardness_scores/{generator}/{judge}.parquet",
        hardness_strata="results/hardness_strata/{generator}/{judge}.parquet",
        responses=expand(
            "results/responses/{{generator}}/{responder}/{prompt}/{shard}.parquet",
            responder=config["scope"]["responders"],
            prompt=config["scope"]["responding"]["prompts"],
            shard=SHARDS,
        ),
        defusion_labels=expand(
            "results/defusion_labels/{{generator}}/{responder}/{prompt}/{{judge}}/{shard}.parquet",
            responder=config["scope"]["responders"],
            prompt=config["scope"]["responding"]["prompts"],
            shard=SHARDS,
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
        runtime="30m",
    params:
        code=code_version("scope/build_explorer.py"),
        settings={"title": config["report"]["title"]},
    script:
        "../scripts/scope/build_explorer.py"
