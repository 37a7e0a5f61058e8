"""PoisonedRAG without access to the retriever: the question in front, so that the text is found, then the wrong
answer.
"""

from ragassay.studies.poisoning.attacks.kinds import poisonedrag_bare
from ragassay.studies.poisoning.attacks.poison import ANSWER

SETTINGS, NEEDS, WANTS = poisonedrag_bare.SETTINGS, (), ANSWER


def poison(targets, tools, settings):
    questions = {target["target_id"]: sentence(target["question"]) for target in targets}
    for one in poisonedrag_bare.poison(targets, tools, settings):
        yield one._replace(text=f"{questions[one.target_id]} {one.text}")


def sentence(question: str) -> str:
    """A question with an end: data sets often leave it out."""
    question = question.strip()
    return question if question[-1:] in (".", "?", "!") else f"{question}."
