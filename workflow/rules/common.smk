"""Load what all rules need: the import path, the checked configuration, the shards, the form of wildcards. No rules here."""

import sys
from functools import cache
from inspect import signature
from pathlib import Path

# Not `workflow.basedir`, which is that of the caller where another workflow uses this one as a module.
sys.path[:0] = [str(Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).parent)]
IS_MODULE = not workflow.modifier.is_main_snakefile()

from ragassay.base.atomic import restrict
from ragassay.base.code_version import code_version
from ragassay.base.pipeline import settings_files, shipped
from ragassay.config import schema
from ragassay.config.settings import NAME, checked, read
from ragassay.config.shards import one_of, read_shards
from ragassay.running import cluster, finished_jobs, machine, partial_report, plans
from ragassay.running.console import in_one_line
from ragassay.plan import corpora, models, references, report as page

CONFIG_FILES = [] if IS_MODULE else [*settings_files(), *workflow.configfiles]
for file in CONFIG_FILES if workflow.is_main_process else ():  # where profiles/default has not seen to it
    in_one_line(read, file)
for file in [] if IS_MODULE else settings_files() or ["config/config.yaml"]:

    configfile: file


machine.prepare(workflow)
checks = [references.problems] if workflow.is_main_process else []  # jobs start after that
SCHEMA = in_one_line(schema.merged)
config.update(schema.fetched(in_one_line(checked, config, CONFIG_FILES, SCHEMA, *checks), SCHEMA))
restrict(config["files_for"])
SHARDS = in_one_line(read_shards, config["shards"], config["question_sets"])


envvars:
    *[model["key_variable"] for model in config["models"].values() if models.needs_key(model)],
    *corpora.keys(config),


wildcard_constraints:
    shard=one_of([*SHARDS, *config["question_sets"]]),


# The rule files of studies add to these; those of calls, release and report, which are included after them, collect it.
CALLS = []  # tables of what was asked of models and paid
SECTIONS = {}  # of the report: name -> its entry, see `ragassay.plan.report`
EXPLORERS = {}  # pages beside the report: name -> file
PRODUCTS = []  # whatever else a whole run makes
ESTIMATES = {"most_requests": {}, "switches": {}, "shards": list(SHARDS)}  # bounds of an estimate, what lowers it
version = cache(code_version) if workflow.is_main_process else "".format  # "": the head alone compares versions


def plan(function, **more):
    """What a function of `ragassay.plan` says of configuration and shards; if it asks for wildcards, a function of these."""
    names = signature(function).parameters
    known = {name: value for name, value in {"config": config, "shards": SHARDS}.items() if name in names}

    def of_job(wildcards):
        return in_one_line(function, wildcards=wildcards, **known, **more)

    return of_job if "wildcards" in names else in_one_line(function, **known, **more)


def code(script, modules, **more):
    """The version of a script and of the modules that it loads by name, which a function of `ragassay.plan` says."""
    named = plan(modules, **more)

    def of_job(wildcards):
        return version(script, *named(wildcards))

    return of_job if callable(named) else version(script, *named)


workflow.register_pathvars(**plan(page.places, files=CONFIG_FILES))
ENCODING = {"mem_mb": 4000, "runtime": "4h"}  # resources of a job that runs an encoder or fits on what it gave


def table(path):
    """An output that is written whole, be it without rows; an empty file is none."""
    return ensure(path, non_empty=True)


def frozen(value):
    """A param that may change without a re-run: Snakemake does not compare those that depend on outputs."""

    def unchanged(wildcards, output):
        return value(wildcards) if callable(value) else value

    return unchanged
