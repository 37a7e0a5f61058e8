"""A release of the tiny pipeline, made once; tests that change it take a copy."""

import shutil

import pytest

from project import TINY
from ragassay.release.publishing import publish
from releases import DAY, linked


@pytest.fixture(scope="session")
def published(tiny, tmp_path_factory):
    """The folder of the release."""
    root = linked(tiny, tmp_path_factory.mktemp("published") / "project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        return root / publish("2026-09", [TINY[1]], DAY)


@pytest.fixture
def release(published, tmp_path):
    """A copy to be changed."""
    return shutil.copytree(published, tmp_path / "release")
