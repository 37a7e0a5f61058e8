"""Which passages of a corpus are nearest to a question, by words and by meaning: a passage counts by its ranks in both
searches (reciprocal rank fusion), so that neither has to be calibrated."""

from collections import Counter

from ragassay.models.encoders.embed import Embedder
from ragassay.search.bm25 import Bm25
from ragassay.search.nearest import best_of_sparse, nearest, unit

DEPTH = 50  # ranks that count
DAMPING = 60  # how little the first ranks stand out; the constant of Cormack, Clarke and Buettcher (2009)


def nearest_passages(questions: list[str], passages: list[str], embedder: Embedder, count: int) -> list[list[int]]:
    """The places of up to `count` passages for each question, best first."""
    asked = unit(embedder.embed(questions, "query"))
    dense, _ = nearest(asked, (unit(block) for block in embedder.stream(passages, "passage")), DEPTH)
    by_words = best_of_sparse(Bm25(passages, divide_by_idf=True).scores(questions), DEPTH)
    fused = []
    for by_meaning, (of_words, _) in zip(dense.tolist(), by_words, strict=True):
        scores = Counter()
        for ranking in (by_meaning, of_words.tolist()):
            scores.update({place: 1 / (DAMPING + rank) for rank, place in enumerate(ranking, 1)})
        fused.append(sorted(scores, key=lambda place, scores=scores: (-scores[place], place))[:count])
    return fused
