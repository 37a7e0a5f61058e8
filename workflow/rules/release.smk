"""Exports: the study's questions in common forms.

Reads   results/documents/{shard}.parquet, results/novel_claims/, results/selected_questions/, results/hardness/,
        results/hardness_scores/
Writes  results/export/{generator}/{judge}/beir/               corpus, queries and qrels
        results/export/{generator}/{judge}/hugging_face/       Parquet files and a data card for `datasets.load_dataset`
"""

from ragassay.plan import release, scope


rule export:
    """The questions as a BEIR folder and for the `datasets` library."""
    input:
        expand("results/export/{generator}/{judge}/beir", **plan(scope.every)),
        expand("results/export/{generator}/{judge}/hugging_face", **plan(scope.every)),


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
    params:
        code=code_version("release/export_questions.py"),
        settings=plan(release.export_questions),
    script:
        "../scripts/release/export_questions.py"
