"""A release of the tiny pipeline, made once; tests that change it take a copy."""

import copy
import hashlib
import shutil

import pytest

from project import TINY
from ragassay.release.publishing import publish
from ragassay.release.verification import table_files
from releases import DAY, linked, plan_in_forks


@pytest.fixture(scope="session")
def published(tiny, tmp_path_factory):
    """The folder of the release."""
    root = linked(tiny, tmp_path_factory.mktemp("published") / "project")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        plan_in_forks(patch)
        return root / publish("2026-09", [TINY[1]], DAY)


@pytest.fixture
def release(published, tmp_path):
    """A copy to be changed."""
    return shutil.copytree(published, tmp_path / "release")


LOOKED_AT = {}  # a table file and what is expected of it -> its problems, what later checks use of it, its size


@pytest.fixture(autouse=True)
def looked_at_once(monkeypatch):
    """Tests verify releases of two hundred tables that differ in one, so what is seen of a file is kept."""
    of_file = table_files._of_file

    def once(release, file, table, ids, most):
        entry = release.tables[table] | {"files": release.tables[table]["files"][file]}
        expected = repr((file, entry, release.manifest["texts"].get(table), release.watched(table), sorted(ids)))
        about = hashlib.sha256((release.folder / file).read_bytes() + expected.encode()).digest()
        if about not in LOOKED_AT:
            alone = copy.copy(release)
            alone.passes, alone.unfolded = {}, 0
            LOOKED_AT[about] = list(of_file(alone, file, table, ids, most)), alone.passes, alone.unfolded
        problems, passes, unfolded = LOOKED_AT[about]
        release.passes.update(passes)
        table_files._unfold(release, unfolded, most)
        return problems

    monkeypatch.setattr(table_files, "_of_file", once)
