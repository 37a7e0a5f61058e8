"""PoisonedRAG without access to the retriever: the question in front, so that the text is found, then the wrong
answer.
"""

from ragassay.studies.poisoning.attacks.kinds import poisonedrag_bare


class Kind(poisonedrag_bare.Kind):
    def poison(self, targets):
        questions = {target["target_id"]: sentence(target["question"]) for target in targets}
        for poison in super().poison(targets):
            yield poison._replace(text=f"{questions[poison.target_id]} {poison.text}")


def sentence(question: str) -> str:
    """A question with an end: data sets often leave it out."""
    question = question.strip()
    return question if question[-1:] in (".", "?", "!") else f"{question}."
