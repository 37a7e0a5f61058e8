"""Rewrite out-of-scope questions that shared words or their own words give away, until two controls cannot tell them.

In each of `tries` rounds both controls are fitted anew, and the generator rewrites the newest versions that are out of
scope with a probability of `told_from` or more. All versions become rows, and one of each question goes on. Does not
judge whether a version is still out of scope: judges do.

The versions of out-of-scope questions, and which of them two controls can tell from in-scope questions, each by a
fit on other documents: on their in-scope questions and on the newest version of their out-of-scope ones, so that what
rewriting gives away counts in the next round.
"""

from collections import defaultdict
from dataclasses import dataclass

from ragassay.base import tables
from ragassay.base.chance import content_id
from ragassay.base.stage import log, run
from ragassay.base.tally import Tally
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request, Requests
from ragassay.calls.prompts import Prompt, numbered
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_questions import NEAR_MISSES, QUESTIONS, WRITTEN_QUESTIONS
from ragassay.studies.scope import controls
from ragassay.studies.scope.controls import Overlap
from ragassay.studies.scope.model_answers import LEFT_OUT, flaw, plain, read_questions
from ragassay.studies.scope.votes import IN, OUT

NO_QUESTION = "(none)"


def write_near_misses(
    documents, written_questions, prompt, questions, near_misses, calls, model, ledger, sampling, tries, told_from,
    fewest_words, most_words, encoder, embeddings, most_rejected,
):  # fmt: skip
    asked, model = Prompt.load(prompt), Model(**model)
    texts = tables.read(DOCUMENTS, documents, ["doc_id", "cluster_id", "text"]).to_pylist()
    texts = {row["doc_id"]: row for row in texts}
    written = tables.read(WRITTEN_QUESTIONS, written_questions).to_pylist()
    versions = Versions(written, texts, Overlap(Embedder(Encoder(**encoder), embeddings)))
    tally = Tally.of_answers(model.name, "rewritten questions", most_rejected)

    def rewritten(attempt, recognised, first):
        def request(doc_id):
            shown = {"document": texts[doc_id]["text"], "questions": numbered(recognised[doc_id])}
            shown |= {"answered": "\n".join(versions.answered[doc_id]) or NO_QUESTION, "attempt": attempt}
            shown |= {"fewest": fewest_words, "most": most_words}
            return Request(asked.messages(**shown), sampling)

        return complete(Requests(list(recognised), request), model, ledger, calls, tally, first)

    requests = 0
    for attempt in range(1, tries + 1):
        versions.score()
        recognised = versions.told(told_from)
        log.info("try %d: the controls tell %d of %d", attempt, sum(map(len, recognised.values())), len(versions.tried))
        for doc_id, [answer] in zip(recognised, rewritten(attempt, recognised, requests), strict=True):
            tally.hear(doc_id, [answer])
            for slot, (text, why) in read_questions(answer, recognised[doc_id], recognised[doc_id]).items():
                why = why or flaw(text, fewest_words, most_words)
                if not why and not versions.is_new(doc_id, text):
                    why = ("repeated", "found a question that the document already has")
                if not why or why[0] in (LEFT_OUT, "repeated"):  # it has nothing better, which is no failure
                    tally.keep()
                else:
                    tally.reject(f"{doc_id} question {slot}", *why, answer)
                versions.add((doc_id, slot), attempt, text, asked.digest, why and f"{why[0]}: {why[1]}")
        requests += len(recognised)
    versions.score()
    with tables.Writer(QUESTIONS, questions) as kept, tables.Writer(NEAR_MISSES, near_misses) as tried:
        for row in versions.in_scope:
            kept.add(row)
        for slot, of_slot in versions.tried.items():
            chosen = versions.chosen(slot, told_from)
            kept.add(chosen.question())
            for version in of_slot:
                tried.add(near_miss(version, version is chosen))
    assert kept.written == len(written)
    log.info("%d out-of-scope questions, %d versions of them", len(versions.tried), tried.written)


def near_miss(version, chosen) -> dict:
    row = {name: version.written[name] for name in ("doc_id", "shard", "slot", "generator")}
    row |= {"question_id": None if version.reason else version.question()["question_id"]}
    row |= {"written_id": version.written["question_id"], "chosen": chosen, "prompt": version.prompt}
    return row | {name: getattr(version, name) for name in ("attempt", "text", "overlap", "wording", "reason")}


@dataclass
class Version:
    """A question as it was written (attempt 0) or as a try brought it; with a reason if it cannot be used."""

    written: dict
    attempt: int
    text: str
    prompt: str
    reason: str | None = None
    overlap: float | None = None  # how probably it is out of scope, by either control
    wording: float | None = None

    @property
    def probability(self) -> float | None:
        """That of the control which is surer; None where the other documents are too few to fit one."""
        return max((score for score in (self.overlap, self.wording) if score is not None), default=None)

    def question(self) -> dict:
        """Its row of `questions`."""
        if not self.attempt:
            return self.written
        parts = (self.written[name] for name in ("doc_id", "generator", "intended", "recovered_id"))
        changed = {"question_id": content_id("question", *parts, self.text), "prompt": self.prompt}
        return self.written | changed | {"text": self.text, "n_words": len(self.text.split())}


class Versions:
    """All versions of a shard's questions. `documents` are rows with text and cluster by id."""

    def __init__(self, questions: list[dict], documents: dict[str, dict], overlap: Overlap):
        self.documents, self.overlap, self.measured = documents, overlap, {}
        self.in_scope = [row for row in questions if row["intended"] == IN]
        first = [Version(row, 0, row["text"], row["prompt"]) for row in questions if row["intended"] == OUT]
        self.tried = {(version.written["doc_id"], version.written["slot"]): [version] for version in first}
        self.answered, self.asked = defaultdict(list), defaultdict(set)  # document -> in-scope questions, and all
        for row in self.in_scope:
            self.answered[row["doc_id"]].append(row["text"])
        for row in questions:
            self.asked[row["doc_id"]].add(plain(row["text"]))

    def is_new(self, doc_id: str, text: str) -> bool:
        """Whether nothing like it was asked about the document yet."""
        return plain(text) not in self.asked[doc_id]

    def add(self, slot: tuple, attempt: int, text: str, prompt: str, reason: str | None) -> None:
        self.tried[slot].append(Version(self.tried[slot][0].written, attempt, text, prompt, reason))
        self.asked[slot[0]].add(plain(text))

    def newest(self, slot: tuple) -> Version:
        return self._usable(slot)[-1]

    def chosen(self, slot: tuple, told_from: float) -> Version:
        """The newest one if the controls cannot tell it, else that of which they are least sure."""
        return min(reversed(self._usable(slot)), key=lambda version: max(version.probability or 0.0, told_from))

    def score(self) -> None:
        """Fit both controls and score all versions that can be used."""
        usable = [version for slot in self.tried for version in self._usable(slot)]
        newest = {id(self.newest(slot)) for slot in self.tried}
        rows = self._rows([(row["doc_id"], row["text"]) for row in self.in_scope])
        rows += self._rows([(version.written["doc_id"], version.text) for version in usable])
        labels = [False] * len(self.in_scope) + [True] * len(usable)
        fitted_on = [True] * len(self.in_scope) + [id(version) in newest for version in usable]
        overlap = controls.overlap_scores(rows, labels, fitted_on)
        wording = controls.wording_scores(rows, labels, fitted_on)
        for at, version in enumerate(usable, len(self.in_scope)):
            version.overlap, version.wording = overlap[at], wording[at]

    def told(self, told_from: float) -> dict[str, dict[int, str]]:
        """document -> slot -> the newest version, where the controls tell it."""
        slots = {}
        for doc_id, slot in sorted(self.tried):
            newest = self.newest((doc_id, slot))
            if newest.probability is not None and newest.probability >= told_from:
                slots.setdefault(doc_id, {})[slot] = newest.text
        return slots

    def _usable(self, slot):
        return [version for version in self.tried[slot] if not version.reason]

    def _rows(self, pairs):
        """What the controls look at, measured once for each pair of document and question."""
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self.measured]
        features = self.overlap.measure([(text, self.documents[doc_id]["text"]) for doc_id, text in new])
        for (doc_id, text), row in zip(new, features, strict=True):
            self.measured[doc_id, text] = row | {"text": text, "cluster_id": self.documents[doc_id]["cluster_id"]}
        return [self.measured[pair] for pair in pairs]


if __name__ == "__main__":
    run(write_near_misses, snakemake)
