"""The embedded model: a rule-based reader that gets the messages a remote model would get and answers in free text.

It is no language model. It compares words, recombines sentences and fills templates; the modules beside this one say
what each of them can and cannot do. It knows nothing about the world, so without a document it says that it does not
know. It is here so that a study runs anywhere, without a key and without weights; its results show that the pipeline
works and are no results about models.

The same call always gives the same text: the seed is a hash of messages, sampling settings and index. At temperature 0
all evidence is read and every sample is the same; above, each sample overlooks some of it, and samples differ by index.
"""

import hashlib
import json
import random

from ragassay.embedded.tasks import (
    answers,
    claims,
    defusion,
    falsehoods,
    keywords,
    paraphrases,
    questions,
    recovery,
    relevance,
    scope,
    short_answers,
    task,
)
from ragassay.embedded.tasks.evidence import read, unsupported

REMOVED_BELOW = 0.12  # share of a claim's words that every passage lacks, below which the claim counts as supported
ALIKE = 0.9  # share of common words from which a second question about a document is left out
DEFAULT_COUNT = 6
DEFAULT_TEXTS, DEFAULT_WORDS = 5, 30
READS = {"document": 40_000, "question": 2_000, "response": 8_000}  # letters: what stands behind is not read


def respond(messages: list[dict], sampling: dict | None = None, index: int = 0) -> str:
    """One sample of the answer to the last user message; `sampling` may hold temperature and seed."""
    sampling = sampling or {}
    asked = task.understand(messages)
    varied = sampling.get("temperature", 1.0) not in (0, None)
    seed = _seed(messages, sampling, index if varied else 0)
    return TASKS[asked.task](asked, random.Random(seed) if varied else None, random.Random(seed))


def _seed(messages, sampling, index):
    said = [[message.get("role"), message.get("content")] for message in messages]
    text = json.dumps([said, sampling.get("temperature"), sampling.get("seed"), index], sort_keys=True, default=str)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


def _extract(asked, chance, _):
    found = claims.extract(_part(asked, "document"), asked.count or DEFAULT_COUNT, chance)
    return _list(found, "The document makes no claim that I can take out of it.")


def _recover(asked, _, dice):
    given = task.items(_part(asked, "claims"))
    return task.listed(recovery.recover(given, dice)) or "The list holds no numbered claims."


def _remove(asked, chance, _):
    document, true = _part(asked, "document"), task.items(_part(asked, "true claims"))
    texts = [read(document), *(read(claim) for claim in true.values())]
    bar = REMOVED_BELOW * (chance.uniform(0.7, 1.3) if chance else 1.0)
    recovered = task.items(_part(asked, "recovered claims"))
    new = {
        number: claim for number, claim in recovered.items() if min(unsupported(claim, text) for text in texts) >= bar
    }
    return task.listed(new) or "None"


def _questions_from_claims(asked, _, dice):
    reading, written = read(_part(asked, "document")), {}
    for number, claim in task.items(_part(asked, "claims")).items():
        text = questions.out_of_scope(claim, reading, dice)
        if text and all(recovery.similarity(text, other) < ALIKE for other in written.values()):
            written[number] = text
    return task.listed(written) or "None"


def _questions(asked, _, dice):
    found = questions.in_scope(_part(asked, "document"), asked.count or DEFAULT_COUNT, dice)
    return _list(found, "The document answers no question that I can put.")


def _scope(asked, chance, _):
    found = scope.judge(_part(asked, "document"), _part(asked, "question"), chance)
    if found.out and found.foreign:
        words = " and ".join(f'"{word}"' for word in found.foreign[:3])
        why = f"The question brings in {words}, of which the document says nothing."
    elif found.out:
        why = "The document has words of this question, but says nothing that puts them together or answers it."
    else:
        why = (
            "What the question asks about is treated in the document."
            if found.closest
            else "There is nothing to compare."
        )
    return f"{why}\nVerdict: {_verdict(found.out)}"


def _answer(asked, chance, _):
    document, question = _part(asked, "document"), _part(asked, "question")
    return answers.answer(document, question, asked.may_decline, asked.stepwise, chance)


def _passages(asked, chance, _):
    found = asked.parts.get("passage") or asked.parts["passages"][0].split("\n")
    passages = [passage[: READS["document"]] for passage in found]
    return short_answers.reply(passages, _part(asked, "question"), asked.alone, chance)


def _relevance(asked, chance, _):
    passages = [passage[: READS["document"]] for passage in asked.parts["passage"]]
    return relevance.rated(asked.parts["query"][0][: READS["question"]], passages, chance)


def _query(asked, _, dice):
    return relevance.written(_part(asked, "passage"), dice)


def _rewrite(asked, _, dice):
    return paraphrases.rewritten(_part(asked, "passage"), dice)


def _rewrite_question(asked, _, dice):
    return paraphrases.asked(_part(asked, "question"), dice)


def _near_misses(asked, _, dice):
    shown = task.items(_part(asked, "questions"))
    written = {number: paraphrases.question(text, dice) for number, text in shown.items()}
    return task.listed({number: text for number, text in written.items() if text != shown[number]}) or "None"


def _keywords(asked, chance, _):
    return keywords.named(_part(asked, "passage"), _part(asked, "question"), chance)


def _from_keywords(asked, *_):
    return keywords.answer(_part(asked, "keywords").split("\n"), _part(asked, "question"))


def _propose(asked, _, dice):
    return falsehoods.proposed(_part(asked, "question"), _part(asked, "right answer"), *_texts(asked), dice)


def _support(asked, _, dice):
    return falsehoods.supporting(_part(asked, "question"), _part(asked, "answer"), *_texts(asked), dice)


def _texts(asked):
    return asked.count or DEFAULT_TEXTS, asked.words or DEFAULT_WORDS


def _defusion(asked, chance, _):
    found = defusion.judge(_part(asked, "document"), _part(asked, "question"), _part(asked, "response"), chance)
    return f"{found.why}\nVerdict: {_verdict(found.defused)}"


def _closed_book(*_):
    return "I do not know the answer. I can only work on texts that are given to me."


def _unknown(asked, *_):
    return f"I am a small rule-based reader and cannot do this: {asked.reason}."


def _part(asked, label):
    return asked.parts.get(label, [""])[0][: READS.get(label, READS["document"])]


def _list(found, otherwise):
    return task.listed(dict(enumerate(found, 1))) if found else otherwise


def _verdict(holds):
    return "yes" if holds else "no"


TASKS = {
    "extract": _extract,
    "recover": _recover,
    "remove": _remove,
    "questions_from_claims": _questions_from_claims,
    "questions": _questions,
    "scope": _scope,
    "answer": _answer,
    "passages": _passages,
    "relevance": _relevance,
    "query": _query,
    "rewrite": _rewrite,
    "rewrite_question": _rewrite_question,
    "near_misses": _near_misses,
    "keywords": _keywords,
    "from_keywords": _from_keywords,
    "propose": _propose,
    "support": _support,
    "defusion": _defusion,
    "closed_book": _closed_book,
    "unknown": _unknown,
}
