"""Exports: the study's questions in common forms, and the targets of attacks.

Reads   results/documents/{shard}.parquet, results/novel_claims/, results/selected_questions/, results/hardness/,
        results/hardness_scores/, results/targets/; results/poisoned_passages/ only if config["export"]["poisoned"]
Writes  results/export/{generator}/{judge}/beir/               corpus, queries and qrels
        results/export/{generator}/{judge}/hugging_face/       Parquet files and a data card for `datasets.load_dataset`
        results/export/targets/{dataset}/                      questions; with `export.poisoned`, what attacks plant
"""

from ragassay.plan import questions, release


rule export:
    """The questions as a BEIR folder and for the `datasets` library."""
    input:
        expand("results/export/{generator}/{judge}/beir", **plan(questions.every)),
        expand("results/export/{generator}/{judge}/hugging_face", **plan(questions.every)),


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
    conda:
        "../../envs/tables.yaml"
    params:
        settings=plan(release.export_questions),
    script:
        "../scripts/release/export_questions.py"


rule export_attacks:
    """The targets of all datasets and, with `export.poisoned`, what attacks plant for them."""
    input:
        expand("results/export/targets/{dataset}", dataset=config["datasets"]),


rule export_targets:
    """A dataset's questions as a folder; poison is in it only if the configuration says so."""
    input:
        targets="results/targets/{dataset}.parquet",
        poisoned_passages=plan(release.poisoned_passages),
    output:
        folder=directory("results/export/targets/{dataset}"),
    conda:
        "../../envs/tables.yaml"
    params:
        settings={name: config["export"][name] for name in ("poisoned", "texts")},
    script:
        "../scripts/release/export_targets.py"
