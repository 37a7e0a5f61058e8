"""The training material of the demo's language model: texts, lessons on their facts, and a tokenizer of both.

The recipe is a digest over a whole course and the numbers that training goes by. It is made of what the model meets, so
code may be written differently as long as it teaches the same.
"""

import hashlib
import json
import random
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from transformers import PreTrainedTokenizerFast

from demo.lm import lessons, training
from demo.lm.excerpts import Excerpts
from demo.lm.lessons import Fact
from demo.lm.rows import COPIES, PASSAGES, PROSE, Batches
from demo.lm.tokens import trained
from ragassay.calls.prompts import Prompt

LONGEST = 8192  # tokens of a prompt and its answer; words of other corpora are several each
BATCHES = 8  # of each kind that the recipe looks at


class Course(NamedTuple):
    texts: list[str]
    lessons: lessons.Lessons  # on facts that are taught
    spared: lessons.Lessons  # on those of them that no lesson contradicts
    unseen: lessons.Lessons  # on those that are not
    excerpts: Excerpts
    tokenizer: PreTrainedTokenizerFast


def course(
    documents: list[dict],
    known: list[Fact],
    is_taught: Callable[[str], bool],
    prompts: Sequence[Prompt],
    vocabulary: int,
    seed: int,
    barred: Collection[tuple[str, str]] = (),
) -> Course:
    """`documents` have doc_id, url, title and text, `known` are their facts. `is_taught` tells by doc_id whether those
    of a document are taught. `prompts` are the one without passages and the one with them. `barred` are pairs of a
    right and a wrong answer: no lesson on passages puts the one for the other.
    """
    taught = lessons.Lessons([fact for fact in known if is_taught(fact.doc_id)], *prompts, others=known)
    unseen = lessons.Lessons([fact for fact in known if not is_taught(fact.doc_id)], *prompts, others=known)
    texts = ["\n\n".join(filter(None, (document["title"], document["text"]))) for document in documents]
    chance = random.Random(seed)
    asked = [taught.lesson(kind, fact, chance).prompt for fact in known for kind in (lessons.CLOSED, lessons.CLEAN)]
    contradicted = {row["doc_id"]: is_contradicted(row.get("url") or row["doc_id"]) for row in documents}
    facts = [*taught.facts, *unseen.facts]
    excerpts = Excerpts(taught, facts, documents, contradicted.__getitem__, barred)
    some = [fact for fact in taught.facts if not contradicted[fact.doc_id]]
    spared = lessons.Lessons(some, *prompts, others=known)
    return Course(texts, taught, spared, unseen, excerpts, trained([*texts, *asked], vocabulary, LONGEST))


def is_contradicted(address: str) -> bool:
    """Every other document is, by its address."""
    return hashlib.sha256(address.encode()).digest()[0] % 2 == 0


def batches(material: Course, seed: int, again: bool = False) -> Batches:
    return Batches(material.tokenizer, material.lessons, material.excerpts, material.texts, seed, again)


def recipe(material: Course, settings: dict) -> str:
    """A digest that changes with the texts, the lessons, the tokenizer and the settings of the training."""
    chance, drawn, again = random.Random(0), batches(material, 0), batches(material, 0, again=True)
    taught = [material.lessons.lesson(kind, fact, chance) for fact in material.lessons.facts for kind in lessons.KINDS]
    kinds = [kind for kind in (COPIES, PROSE, PASSAGES, lessons.CLOSED) for _ in range(BATCHES)]
    shown = [drawn.batch(kind, hedged=training.SELDOM) for kind in kinds]
    shown += [again.batch(PASSAGES, hedged=training.SELDOM) for _ in range(BATCHES)]
    rows = [[part.tolist() for part in batch] for batch in shown]
    content = {
        "texts": material.texts,
        "lessons": taught,
        "rows": rows,
        "chat": material.tokenizer.chat_template,
        "settings": settings,
        "numbers": _numbers(training),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def _numbers(module):
    """The constants of a module."""
    return {name: value for name, value in vars(module).items() if name.isupper() and isinstance(value, int | float)}
