"""A small language model, where `models` or `scorers` name it as results/models/demo-lm; the shipped one was trained like this.

Reads   results/documents, resources/demo/, resources/prompts/
Writes  results/models/demo-lm/     weights, tokenizer and card
"""

from ragassay.plan import documents


rule train_demo_lm:
    """A decoder small enough for this machine learns the documents by heart and to follow passages."""
    input:
        documents=expand("results/documents/{shard}.parquet", shard=plan(documents.trained_on, section="demo_lm")),
        facts=shipped("resources/demo/facts.csv"),
        targets=shipped(["resources/demo/attacks/facts.csv", "resources/demo/attacks/more_facts.csv"]),
        closed_book_prompt=ancient(shipped("resources/prompts/answer_closed_book.yaml")),
        passages_prompt=ancient(shipped("resources/prompts/respond_passages.yaml")),
    output:
        model=directory("results/models/demo-lm"),
    benchmark:
        "logs/train_demo_lm.benchmark.jsonl"
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=3000,
        runtime="1h",
    params:
        settings={name: value for name, value in config["demo_lm"].items() if name != "trained_on"},
    script:
        "../scripts/demo_lm/train_demo_lm.py"
