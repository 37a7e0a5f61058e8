"""PoisonedRAG with the retriever's weights: the question in front is exchanged token by token for what the retriever
holds for more similar to it (HotFlip), then comes the wrong answer.
"""

from ragassay.studies.poisoning.attacks.poison import ANSWER, RETRIEVER, Poison

SETTINGS = {"texts": 5, "steps": 30, "candidates": 100, "targets": None, "seed": 0, "retriever": None}
NEEDS, WANTS = (RETRIEVER,), ANSWER


def poison(targets, tools, settings):
    def make(target):
        question, texts = target["question"], target["texts"][: settings["texts"]]
        drafts = [tools.retriever.draft(question, f" {text}") for text in texts]
        seed = f"{settings['seed']} {target['target_id']}"
        wanted = tools.retriever.questions([question])
        climbed = tools.retriever.climb(drafts, wanted, settings["steps"], settings["candidates"], seed)
        return [Poison(target["target_id"], one.text, forwards=one.forwards) for one in climbed]

    return tools.finished.each(targets, make)
