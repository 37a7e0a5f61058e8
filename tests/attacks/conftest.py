"""A little corpus with two targets, as tables."""

import pytest

from guarded import place, scored  # noqa: F401
from passages import TEXTS, write_passages
from scripts.targets.collect_target_queries import collect_target_queries
from targets import write_targets


@pytest.fixture
def files(tmp_path):
    """A function that gives the place of a table; targets, their queries and passages are there."""

    def path(name):
        return tmp_path / f"{name}.parquet"

    write_passages(path("passages"), TEXTS)
    collect_target_queries(write_targets(path("targets")), path("queries"))
    return path
