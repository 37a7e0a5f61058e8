"""Synthetic queries are searched as if the sentence that they were made from did not stand in the corpus: they repeat
its words, as queries of people do not. The sentence of a query's own passage that shares most of its words is taken
out of what the query found: of that passage, of those that overlap with it, and of near-duplicates; these are scored
again. People do repeat some words of what answers them, so that part of what the sentence adds to a score may stay."""

from collections.abc import Callable

import numpy as np

from ragassay.base import tables
from ragassay.corpora.corpus import titled
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES, QUERIES, SYNTHETIC
from ragassay.search.nearest import STEP
from ragassay.text.sentences import sentences
from ragassay.text.words import content, stem

COPY, FEWEST = 0.8, 4  # what share of the words of the shorter one a copy shares with its source, and of how many words

Score = Callable[[list[str], list[str]], np.ndarray]  # of some queries with one text each; NaN where there is none


def mask(neighbours, queries, passages, titles: str, score: Score, copied: float = 0.0, done=None) -> int:
    """Take sources out of what the synthetic queries of a set found, in the table itself; gives how many these are.
    `passages` are the files of the corpus. `copied` is the share of what a source adds to a score that stays; with 1,
    nothing is taken out. `done` says of a query's row and a passage whether it was taken out before. A passage that is
    its source alone is lost.
    """
    if copied == 1:
        return 0
    rows = tables.read(QUERIES, queries, ["query_id", "text", "kind", "passage_id"]).to_pylist()
    asked = {row["query_id"]: row for row in rows if row["kind"] == SYNTHETIC}
    if not asked:
        return 0
    ranked = tables.read(NEIGHBOURS, neighbours).to_pandas()
    sources = _Sources(passages, titles, {*ranked["passage_id"]}, {row["passage_id"] for row in asked.values()})
    places, texts, left = [], [], []
    for place, (query, passage) in enumerate(zip(ranked["query_id"], ranked["passage_id"], strict=True)):
        if query not in asked or (done and done(asked[query], passage)):
            continue
        if (text := sources.masked(passage, asked[query])) is not None:
            places.append(place)
            texts.append(asked[query]["text"])
            left.append(text)
    if places:
        scores = ranked["score"].to_numpy(copy=True)
        masked = copied * scores[places] + (1 - copied) * score(texts, left)
        scores[places] = np.round(np.rint(masked / STEP) * STEP, 5)
        ranked["score"] = scores
        ranked = ranked.dropna().sort_values(["query_id", "score", "passage_id"], ascending=[True, False, True])
        ranked["rank"] = ranked.groupby("query_id").cumcount() + 1
        tables.write(NEIGHBOURS, neighbours, ranked.to_dict("records"))
    return len(asked)


class _Sources:
    """The sentences of some passages and of the queries' own, with their words."""

    def __init__(self, passages, titles, wanted, asked):
        self._titles, self._passages, self._of, self._chosen = titles, {}, {}, {}
        columns = ["passage_id", "document_id", "title", "text"]
        for batch in (batch for file in passages for batch in tables.batches(PASSAGES, file, columns)):
            for row in batch.to_pylist():
                names = {row["passage_id"], row["document_id"]}
                if row["passage_id"] in wanted or names & asked:
                    self._passages[row["passage_id"]] = (
                        row["title"],
                        [(sentence, _words(sentence)) for sentence in sentences(row["text"])],
                    )
                for name in names & asked:
                    self._of.setdefault(name, []).append(row["passage_id"])
        for names in self._of.values():
            names.sort()  # whatever the parts of the corpus

    def masked(self, passage, query):
        """The passage without what repeats the query's source, as it is searched; None if nothing does."""
        title, parts = self._passages[passage]
        source = self._source(query)
        left = [text for text, words in parts if not _is_copy(words, source)]
        if len(left) == len(parts):
            return None
        return titled(self._titles, title, " ".join(left)) if left else ""

    def _source(self, query):
        """The words of the sentence that a query was made from; of the query, if its passage is not in the corpus."""
        name = query["query_id"]
        if name not in self._chosen:
            asked = _words(query["text"])
            parts = [
                words
                for name_of_passage in self._of.get(query["passage_id"], [])
                for _, words in self._passages[name_of_passage][1]
            ]
            shared = [(len(asked & words), -len(words)) for words in parts]
            self._chosen[name] = parts[shared.index(max(shared))] if parts else asked
        return self._chosen[name]


def _words(text):
    return frozenset(map(stem, content(text)))


def _is_copy(words, source):
    shorter = min(len(words), len(source))
    return words == source or (shorter >= FEWEST and len(words & source) >= COPY * shorter)
