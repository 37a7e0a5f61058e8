"""What defences look at: passages that were found for questions, with texts, scores and vectors, as far as these are
needed. Everything was computed before; only vectors that nobody has stored yet are computed here."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.attacks import POISONED_PASSAGES, TARGETS
from ragassay.schemas.corpora import PASSAGES
from ragassay.schemas.defences import PASSAGE_SCORES
from ragassay.search.nearest import COSINE, comparable
from ragassay.studies.poisoning.attacks.attacked_corpus import texts_of
from ragassay.studies.poisoning.defences.defence import DefenceError
from ragassay.text.characters import visible


@dataclass
class Evidence:
    """`passages`, `poisoned_passages` and `passage_scores` are files; `encoder`, if vectors are needed, is that of the
    retriever, and `embeddings` the folder of stored vectors.
    """

    targets: str
    passages: list[str]
    poisoned_passages: list[str] = field(default_factory=list)
    passage_scores: list[str] = field(default_factory=list)
    encoder: dict | None = None
    embeddings: str = ""

    def __post_init__(self):
        rows = tables.read(TARGETS, self.targets, ["target_id", "question"]).to_pylist()
        self.questions = {row["target_id"]: row["question"] for row in rows}
        self.scored_by = scored_by(self.passage_scores)

    def rows(self, looked: Iterable[dict]) -> list[dict]:
        """Rows of the table retrieved, or of a sample, which have no target, as defences look at them."""
        looked = list(looked)
        names = {row["passage_id"] for row in looked}
        texts = texts_of(names, self.passages, self.poisoned_passages)
        scores, vectors = self._scores(names), self._vectors(texts)
        seen = []
        for row in looked:
            name = row["passage_id"]
            question = self.questions.get(row.get("target_id"))
            passage = row | {"text": visible(texts[name]), "question": question and visible(question)}
            if scores:
                passage["scores"] = scores[name]
            if vectors:
                passage["vector"] = vectors[name]
            seen.append(passage)
        return seen

    def by_target(self, looked: Iterable[dict]) -> dict[str, list[dict]]:
        """The same, target by target, best first."""
        passages = {}
        for row in sorted(self.rows(looked), key=lambda row: (row["target_id"], row["rank"])):
            passages.setdefault(row["target_id"], []).append(row)
        return passages

    def similarities(self, sample: list[dict], similarity: str) -> dict[str, np.ndarray]:
        """target -> how similar each passage of a sample is to its question, as the retriever compares."""
        embedder = Embedder(Encoder(**self.encoder), self.embeddings)
        passages = comparable(embedder.embed([row["text"] for row in sample], "passage"), similarity)
        questions = comparable(embedder.embed(list(self.questions.values()), "query"), similarity)
        return dict(zip(self.questions, questions @ passages.T, strict=True))

    def _scores(self, names):
        scores, wanted = {}, pa.array(sorted(names), pa.string())
        for path in self.passage_scores:
            for batch in tables.batches(PASSAGE_SCORES, path):
                rows = batch.filter(pc.is_in(batch["passage_id"], wanted)).to_pylist()
                scores |= {row["passage_id"]: row for row in rows}
        missing = sorted(names - scores.keys())
        if self.passage_scores and missing:
            places = ", ".join(map(str, self.passage_scores))
            raise DefenceError(
                f"{places}: found no scores of passage {missing[0]!r}, which was retrieved; score it again"
            )
        return scores

    def _vectors(self, texts):
        if not self.encoder:
            return {}
        embedder = Embedder(Encoder(**self.encoder), self.embeddings)
        return dict(zip(texts, comparable(embedder.embed(list(texts.values()), "passage"), COSINE), strict=True))


def with_texts(passages: list[dict], numbers: dict[str, int], texts: int) -> list[dict]:
    """What a question would find with so many texts for each target; `numbers` are those of planted passages."""
    left = [row for row in passages if numbers.get(row["passage_id"], 0) <= texts]
    return [row | {"rank": rank} for rank, row in enumerate(left, 1)]


def scored_by(paths: list) -> dict:
    """The one scorer that gave the scores in these files; empty without any."""
    origins = {}
    for path in paths:
        for batch in tables.batches(PASSAGE_SCORES, path, ["scored_by"]):
            origins |= dict.fromkeys(pc.unique(batch["scored_by"]).to_pylist(), path)
    if len(origins) > 1:
        raise DefenceError(
            f"{' and '.join(map(str, origins.values()))}: found scores of {len(origins)} scorers, expected those of"
            " one; score the passages again"
        )
    return next(map(json.loads, origins), {})


def sample(passages, poisoned_passages, size: int, seed: int) -> list[dict]:
    """Passages of these files at random, which is what the papers' null is: ids ascending, each id once."""
    files = [*((PASSAGES, path) for path in passages), *((POISONED_PASSAGES, path) for path in poisoned_passages)]
    ids = [tables.read(table, path, ["passage_id"])["passage_id"].to_pylist() for table, path in files]
    names = sorted({name for part in ids for name in part})
    chosen = np.random.default_rng(seed).permutation(len(names))[:size]
    return [{"passage_id": names[at]} for at in sorted(chosen)]
