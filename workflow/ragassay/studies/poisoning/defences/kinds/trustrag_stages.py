"""All of TrustRAG: its first stage, which removes passages, and then three questions to the responder. It writes what
it knows by itself, then what of that and of the passages can be trusted, and answers from this alone.

Only the first stage removes anything; the others change the answer, for better or worse. They help as far as the model
knows the right answer by heart, so a model that knows nothing cannot take the part.
"""

from ragassay.calls.parsers.result import Abstain, answer_part

SETTINGS = {"similarity": None, "rouge": 0.25, "alpha": 0.05, "seed": 0, "poisoned_null": None}  # of the first stage
SETTINGS |= {"words": 50, "longest": 500}
NEEDS = ("vectors",)
PROMPTS = ("recall_knowledge", "consolidate_knowledge")


def fit(null, settings):
    from ragassay.studies.poisoning.defences.kinds import trustrag  # which brings numpy: a job that asks has none

    return trustrag.fit(null, settings)


def judge(passages, settings):
    from ragassay.studies.poisoning.defences.kinds import trustrag

    return trustrag.judge(passages, settings)


async def answer(question, passages, ask, settings):
    known = _text(await ask("recall_knowledge", question=question, words=settings["words"]))
    material = {"knowledge": known, "passages": passages, "question": question}
    trusted = _text(await ask("consolidate_knowledge", settings["longest"], **material)) if passages else known
    return await ask.answer(question, [trusted] if trusted else [])


def _text(answer):
    """What was written; nothing where that cannot be read."""
    text = answer_part(answer.text, answer.finish_reason)
    return "" if isinstance(text, Abstain) else text.strip()
