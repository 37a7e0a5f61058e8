"""Releases of finished projects, for tests."""

DAY = "2026-11-23"


def linked(project, folder):
    """A project of links to what a finished one holds, so that what is made beside it stays in the folder."""
    folder.mkdir()
    for path in project.iterdir():
        if path.name != "releases":
            (folder / path.name).symlink_to(path)
    return folder
