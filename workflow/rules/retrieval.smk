"""Retrieval: what each query finds in a corpus, exactly, by BM25 and by vectors; and the study's questions as a benchmark of it.

The study's documents are the corpus `documents`, its kept questions the query set `questions`; others are in the configuration. A
question set is both.

Reads   results/documents, results/selected_questions, the files that config["corpora"] and config["query_sets"] name
Writes  results/passages/{corpus}.parquet                                what can be found
        results/queries/{query_set}.parquet                              what is searched for
        results/neighbours/{corpus}/{retriever}/{query_set}.parquet      the best passages of each query; a retriever is bm25 or an encoder
        results/metrics/retrieval.parquet                                the report's section
        embeddings/                                                      vectors of texts; not an output, never deleted
"""

from functools import partial


rule collect_passages:
    """All documents of the study are a corpus; so are those of a question set."""
    input:
        documents=partial(settings.of_corpus, config, SHARDS, "results/documents/{shard}.parquet"),
    output:
        passages=ensure("results/passages/{corpus}.parquet", non_empty=True),
    log:
        "logs/collect_passages/{corpus}.log",
    wildcard_constraints:
        corpus=one_of(["documents", *config["question_sets"]]),
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=2000,
        runtime="30m",
    params:
        code=code_version("retrieval/collect_passages.py"),
        settings={},
    script:
        "../scripts/retrieval/collect_passages.py"


rule collect_queries:
    """The kept questions of the study's own generator and judge are queries."""
    input:
        selected_questions=expand(
            "results/selected_questions/{generator}/{judge}/{shard}.parquet",
            generator=config["scope"]["generators"][:1],
            judge=config["scope"]["judges"][:1],
            shard=SHARDS,
        ),
    output:
        queries=ensure("results/queries/questions.parquet", non_empty=True),
    log:
        "logs/collect_queries.log",
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=1000,
        runtime="30m",
    params:
        code=code_version("retrieval/collect_queries.py"),
        settings={},
    script:
        "../scripts/retrieval/collect_queries.py"


rule read_passages:
    """A corpus of the user's."""
    input:
        files=lookup("{corpus}/files", within=config["corpora"]),
    output:
        passages=ensure("results/passages/{corpus}.parquet", non_empty=True),
    log:
        "logs/read_passages/{corpus}.log",
    wildcard_constraints:
        corpus=one_of(config["corpora"]),
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=2000,
        runtime="1h",
    params:
        code=code_version("retrieval/read_passages.py"),
        settings=partial(settings.corpus, config),
    script:
        "../scripts/retrieval/read_passages.py"


rule read_queries:
    """A set of the user's queries."""
    input:
        files=lookup("{query_set}/files", within=config["query_sets"]),
    output:
        queries=ensure("results/queries/{query_set}.parquet", non_empty=True),
    log:
        "logs/read_queries/{query_set}.log",
    wildcard_constraints:
        query_set=one_of(config["query_sets"]),
    conda:
        "../../envs/tables.yaml"
    resources:
        mem_mb=2000,
        runtime="1h",
    params:
        code=code_version("retrieval/read_queries.py"),
        settings=partial(settings.query_set, config),
    script:
        "../scripts/retrieval/read_queries.py"


rule search_bm25:
    """Each query finds the passages that share its rarest words."""
    input:
        passages="results/passages/{corpus}.parquet",
        queries="results/queries/{query_set}.parquet",
    output:
        neighbours=ensure("results/neighbours/{corpus}/bm25/{query_set}.parquet", non_empty=True),
    log:
        "logs/search_bm25/{corpus}/{query_set}.log",
    benchmark:
        "logs/search_bm25/{corpus}/{query_set}.benchmark.jsonl"
    wildcard_constraints:
        corpus=NAME,
        query_set=NAME,
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=8000,
        runtime="2h",
    params:
        code=code_version("retrieval/search_bm25.py"),
        settings=settings.neighbours(config),
    script:
        "../scripts/retrieval/search_bm25.py"


rule search_dense:
    """Each query finds the passages whose vectors are nearest to its own."""
    input:
        passages="results/passages/{corpus}.parquet",
        queries="results/queries/{query_set}.parquet",
    output:
        neighbours=ensure("results/neighbours/{corpus}/{encoder}/{query_set}.parquet", non_empty=True),
    log:
        "logs/search_dense/{corpus}/{encoder}/{query_set}.log",
    benchmark:
        "logs/search_dense/{corpus}/{encoder}/{query_set}.benchmark.jsonl"
    wildcard_constraints:
        corpus=NAME,
        encoder=one_of(config["encoders"]),
        query_set=NAME,
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=4000,
        runtime="4h",
    params:
        code=partial(settings.with_encoder, config, partial(code_version, "retrieval/search_dense.py")),
        settings=partial(settings.dense_search, config),
    script:
        "../scripts/retrieval/search_dense.py"


rule measure_retrieval:
    """How often questions find their document, in scope and out of scope apart: the report's section."""
    input:
        queries="results/queries/questions.parquet",
        neighbours=expand(
            "results/neighbours/documents/{retriever}/questions.parquet",
            retriever=config["retrieval"]["retrievers"],
        ),
    output:
        metrics=ensure("results/metrics/retrieval.parquet", non_empty=True),
    log:
        "logs/measure_retrieval.log",
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=4000,
        runtime="1h",
    params:
        code=code_version("retrieval/measure_retrieval.py"),
        settings=settings.retrieval_metrics(config),
    script:
        "../scripts/retrieval/measure_retrieval.py"
