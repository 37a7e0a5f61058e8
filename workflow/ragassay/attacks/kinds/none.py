"""No attack: what every other is compared with."""

SETTINGS, NEEDS = {}, ()


def poison(targets, tools, settings):
    return []
