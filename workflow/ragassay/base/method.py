"""What attacks, defences, probes and gates have in common, in the manner of PyOD: settings, `fit`, and `score`, one
number per item, higher = more suspicious. A kind is a module with a class `Kind`. What it learned is in `fitted`, in
plain lists, numbers and arrays that can be saved; with settings, these make the same method again."""

from typing import ClassVar, Self

from ragassay.base import variants
from ragassay.base.card import is_number
from ragassay.base.terminal import shown


class Method:
    SETTINGS: ClassVar[dict] = {}
    NEEDS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, settings: dict | None = None, fitted=None):
        self.settings = self.SETTINGS | (settings or {})
        self.fitted = fitted

    @property
    def needs(self) -> tuple[str, ...]:
        """What it uses with its settings."""
        return self.NEEDS

    def wrong_setting(self) -> str:
        """What is wrong with settings that come from a file, by the kinds of the defaults; "" if nothing is."""
        for name, value in self.settings.items():
            default = self.SETTINGS.get(name)
            if name not in self.SETTINGS:
                return f"found a setting {shown(name)} that is none"
            if default is not None and not _is_like(value, default):
                return f"found the setting {name} {shown(value)}, expected one such as {default!r}"
        return ""

    def fit(self, data) -> Self:
        """A method that learns nothing is fitted as it is."""
        return self

    def score(self, items):
        raise NotImplementedError


def _is_like(value, default):
    """Whether a value is of the kind of a default: a whole number, a number, or a list of values of one kind."""
    if is_number(default):
        return is_number(value) and value >= 0 and (isinstance(default, float) or isinstance(value, int))
    if isinstance(default, list) and default:
        return isinstance(value, list) and bool(value) and all(_is_like(part, default[0]) for part in value)
    return type(value) is type(default)


def kind_of(package: str, kind: str, place: str) -> type[Method]:
    """The class of a kind; `place` is the key of the configuration that names it, for messages."""
    return variants.load(package, kind, place).Kind
