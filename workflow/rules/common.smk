"""Load what all rules need: the import path, the checked configuration, the shards, the form of wildcards. No rules here."""

import os
import sys
from functools import cache, partial
from pathlib import Path

WORKFLOW = Path(workflow.basedir, "workflow")
sys.path[:0] = [str(WORKFLOW)]
# Jobs inherit it: scripts run as copies elsewhere and import the library by its full name; startup/ is for jobs alone.
os.environ.update(PYTHONPATH=os.pathsep.join([str(WORKFLOW), str(WORKFLOW / "startup")]))

from snakemake.exceptions import WorkflowError

from ragassay import references, settings
from ragassay.code import code_version
from ragassay.config import NAME, checked, read
from ragassay.errors import AssayError
from ragassay.shards import one_of, read_shards


def told(check, *arguments):
    """What `check` returns. What it asks the user to change is shown without a traceback."""
    try:
        return check(*arguments)
    except AssayError as error:
        raise WorkflowError(str(error)) from None


CONFIG_FILES = [*filter(os.path.exists, ["config/config.yaml"]), *workflow.configfiles]
for file in CONFIG_FILES:  # before Snakemake does, which names neither file nor line
    told(read, file)


configfile: "config/config.yaml"


SCHEMA = WORKFLOW / "schemas/config.schema.yaml"
references_too = [references.problems] if workflow.is_main_process else []  # jobs start after that
config.update(told(checked, config, CONFIG_FILES, SCHEMA, *references_too))
SHARDS = told(read_shards, config["shards"], config["question_sets"])


# Keys of models come from the environment: a missing one stops before any job.
envvars:
    *[model["key_variable"] for model in config["models"].values() if model["key_variable"]],


FILED = [name for name, row in SHARDS.items() if row["documents"]]  # shards of the user's files
CRAWLED = [name for name in SHARDS if name not in FILED]
PAIRS = settings.pairs(config, SHARDS)  # of generator and shard, for expand(..., zip, **PAIRS, allow_missing=True)
of_shard = partial(partial, settings.of_shard, config, SHARDS)  # settings or files, by their function
before = partial(partial, settings.before, SHARDS)  # a pattern of paths


wildcard_constraints:
    **dict.fromkeys(["section", "prompt"], NAME),
    **{name: one_of(names) for name, names in settings.wildcard_names(config, SHARDS).items()},


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
