"""The configuration of the project in the working directory, for commands that write into it."""

from ragassay.base import pipeline
from ragassay.base.atomic import restrict
from ragassay.config import schema
from ragassay.config.settings import of_files


def of_project(files: list, *more) -> dict:
    """The checked configuration, with these files laid over it. What this process writes from now on is for those whom
    `files_for` names.
    """
    config = of_files([*pipeline.settings_files(), *files], schema.merged(), *more)
    restrict(config["files_for"])
    return config
