"""A configuration of several models, each in more than one part."""

import pytest

from ragassay.plan.config import checked
from ragassay.plan.schema import merged

MODEL = {"provider": "embedded", "model": "reader", "price": {"input": 0, "output": 0}}


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
