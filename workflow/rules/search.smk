"""Search: what each query finds in a corpus, exactly, by BM25 and by vectors; and the study's questions as a benchmark of it.

Reads   results/passages, results/word_counts, results/queries, what config["retrievers"] names, and the weights of `encoders`
Writes  results/embedded_passages/{corpus}/{encoder}/{titles}.parquet    which passages have vectors
        results/neighbours/{corpus}/{retriever}/{query_set}.parquet      the best passages of each query
        results/part_neighbours/{corpus}/{part}/{retriever}/{query_set}.parquet    the best of a part, by words
        results/indexes/{corpus}/{retriever}/                            of retrievers that search one
        results/index_recall/{corpus}/{retriever}/{query_set}.parquet    what it misses
        ledger/search_service/{corpus}/{retriever}/{query_set}/          what databases answered; not an output, never deleted
        results/metrics/retrieval.parquet                                the report's section
        embeddings/                                                      vectors of texts; not an output, never deleted
"""

from ragassay.plan import corpora, models, relevance, retrieval, search
from ragassay.plan.report import draws

RETRIEVERS = plan(retrieval.retrievers)
MEASURED = plan(retrieval.measured)
SECTIONS["retrieval"] = {"page": "relevance"}


wildcard_constraints:
    retriever=NAME,


ruleorder: merge_neighbours > merge_parts > search_bm25 > search_dense > search_index


rule embed_passages:
    """Each passage of a corpus, or of a part, gets its vector, so that searches of it that run side by side only read."""
    input:
        plan(models.encoder_of, role="encoder", of=models.encoder_weights),
        passages="results/passages/{corpus}.parquet",
    output:
        embedded_passages=table("results/embedded_passages/{corpus}/{encoder}/{titles}.parquet"),
    benchmark:
        "logs/embed_passages/{corpus}/{encoder}/{titles}.benchmark.jsonl"
    wildcard_constraints:
        encoder=one_of(config["encoders"]),
        titles="none|before|pair",
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("search/embed_passages.py", models.encoder_of, role="encoder", of=models.encoder_kind),
        settings=plan(search.embed_passages),
    script:
        "../scripts/search/embed_passages.py"


rule search_bm25:
    """Each query finds the passages that share its rarest words."""
    input:
        passages="results/passages/{corpus}.parquet",
        queries="results/queries/{query_set}.parquet",
    output:
        neighbours=table("results/neighbours/{corpus}/{retriever}/{query_set}.parquet"),
    benchmark:
        "logs/search_bm25/{corpus}/{retriever}/{query_set}.benchmark.jsonl"
    wildcard_constraints:
        retriever=one_of(plan(search.retrievers, kind=search.BM25)),
    conda:
        "../../envs/encoders.yaml"
    resources:
        runtime="2h",
    params:
        settings=plan(relevance.words_searched),
    script:
        "../scripts/search/search_bm25.py"


rule search_part:
    """Each query finds the passages of a part that share its rarest words, as they are in the whole corpus."""
    input:
        passages="results/passages/{part}.parquet",
        queries="results/queries/{query_set}.parquet",
        word_counts=plan(search.word_counts),
    output:
        part_neighbours=table("results/part_neighbours/{corpus}/{part}/{retriever}/{query_set}.parquet"),
    wildcard_constraints:
        corpus=one_of(plan(corpora.in_parts)),
        part=one_of(plan(corpora.leaves)),
        retriever=one_of(plan(search.retrievers, kind=search.BM25)),
    conda:
        "../../envs/encoders.yaml"
    params:
        settings=plan(search.search_bm25),
    script:
        "../scripts/search/search_part.py"


rule merge_parts:
    """What each query finds by words in the parts of a corpus, in one ranking."""
    input:
        passages=plan(corpora.of_parts, pattern="results/passages/{corpus}.parquet"),
        parts=plan(search.found_in_parts),
        queries="results/queries/{query_set}.parquet",
        word_counts=plan(search.word_counts),
    output:
        neighbours=table("results/neighbours/{corpus}/{retriever}/{query_set}.parquet"),
    wildcard_constraints:
        corpus=one_of(plan(corpora.in_parts)),
        retriever=one_of(plan(search.retrievers, kind=search.BM25)),
    conda:
        "../../envs/encoders.yaml"
    params:
        settings=plan(relevance.words_searched),
    script:
        "../scripts/search/merge_parts.py"


rule search_dense:
    """Each query finds the passages whose vectors are nearest to its own."""
    input:
        plan(search.awaited),
        passages="results/passages/{corpus}.parquet",
        queries="results/queries/{query_set}.parquet",
    output:
        neighbours=table("results/neighbours/{corpus}/{retriever}/{query_set}.parquet"),
    benchmark:
        "logs/search_dense/{corpus}/{retriever}/{query_set}.benchmark.jsonl"
    wildcard_constraints:
        retriever=one_of(plan(retrieval.searching, index=[None])),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("search/search_dense.py", search.retriever_kinds),
        settings=plan(relevance.vectors_searched),
    script:
        "../scripts/search/search_dense.py"


rule build_index:
    """The vectors of a corpus become an index, which is searched in less time than all of them."""
    input:
        plan(search.awaited),
        passages="results/passages/{corpus}.parquet",
    output:
        index=directory("results/indexes/{corpus}/{retriever}"),
    benchmark:
        "logs/build_index/{corpus}/{retriever}.benchmark.jsonl"
    wildcard_constraints:
        retriever=one_of(plan(retrieval.searching, index=[retrieval.FAISS])),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("search/build_index.py", search.retriever_kinds),
        settings=plan(retrieval.build_index),
    script:
        "../scripts/search/build_index.py"


rule search_index:
    """Each query finds passages by an index; of some queries, how many nearest ones the index misses."""
    input:
        plan(search.awaited),
        passages="results/passages/{corpus}.parquet",
        queries="results/queries/{query_set}.parquet",
        index="results/indexes/{corpus}/{retriever}",
    output:
        neighbours=table("results/neighbours/{corpus}/{retriever}/{query_set}.parquet"),
        index_recall=table("results/index_recall/{corpus}/{retriever}/{query_set}.parquet"),
    benchmark:
        "logs/search_index/{corpus}/{retriever}/{query_set}.benchmark.jsonl"
    wildcard_constraints:
        retriever=one_of(plan(retrieval.searching, index=[retrieval.FAISS])),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("search/search_index.py", search.retriever_kinds),
        settings=plan(retrieval.search_index),
    script:
        "../scripts/search/search_index.py"


rule search_service:
    """Each query finds passages by the index of a database that the user runs; of some, how many it misses."""
    input:
        plan(search.awaited),
        passages="results/passages/{corpus}.parquet",
        queries="results/queries/{query_set}.parquet",
    output:
        neighbours=table("results/neighbours/{corpus}/{retriever}/{query_set}.parquet"),
        index_recall=table("results/index_recall/{corpus}/{retriever}/{query_set}.parquet"),
    benchmark:
        "logs/search_service/{corpus}/{retriever}/{query_set}.benchmark.jsonl"
    wildcard_constraints:
        retriever=one_of(plan(retrieval.searching, index=[retrieval.SERVICE])),
    conda:
        "../../envs/models_and_encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("search/search_service.py", retrieval.service_kinds),
        settings=plan(retrieval.search_service),
    script:
        "../scripts/search/search_service.py"


rule search_vectors:
    """The same with vectors that were computed elsewhere."""
    input:
        passages="results/passages/{corpus}.parquet",
        queries="results/queries/{query_set}.parquet",
        passage_vectors=plan(search.vector_files, section="passages", key="corpus"),
        query_vectors=plan(search.vector_files, section="queries", key="query_set"),
    output:
        neighbours=table("results/neighbours/{corpus}/{retriever}/{query_set}.parquet"),
    benchmark:
        "logs/search_vectors/{corpus}/{retriever}/{query_set}.benchmark.jsonl"
    wildcard_constraints:
        retriever=one_of(plan(search.retrievers, kind=search.VECTORS)),
    conda:
        "../../envs/encoders.yaml"
    resources:
        mem_mb=4000,
        runtime="2h",
    params:
        settings=plan(search.search_vectors),
    script:
        "../scripts/search/search_vectors.py"


rule merge_neighbours:
    """What each query finds in the parts of a corpus, in one ranking."""
    input:
        plan(search.retriever_weights),
        passages=plan(corpora.of_parts, pattern="results/passages/{corpus}.parquet"),
        parts=plan(corpora.of_parts, pattern="results/neighbours/{corpus}/{retriever}/{query_set}.parquet"),
        queries="results/queries/{query_set}.parquet",
    output:
        neighbours=table("results/neighbours/{corpus}/{retriever}/{query_set}.parquet"),
    wildcard_constraints:
        corpus=one_of(plan(corpora.in_parts)),
        retriever=one_of(plan(retrieval.searching, index=[None, retrieval.FAISS])),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        code=code("search/merge_neighbours.py", search.retriever_kinds),
        settings=plan(relevance.vectors_searched),
    script:
        "../scripts/search/merge_neighbours.py"


rule measure_retrieval:
    """How often questions find their document, in scope and out of scope apart: the report's section."""
    input:
        queries="results/queries/questions.parquet",
        neighbours=expand("results/neighbours/documents/{retriever}/questions.parquet", retriever=RETRIEVERS),
        passages="results/passages/documents.parquet",
        own_queries=MEASURED.over("results/queries/{query_set}.parquet"),
        own_neighbours=MEASURED.over("results/neighbours/{corpus}/{retriever}/{query_set}.parquet"),
        own_passages=expand("results/passages/{corpus}.parquet", corpus=plan(retrieval.measured_parts)),
        index_recall=plan(retrieval.searches).over("results/index_recall/{corpus}/{retriever}/{query_set}.parquet"),
    output:
        metrics=table("results/metrics/retrieval.parquet"),
    conda:
        "../../envs/encoders.yaml"
    resources:
        **ENCODING,
    params:
        settings={"retrievers": RETRIEVERS, **plan(draws, section="retrieval")},
    script:
        "../scripts/search/measure_retrieval.py"
