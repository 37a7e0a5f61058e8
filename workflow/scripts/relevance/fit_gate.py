"""Fit the gate of a corpus: what decides while people wait whether a query is inside of what the corpus knows.

A statistic that is fitted or chosen (`fused`, `logistic`, `chosen`) learns from one part of the in-knowledge queries,
and is calibrated by the others; any other statistic is calibrated by all of them.

Synthetic queries may calibrate a gate where searches could take the sentences that they repeat out of the corpus;
otherwise the gate would turn away people who do not repeat the corpus's words. Its card says that they are synthetic.

If a model read the in-knowledge queries with their passages, the gate has a second calibration with its scores, for
services that ask it, too.
"""

import json
from pathlib import Path

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.corpora.corpus import blocks
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.corpora import LM_RELEVANCE, QUERIES, SYNTHETIC
from ragassay.search.bm25 import Bm25
from ragassay.services import searchers
from ragassay.services.gate_files import BM25, CALIBRATION, IDS, READER, GateError, write_card
from ragassay.studies.relevance import calibration, searched_queries
from ragassay.studies.relevance.methods import chosen, fit_head, settings
from ragassay.studies.relevance.searched_queries import DocumentClusters
from ragassay.studies.relevance.statistics import (
    CHOSEN,
    FUSED,
    LOGISTIC,
    TOGETHER,
    by_description,
    units,
    units_of,
    with_reader,
)

CONFIDENCE = 0.95  # of the highest share of false alarms, where none was asked for
FEWEST = 90  # queries of people that the guide asks for


def fit_gate(
    passages, held_out_documents, queries, neighbours, gate,
    retrievers, embeddings, statistic, k, temperature, ks, temperatures, alpha, confidence, strategy, shown, unmasked,
    lm_relevance=(), read=0,
):  # fmt: skip
    """`retrievers` are their names with what a search needs, in the order of `neighbours`; the first one's passages are
    shown. The fused and the logistic statistic use all, others the first alone; `ks` and `temperatures` are those to
    choose from. `unmasked` accepts synthetic queries of which it is unknown what they repeat. `lm_relevance` is no file
    or the one with the votes of a reader, who was shown `read` passages.
    """
    clusters = DocumentClusters(passages, held_out_documents)
    asked = searched_queries.read(Path(queries).stem, queries, dict(zip(retrievers, neighbours, strict=True)), clusters)
    synthetic = tables.read(QUERIES, queries, ["kind"])["kind"].to_numpy(zero_copy_only=False) == SYNTHETIC
    if not unmasked:
        _check_masked(synthetic, asked)
    description = {"name": statistic, "k": k, "temperature": temperature}
    calibrating, fitting = np.full(len(asked.ids), True), searched_queries.fits(asked.keys)
    if statistic in (*TOGETHER, CHOSEN):
        _check_any(fitting, asked)
        description |= _fitted(statistic, asked.part(fitting), list(retrievers), k, settings(ks, temperatures))
        calibrating = ~fitting
    values = by_description(description, [asked.nearest(name, description["k"]) for name in retrievers])
    where = f"query set {asked.name} in {passages}"
    with_votes = _read(lm_relevance, asked, values, fitting) if lm_relevance else {}
    values = np.sort(calibration.checked(values[calibrating], alpha, where, confidence))
    expected, worst = _false_alarms(len(values), alpha, confidence)
    folder = Path(gate)
    folder.mkdir(parents=True, exist_ok=True)
    kinds = {
        name: _write(folder, name, of_retriever, passages, len(clusters), embeddings)
        for name, of_retriever in retrievers.items()
    }
    np.save(folder / CALIBRATION, values)
    if with_votes:
        of_reader = calibration.checked(with_votes.pop("values"), alpha, f"{where}, read by a model", confidence)
        np.save(folder / READER, np.sort(of_reader))
    ids = json.dumps(clusters.passage_ids.to_pylist(), ensure_ascii=False)
    (folder / IDS).write_text(ids, encoding="utf-8")
    card = {"statistic": description, "alpha": alpha, "confidence": confidence, "strategy": strategy, "passages": shown}
    card["false_alarms"] = {"expected": expected, "worst": worst}
    card |= {"calibrated_by": asked.name, "synthetic": bool(synthetic.any())}
    card |= {"reader": with_votes | {"passages": read}} if with_votes else {}
    write_card(folder, card | {"searchers": kinds, "order": list(retrievers)})
    log.info(
        "%d passages, calibrated by %d queries; such gates turn away %.1f %% of in-knowledge queries on average,"
        " this one at most %.1f %% with %.0f %% confidence",
        *(len(clusters), len(values), 100 * expected, 100 * worst, 100 * (confidence or CONFIDENCE)),
    )


def _fitted(statistic, fitting, retrievers, k, candidates):
    """What a card says of a statistic that was fitted on some queries."""
    if statistic == FUSED:
        return {"units": [units(fitting.nearest(name, k)) for name in retrievers]}
    if not any(fitting.documents):
        raise GateError(
            f"query set {fitting.name}: found no query that names a text of the corpus, which relevance.gate.statistic"
            f" {statistic} learns from; give each its passage_id, or set another statistic"
        )
    if statistic == LOGISTIC:
        whole, masked = ([way(name, k) for name in retrievers] for way in (fitting.nearest, fitting.masked))
        return {"head": {name: array.tolist() for name, array in fit_head(whole, masked).items()}}
    setting = chosen(fitting, retrievers[0], list(candidates))
    return {"name": setting.statistic, "k": setting.k, "temperature": setting.temperature}


def _read(lm_relevance, asked, values, fitting):
    """The statistic together with a reader's scores, of queries that calibrate, and what the card says of the reader.
    Queries without a score count for nothing.
    """
    votes = tables.read_all(LM_RELEVANCE, lm_relevance).to_pandas()
    unread = votes.groupby("query_id")["value"].mean().reindex(asked.ids).to_numpy(float)
    has_score = ~np.isnan(unread)
    _check_any(fitting & has_score, asked)
    units = [units_of(part[fitting & has_score]) for part in (values, unread)]
    together = with_reader(values, unread, units)[~fitting & has_score]
    return {"values": together, "units": units, "model": votes["rater"][0], "prompt": votes["prompt"][0]}


def _false_alarms(n, alpha, confidence):
    """The share of in-knowledge queries that a gate turns away, expected and at most."""
    most = calibration.allowed(n, alpha) if confidence is None else calibration.kept(n, alpha, confidence)
    return calibration.false_alarms(n, most, confidence or CONFIDENCE)


def _check_masked(synthetic, asked):
    """Whether the own passages of all synthetic queries are in the corpus, so that their sentences were taken out."""
    lost = asked.ids[synthetic & np.array([not documents for documents in asked.documents], bool)]
    if len(lost):
        raise GateError(
            f"query set {asked.name}: found {len(lost)} synthetic queries, such as {lost[0]}, that name no passage of"
            " the corpus: what they repeat cannot be left out, and the gate would turn away more than a share alpha of"
            f" good queries; give each its passage_id, bring {FEWEST} or more queries of people, or accept this by"
            " relevance.gate.unmasked"
        )


def _check_any(fitting, asked):
    if not fitting.any():
        raise GateError(
            f"query set {asked.name}: found {len(fitting)} queries about {len(set(asked.keys))} documents, too few to"
            " fit and to calibrate with different ones; add queries, or set another relevance.gate.statistic"
        )


def _write(folder, name, retriever, passages, count, embeddings):
    """The files of one searcher, and what the gate has to know of it."""
    texts = (text for _, part in blocks(passages, retriever["titles"]) for text in part)
    if retriever["kind"] == BM25:
        searchers.write_words(folder, name, Bm25(texts, **retriever["options"]))
        return {"kind": BM25}
    embedder = Embedder(Encoder(**retriever["encoder"]), embeddings)
    searchers.write_vectors(folder, name, embedder.stream(texts, "passage"), count, retriever["similarity"])
    asked = Encoder(**retriever["query_encoder"])
    example = Embedder(asked, embeddings).embed([searchers.EXAMPLE], "query")
    searchers.write_example(folder, name, example, retriever["similarity"])
    return searchers.dense(asked, retriever["similarity"])


if __name__ == "__main__":
    run(fit_gate, snakemake)
