"""What others get: the study's questions in the forms that they know, and a page to look through them all.

Reads   results/documents/{shard}.parquet, results/claims/, results/recovered_claims/, results/novel_claims/,
        results/selected_questions/, results/scope_votes/, results/hardness/, results/hardness_scores/, results/hardness_strata/,
        workflow/report/
Writes  results/export/{generator}/beir/               corpus, queries and qrels
        results/export/{generator}/hugging_face/       Parquet files and a data card for `datasets.load_dataset`
        results/report/explorer/{generator}.html       one self-contained page with all documents and questions
"""


rule export_questions:
    """Questions and documents as a BEIR folder and as one for the `datasets` library."""
    input:
        documents=expand("results/documents/{shard}.parquet", shard=SHARDS),
        selected_questions=expand(
            "results/selected_questions/{{generator}}/{judge}/{shard}.parquet",
            judge=config["scope"]["judges"][0],
            shard=SHARDS,
        ),
        novel_claims=expand("results/novel_claims/{{generator}}/{shard}.parquet", shard=SHARDS),
        hardness=expand("results/hardness/{{generator}}/{shard}.parquet", shard=SHARDS),
        hardness_scores="results/hardness_scores/{generator}.parquet",
    output:
        beir=directory("results/export/{generator}/beir"),
        hugging_face=directory("results/export/{generator}/hugging_face"),
    log:
        "logs/export_questions/{generator}.log",
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
