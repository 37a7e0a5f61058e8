"""What stages need to know: parts of the configuration and of the shard's row, as plain dictionaries.

Each function takes the configuration or a part of it, after the row of the table of shards if it is about a shard.
Rules compare what comes out, so nothing is in it that does not change the result.
"""

from pathlib import Path

from ragassay import own_models
from ragassay.annotation.settings import labelled
from ragassay.question_sets.settings import voted
from ragassay.sources import document_files

# How a model is called changes none of its answers, and so it re-runs nothing.
ACCESS = ("mode", "concurrency", "requests_per_minute", "tokens_per_minute", "timeout", "budget_usd")


def of_shard(config: dict, shards: dict, part, wildcards):
    """These settings, or files, for the shard that is the wildcard."""
    return part(shards[wildcards.shard], config)


def before(shards: dict, pattern: str, wildcards) -> list[str]:
    """This table of the shard before the one that is the wildcard; none for the first."""
    return [pattern.format(shard=name) for name in shards[wildcards.shard]["before"][-1:]]


def files(row: dict, config: dict) -> list[str]:
    """The user's files of a shard: each is an input, so that adding or changing one re-runs the shard."""
    return document_files(row["documents"])


def articles(row: dict, config: dict) -> dict:
    return {"shard": row["shard"], "most_rejected": config["most_rejected"]}


def documents(row: dict, config: dict) -> dict:
    return {"shard": row["shard"], "per_topic": row["per_topic"], **config["documents"]}


def feeds(crawl: dict) -> dict:
    same = {name: crawl[name] for name in ("topics", "other_names", "languages", "countries", "own_feeds")}
    return {**same, **_reading(crawl), "use_directory": crawl["newscatcher"], "opml_files": crawl["opml"]}


def _reading(crawl):
    """What the reading of one page, feed or list may take."""
    return {"seconds": crawl["seconds_per_page"], "memory_mb": crawl["megabytes_per_page"]}


def crawl(row: dict, config: dict) -> dict:
    """All that a crawl goes by; hosts are asked in turns that all crawls of a project share."""
    ledger = str(Path("ledger/crawl_shard", row["shard"]))
    row = {name: value for name, value in row.items() if name != "before"}
    return {"row": row, "crawl": {**config["crawl"], "spacing_folder": "ledger/hosts"}, "ledger": ledger}


def extraction(row: dict, config: dict) -> dict:
    crawl = config["crawl"]
    days = {"first_day": row["first_day"], "last_day": row["last_day"]}
    return {**articles(row, config), "languages": crawl["languages"], **days, **_reading(crawl)}


def duplicates(row: dict, config: dict) -> dict:
    """`earlier` is one text: with a list of paths for each of a thousand shards, to plan would take minutes."""
    settings = {**config["duplicates"], "cut_after_words": config["documents"]["cut_after_words"]}
    return {"earlier": " ".join(row["before"]), **settings}


def explorers(config: dict) -> dict:
    """The explorers that stand beside the report: name -> address."""
    scope = config["scope"]
    pairs = [f"{generator}/{judge}" for generator in scope["generators"] for judge in scope["judges"]]
    names = ["All questions", *(f"All questions, {pair}" for pair in pairs[1:])]
    return {name: f"explorer/{pair}.html" for name, pair in zip(names, pairs, strict=True)}


def export(export: dict) -> dict:
    about = {name: export[name] for name in ("title", "licence", "licence_note", "language")}
    return {"about": about, "texts": export["texts"]}


def coverage(shards: dict, crawled: list[str], crawl: dict) -> dict:
    """How many documents of each topic each crawled shard asks for."""
    asked = {name: shards[name]["topics"] or crawl["topics"] for name in crawled}
    counts = {name: dict.fromkeys(topics, shards[name]["per_topic"] or 0) for name, topics in asked.items()}
    return {"asked": counts, "alarm_drop": crawl["alarm_drop"]}


def pairs(config: dict, shards: dict) -> dict[str, list[str]]:
    """All pairs of generator and shard that have questions, as two lists of equal length."""
    found = [(generator, shard) for generator in config["scope"]["generators"] for shard in shards]
    return dict(zip(("generator", "shard"), map(list, zip(*found, strict=True)), strict=True))


def model(config: dict, name: str) -> dict:
    """What a model is, for the call layer: all but its access and what only measuring looks at."""
    own = {key: value for key, value in config["models"][name].items() if key not in (*ACCESS, "cutoff")}
    return {"name": name, "register": str(Path("ledger/models", name)), **own}


def access(config: dict, name: str) -> dict:
    """How a model is called."""
    return {key: config["models"][name][key] for key in ACCESS}


def access_of(config: dict, role: str):
    """How the model is called that the wildcard of this name names; `stage.run` adds it to the model's settings."""
    return lambda wildcards: access(config, wildcards.get(role))


def shown(config: dict) -> dict:
    """The configuration as the report shows it: without how models are called, which may change while it stays."""
    entries = config["models"].items()
    models = {name: {key: entry[key] for key in entry if key not in ACCESS} for name, entry in entries}
    return {**config, "models": models}


def weights_of(config: dict, role: str):
    """The weights of the model that the wildcard of this name names, if this workflow makes them; a question set or a
    responder that was recorded, which may stand in its place, has none.
    """

    def weights(wildcards):
        entry = config["models"].get(wildcards.get(role))
        return own_models.weights(entry) if entry else []

    return weights


def detectors(config: dict) -> list[str]:
    """The models that say whether questions are in scope: the judges, and the responders, who are asked the same."""
    return list(dict.fromkeys([*config["scope"]["judges"], *config["scope"]["responders"]]))


def wildcard_names(config: dict, shards) -> dict[str, list[str]]:
    """What wildcards may be, so that no rule makes a path with another name in it. A question set stands in for
    generator and shard, what it recorded for judge and responder.
    """
    models, sets = list(config["models"]), config["question_sets"]
    recorded = {role: [name for own in sets.values() for name in own[role]] for role in ("judges", "responders")}
    return {
        "shard": [*shards, *sets],
        "generator": [*models, *sets],
        "judge": [*models, *recorded["judges"]],
        "responder": [*models, *recorded["responders"]],
        "variant": variants(config),
    }


def variants(config: dict) -> list[str]:
    """How the defusion judge is asked: in the study's way, whose name is empty, and in those of the ablation."""
    return ["", *(f"_{name}" for name in config["scope"]["defusion"]["variants"])]


def responding(config: dict):
    """What `respond` needs besides its model, by the wildcards' values."""
    sampling = config["scope"]["responding"]["sampling"]
    return lambda keys: {"sampling": sampling, "prompt_name": keys["prompt"]}


def defusion(config: dict):
    """What `judge_defusion` needs besides its model; a variant has its own number of votes."""
    own = config["scope"]["defusion"]
    votes = {"": own["votes"]} | {f"_{name}": variant["votes"] for name, variant in own["variants"].items()}
    return lambda keys: {"sampling": own["sampling"], "votes": votes[keys["variant"]]}


def encoder(config: dict, name: str = "") -> dict:
    """An encoder, that of the scope study unless it is named, and where vectors are kept for all studies."""
    name = name or config["scope"]["hardness"]["encoder"]
    return {"encoder": {"name": name, **config["encoders"][name]}, "embeddings": "embeddings"}


def encoder_module(config: dict, name: str = "") -> str:
    """The module that runs that encoder, which is loaded by its name."""
    return f"ragassay.encoders.kinds.{encoder(config, name)['encoder']['kind']}"


def with_encoder(config: dict, version, wildcards) -> str:
    """The version of a script together with the encoder that the wildcard names."""
    return version(encoder_module(config, wildcards.encoder))


def neighbours(config: dict) -> dict:
    """How many neighbours are kept of a query."""
    return {"count": config["retrieval"]["neighbours"]}


def retrieval_metrics(config: dict) -> dict:
    return {name: config["retrieval"][name] for name in ("retrievers", "resamples", "seed")}


def dense_search(config: dict, wildcards) -> dict:
    return {**encoder(config, wildcards.encoder), **neighbours(config)}


def of_corpus(config: dict, shards, pattern: str, wildcards) -> list[str]:
    """The tables of a corpus, which is the study's, of all shards, or a question set's."""
    own = [wildcards.corpus] if wildcards.corpus in config["question_sets"] else shards
    return [pattern.format(shard=shard) for shard in own]


def corpus(config: dict, wildcards) -> dict:
    return {"columns": config["corpora"][wildcards.corpus]["columns"]}


def query_set(config: dict, wildcards) -> dict:
    return {"columns": config["query_sets"][wildcards.query_set]["columns"]}


def nearness(config: dict) -> dict:
    return {**encoder(config), "limits": sorted(config["scope"]["hardness"]["limits"])}


def grading(config: dict) -> dict:
    hardness = config["scope"]["hardness"]
    same = {name: hardness[name] for name in ("fewest_per_stratum", "resamples", "seed")}
    return {**same, "limits": sorted(hardness["limits"])}


def sections(config: dict) -> list[str]:
    """The report's, that of question sets among them wherever there are any; that of agreement if people labelled."""
    own = ["question_sets"] if config["question_sets"] else []
    left_out = [] if labelled(config)["generator"] or voted(config) else ["agreement"]
    return [name for name in dict.fromkeys([*config["report"]["sections"], *own]) if name not in left_out]


def draws(config: dict) -> dict:
    """How documents are drawn anew for intervals."""
    return {name: config["scope"]["hardness"][name] for name in ("resamples", "seed")}


def scope_metrics(config: dict) -> dict:
    """The study's own generator and judge are the first."""
    scope = config["scope"]
    return {"generator": scope["generators"][0], "judge": scope["judges"][0], **draws(config)}


def response_metrics(config: dict) -> dict:
    """The study's own generator and judge are the first; so is the prompt for answering with the document."""
    scope, models = config["scope"], config["models"]
    own = {"generator": scope["generators"][0], "judge": scope["judges"][0]}
    own |= {"prompt": scope["responding"]["prompts"][0], **scope["comparison"]}
    cutoffs = {name: models[name]["cutoff"] for name in scope["responders"] if "cutoff" in models[name]}
    return {**own, "cutoffs": cutoffs, "least_share": scope["labels"]["least_share"]}
