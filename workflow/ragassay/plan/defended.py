"""Settings of stages behind defences: answers from what these leave, questions in other words, and passages that are
screened as they come in."""

from collections.abc import Iterator

from ragassay.base.pipeline import shipped
from ragassay.config.grid import Cell, Grid
from ragassay.plan import defences, methods, models, search
from ragassay.plan.attacks import tried_on
from ragassay.studies.poisoning.defences.defence import SCORES

NAMES = ("dataset", "retriever", "attack", "defence")
REWRITTEN = "results/found_rewritten/{dataset}/{retriever}/{attack}/{defence}.parquet"
WRITER = "defences/{defence}/settings/model"  # where the model stands that rewrites questions
RETRIEVED = "results/retrieved/{dataset}/{retriever}/{attack}.parquet"


def rewriting(config: dict) -> list[str]:
    """The defences that put questions in other words before these are searched for."""
    return [name for name in methods.names(config, "defences") if defences.defence(config, name).type.REWRITES]


def rewritten(config: dict) -> Grid:
    """The cells of such defences."""
    names = rewriting(config)
    return defences.filtered(config).where(lambda cell: cell.defence in names)


def as_asked(config: dict) -> Grid:
    """The cells in which questions are searched for as users ask them."""
    names = rewriting(config)
    return defences.filtered(config).where(lambda cell: cell.defence not in names)


def rewrite_questions(config: dict, wildcards) -> dict:
    params = {"kind": defences.defence(config, wildcards.defence).kind, "dataset": wildcards.dataset}
    params |= {"sampling": config["under_attack"]["sampling"]}
    return models.asking(config, "rewrite_questions", WRITER, wildcards, **params)


def writing_kinds(config: dict, wildcards) -> list[str]:
    """The module behind that model's answers, and the one that reads them."""
    module = defences.defence(config, wildcards.defence).module
    return [*models.provider_of(config, WRITER, wildcards), module]


def found_rewritten(config: dict, wildcards) -> list[str]:
    """What questions find under an attack as defences rewrite them."""
    names = rewriting(config)
    return Grid(cell for cell in defences.judging(config, wildcards) if cell.defence in names).over(REWRITTEN)


def prompts(config: dict, wildcards) -> list[str]:
    """The further prompts of a defence that asks the responder itself."""
    names = defences.defence(config, wildcards.defence).type.PROMPTS
    return shipped([f"resources/prompts/{name}.yaml" for name in names])


def answering_kinds(config: dict, wildcards) -> list[str]:
    """The modules behind a responder's answers, and of a defence that asks it."""
    defence = defences.defence(config, wildcards.defence)
    asking = [defence.module] if defence.type.PROMPTS else []
    return [*models.provider_of(config, "responder", wildcards), *asking]


def prompt(config: dict) -> str:
    """The prompt that answers from passages are asked with."""
    return shipped(f"resources/prompts/respond_{config['under_attack']['prompt']}.yaml")


def answer_attacked(config: dict, wildcards) -> dict:
    params, defence = defences.answering(config), defences.defence(config, wildcards.defence)
    params |= {"defence": wildcards.defence}
    params |= tried_on(config, wildcards.attack)
    if defence.type.PROMPTS:
        params |= {"kind": defence.kind, "settings": defence.settings}
    return models.asking(config, "answer_attacked", "responder", wildcards, **params)


def screened(config: dict) -> Grid:
    """Cells in which passages are screened before any question is known."""
    entries = [entry for entry in config["under_attack"]["cells"] if "screened" in entry]
    return Grid.of_entries(entries, *NAMES)


def screened_by(config: dict, wildcards) -> list[str]:
    """The table of the queries that say what users ask, if a cell has some; the last entry decides."""
    names = [None]
    for entry in config["under_attack"]["cells"]:
        if "screened" in entry and Cell(wildcards.items()) in Grid.of_entries([entry], *NAMES):
            names.append(entry["screened"]["queries"])
    return [f"results/queries/{names[-1]}.parquet"] if names[-1] else []


def check(config: dict) -> Iterator[tuple]:
    """Whether there is a model for each defence that rewrites questions, and a retriever to search again."""
    names, dense = rewriting(config), search.retrievers(config, search.DENSE)
    for name in rewritten(config).column("defence"):
        if not defences.settings(config, name)["model"]:
            yield ("defences", name, "settings", "model"), "found no model, which rewrites questions; name one"
    for number, entry in enumerate(config["under_attack"]["cells"]):
        wrong = [retriever for retriever in entry["retrievers"] if retriever not in dense]
        for name in entry["defences"] if wrong else ():
            if name in names:
                problem = f"found {name}, which searches again, and {wrong[0]}, expected retrievers by vectors"
                yield ("under_attack", "cells", number, "retrievers"), problem
    yield from _wrong_screening(config)


def _wrong_screening(config):
    """Defences that cannot screen, and retrievers that cannot compare."""
    for number, entry in enumerate(config["under_attack"]["cells"]):
        place = ("under_attack", "cells", number)
        for name in entry["retrievers"] if "screened" in entry else ():
            if name not in search.retrievers(config, search.DENSE):
                problem = f"found {name}, expected one by vectors, which texts are compared by"
                yield (*place, "retrievers"), problem
        for name in entry["defences"] if "screened" in entry else ():
            if not defences.wrong_links(config, name) and not _screens(config, name):
                expected = "expected one that judges by scores, such as raguard"
                yield (*place, "defences"), f"found {name}, which judges by questions, {expected}"


def _screens(config, name):
    needed = {need for part in defences.links(config, name) for need in part.needs}
    return not defences.defence(config, name).type.COMPARES and SCORES in needed
