"""Settings of the stages of the scope study, from questions to responses and how hard they are, and the keys of its
tables: the values of each place in a path.
"""

from collections.abc import Iterator

from ragassay.config.settings import NAME
from ragassay.config.shards import one_of
from ragassay.plan import models
from ragassay.plan.documents import named_shards
from ragassay.plan.entries import having
from ragassay.plan.models import asking, encoder
from ragassay.plan.report import draws
from ragassay.plan.services import models_among, prompts


def every(config: dict, shards: dict) -> dict[str, list[str]]:
    """All keys of the study, to `expand` patterns over."""
    scope = config["scope"]
    roles = {"generator": scope["generators"], "judge": scope["judges"], "responder": scope["responders"]}
    return {**roles, "prompt": prompts(config), "shard": list(shards)}


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
    responders = models_among(scope["responders"]) if _votes(config) != "none" else []
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
        "scope.defusion.variants": {"rule": "judge_defusion", "keys": variants(config)[1:]},
    }


def wildcards(config: dict) -> dict[str, str]:
    """The forms of names, so that no rule makes a path with another in it. A question set stands in for a generator,
    what it recorded for judges and responders.
    """
    models, sets = list(config["models"]), config["question_sets"]
    names = {"generator": [*models, *sets], "variant": variants(config)}
    for role in ("judge", "responder"):
        names[role] = [*models, *(name for entry in sets.values() for name in entry[f"{role}s"])]
    return {role: one_of(choices) for role, choices in names.items()} | {"prompt": NAME}


def write_near_misses(config: dict, wildcards) -> dict:
    lengths = {name: config["scope"]["questions"][name] for name in ("fewest_words", "most_words")}
    params = {**config["scope"]["near_misses"], **lengths, **encoder(config)}
    return asking(config, "write_near_misses", "generator", wildcards, **params)


def rewriting_kinds(config: dict, wildcards) -> list[str]:
    """The modules that rewriting loads by name: the generator's provider, and the encoder of the overlap control."""
    return [*models.provider_of(config, "generator", wildcards), *models.encoder_kind(config)]


def judge_scope(config: dict, wildcards) -> dict:
    judging = {name: config["scope"]["judging"][name] for name in ("votes", "sampling")}
    return asking(config, "judge_scope", "judge", wildcards, **judging)


def variants(config: dict) -> list[str]:
    """How the defusion judge is asked: in the study's way, whose name is empty, and in those of the ablation."""
    return ["", *(f"_{name}" for name in config["scope"]["defusion"]["variants"])]


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
    params |= {"unlabelled": True} if wildcards.generator in having(config["question_sets"], "nearest") else {}
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


def grade_hardness(config: dict, shards: dict) -> dict:
    hardness = config["scope"]["hardness"]
    named_shards(shards, hardness["graded_on"], "scope.hardness.graded_on")
    same = {name: hardness[name] for name in ("fewest_per_stratum", "graded_on")}
    return {"limits": sorted(hardness["limits"]), **same, **draws(config, "scope")}


def measure_scope(config: dict) -> dict:
    """The study's own generator and judge are the first."""
    scope = config["scope"]
    return {"generator": scope["generators"][0], "judge": scope["judges"][0], **draws(config, "scope")}


def check(config: dict) -> Iterator[tuple]:
    """Whether there is something to tell out-of-scope questions from, where they are to be rewritten."""
    if _rewrites(config) and not config["scope"]["questions"]["in_scope_per_document"]:
        expected = "expected some (scope.questions.in_scope_per_document), or 0 tries"
        yield ("scope", "near_misses", "tries"), f"found tries without in-scope questions to compare with, {expected}"
