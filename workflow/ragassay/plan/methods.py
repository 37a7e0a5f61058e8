"""What names of attacks, defences and scorers stand for: an entry of the configuration, or a kind with its defaults."""

from collections.abc import Iterator
from typing import NamedTuple

from ragassay.base import method, variants
from ragassay.base.errors import unknown
from ragassay.studies.poisoning.attacks.attack import KINDS as ATTACKS
from ragassay.studies.poisoning.defences.defence import KINDS as DEFENCES
from ragassay.studies.poisoning.defences.scorer import KINDS as SCORERS

KINDS = {"attacks": ATTACKS, "defences": DEFENCES, "scorers": SCORERS}


class NamedMethod(NamedTuple):
    entry: dict  # as the configuration has it
    type: type  # the class of its kind
    module: str  # where that is, which a script loads by its name

    @property
    def kind(self) -> str:
        return self.entry["kind"]

    @property
    def settings(self) -> dict:
        return self.type.SETTINGS | self.entry["settings"]

    @property
    def needs(self) -> tuple[str, ...]:
        """What it uses beside the items that it is given."""
        return self.type(self.settings).needs


def names(config: dict, section: str) -> list[str]:
    return list(dict.fromkeys([*config[section], *variants.names(KINDS[section])]))


def named(config: dict, section: str, name: str) -> NamedMethod:
    return of_entry(KINDS[section], config[section].get(name, {"kind": name, "settings": {}}), f"{section}.{name}.kind")


def of_entry(kinds: str, entry: dict, place: str) -> NamedMethod:
    """The method of an entry; `kinds` is the package of its kind, `place` the key that names this."""
    return NamedMethod(entry, method.kind_of(kinds, entry["kind"], place), f"{kinds}.{entry['kind']}")


def wrong_settings(chosen: NamedMethod, *place: str) -> Iterator[tuple]:
    """The settings of an entry that its kind does not have, or that may not be empty."""
    defaults = chosen.type.SETTINGS
    for key, value in chosen.entry["settings"].items():
        if key not in defaults:
            yield place, unknown("setting", key, defaults) if defaults else f"{chosen.kind} has no settings"
        elif value is None and defaults[key] is not None:
            yield place, f"{key}: found nothing, expected a value such as {defaults[key]!r}, which is the default"
