"""An installation from a wheel, and a project elsewhere that has run."""

import shutil

import pytest

from installation import ASKED, Installation, built, handbooks, shared


def make(folder):
    folder.mkdir()
    Installation(folder / "venv").make(built(folder))


@pytest.fixture(scope="session")
def installation(tmp_path_factory):
    """Nobody writes to it."""
    return Installation(shared(tmp_path_factory.getbasetemp(), "installation", make) / "venv")


@pytest.fixture(scope="session")
def finished(tmp_path_factory, installation):
    """A project that the command has run, to be copied, and what the command said; the installation stays as it was."""

    def run(folder):
        before = installation.files()
        output = installation.run("run", *ASKED, folder=handbooks(folder)).stdout
        assert installation.files() == before
        (folder / "output.txt").write_text(output)

    return shared(tmp_path_factory.getbasetemp(), "handbooks", run)


@pytest.fixture
def ours(finished, tmp_path):
    """The test's own copy of it."""
    shutil.copytree(finished, tmp_path / "handbooks", symlinks=True)
    return tmp_path / "handbooks"
