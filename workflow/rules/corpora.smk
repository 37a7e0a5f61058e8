"""Corpora, whose passages can be found: the study's documents, those of question sets, the user's, and variants of these.

The study's documents are the corpus `documents`; others are in the configuration. A corpus of several files, of a file that is cut or of
many shards has parts, each a corpus itself: `mine+1`, `mine+2`, and so on. `{corpus}.held_out` lacks some documents: queries about these are out of its knowledge.
Its parts are those of the corpus without these.
An extended corpus is another one and, as its part `{corpus}+1`, rewritings of some of its passages. All are clean.

Reads   results/documents, the files that config["corpora"] names, databases of config["collections"], resources/prompts/
Writes  results/passages/{corpus}.parquet                      what can be found, also without held-out documents, or rewritten
        results/word_counts/{corpus}/{titles}.parquet          how frequent words are in a part, and in all parts
        results/held_out_documents/{corpus}.parquet            clusters of near-duplicates, and what is held out
        results/rewritten_passages/{corpus}.parquet            of which passage each rewritten one says the same
        results/rejects/rewritten_passages/{corpus}.parquet    what could not be rewritten, with the reason
        results/calls/{rule}/..., ledger/{rule}/...            as in questions.smk
"""

from ragassay.plan import corpora, documents, models, relevance, targets
from ragassay.plan.entries import having, path

CALLS += expand("results/calls/rewrite_passages/{corpus}.parquet", corpus=plan(targets.extended))


wildcard_constraints:
    corpus=rf"{NAME}(\+[0-9]+)?",


rule collect_passages:
    """The documents of the study are a corpus, or a part of it, of so many shards; those of a question set are one, too."""
    input:
        documents=plan(corpora.tables_of, pattern="results/documents/{shard}.parquet"),
        earlier=plan(corpora.tables_of, pattern="results/documents/{shard}.parquet", earlier=True),
    output:
        passages=table("results/passages/{corpus}.parquet"),
    wildcard_constraints:
        corpus=one_of([*plan(corpora.parts_of, corpus="documents"), *config["question_sets"]]),
    conda:
        "../../envs/tables.yaml"
    script:
        "../scripts/corpora/collect_passages.py"


rule read_passages:
    """A part of a user's corpus, which is all of it if it has one file."""
    input:
        files=plan(corpora.passage_files),
    output:
        passages=table("results/passages/{corpus}.parquet"),
    wildcard_constraints:
        corpus=one_of(plan(corpora.parts)),
    conda:
        "../../envs/files.yaml"
    resources:
        runtime="1h",
    params:
        code=code_version("corpora/read_passages.py", "ragassay.documents.parsed_files"),
        settings=plan(corpora.read_passages),
    script:
        "../scripts/corpora/read_passages.py"


rule read_collection:
    """A corpus out of a vector database, which is only read."""
    output:
        passages=table("results/passages/{corpus}.parquet"),
    wildcard_constraints:
        corpus=one_of(having(config["corpora"], "collection")),
    conda:
        "../../envs/connectors.yaml"
    resources:
        runtime="4h",
    params:
        code=code("corpora/read_collection.py", corpora.connectors),
        settings=plan(corpora.read_collection),
    script:
        "../scripts/corpora/read_collection.py"


rule join_passages:
    """The parts of a user's corpus in one table, for stages that need all of them at once."""
    input:
        parts=plan(corpora.of_parts, pattern="results/passages/{corpus}.parquet"),
    output:
        passages=table("results/passages/{corpus}.parquet"),
    wildcard_constraints:
        corpus=one_of(plan(corpora.joined)),
    conda:
        "../../envs/tables.yaml"
    resources:
        runtime="1h",
    script:
        "../scripts/corpora/join_passages.py"


rule count_words:
    """How many passages of a part of a corpus have each word."""
    input:
        passages="results/passages/{corpus}.parquet",
    output:
        word_counts=table("results/word_counts/{corpus}/{titles}.parquet"),
    wildcard_constraints:
        corpus=one_of(plan(corpora.leaves)),
        titles="none|before",
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=4000,
        runtime="1h",
    params:
        settings=plan(corpora.count_words),
    script:
        "../scripts/corpora/count_words.py"


rule add_word_counts:
    """The same of all parts: what BM25 weighs words by."""
    input:
        parts=plan(corpora.of_parts, pattern="results/word_counts/{corpus}/{titles}.parquet"),
    output:
        word_counts=table("results/word_counts/{corpus}/{titles}.parquet"),
    wildcard_constraints:
        corpus=one_of(plan(corpora.in_parts)),
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=4000,
    script:
        "../scripts/corpora/add_word_counts.py"


rule hold_out_documents:
    """A share of the documents, with their near-duplicates, is taken out of a corpus."""
    input:
        passages="results/passages/{corpus}.parquet",
    output:
        held_out_documents=table("results/held_out_documents/{corpus}.parquet"),
        known_passages=table("results/passages/{corpus}.held_out.parquet"),
    wildcard_constraints:
        corpus=one_of(plan(relevance.corpora)),
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=4000,
    params:
        settings={"share": config["relevance"]["held_out"], **plan(documents.near_duplicates)},
    script:
        "../scripts/corpora/hold_out_documents.py"


rule keep_known_passages:
    """A part of a corpus without what is held out of the corpus."""
    input:
        passages=plan(corpora.whole_part),
        held_out_documents="results/held_out_documents/{corpus}.parquet",
    output:
        known_passages=table("results/passages/{corpus}.held_out+{number}.parquet"),
    wildcard_constraints:
        corpus=one_of(plan(relevance.corpora)),
        number="[0-9]+",
    conda:
        "../../envs/tables.yaml"
    script:
        "../scripts/corpora/keep_known_passages.py"


rule rewrite_passages:
    """A model says some passages of a corpus in other words."""
    input:
        plan(models.weights_of, role=targets.REWRITER),
        passages=plan(path, pattern="results/passages/{base}.parquet", base="corpora/{corpus}/extends"),
        prompt=ancient(shipped("resources/prompts/rewrite_passage.yaml")),
    output:
        new_passages=table("results/passages/{corpus}+1.parquet"),
        rewritten_passages=table("results/rewritten_passages/{corpus}.parquet"),
        rejects=table("results/rejects/rewritten_passages/{corpus}.parquet"),
        calls=table("results/calls/rewrite_passages/{corpus}.parquet"),
    benchmark:
        "logs/rewrite_passages/{corpus}.benchmark.jsonl"
    wildcard_constraints:
        corpus=one_of(having(config["corpora"], "extends")),
    conda:
        "../../envs/models.yaml"
    threads: plan(models.threads_of, role=targets.REWRITER)
    resources:
        runtime="4h",
    params:
        code=code("corpora/rewrite_passages.py", models.provider_of, role=targets.REWRITER),
        settings=plan(targets.rewrite_passages),
        access=frozen(plan(models.access_of, role=targets.REWRITER)),
    script:
        "../scripts/corpora/rewrite_passages.py"
