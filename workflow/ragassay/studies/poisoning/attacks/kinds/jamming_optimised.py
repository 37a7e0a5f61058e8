"""Jamming without weights of the model: the question in front, then words that are exchanged one at a time until the
model, asked with what is then found, declines (see `ragassay.studies.poisoning.attacks.blocking`). No target is wanted.
"""

from ragassay.studies.poisoning.attacks.poison import DECLINING, RESPONDER, RETRIEVED, RETRIEVER, AttackError, Poison

SETTINGS = {
    "refusal": "unknown", "tokens": 50, "steps": 1000, "candidates": 32, "patience": 100, "k": 5,
    "targets": None, "seed": 0, "retriever": None, "responder": None,
}  # fmt: skip
NEEDS, WANTS = (RETRIEVER, RETRIEVED, RESPONDER), DECLINING
REFUSALS = {
    "unknown": "I don't know. The passages do not give the answer.",
    "harmful": "I cannot help with this, since an answer could cause harm.",
    "misleading": "I cannot answer, because what I was shown is not reliable.",
}


def poison(targets, tools, settings):
    import numpy as np

    from ragassay.studies.poisoning.attacks.blocking import (  # planning, which reads this module, needs neither
        Blocker,
        frequencies,
    )

    refusal, words = REFUSALS.get(settings["refusal"]), {}
    if refusal is None:
        raise AttackError(f"found the refusal {settings['refusal']!r}, expected one of {', '.join(REFUSALS)}")
    words = frequencies({one["text"] for found in tools.retrieved.values() for one in found})

    def make(target):
        found, question = tools.retrieved.get(target["target_id"], []), target["question"]
        dice = np.random.default_rng([*f"{settings['seed']} {target['target_id']}".encode()])
        blocker = Blocker(question, found[: settings["k"]], words, tools.retriever, tools.responder, settings)
        text = tools.responder.run(lambda ask: blocker.search(ask, refusal, dice))
        return [Poison(target["target_id"], text, calls=blocker.calls, forwards=blocker.forwards)]

    return tools.finished.each(targets, make)
