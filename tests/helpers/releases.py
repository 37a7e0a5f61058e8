"""Releases of finished projects, for tests."""

import subprocess
from pathlib import Path
from types import SimpleNamespace

from project import forked
from ragassay.release import gathering

DAY = "2026-11-23"
FREE = {"licence": "apache-2.0", "texts": True}


def sources(*names):
    """Settings under which the texts of these sources, the demo's and those of the tiny pipeline may be published."""
    return {"sources": {name: {**FREE} for name in ("example", "resources/demo", "tests/tiny/documents", *names)}}


def everything(configfiles):
    """All tables below results, as if the configuration planned them; what it plans is tested apart."""
    return sorted(Path("results").rglob("*.parquet"))


def linked(project, folder):
    """A project of links to what a finished one holds, so that what is made beside it stays in the folder."""
    folder.mkdir()
    for path in project.iterdir():
        if path.name != "releases":
            (folder / path.name).symlink_to(path)
    return folder


def key_of(folder):
    """A new key of ssh, and a file that names it."""
    key = folder / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    (folder / "signers").write_text(f"publisher {key.with_suffix('.pub').read_text()}")
    return key, folder / "signers"


def plan_in_forks(patch):
    """What a configuration plans is said by a fork (see `forks`), whose lines without tabs are on standard error."""

    def run(command, **_):
        done = forked(command)
        done.stdout = "".join(line for line in done.stdout.splitlines(keepends=True) if "\t" in line)
        return done

    patch.setattr(gathering, "subprocess", SimpleNamespace(run=run))
