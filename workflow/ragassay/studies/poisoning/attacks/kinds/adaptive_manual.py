"""Texts that somebody wrote against a certain defence, from a table; the study cannot make them itself."""

from ragassay.studies.poisoning.attacks.poison import ANSWER, TEXTS, Poison

SETTINGS, NEEDS, WANTS = {"texts": 5}, (TEXTS,), ANSWER


def poison(targets, tools, settings):
    for target in targets:
        for one in tools.texts.get(target["target_id"], [])[: settings["texts"]]:
            yield Poison(target["target_id"], one.text, calls=one.calls)
