"""What a fitted gate, guard and screen would have done to a question and the passages that a service retrieved for it,
standing where they stand in a service: the gate before the search, the guard behind it, the screen before the index.

A gate stops what it does not pass on. A guard that removes any passage stops the answer, which may come from it, as the
proxy of `ragassay serve` does. A screen stops poison if it holds all planted passages that were retrieved; it takes a
clean answer if it holds any of its passages. A guard judges by thresholds that have not seen the question.
"""

from pathlib import Path
from typing import Any

from ragassay.grading.matches import normalized
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.search.nearest import comparable
from ragassay.services.gate import Gate
from ragassay.services.guard import Guard
from ragassay.services.screen import Screen
from ragassay.studies.poisoning.defences.defence import DefenceError
from ragassay.studies.poisoning.defences.thresholds import SAMPLE, CriteriaDefence, fold_of

NAMES = GATE, GUARD, SCREEN = "gate", "guard", "screen"


class StandingGuards:
    """`gate` is a folder, `guard` a file and `scorer` its scorer, each if there is one; `search` has the encoders and
    the similarity of the search that the guard was fitted with.
    """

    def __init__(self, gate: str | None, guard: str | None, scorer: Any, search: dict[str, Any]):
        self.gate = Gate.load(gate) if gate else None
        self.guard = Guard.load(guard, scorer) if guard else None
        self.screen, self.search = None, search
        if self.guard:
            if self.guard.own_encoder:
                raise DefenceError(
                    f"{guard}: found a guard that compares vectors of {self.guard.own_encoder}, expected one that"
                    " compares those of the service's search; fit one without the setting encoder"
                )
            self.encoders = {
                role: Embedder(Encoder(**search[name]), search["embeddings"])
                for role, name in (("passage", "encoder"), ("query", "query_encoder"))
            }
            defence = self.guard.defence
            sources = defence.CRITERIA.values() if isinstance(defence, CriteriaDefence) else ()
            if SAMPLE in sources and not defence.COMPARES:
                self.screen = Screen(self.guard)

    def names(self) -> list[str]:
        return [name for name in NAMES if getattr(self, name)]

    def stops(self, question: str, passages: list[str] | None, planted: list[bool]) -> dict[str, bool | None]:
        """Which of them stop the answer; None where nobody can tell, as without passages. `planted` says which passages
        an attack put there: none of a clean answer.
        """
        stops: dict[str, bool | None] = dict.fromkeys(NAMES)
        if self.gate:
            stops[GATE] = not self.gate(question).in_knowledge
        if passages is None or not self.guard:
            return stops
        stops[GUARD] = any(judgement.removed for judgement in self._judged(question, passages))
        if self.screen:
            held = [judgement.removed for judgement in self.screen(passages)] if passages else []
            of_planted = [is_held for is_held, is_planted in zip(held, planted, strict=True) if is_planted]
            stops[SCREEN] = all(of_planted) if of_planted else any(held)
        return stops

    def _judged(self, question, passages):
        if not passages:
            return []
        vectors = comparable(self.encoders["passage"].embed(passages, "passage"), self.search["similarity"])
        asked = comparable(self.encoders["query"].embed([question], "query"), self.search["similarity"])
        return self.guard.judge(question, passages, vectors @ asked[0], vectors, fold_of(question))


class Planted:
    """Recognizes what an attack planted among passages that a service returned: by its id, or by its words, of which a
    service may have joined or cut some. `rows` are those of the table poisoned_passages.
    """

    def __init__(self, rows: list[dict]):
        self.ids = {row["passage_id"] for row in rows}
        self.texts = {_words(row["text"]) for row in rows}

    def __call__(self, passage: dict) -> bool:
        places = " ".join(str(passage[name]) for name in ("id", "source") if passage[name])
        if any(name in places for name in self.ids):
            return True
        words = _words(passage["text"])
        return bool(words.strip()) and any(words in text or text in words for text in self.texts)


def opened(gate: list[str], guard: list[str], scorer: list, search: dict[str, Any]) -> StandingGuards:
    """The same from the inputs of a rule, each a list of at most one."""
    for place in (*gate, *guard):
        if not Path(place).exists():
            raise DefenceError(f"{place}: found nothing, expected a fitted gate or guard; run the study that fits it")
    return StandingGuards(*(next(iter(part), None) for part in (gate, guard, scorer)), search)


def _words(text):
    """Behind each word stands a space, and before the first, so that no word is cut in two."""
    return f" {' '.join(normalized(text))} "
