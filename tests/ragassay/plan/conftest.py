"""A configuration of several models, each in more than one part, and others laid over the default one."""

import pytest
import yaml
from snakemake.utils import update_config

from project import ROOT
from ragassay.config.schema import merged
from ragassay.config.settings import checked

MODEL = {"provider": "rules", "model": "careful", "price": {"input": 0, "output": 0}}


@pytest.fixture
def config():
    models = {"a": MODEL, "b": MODEL | {"cutoff": "2023-12-31"}, "c": MODEL}
    models["own"] = MODEL | {"provider": "transformers", "model": "results/models/demo-lm"}
    scope = {"generators": ["a", "b"], "judges": ["c", "a"], "responders": ["a", "b"]}
    scope |= {"responding": {"prompts": ["basic", "cot"]}}
    scope |= {"defusion": {"votes": 5, "variants": {"plain": {"votes": 3}, "short": {}}}}
    files = {"documents": ["d.csv"], "questions": ["q.csv"]}
    sets = {"mine": files | {"judges": {"old-judge": "j"}, "responders": {"old": "r"}}}
    return checked({"models": models, "scope": scope, "question_sets": sets}, [], merged())


@pytest.fixture(scope="module")
def settings():
    """A function that lays settings over the default configuration."""
    default = yaml.safe_load((ROOT / "config/config.yaml").read_text())

    def lay(*own, folder=ROOT):
        config = yaml.safe_load(yaml.safe_dump(default))
        for one in own:
            update_config(config, one)
        return checked(config, [folder / "config/config.yaml"], merged())

    return lay
