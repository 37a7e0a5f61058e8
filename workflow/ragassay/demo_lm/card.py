"""The card of the demo's language model: what it is, and what was measured of it."""

from ragassay.demo_lm import lessons
from ragassay.demo_lm.measuring import TEMPERATURE, Measured, Prose

TEXT = """---
license: apache-2.0
language: en
tags: [demo]
---

# demo-lm

A decoder of Llama's shape with {size:,} parameters, trained for {steps:,} steps on {documents} documents and on {facts}
questions with short answers that were taken from them by rules. It stands in for a real model where a study needs
perplexities, hidden states or answers on a machine without any. It knows nothing else, its prose is the documents'
own in pieces, and its figures are no results about language models.

| its own answers, greedily, word for word | right | of |
|---|---|---|
{rows}

| its own prose, drawn at temperature {temperature} | as in the documents | of |
|---|---|---|
| three words in a row | {known:.1%} | {triples} |

By heart, no passage is given. A clean passage says what the documents say, a contradicting one names another answer
of the same kind, which is right then. Other passages have nothing to do with the question. It was taught no fact of
documents on which detectors are chosen and tested, but it has read them.

One of these pieces of prose:

{example}

Of messages it reads the last alone. The tokens `<|unused_0|>` to `<|unused_7|>` were never trained.
"""
NAMES = {lessons.CLOSED: "by heart", lessons.CLEAN: "a clean passage", lessons.CONFLICT: "a contradicting passage"}


def text(found: list[Measured], prose: Prose, facts: int, documents: int, size: int, steps: int) -> str:
    rows = "\n".join(f"| {name(one)} | {one.right:.1%} | {one.questions} |" for one in found)
    example = "\n".join(f"> {line}".rstrip() for line in prose.example.splitlines())
    return TEXT.format(
        size=size,
        steps=steps,
        documents=documents,
        facts=facts,
        rows=rows,
        temperature=TEMPERATURE,
        known=prose.known,
        triples=prose.triples,
        example=example,
    )


def name(one: Measured) -> str:
    beside = f" beside {one.others} others" if one.others else ""
    return f"{NAMES[one.kind]}{beside}{'' if one.taught else ', a fact that it was not taught'}"
