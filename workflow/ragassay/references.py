"""What the configuration and the rules refer to: prompts, files, folders, shards. All must exist before a job starts.

Snakemake reports a missing input only if the output is missing, too. Otherwise it takes the old output for a file that
nobody makes, and the run ends well on results that belong to other settings.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from ragassay import own_models
from ragassay.annotation import settings as annotation
from ragassay.encoders import weights
from ragassay.errors import AssayError, closest, closest_file
from ragassay.news.feed_table import topic_of
from ragassay.shards import ShardError, read_shards
from ragassay.sources import READERS, SourceError, document_files

RESULTS = "results/"  # what rules write
PROMPTS = Path("resources/prompts")
TABLES = {  # section -> what holds files in each of its entries
    "corpora": ["files"],
    "query_sets": ["files"],
    "question_sets": ["documents", "questions", "human_votes", "responses"],
}
HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?", re.ASCII)


class MissingInput(AssayError):
    """Files that rules read are gone; the message lists all, one a line."""


def problems(config: dict) -> Iterator[tuple]:
    """(key, what is wrong with the name or path there) for all of a checked configuration."""
    yield from _prompts(config)
    yield from _files(config)
    yield from _feeds(config)
    yield from _weights(config)
    yield from _labels(config)
    yield from _shards(config)


def check_inputs(rules) -> None:
    """Whether the files exist that rules read by fixed names. Names with wildcards come from the configuration."""
    read = {str(file): rule.name for rule in rules for file in rule.input if isinstance(file, str)}
    fixed = [file for file in read if "{" not in file and not file.startswith(RESULTS)]
    gone = [file for file in sorted(fixed) if not Path(file).exists()]
    if gone:
        advice = "restore it, as with: git checkout --"
        raise MissingInput(
            "\n".join(f"{file}: no such file; rule {read[file]} reads it, {advice} {file}" for file in gone)
        )


def _prompts(config):
    responding, defusion = config["scope"]["responding"], config["scope"]["defusion"]
    named = [("respond", name, ("scope", "responding", "prompts")) for name in responding["prompts"]]
    named += [("judge_defusion", name, ("scope", "defusion", "variants", name)) for name in defusion["variants"]]
    for task, name, key in named:
        if not (PROMPTS / f"{task}_{name}.yaml").is_file():
            known = [file.stem.removeprefix(f"{task}_") for file in sorted(PROMPTS.glob(f"{task}_*.yaml"))]
            expected = f"expected one of: {', '.join(known)}{closest(name, known)}"
            yield key, f"found the prompt {name!r}, {expected}; each is a file {PROMPTS}/{task}_{{name}}.yaml"


def _files(config):
    crawl, guidelines = config["crawl"], config["scope"]["annotation"]["guidelines"]
    named = [(("crawl", "opml"), file) for file in crawl["opml"]]
    named += [(("crawl", "opt_outs"), crawl["opt_outs"]), (("scope", "annotation", "guidelines"), guidelines)]
    tables = list(_tables(config))
    for key, file in [*named, *tables]:
        if Path(file).is_dir():
            yield key, f"found the folder {file!r}, expected a file"
        elif not Path(file).is_file():
            yield key, f"found {file!r}, no such file, expected one that exists{closest_file(file)}"
        elif (key, file) in tables and Path(file).suffix.lower() not in READERS:
            yield key, f"found {file!r}, an unknown kind of file, expected one of {', '.join(READERS)}"
    site = crawl["local_site"]
    if site and not Path(site).is_dir():
        yield ("crawl", "local_site"), f"found {site!r}, no such folder, expected one of articles{closest_file(site)}"


def _tables(config):
    for section, parts in TABLES.items():
        for name, entry in config[section].items():
            for part in parts:
                yield from (((section, name, part), file) for file in entry[part])


def _feeds(config):
    crawl = config["crawl"]
    known = [*crawl["topics"], *crawl["other_names"]]
    for feed in crawl["own_feeds"]:
        if topic_of([feed["topic"]], crawl["topics"], crawl["other_names"]) is None:
            found = f"found the topic {feed['topic']!r} of {feed['url']}"
            yield ("crawl", "own_feeds"), f"{found}, expected one of: {', '.join(known)}{closest(feed['topic'], known)}"


def _weights(config):
    """Models in folders and packages. A job looks for names of the hub: its machine may have another cache."""
    local = {name: entry for name, entry in config["models"].items() if entry["provider"] == "transformers"}
    for section, entries in {"models": local, "encoders": config["encoders"]}.items():
        for name, entry in entries.items():
            model = entry["model"]
            if model.startswith("package:"):
                try:
                    weights.in_package(name, model)
                except weights.WeightsError as error:
                    yield (section, name, "model"), str(error).removeprefix(f"{name}: ")
            elif model != own_models.DEMO_LM and _is_folder(model) and not Path(model).is_dir():
                likely = closest(model, [own_models.DEMO_LM]) or closest_file(model)
                yield (section, name, "model"), f"found {model!r}, no such folder, expected one with weights{likely}"


def _is_folder(model):
    """Whether it can be no name of the hub's, or begins with a folder of the project."""
    return not HUB_NAME.fullmatch(model) or ("/" in model and Path(Path(model).parts[0]).is_dir())


def _labels(config):
    """What people labelled is an input as soon as it exists, so that only its results tell that it is gone."""
    judge = config["scope"]["judges"][0]
    made = {name: Path(RESULTS, "annotations", name, f"{judge}.parquet") for name in annotation.known(config)}
    labelled = annotation.labelled(config)["generator"]
    for name in [name for name in made if name in labelled or made[name].exists()]:
        for pattern in ("events.jsonl", "items.parquet"):
            file = annotation.file(config, pattern).format(generator=name, judge=judge)
            if not Path(file).is_file():
                remedy = "restore it" + (f", or delete {made[name]} to do without" if name not in labelled else "")
                yield ("scope", "annotation", "folder"), f"found no {file}, though people labelled {name}; {remedy}"


def _shards(config):
    try:
        shards = read_shards(config["shards"], config["question_sets"])
    except ShardError as error:
        yield from ((("shards",), line) for line in str(error).splitlines())
        return
    for row in shards.values():
        try:
            if row["documents"]:
                document_files(row["documents"])
        except SourceError as error:
            yield ("shards",), f"shard {row['shard']}: {error}"
