"""Load a variant by its name: providers, kinds of encoders and of detectors are one module each, in one package.
Nothing imports all of a package, so that editing one re-runs only what uses it; `code_version` is given its name."""

import importlib
import pkgutil
from functools import cache
from types import ModuleType

from ragassay.base.errors import AssayError, not_installed, unknown


class VariantError(AssayError):
    """No variant has this name, or it needs a package that is not installed."""


@cache  # planning asks thousands of times
def names(package: str) -> tuple[str, ...]:
    """All variants of a package, sorted; what begins with an underscore is none."""
    modules = pkgutil.iter_modules(importlib.import_module(package).__path__)
    return tuple(sorted(module.name for module in modules if not module.name.startswith("_")))


def load(package: str, name: str, setting: str) -> ModuleType:
    """The module of a variant; errors begin with `setting`, the key of the configuration that names it."""
    known_names = names(package)
    if name not in known_names:
        raise VariantError(f"{setting}: {unknown('name', name, known_names)}; each is a module of {package}")
    try:
        return importlib.import_module(f"{package}.{name}")
    except ModuleNotFoundError as error:
        if error.name.split(".")[0] == package.split(".")[0]:
            raise
        raise VariantError(f"{setting}: {name} {not_installed(error.name)}") from error
