"""Settings of the stages that ask models for defences: answers from what these leave, and questions in other words."""

from collections.abc import Iterator

from ragassay.base.errors import unknown
from ragassay.plan import defences, models, retrieval
from ragassay.plan.attacks import tried_on
from ragassay.studies.poisoning.defences.defence import KINDS, kind_of

LINES = "lines"


def rewriting(config: dict) -> list[str]:
    """The defences that put questions in other words before these are searched for."""
    return [name for name in defences.defences(config) if kind_of(defences.defence(config, name)["kind"]).REWRITES]


def rewritten(config: dict) -> dict[str, list[str]]:
    """All datasets and such defences that meet, as lists of equal length."""
    known = rewriting(config)
    pairs = [(cell.dataset, cell.defence) for cell in defences.filtered(config) if cell.defence in known]
    pairs = list(dict.fromkeys(pairs))
    return {name: [pair[at] for pair in pairs] for at, name in enumerate(("dataset", "defence"))}


def question_writer(config: dict, wildcards):
    """The model that rewrites questions for a defence."""
    return models.with_model(wildcards, defences.settings(config, wildcards.defence)["model"])


def rewrite_questions(config: dict, wildcards) -> dict:
    about = {"kind": defences.defence(config, wildcards.defence)["kind"], "dataset": wildcards.dataset}
    about |= {"sampling": config["under_attack"]["sampling"]}
    return models.asking(config, "rewrite_questions", "model", question_writer(config, wildcards)) | about


def writing_kinds(config: dict, wildcards) -> list[str]:
    """The module behind that model's answers, and the one that reads them."""
    kind = defences.defence(config, wildcards.defence)["kind"]
    return [*models.of_named(config, models.provider_of, question_writer, wildcards), f"{KINDS}.{kind}"]


def retrieved(config: dict, wildcards) -> str:
    """What questions find under an attack, as they are or as a defence rewrites them."""
    return found(config, defences.Filtered(*(wildcards.get(name) for name in defences.Filtered._fields)))


def found(config: dict, cell: defences.Filtered) -> str:
    name = f"{cell.dataset}/{cell.retriever}/{cell.attack}"
    own = cell.defence in rewriting(config)
    return f"results/found_rewritten/{name}/{cell.defence}.parquet" if own else f"results/retrieved/{name}.parquet"


def founds(config: dict, own: bool) -> list[str]:
    """What all cells find, with the questions that their defences rewrite (`own`) or as users ask them."""
    every = dict.fromkeys(found(config, cell) for cell in defences.filtered(config))
    return [path for path in every if path.startswith("results/found_rewritten/") == own]


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
    own = [f"{KINDS}.{kind}"] if kind_of(kind).PROMPTS else []
    return [*models.provider_of(config, "responder", wildcards), *own]


def prompt(config: dict) -> str:
    """The prompt that answers from passages are asked with."""
    return f"resources/prompts/respond_{config['under_attack']['prompt']}.yaml"


def answer_attacked(config: dict, wildcards) -> dict:
    shared = config["under_attack"]
    about = {"in_lines": shared["prompt"] == LINES, "sampling": shared["sampling"]} | tried_on(config, wildcards)
    kind = defences.defence(config, wildcards.defence)["kind"]
    if kind_of(kind).PROMPTS:
        about |= {"kind": kind, "own": defences.settings(config, wildcards.defence)}
    return models.asking(config, "answer_attacked", "responder", wildcards) | about


def check(config: dict) -> Iterator[tuple]:
    """Whether there is a model for each defence that rewrites questions."""
    for name in dict.fromkeys(rewritten(config)["defence"]):
        if (model := defences.settings(config, name)["model"]) not in config["models"]:
            found = unknown("model", model, config["models"]) if model else "found no model, which rewrites questions"
            yield ("defences", name, "settings", "model"), f"{found}; name one"
    dense, known = retrieval.retrievers(config, retrieval.DENSE), rewriting(config)
    for number, entry in enumerate(config["under_attack"]["cells"]):
        for name in known:
            if name in entry["defences"] and (wrong := [one for one in entry["retrievers"] if one not in dense]):
                found = f"found {name}, which searches again, and {wrong[0]}, expected retrievers by vectors"
                yield ("under_attack", "cells", number, "retrievers"), found
