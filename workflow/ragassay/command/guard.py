"""`ragassay guard`: fit guards of the configuration and say how a service loads them."""

import sys

from ragassay.base.errors import AssayError, unknown
from ragassay.base.pipeline import configfiles
from ragassay.command.check import configuration
from ragassay.command.run import run_pipeline
from ragassay.plan import defences

PATTERN = "results/guards/{dataset}/{retriever}/{defence}.json"


class GuardError(AssayError):
    """The configuration has no such guard."""


def fit(chosen: dict[str, str], words: list[str]) -> None:
    """`chosen` names a dataset, a retriever and a defence, or as many of these as matter."""
    files = guards(configuration(configfiles(words)), chosen)
    sys.stdout.write("".join(f"guard: {file}\n" for file in files))
    sys.stdout.write(f'next, in your service: from ragassay import Guard; Guard.load("{files[0]}")\n')
    run_pipeline([*files, *words])


def guards(config: dict, chosen: dict[str, str]) -> list[str]:
    """The files of the guards that the configuration plans and that fit what is chosen."""
    cells = [*defences.fitted(config).by("dataset", "retriever", "defence")]
    if not cells:
        expected = "expected a defence that learns from clean text, such as raguard"
        raise GuardError(f"under_attack.cells: found none, {expected}")
    for key, name in chosen.items():
        names = [*dict.fromkeys(cell[key] for cell in cells)]
        if name and name not in names:
            raise GuardError(f"--{key}: {unknown(key, name, names)}")
        cells = [cell for cell in cells if name in ("", cell[key])]
    return [PATTERN.format_map(cell) for cell in cells]
