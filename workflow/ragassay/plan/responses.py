"""Settings of the stages that get and judge responses."""

from ragassay.config.settings import NAME
from ragassay.config.shards import one_of
from ragassay.plan.models import asking
from ragassay.plan.question_sets import placed
from ragassay.plan.report import draws
from ragassay.plan.services import models_among


def variants(config: dict) -> list[str]:
    """How the defusion judge is asked: in the study's way, whose name is empty, and in those of the ablation."""
    return ["", *(f"_{name}" for name in config["scope"]["defusion"]["variants"])]


def wildcards(config: dict) -> dict[str, str]:
    return {"prompt": NAME, "variant": one_of(variants(config))}


def respond(config: dict, wildcards) -> dict:
    sampling = config["scope"]["responding"]["sampling"]
    params = {"sampling": sampling, "prompt_name": wildcards.prompt, **_share(config, wildcards)}
    return asking(config, "respond", "responder", wildcards, **params)


def _share(config, wildcards):
    """How many of the in-scope questions are asked: all of a question set."""
    is_study = wildcards.generator in config["scope"]["generators"]
    return {"in_scope_share": config["scope"]["responding"]["in_scope_share"] if is_study else 1.0}


def knowing(config: dict) -> list[str]:
    """The responders that are asked without documents."""
    return models_among(config["scope"]["responders"]) if config["scope"]["closed_book"]["used"] else []


def answer_closed_book(config: dict, wildcards) -> dict:
    params = {"sampling": config["scope"]["closed_book"]["sampling"], **_share(config, wildcards)}
    return asking(config, "answer_closed_book", "responder", wildcards, **params)


def judge_defusion(config: dict, wildcards) -> dict:
    """A variant has its own number of votes."""
    defusion = config["scope"]["defusion"]
    votes = {"": defusion["votes"]} | {f"_{name}": entry["votes"] for name, entry in defusion["variants"].items()}
    params = {"sampling": defusion["sampling"], "votes": votes[wildcards.variant]}
    params |= {"unlabelled": True} if wildcards.generator in placed(config) else {}
    return asking(config, "judge_defusion", "judge", wildcards, **params)


def measure_responses(config: dict) -> dict:
    """The study's own generator and judge are the first; so is the prompt for answering with the document."""
    scope, models = config["scope"], config["models"]
    first = {"generator": scope["generators"][0], "judge": scope["judges"][0]}
    first |= {"by_rules": models[first["judge"]]["provider"] == "rules"}
    first |= {"prompt": scope["responding"]["prompts"][0]}
    cutoffs = {name: models[name]["cutoff"] for name in scope["responders"] if "cutoff" in models[name]}
    intervals = {**draws(config, "responses"), "flips": config["intervals"]["flips"]}
    return {**first, **intervals, "cutoffs": cutoffs, "least_share": scope["labels"]["least_share"]}
