"""The card of the demo's language model: what it is, and what was measured of it."""

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

By heart, no passage is given. A clean passage says what the documents say, a contradicting one names another answer
of the same kind, which is right then; up to two further passages have nothing to do with the question. All facts were
trained on, in other passages.

Of messages it reads the last alone. The tokens `<|unused_0|>` to `<|unused_7|>` were never trained.
"""
NAMES = {
    "closed_book": "by heart",
    "clean": "clean passages",
    "conflict": "contradicting passages",
}


def text(measured: dict[str, tuple[float, int]], facts: int, documents: int, size: int, steps: int) -> str:
    rows = (f"| {NAMES[kind]} | {share:.1%} | {count} |" for kind, (share, count) in measured.items())
    return TEXT.format(size=size, steps=steps, documents=documents, facts=facts, rows="\n".join(rows))
