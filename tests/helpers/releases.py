"""Releases of finished projects, for tests."""

from pathlib import Path

DAY = "2026-11-23"


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
