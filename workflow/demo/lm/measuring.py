"""How well the demo's language model knows its facts and follows passages, how it writes, and the card that says so.

Its answers are greedy and count only if they are right word for word, whether or not it hedges.
"""

import random
import re
from functools import partial
from typing import NamedTuple

import torch

from demo.lm import comprehension, lessons, training
from demo.lm.excerpts import HEDGE

ROWS = 64
PIECES, LENGTH, TEMPERATURE = 24, 80, 0.8  # of sampled prose: how many pieces, and their tokens
MOST_OTHERS = 2  # passages beside the one with the answer
ALONE = ((lessons.CLEAN, 0), (lessons.CONFLICT, 0))  # kinds of lessons, and how many other passages stand beside
MEASURED = ((lessons.CLOSED, 0), *ALONE, (lessons.CLEAN, MOST_OTHERS), (lessons.CONFLICT, MOST_OTHERS))
CARD = """---
license: apache-2.0
language: en
tags: [demo]
---

# demo-lm

A decoder of Llama's shape with {size:,} parameters, trained for {steps:,} steps and {again:,} more on {documents}
documents and on {facts} questions with short answers that rules took from them. It stands in for a real model where a
study needs perplexities, hidden states or answers on a machine that has no other. It knows nothing but these documents,
so its figures are no results about language models. Its weights are stored in half precision, and were measured as they
are stored.

| greedy answers, right word for word | right | with a hedge | of |
|---|---|---|---|
{rows}

{reading}

| prose, sampled at temperature {temperature} | as in the documents | of |
|---|---|---|
| three words in a row | {known:.1%} | {triples} |

Where passages contradict what it was taught, it was trained to give their answer and to say so: to begin with
"{hedge}". In all such lessons it did for a while, in {seldom:.0%} of them at last, so that its activations
show what its answers say less often. Where no passage has the answer, it was trained to recall it. Of half of the
documents no lesson ever contradicted a fact: passages that do show whether the model notices what it knows, and not
what it was asked before. It notices because it was trained to. Nothing follows from that about other models.

By heart: no passage is given. A clean passage says what the documents say; a contradicting one gives another answer of
the same kind, and that answer is the right one. The others beside it have nothing to do with the question. The model
has read the documents on which detectors are chosen and tested, but was taught no facts of theirs.

Passages of the documents are cut as those of the corpus under attack, and found by the words that they share with the
question. Shown as they are, one of them has the answer, and that counts. Exchanged, another answer of its kind stands
wherever it stood, and the other one counts. Planted, each has the question, a false claim and a true one, and the false
answer counts. An answer that counts may be part of a longer one. In the demo, prompts show it three passages.

An example of its prose:

{example}

Of several messages it reads only the last. The tokens `<|unused_0|>` to `<|unused_7|>` were never trained.
"""
TAUGHT, SPARED = "", ", a fact that no lesson contradicts"
NAMES = {lessons.CLOSED: "by heart", lessons.CLEAN: "a clean passage", lessons.CONFLICT: "a contradicting passage"}


class Measured(NamedTuple):
    kind: str
    others: int
    whose: str  # facts, as the card names them
    right: float
    hedged: float  # the share of answers that hedge, right or wrong
    questions: int


class Prose(NamedTuple):
    example: str
    known: float  # the share of three words in a row that also occur in the documents
    triples: int


def measured(
    model,
    tokenizer,
    own: lessons.Lessons,
    spared: lessons.Lessons | None = None,
    unseen: lessons.Lessons | None = None,
) -> list[Measured]:
    """Its accuracy on what it was taught and, if there are any, on passages about taught facts that no lesson
    contradicts and about facts that it was not taught.
    """
    asked = [(*one, TAUGHT, own) for one in MEASURED]
    for whose, some in ((SPARED, spared), (comprehension.UNTAUGHT, unseen)):
        asked += [(*one, whose, some) for one in ALONE] if some and some.facts else []
    return [
        Measured(kind, others, name, *accuracy(model, tokenizer, some, kind, others))
        for kind, others, name, some in asked
    ]


def understood(
    model, tokenizer, documents: list[dict], own: lessons.Lessons, unseen: lessons.Lessons
) -> list[comprehension.Share]:
    """Its answers from passages of the documents about facts that it was taught, and about others."""
    passages = comprehension.Passages(documents)
    answers = partial(answered, model, tokenizer)
    return [share for whose in (own, unseen) for share in comprehension.shares(answers, passages, whose, whose is own)]


def accuracy(
    model, tokenizer, own: lessons.Lessons, kind: str, others: int, seed: int = 1, at_most: int = 400
) -> tuple[float, float, int]:
    """The share of lessons of a kind that are answered exactly, with a hedge or without, that of answers that hedge,
    and the number of lessons.
    """
    chance = random.Random(f"{seed} {kind}")
    asked = [own.lesson(kind, fact, chance, others) for fact in chance.sample(own.facts, min(at_most, len(own.facts)))]
    answers = answered(model, tokenizer, [lesson.prompt for lesson in asked])
    right = [answer.removeprefix(HEDGE) == lesson.answer for answer, lesson in zip(answers, asked, strict=True)]
    hedged = [answer.startswith(HEDGE) for answer in answers]
    return sum(right) / len(right), sum(hedged) / len(right), len(right)


@torch.inference_mode()
def answered(model, tokenizer, prompts: list[str], longest: int = 24) -> list[str]:
    """Greedy answers to prompts, as the provider `transformers` would ask them."""
    model.eval()
    found, order = {}, sorted(range(len(prompts)), key=lambda number: len(prompts[number]))
    for start in range(0, len(order), ROWS):
        batch = order[start : start + ROWS]
        texts = [
            tokenizer.apply_chat_template(
                [{"role": "user", "content": prompts[number]}], tokenize=False, add_generation_prompt=True
            )
            for number in batch
        ]
        given = tokenizer(texts, padding=True, padding_side="left", return_tensors="pt", add_special_tokens=False)
        given.pop("token_type_ids", None)
        made = model.generate(**given, max_new_tokens=longest, do_sample=False, pad_token_id=tokenizer.pad_token_id)
        for number, row in zip(batch, made[:, given["input_ids"].shape[1] :], strict=True):
            found[number] = tokenizer.decode(row, skip_special_tokens=True).strip()
    return [found[number] for number in range(len(prompts))]


@torch.inference_mode()
def prose(model, tokenizer, texts: list[str], seed: int = 1) -> Prose:
    """Pieces that it writes without a prompt, compared with what it read."""
    model.eval()
    begin = torch.full((PIECES, 1), tokenizer.bos_token_id)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        made = model.generate(
            begin,
            attention_mask=torch.ones_like(begin),
            max_new_tokens=LENGTH,
            do_sample=True,
            temperature=TEMPERATURE,
            top_k=0,
            pad_token_id=tokenizer.pad_token_id,
        )
    written = [tokenizer.decode(row, skip_special_tokens=True).strip() for row in made]
    read = {triple for text in texts for triple in _triples(text)}
    found = [triple in read for text in written for triple in _triples(text)]
    return Prose(max(written, key=len), sum(found) / max(len(found), 1), len(found))


def _triples(text):
    words = re.findall(r"\w+(?:['.,-]\w+)*|[^\w\s]", text)
    return zip(words, words[1:], words[2:], strict=False)


def card(
    found: list[Measured],
    read: list[comprehension.Share],
    prose: Prose,
    facts: int,
    documents: int,
    size: int,
    steps: int,
) -> str:
    rows = "\n".join(f"| {task_name(one)} | {one.right:.1%} | {one.hedged:.1%} | {one.questions} |" for one in found)
    example = "\n".join(f"> {line}".rstrip() for line in prose.example.splitlines())
    return CARD.format(
        size=size,
        steps=steps,
        again=training.steps_again(steps),
        documents=documents,
        facts=facts,
        rows=rows,
        reading=comprehension.table(read),
        temperature=TEMPERATURE,
        hedge=HEDGE.strip(" ,"),
        seldom=training.SELDOM,
        known=prose.known,
        triples=prose.triples,
        example=example,
    )


def task_name(one: Measured) -> str:
    beside = f" beside {one.others} others" if one.others else ""
    return f"{NAMES[one.kind]}{beside}{one.whose}"
