"""Ask a relevance gate about each question of the study or of a set: do its documents know the subject?

The corpus is the documents of all these questions, each one passage. The gate decides by the fused statistic, as that
of `fit_gate` does, and is calibrated by the questions that are written to be in scope; where nobody said which are, by
those that the judge calls so. It is cross-fitted: in each fold, neither units nor calibration have seen a question
about a document of the fold, or about a near-duplicate of one. Does not judge whether a document answers a question:
near misses are about its subject, too.
"""

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.corpora.corpus import titled
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.report.explorers.verdicts import UNCLEAR, YES, should_be_answered
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.relevance import GATED_QUESTIONS
from ragassay.schemas.scope_questions import QUESTIONS, SCOPE_LABELS
from ragassay.search.bm25 import Bm25
from ragassay.search.nearest import best_of_sparse, comparable, nearest
from ragassay.services.gate_files import BM25
from ragassay.studies.relevance import calibration, searched_queries, statistics

FOLDS = 10
READ = ("doc_id", "cluster_id", "title", "text")
ASKED = ("question_id", "doc_id", "intended", "text")


def gate_questions(documents, questions, scope_labels, gated_questions, retrievers, embeddings, alpha, confidence):
    """`gated_questions` are a file for each generator or set and judge, the others those of all their shards.
    `retrievers` are their names with what a search needs; the first one's nearest document is named.
    """
    searches = [DocumentSearch(retriever, embeddings) for retriever in retrievers.values()]
    for output in gated_questions:
        generator, judge = (tables.keys(GATED_QUESTIONS, output)[name] for name in ("generator", "judge"))
        of_judge = _files(SCOPE_LABELS, scope_labels, generator=generator, judge=judge)
        shards = {tables.keys(SCOPE_LABELS, path)["shard"] for path in of_judge}
        corpus = [
            row
            for shard in sorted(shards)
            for row in _rows(DOCUMENTS, _files(DOCUMENTS, documents, shard=shard), *READ)
        ]
        asked = _rows(QUESTIONS, _files(QUESTIONS, questions, generator=generator), *ASKED)
        labels = {row["question_id"]: row["label"] for row in _rows(SCOPE_LABELS, of_judge)}
        rows = _decided(corpus, asked, labels, searches, alpha, confidence)
        tables.write(GATED_QUESTIONS, output, rows)
        rejected = sum(row["rejected"] or False for row in rows)
        log.info("%s: %d questions, %d out of knowledge", generator, len(rows), rejected)


def _decided(corpus, asked, labels, searches, alpha, confidence):
    """The rows of the table."""
    corpus = list({row["doc_id"]: row for row in corpus}.values())
    cluster = {row["doc_id"]: row["cluster_id"] for row in corpus}
    clusters = [cluster.get(row["doc_id"], row["doc_id"]) for row in asked]
    is_in = np.array([_is_in(row, labels.get(row["question_id"])) for row in asked], bool)
    best = [search.best(corpus, [row["text"] for row in asked]) for search in searches]
    similarities = [scores[:, None] for _, scores in best]  # questions x 1 of each search
    rows = []
    decisions = cross_fitted(similarities, clusters, is_in, alpha, confidence)
    for row, place, decision in zip(asked, best[0][0], decisions, strict=True):
        nearest_id = corpus[place]["doc_id"] if place >= 0 else None
        rows.append({"question_id": row["question_id"], "nearest_doc_id": nearest_id} | decision)
    return rows


def _is_in(row, label):
    """Whether it is in scope: by intention, and by the judge where nobody said so. A judge that goes by words calls
    those in scope that are nearest, which would calibrate a gate that rejects too many.
    """
    should = should_be_answered(row["intended"], None, None)
    return (should_be_answered(row["intended"], label, None) if should == UNCLEAR else should) == YES


def cross_fitted(
    similarities: list[np.ndarray], clusters: list[str], is_in: np.ndarray, alpha: float, confidence: float | None
) -> list[dict]:
    """What is decided about each question; nothing where the questions that calibrate are too few for alpha.
    `similarities` are questions x 1 of each search, and `is_in` says which questions are in-knowledge.
    """
    folds = (searched_queries.fractions("folds", clusters) * FOLDS).astype(int)
    fitting = searched_queries.fits(clusters)
    decisions = [{"value": None, "p_value": None, "rejected": None, "calibrated_by": 0} for _ in clusters]
    for fold in np.unique(folds):
        others = is_in & (folds != fold)
        units_from, calibrating = others & fitting, others & ~fitting
        if not units_from.any() or calibrating.sum() < calibration.fewest_for(alpha, confidence):
            continue
        units = [statistics.units(scores[units_from]) for scores in similarities]
        fused = statistics.standardized(units, similarities)
        inside, reference = np.flatnonzero(folds == fold), fused[calibrating]
        p_values = calibration.p_values(reference, fused[inside])
        rejected = calibration.rejected(reference, fused[inside], alpha, confidence=confidence)
        for at, p_value, is_out in zip(inside, p_values.tolist(), rejected.tolist(), strict=True):
            numbers = {"value": float(fused[at]), "p_value": p_value, "rejected": is_out}
            decisions[at] = numbers | {"calibrated_by": len(reference)}
    return decisions


class DocumentSearch:
    """A retriever, whose encoder is loaded once."""

    def __init__(self, retriever: dict, embeddings: str):
        self.retriever = retriever
        if retriever["kind"] != BM25:
            self.of_passages = self.of_queries = Embedder(Encoder(**retriever["encoder"]), embeddings)
            if retriever["query_encoder"] != retriever["encoder"]:
                self.of_queries = Embedder(Encoder(**retriever["query_encoder"]), embeddings)

    def best(self, corpus: list[dict], texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """The place of the nearest document of each text, and the similarity; -1 and 0 if they share no word."""
        passages = [titled(self.retriever["titles"], row["title"], row["text"]) for row in corpus]
        places, scores = np.full(len(texts), -1), np.zeros(len(texts))
        if not texts or not passages:
            return places, scores
        if self.retriever["kind"] == BM25:
            weights = Bm25(passages, **self.retriever["options"]).scores(texts)
            for at, (place, score) in enumerate(best_of_sparse(weights, 1)):
                if len(place):
                    places[at], scores[at] = place[0], score[0]
            return places, scores
        similarity = self.retriever["similarity"]
        wanted = comparable(self.of_queries.embed(texts, "query"), similarity)
        blocks = (comparable(block, similarity) for block in self.of_passages.stream(passages, "passage"))
        places, scores = nearest(wanted, blocks, 1)
        return places[:, 0], scores[:, 0]


def _files(table, paths, **keys):
    """Those of some keys."""
    return [path for path in paths if keys.items() <= tables.keys(table, path).items()]


def _rows(table, paths, *columns):
    return tables.read_all(table, paths, columns or None).to_pylist()


if __name__ == "__main__":
    run(gate_questions, snakemake)
