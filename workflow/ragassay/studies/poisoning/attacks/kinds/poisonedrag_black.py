"""PoisonedRAG without access to the retriever: the question in front, so that the text is found, then the wrong
answer."""

from ragassay.studies.poisoning.attacks.attack import Attack


class Kind(Attack):
    SETTINGS = {"texts": 5}

    def texts(self, target):
        return [f"{sentence(target['question'])} {text}" for text in target["texts"]]


def sentence(question: str) -> str:
    """A question with an end: data sets often leave it out."""
    question = question.strip()
    return question if question[-1:] in (".", "?", "!") else f"{question}."
