"""All of TrustRAG: its first stage, which alone removes passages, and then three questions to the responder: what it
knows by itself, what of that and of the passages can be trusted, and the answer. They help as far as the model knows
the right answer by heart."""

from ragassay.calls.parsers.result import Abstain, answer_part
from ragassay.studies.poisoning.defences.kinds import trustrag


class Kind(trustrag.Kind):
    SETTINGS = trustrag.Kind.SETTINGS | {"words": 50, "longest": 500}
    PROMPTS = ("recall_knowledge", "consolidate_knowledge")

    async def answer(self, question, passages, ask):
        recalled = _text(await ask("recall_knowledge", question=question, words=self.settings["words"]))
        material = {"knowledge": recalled, "passages": passages, "question": question}
        trusted = recalled
        if passages:
            trusted = _text(await ask("consolidate_knowledge", self.settings["longest"], **material))
        return await ask.answer(question, [trusted] if trusted else [])


def _text(answer):
    """What was written; nothing where that cannot be read."""
    text = answer_part(answer.text, answer.finish_reason)
    return "" if isinstance(text, Abstain) else text.strip()
