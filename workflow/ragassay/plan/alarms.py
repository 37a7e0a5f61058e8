"""Settings of the stage that compares probes with defences which look at passages."""

from collections.abc import Iterator
from itertools import product

from ragassay.config.grid import Cell, Grid
from ragassay.plan import defences, measures, probes

FILTERED = "results/filtered/{dataset}/{retriever}/{attack}/{defence}.parquet"
CLEAN = "none"  # the attack that plants nothing
RETRIEVED = "retrieved"  # the condition whose passages are judged


def cells(config: dict) -> Grid:
    """The cells of the study; none without defences."""
    return probes.cells(config) if config["revprag"]["defences"] else Grid([])


def filtered(config: dict, wildcards) -> list[str]:
    """What each defence says of the passages that questions find: without the attack, and under it."""
    return Grid(_filtered(config, wildcards)).over(FILTERED)


def _filtered(config, cell):
    pairs = product(config["revprag"]["defences"], (CLEAN, cell.attack))
    shared = {"dataset": cell.dataset, "retriever": cell.retriever}
    return [Cell(shared, attack=attack, defence=defence) for defence, attack in pairs]


def check(config: dict) -> Iterator[tuple]:
    """Whether the defences of the study score the passages that its prompts show."""
    entry, place = config["revprag"], ("revprag", "defences")
    scoring = []
    for name in entry["defences"]:
        kind = defences.defence(config, name).type
        if kind.PROMPTS or kind.REWRITES:
            yield place, f"found {name}, which asks a model, expected defences that score passages"
        elif not defences.links(config, name):
            yield place, f"found {name}, which has no links; give an entry of `defences` this kind and its links"
        elif not defences.wrong_links(config, name):
            scoring.append(name)
    if entry["defences"] and RETRIEVED not in entry["conditions"]:
        yield place, f"found no condition {RETRIEVED}, whose passages are judged; add it to revprag.conditions"
    most, depth = max(probes.passages_shown(config).values(), default=0), config["under_attack"]["depth"]
    if scoring and most > depth:
        yield place, f"found prompts of {most} passages, expected at most under_attack.depth, which is {depth}"
    judged = Grid(cell for answered in probes.cells(config) for cell in _filtered(config, answered))
    yield from measures.wrong_scorers(config, judged.where(lambda cell: cell.defence in scoring))
