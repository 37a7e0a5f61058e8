"""Load what all rules need: the import path, the checked configuration, the shards, the form of wildcards. No rules here."""

import os
import sys
from functools import cache
from pathlib import Path

WORKFLOW = Path(workflow.basedir, "workflow")
sys.path[:0] = [str(WORKFLOW)]
# Jobs inherit it: scripts run as copies elsewhere and import the library by its full name; startup/ is for jobs alone.
os.environ.update(PYTHONPATH=os.pathsep.join([str(WORKFLOW), str(WORKFLOW / "startup")]))

from snakemake.exceptions import WorkflowError

from ragassay import settings
from ragassay.code import code_version
from ragassay.config import NAME, checked
from ragassay.errors import AssayError
from ragassay.shards import one_of, read_shards


configfile: "config/config.yaml"


CONFIG_FILES = ["config/config.yaml", *(file for file in workflow.configfiles if str(file) != "config/config.yaml")]
try:
    config.update(checked(config, CONFIG_FILES, WORKFLOW / "schemas/config.schema.yaml"))
    SHARDS = read_shards(config["shards"], config["question_sets"])
except AssayError as error:
    raise WorkflowError(str(error)) from None


# Keys of models come from the environment: a missing one stops before any job.
envvars:
    *[model["key_variable"] for model in config["models"].values() if model["key_variable"]],


FILED = [name for name, row in SHARDS.items() if row["documents"]]  # shards of the user's files
CRAWLED = [name for name in SHARDS if name not in FILED]
PAIRS = settings.pairs(config, SHARDS)  # of generator and shard, for expand(..., zip, **PAIRS, allow_missing=True)


wildcard_constraints:
    **dict.fromkeys(["shard", "section", "generator", "judge", "responder", "prompt"], NAME),
    variant=one_of(settings.variants(config)),


def before(pattern):
    """This table of the shard before the one that `shard` names; none for the first."""

    def paths(wildcards):
        return expand(pattern, shard=SHARDS[wildcards.shard]["before"][-1:])

    return paths


def of_shard(settings):
    """These settings, or files, for the shard that is the wildcard."""

    def settings_for(wildcards):
        try:
            return settings(SHARDS[wildcards.shard], config)
        except AssayError as error:
            raise WorkflowError(str(error)) from None

    return settings_for


def frozen(value):
    """A param that may change without a re-run: Snakemake does not compare those that depend on outputs."""

    def unchanged(wildcards, output):
        return value(wildcards) if callable(value) else value

    return unchanged


def code_with_model(script, role):
    """The code behind a model's answers, which is the script and, loaded by name, the provider."""

    @cache
    def with_provider(provider):
        return code_version(script, f"ragassay.llm.providers.{provider}")

    def version(wildcards):
        return with_provider(config["models"][wildcards.get(role)]["provider"])

    return version


def asking(rule, role, own):
    """What a stage that asks needs to know: the model named by the wildcard `role`, its ledger, and its own settings."""

    def settings_for(wildcards):
        keys = dict(wildcards.items())
        ledger = str(Path("ledger", rule, *keys.values()))
        model, own_settings = settings.model(config, keys[role]), own(keys) if callable(own) else own
        return {"model": model, "ledger": ledger, "most_rejected": config["most_rejected"], **own_settings}

    return settings_for
