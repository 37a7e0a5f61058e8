"""Score the queries of a set by outlier detectors on their vectors, and by their distance from the corpus's main axes.

Detectors are fitted on the fitting part of the in-knowledge queries, and on synthetic queries. Rows of the query set
`<in-knowledge>, held out` are for comparison with held-out queries: what gave them was fitted as if the documents that
are held out, and queries about them, were unknown.
"""

import numpy as np
import pyarrow as pa

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.corpora.corpus import Corpus
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.corpora import QUERIES
from ragassay.schemas.relevance import OUTLIER_SCORES
from ragassay.search.nearest import comparable
from ragassay.studies.relevance import outliers, searched_queries
from ragassay.studies.relevance.searched_queries import DocumentClusters, fits
from ragassay.studies.relevance.trials import CORPUS, SYNTHETIC, TRUE


def score_outliers(
    passages, held_out_documents, queries, outlier_scores, entry, encoder, query_encoder, embeddings, titles, similarity
):
    """`passages` are the corpus, and the corpus without what is held out; `queries` have the sets of the entry."""
    of_queries, files = Embedder(Encoder(**query_encoder), embeddings), {}
    for path in queries:
        files[tables.keys(QUERIES, path)["query_set"]] = path
    clusters = DocumentClusters(passages[0], held_out_documents)
    asked = {name: searched_queries.read(name, path, {}, clusters) for name, path in files.items()}
    vectors = {name: _vectors(path, of_queries, similarity) for name, path in files.items()}
    of_passages = Embedder(Encoder(**encoder), embeddings)
    axes = [_axes(Corpus(path, titles), of_passages, similarity) for path in passages]
    in_knowledge, synthetic = entry["in_knowledge"], entry["synthetic"]
    compared = [name for name in files if name != synthetic]
    with tables.Writer(OUTLIER_SCORES, outlier_scores) as writer:
        for held_out, subspace in zip((False, True), axes, strict=True):
            detectors = {("subspace", CORPUS): subspace}
            fitted = {TRUE: (in_knowledge, fits(asked[in_knowledge].keys))} | (
                {SYNTHETIC: (synthetic, True)} if synthetic else {}
            )
            for origin, (name, mask) in fitted.items():
                mask = mask & (searched_queries.is_left(asked[name]) if held_out else True)
                fitting = vectors[name][np.broadcast_to(mask, len(vectors[name]))]
                fitted_detectors = {(method, origin): outliers.fit(method, fitting) for method in outliers.METHODS}
                detectors |= fitted_detectors if len(fitting) > 1 else {}
            for name in [in_knowledge] if held_out else compared:
                shown = searched_queries.of_held_out(name) if held_out else name
                for (method, origin), score in detectors.items():
                    writer.write(_rows(shown, asked[name].ids, method, origin, score(vectors[name])))
    log.info("%d scores of %d sets", writer.written, len(compared))


def _vectors(path, embedder, similarity):
    texts = tables.read(QUERIES, path, ["text"])["text"].to_pylist()
    return comparable(embedder.embed(texts, "query"), similarity).astype(np.float64)


def _axes(corpus, embedder, similarity):
    """The distance from the principal components of a corpus, whose vectors stream by."""
    count, total, moments = 0, 0.0, 0.0
    for block in embedder.stream(corpus.texts(), "passage"):
        block = comparable(block, similarity).astype(np.float64)
        count, total, moments = count + len(block), total + block.sum(axis=0), moments + block.T @ block
    return outliers.subspace(total / count, moments / count)


def _rows(query_set, ids, method, origin, values):
    same = {"query_set": query_set, "method": method, "fitted_on": origin}
    columns = {name: pa.repeat(value, len(ids)) for name, value in same.items()}
    return pa.table(columns | {"query_id": pa.array(ids.tolist()), "value": pa.array(np.round(values, 6))})


if __name__ == "__main__":
    run(score_outliers, snakemake)
