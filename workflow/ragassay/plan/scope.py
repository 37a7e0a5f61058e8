"""Settings of the stages of the scope study, and the keys of its tables: the values of each place in a path."""

from ragassay.plan.models import asking
from ragassay.plan.shards import one_of


def every(config: dict, shards: dict) -> dict[str, list[str]]:
    """All keys of the study, to `expand` patterns over."""
    scope = config["scope"]
    roles = {"generator": scope["generators"], "judge": scope["judges"], "responder": scope["responders"]}
    return {**roles, "prompt": scope["responding"]["prompts"], "shard": list(shards)}


def own(config: dict, shards: dict) -> dict[str, list[str]]:
    """The same for its own, that is its first, generator, judge and responder, of whom most sections of the report
    speak.
    """
    keys = every(config, shards)
    return keys | {role: keys[role][:1] for role in ("generator", "judge", "responder")}


def deciding(config: dict) -> list[str]:
    """The models that say whether questions are in scope: the judges, and the responders, who are asked the same."""
    return list(dict.fromkeys([*config["scope"]["judges"], *config["scope"]["responders"]]))


def wildcards(config: dict) -> dict[str, str]:
    """The forms of names, so that no rule makes a path with another in it. A question set stands in for a generator,
    what it recorded for judges and responders.
    """
    models, sets = list(config["models"]), config["question_sets"]
    names = {"generator": [*models, *sets]}
    for role in ("judge", "responder"):
        names[role] = [*models, *(name for entry in sets.values() for name in entry[f"{role}s"])]
    return {role: one_of(known) for role, known in names.items()}


def extract_claims(config: dict, wildcards) -> dict:
    return {**asking(config, "extract_claims", "generator", wildcards), **config["scope"]["claims"]}


def recover_claims(config: dict, wildcards) -> dict:
    return {**asking(config, "recover_claims", "generator", wildcards), **config["scope"]["recovery"]}


def remove_supported_claims(config: dict, wildcards) -> dict:
    return {**asking(config, "remove_supported_claims", "generator", wildcards), **config["scope"]["removal"]}


def write_questions(config: dict, wildcards) -> dict:
    return {**asking(config, "write_questions", "generator", wildcards), **config["scope"]["questions"]}


def judge_scope(config: dict, wildcards) -> dict:
    return {**asking(config, "judge_scope", "judge", wildcards), **config["scope"]["judging"]}
