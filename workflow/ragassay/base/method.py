"""What attacks, defences, probes and gates have in common, in the manner of PyOD: settings, `fit`, and `score`, one
number per item, higher = more suspicious. A kind is a module with a class `Kind`. What it learned is in `fitted`, in
plain lists, numbers and arrays that can be saved; with settings, these make the same method again."""

from typing import ClassVar, Self

from ragassay.base import variants
from ragassay.base.errors import AssayError


class SettingsError(AssayError):
    """A method has no such setting."""


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

    def fit(self, data) -> Self:
        """A method that learns nothing is fitted as it is."""
        return self

    def score(self, items):
        raise NotImplementedError


def kind_of(package: str, kind: str, place: str) -> type[Method]:
    """The class of a kind; `place` is the key of the configuration that names it, for messages."""
    return variants.load(package, kind, place).Kind
