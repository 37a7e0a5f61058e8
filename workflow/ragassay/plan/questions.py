"""Settings of the stages of the scope study, and the keys of its tables: the values of each place in a path."""

from collections.abc import Iterator

from ragassay.config.shards import one_of
from ragassay.plan import models, services
from ragassay.plan.models import asking, provider_of


def every(config: dict, shards: dict) -> dict[str, list[str]]:
    """All keys of the study, to `expand` patterns over."""
    scope = config["scope"]
    roles = {"generator": scope["generators"], "judge": scope["judges"], "responder": scope["responders"]}
    return {**roles, "prompt": services.prompts(config), "shard": list(shards)}


def own(config: dict, shards: dict) -> dict[str, list[str]]:
    """The same for its own, that is its first, generator, judge and responder, of whom most sections of the report
    speak.
    """
    keys = every(config, shards)
    return keys | {role: keys[role][:1] for role in ("generator", "judge", "responder")}


def generating(config: dict) -> list[str]:
    """The rules in which the generator is asked."""
    rules = ["extract_claims", "recover_claims", "remove_supported_claims", "write_questions"]
    return rules + ["write_near_misses"] * _rewrites(config)


def written_questions(config: dict) -> str:
    """Where questions lie as they are first written: where all look for them, unless near misses are still to come."""
    table = "written_questions" if _rewrites(config) else "questions"
    return f"results/{table}/{{generator}}/{{shard}}.parquet"


def _rewrites(config):
    return config["scope"]["near_misses"]["tries"] > 0


def deciding(config: dict) -> list[str]:
    """The models that say whether questions are in scope: the judges, and the responders, if these are asked, too."""
    scope = config["scope"]
    responders = services.models_among(scope["responders"]) if _votes(config) != "none" else []
    return list(dict.fromkeys([*scope["judges"], *responders]))


def only_voting(config: dict) -> list[str]:
    """The responders among them that are no judges."""
    return [name for name in deciding(config) if name not in config["scope"]["judges"]]


def sample(config: dict, wildcards) -> list[str]:
    """What people label, if it is all that this model is asked about: the study's questions, and a responder."""
    if _votes(config) != "labelled" or wildcards.judge not in only_voting(config):
        return []
    if wildcards.generator not in config["scope"]["generators"]:
        return []
    return [f"results/annotation_items/{wildcards.generator}/{config['scope']['judges'][0]}.parquet"]


def _votes(config):
    return config["scope"]["judging"]["responders"]


def most_requests(config: dict) -> dict[str, int]:
    """rule -> the most requests for each document, if models write all that they are asked for."""
    scope = config["scope"]
    claims, inside = scope["claims"]["claims_per_document"], scope["questions"]["in_scope_per_document"]
    recovery, questions = scope["recovery"], claims + inside
    answered = questions if scope["responding"]["in_scope_share"] else claims
    return {
        "extract_claims": 1,
        "recover_claims": recovery["rounds"] * min(recovery["subsets"], claims),
        "remove_supported_claims": 1,
        "write_questions": 1 + (inside > 0),
        "write_near_misses": 1,  # in each of its tries, which an estimate counts apart
        "judge_scope": questions,
        "respond": answered,
        "ask_service": answered * max((entry["asks"] for entry in config["services"].values()), default=1),
        "answer_closed_book": answered,
        "judge_defusion": claims,
    }


def switches(config: dict) -> dict[str, dict]:
    """Settings that save calls, with the calls that they are about."""
    return {
        "scope.near_misses.tries": {"rule": "write_near_misses"},
        "scope.judging.responders": {"rule": "judge_scope", "models": only_voting(config)},
        "scope.responding.in_scope_share": {"rule": "respond", "part": "in_scope"},
        "scope.closed_book.used": {"rule": "answer_closed_book"},
        "scope.defusion.variants": {"rule": "judge_defusion", "keys": [f"_{n}" for n in scope_variants(config)]},
    }


def scope_variants(config: dict) -> list[str]:
    return list(config["scope"]["defusion"]["variants"])


def wildcards(config: dict) -> dict[str, str]:
    """The forms of names, so that no rule makes a path with another in it. A question set stands in for a generator,
    what it recorded for judges and responders.
    """
    models, sets = list(config["models"]), config["question_sets"]
    names = {"generator": [*models, *sets]}
    for role in ("judge", "responder"):
        names[role] = [*models, *(name for entry in sets.values() for name in entry[f"{role}s"])]
    return {role: one_of(choices) for role, choices in names.items()}


def write_near_misses(config: dict, wildcards) -> dict:
    lengths = {name: config["scope"]["questions"][name] for name in ("fewest_words", "most_words")}
    params = {**config["scope"]["near_misses"], **lengths, **models.encoder(config)}
    return asking(config, "write_near_misses", "generator", wildcards, **params)


def rewriting_kinds(config: dict, wildcards) -> list[str]:
    """The modules that rewriting loads by name: the generator's provider, and the encoder of the overlap control."""
    return [*provider_of(config, "generator", wildcards), *models.encoder_kind(config)]


def check(config: dict) -> Iterator[tuple]:
    """Whether there is something to tell out-of-scope questions from, where they are to be rewritten."""
    if _rewrites(config) and not config["scope"]["questions"]["in_scope_per_document"]:
        expected = "expected some (scope.questions.in_scope_per_document), or 0 tries"
        yield ("scope", "near_misses", "tries"), f"found tries without in-scope questions to compare with, {expected}"


def judge_scope(config: dict, wildcards) -> dict:
    judging = {name: config["scope"]["judging"][name] for name in ("votes", "sampling")}
    return asking(config, "judge_scope", "judge", wildcards, **judging)
