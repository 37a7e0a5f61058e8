"""Settings of the stages that ask models for defences: answers from what these leave, and questions in other words."""

from collections.abc import Iterator

from ragassay.base.errors import unknown
from ragassay.config.grid import Cell, Grid
from ragassay.plan import defences, models, search
from ragassay.plan.attacks import tried_on
from ragassay.studies.poisoning.defences.defence import KINDS, kind_of

REWRITTEN = "results/found_rewritten/{dataset}/{retriever}/{attack}/{defence}.parquet"
RETRIEVED = "results/retrieved/{dataset}/{retriever}/{attack}.parquet"


def rewriting(config: dict) -> list[str]:
    """The defences that put questions in other words before these are searched for."""
    return [name for name in defences.defences(config) if kind_of(defences.defence(config, name)["kind"]).REWRITES]


def rewritten(config: dict) -> Grid:
    """The cells of such defences."""
    names = rewriting(config)
    return defences.filtered(config).where(lambda cell: cell.defence in names)


def as_asked(config: dict) -> Grid:
    """The cells in which questions are searched for as users ask them."""
    names = rewriting(config)
    return defences.filtered(config).where(lambda cell: cell.defence not in names)


def question_writer(config: dict, wildcards) -> str:
    """The model that rewrites questions for a defence."""
    return defences.settings(config, wildcards.defence)["model"]


def rewrite_questions(config: dict, wildcards) -> dict:
    params = {"kind": defences.defence(config, wildcards.defence)["kind"], "dataset": wildcards.dataset}
    params |= {"sampling": config["under_attack"]["sampling"]}
    return models.asking(config, "rewrite_questions", question_writer, wildcards) | params


def writing_kinds(config: dict, wildcards) -> list[str]:
    """The module behind that model's answers, and the one that reads them."""
    kind = defences.defence(config, wildcards.defence)["kind"]
    return [*models.provider_of(config, question_writer, wildcards), f"{KINDS}.{kind}"]


def retrieved(config: dict, wildcards) -> str:
    """What questions find under an attack, as they are or as a defence rewrites them."""
    pattern = REWRITTEN if wildcards.defence in rewriting(config) else RETRIEVED
    return pattern.format_map(Cell(wildcards.items()))


def rewritten_neighbours(config: dict, wildcards) -> str:
    """What rewritten questions find in the clean corpus."""
    corpus = config["datasets"][wildcards.dataset]["corpus"]
    return f"results/neighbours/{corpus}/{wildcards.retriever}/{wildcards.dataset}.{wildcards.defence}.parquet"


def prompts(config: dict, wildcards) -> list[str]:
    """The further prompts of a defence that asks the responder itself."""
    names = kind_of(defences.defence(config, wildcards.defence)["kind"]).PROMPTS
    return [f"resources/prompts/{name}.yaml" for name in names]


def answering_kinds(config: dict, wildcards) -> list[str]:
    """The modules behind a responder's answers, and of a defence that asks it."""
    kind = defences.defence(config, wildcards.defence)["kind"]
    asking = [f"{KINDS}.{kind}"] if kind_of(kind).PROMPTS else []
    return [*models.provider_of(config, "responder", wildcards), *asking]


def prompt(config: dict) -> str:
    """The prompt that answers from passages are asked with."""
    return f"resources/prompts/respond_{config['under_attack']['prompt']}.yaml"


def answer_attacked(config: dict, wildcards) -> dict:
    params = defences.answering(config) | tried_on(config, wildcards)
    kind = defences.defence(config, wildcards.defence)["kind"]
    if kind_of(kind).PROMPTS:
        params |= {"kind": kind, "own": defences.settings(config, wildcards.defence)}
    return models.asking(config, "answer_attacked", "responder", wildcards) | params


def check(config: dict) -> Iterator[tuple]:
    """Whether there is a model for each defence that rewrites questions."""
    for name in rewritten(config).column("defence"):
        if (model := defences.settings(config, name)["model"]) not in config["models"]:
            problem = unknown("model", model, config["models"]) if model else "found no model, which rewrites questions"
            yield ("defences", name, "settings", "model"), f"{problem}; name one"
    dense, names = search.retrievers(config, search.DENSE), rewriting(config)
    for number, entry in enumerate(config["under_attack"]["cells"]):
        for name in names:
            if name in entry["defences"] and (
                wrong := [retriever for retriever in entry["retrievers"] if retriever not in dense]
            ):
                problem = f"found {name}, which searches again, and {wrong[0]}, expected retrievers by vectors"
                yield ("under_attack", "cells", number, "retrievers"), problem
