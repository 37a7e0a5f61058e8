"""How loud poisoned passages are: what tells them from the clean ones that their questions find, without any defence.
An attack whose texts differ by their length alone is found by a ruler; a defence that finds it has shown little."""

from collections.abc import Iterable
from itertools import pairwise

from ragassay.base import tables
from ragassay.schemas.corpora import PASSAGES
from ragassay.text.words import content, tokens

Pair = tuple[str, str]


class WordPairs:
    """Which documents have the word pairs of some texts. One pass over the corpora; of each pair at most two documents
    are held, which is enough to know one beside a text's own.
    """

    def __init__(self, texts: Iterable[str], passage_ids: set[str], passages: Iterable):
        wanted = set().union(*map(pairs, texts))
        self._holders: dict[Pair, set[str]] = {}
        self._documents: dict[str, str] = {}  # of the passages with these ids
        for path in passages:
            for batch in tables.batches(PASSAGES, path, ["passage_id", "document_id", "text"]):
                for row in batch.to_pylist():
                    for pair in pairs(row["text"]) & wanted:
                        holders = self._holders.setdefault(pair, set())
                        if len(holders) < 2:
                            holders.add(row["document_id"])
                    if row["passage_id"] in passage_ids:
                        self._documents[row["passage_id"]] = row["document_id"]

    def unusual(self, text: str, passage: str | None = None) -> float:
        """The share, beside the document of `passage`, which is this text or what it was made from; 0 without pairs."""
        every, source = pairs(text), {self._documents.get(passage)}
        missing = sum(not self._holders.get(pair, set()) - source for pair in every)
        return missing / len(every) if every else 0.0


def pairs(text: str) -> set[Pair]:
    words = [word.lower() for word in tokens(text)]
    return set(pairwise(words))


def question_words(question: str, text: str) -> float:
    """The share of the question's words, each counted once, that the text has; 0 if the question has none."""
    return _share(tokens(question), tokens(text))


def content_words(question: str, text: str) -> float:
    """The same of the question's content words alone: function words are in all texts and hide the others."""
    return _share(content(question), content(text))


def length(text: str) -> int:
    """In words."""
    return len(text.split())


def _share(asked, written):
    wanted = {word.lower() for word in asked}
    return len(wanted.intersection(word.lower() for word in written)) / len(wanted) if wanted else 0.0
