"""The training material of the demo's language model: texts, lessons on their facts, and a tokenizer of both.

The recipe is a digest over a whole course and the numbers that training goes by. It is made of what the model meets, so
code may be written differently as long as it teaches the same.
"""

import hashlib
import json
import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from transformers import PreTrainedTokenizerFast

from ragassay.demo_lm import lessons, training
from ragassay.demo_lm.rows import COPIES, PASSAGES, PROSE, Batches
from ragassay.demo_lm.tokens import trained
from ragassay.llm.prompts import Prompt

LONGEST = 8192  # tokens of a prompt and its answer; words of other corpora are several each
BATCHES = 8  # of each kind that the recipe looks at


class Course(NamedTuple):
    texts: list[str]
    lessons: lessons.Lessons  # on facts that are taught
    unseen: lessons.Lessons  # on those that are not
    tokenizer: PreTrainedTokenizerFast


def course(
    documents: list[dict], is_taught: Callable[[str], bool], prompts: Sequence[Prompt], vocabulary: int, seed: int
) -> Course:
    """`documents` have doc_id, title and text; `is_taught` tells by doc_id whether facts of a document are taught;
    `prompts` are the one without passages and the one with them.
    """
    known = lessons.facts(documents)
    taught = lessons.Lessons([fact for fact in known if is_taught(fact.doc_id)], *prompts, others=known)
    unseen = lessons.Lessons([fact for fact in known if not is_taught(fact.doc_id)], *prompts, others=known)
    texts = ["\n\n".join(filter(None, (document["title"], document["text"]))) for document in documents]
    chance = random.Random(seed)
    asked = [taught.lesson(kind, fact, chance).prompt for fact in known for kind in (lessons.CLOSED, lessons.CLEAN)]
    return Course(texts, taught, unseen, trained([*texts, *asked], vocabulary, LONGEST))


def recipe(material: Course, settings: dict) -> str:
    """A digest that changes with the texts, the lessons, the tokenizer and the settings of the training."""
    chance, batches = random.Random(0), Batches(material.tokenizer, material.lessons, material.texts, 0)
    taught = [material.lessons.lesson(kind, fact, chance) for fact in material.lessons.facts for kind in lessons.KINDS]
    kinds = [kind for kind in (COPIES, PROSE, PASSAGES, lessons.CLOSED) for _ in range(BATCHES)]
    rows = [[part.tolist() for part in batches.batch(kind)] for kind in kinds]
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
