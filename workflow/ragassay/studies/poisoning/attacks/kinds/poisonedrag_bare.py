"""PoisonedRAG's texts alone: they state the wrong answer, and nothing makes them look like the question."""

from ragassay.studies.poisoning.attacks.poison import ANSWER, Poison

SETTINGS, NEEDS, WANTS = {"texts": 5}, (), ANSWER


def poison(targets, tools, settings):
    for target in targets:
        for text in target["texts"][: settings["texts"]]:
            yield Poison(target["target_id"], text)
