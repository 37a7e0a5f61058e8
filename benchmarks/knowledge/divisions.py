"""How well the fused statistic tells questions about held-out documents from others, over five divisions of two
corpora: the lower end of a 95 % interval of the mean of the five AUROCs, beside the mean of MSS. One division decides
by chance.

In each, half of the documents is held out, by masking what the questions found there. Units come from a third of the
questions that are left, which are not counted. Of the web's questions, several passages have something to say.
"""

import tempfile

import numpy as np
from scipy import stats

from common.figures import figure
from knowledge.synthetic_gates import MINILM, WORDS, published
from ragassay.metrics.panel import auroc
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.search.bm25 import Bm25
from ragassay.search.nearest import COSINE, comparable
from ragassay.studies.relevance.searched_queries import fits, fractions
from ragassay.studies.relevance.statistics import fused_mss, mss

DIVISIONS, HALF = 5, 0.5
LEAST = 0.97


def divisions() -> None:
    for name in ("pubmed", "nq"):
        documents, about, similarities = searched(name)
        kept, fitting, areas = np.unique(about), fits(about), {"fused": [], "mss": []}
        for division in range(DIVISIONS):
            out = set(kept[fractions(f"division {division}", kept) < HALF].tolist())
            is_gone, is_out = np.isin(documents, [*out]), np.isin(about, [*out])
            best = [scores[:, ~is_gone].max(axis=1, keepdims=True) for scores in similarities]
            tested = is_out | ~fitting
            fused = fused_mss([scores[fitting & ~is_out] for scores in best], best)
            for statistic, values in (("fused", fused), ("mss", mss(best[0]))):
                areas[statistic].append(auroc(values[tested], is_out[tested]))
        spread = stats.sem(areas["fused"]) * stats.t.ppf(0.975, DIVISIONS - 1)
        low, peer = float(np.mean(areas["fused"]) - spread), float(np.mean(areas["mss"]))
        figure(f"{name}_fused_held_out_of_five_lower_end", low, "auroc", f">= {LEAST}", peer)


def searched(name: str) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """The document of each passage, that of each question, and questions x passages by vectors and by words."""
    passages, questions = published(name)
    texts, asked = [row["text"] for row in passages], [row["text"] for row in questions]
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        embedder = Embedder(Encoder(**MINILM), folder)
        vectors = [comparable(embedder.embed(*pair), COSINE) for pair in ((asked, "query"), (texts, "passage"))]
    dense = vectors[0].astype(float) @ vectors[1].astype(float).T
    words = Bm25(texts, **WORDS["options"]).scores(asked).toarray()
    documents = np.array([row["document_id"] for row in passages])
    return documents, np.array([row["passage_id"] for row in questions]), [dense, words]
