"""Where files of users are: at paths in the working directory, or at addresses in object stores, such as
s3://bucket/texts.parquet, of which jobs read a copy, which the rule fetch_file makes."""

import re
from pathlib import Path, PurePosixPath

FOLDER = "fetched"  # of the copies
NAME, KEY = "[A-Za-z0-9][A-Za-z0-9._-]*", r"(?:/\w[\w.=+@:-]{0,199})+"
# Snakemake hands it on in a command line, so that spaces, commas and quotes have no place there.
OBJECT = rf"(?:(?:s3|gs)/{NAME}|abfss?/{NAME}@{NAME}|hdfs/{NAME}(?::[0-9]+)?){KEY}"
# Below the folder. Each reader has a copy of its own: what fetches one again runs all again that read that copy.
PLACE = rf"{NAME}/{OBJECT}"
FORM = (
    "s3://bucket/key, gs://bucket/key, abfs://container@account.dfs.core.windows.net/key or hdfs://host:port/key, where"
    " a key has letters, digits, '/', '.', '_', '-', '=', '+', '@' and ':'"
)


def stays_inside(path: object) -> bool:
    """Whether a path, as written, stays in the working directory; a link may point out of it, since it was made on
    purpose.
    """
    if not isinstance(path, str):
        return True
    parts = PurePosixPath(path).parts
    leaves = any(part == ".." or part.startswith(("/", "~")) or part[1:2] == ":" for part in parts)
    return bool(path) and not leaves and not any(sign in path for sign in ("\\", "\0", "://"))


def is_place(path: object) -> bool:
    """Whether it is such a path or the address of an object."""
    return stays_inside(path) or is_address(path)


def is_address(path: object) -> bool:
    """Whether it is one: of a single object, without credentials, a query string and `..`."""
    return isinstance(path, str) and "://" in path and bool(re.fullmatch(OBJECT, path.replace("://", "/", 1)))


def local(path: str, reader: str) -> str:
    """Where jobs read it: a path of the working directory as it is, of an address its copy. `reader` is the entry that
    names it, such as corpora.news.
    """
    return f"{FOLDER}/{reader}/{path.replace('://', '/', 1)}" if is_address(path) else path


def is_copy(path: object) -> bool:
    """Whether a path is that of such a copy, be it made or not."""
    folder, _, place = str(path).partition("/")
    return folder == FOLDER and bool(re.fullmatch(PLACE, place))


def of_copy(place: str) -> str:
    """The address of a copy, by its path below the folder."""
    return place.partition("/")[2].replace("/", "://", 1)


def remove_copies() -> None:
    """Those that a failed run leaves: what is wrong with an object may be put right before the next one reads it."""
    for path in Path(FOLDER).rglob("*"):
        if is_copy(path) and path.is_file():
            path.unlink()
