"""No attack: what every other is compared with."""

SETTINGS, NEEDS, WANTS = {}, (), None


def poison(targets, tools, settings):
    return []
