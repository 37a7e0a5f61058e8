"""What a page of the report was made from, and a mark on pages that no longer fit.

A page names its tables, each with its SHA-256, the digest of its settings, and the models that its numbers rest on.

Beside the pages lies a style sheet that each run writes anew. Every page holds a notice that is not displayed; the
style sheet displays it on pages that no longer fit the tables and settings. So the page's policy need not allow a
second script, and what the file may hold is names of pages. A page allows this one style sheet by a nonce, which
follows from its tables: no text in a table can name the digest of that table.
"""

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ragassay.base.atomic import write_text

MARKS = "outdated.css"
FITS, UNFINISHED, OUTDATED, REMOVED = "", "unfinished", "stale", "removed"
SHOWN = 12  # digits of a digest


@dataclass
class Provenance:
    """Of one page. `page` is its address below the folder of the report."""

    page: str
    tables: dict[str, str]  # file -> SHA-256
    settings: str  # SHA-256
    models: list[str] = field(default_factory=list)
    command: str = "snakemake"  # draws the page again

    @property
    def nonce(self) -> str:
        text = "\n".join([self.page, self.settings, *(f"{file} {digest}" for file, digest in self.tables.items())])
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    @property
    def marks(self) -> str:
        """The address of the style sheet, as the page sees it."""
        return os.path.relpath(MARKS, Path(self.page).parent)


def of_page(page: str, tables: Iterable, settings: str, models: Iterable[str] = (), **more) -> Provenance:
    """`settings` is the text that people read."""
    digests = {str(path): digest(path) for path in sorted(map(Path, tables))}
    return Provenance(page, digests, hashlib.sha256(settings.encode()).hexdigest(), sorted(models), **more)


def digest(path) -> str:
    """The SHA-256 of a file, as `sha256sum` prints it."""
    with Path(path).open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def mark(folder, states: dict[str, str], removed: Iterable[str] = ()) -> None:
    """Write the style sheet beside the pages in `folder`. `states` says of each page whether it fits, `removed` are
    pages that no configuration has.
    """
    folder = Path(folder)
    if not folder.is_dir():
        return
    states = states | dict.fromkeys(removed, REMOVED)
    rules = ["/* Written by each run: which pages in this folder no longer fit the tables and settings. */"]
    for page, state in sorted(states.items()):
        if state:
            place = f'[data-page="{_in_css(Path(page).relative_to(folder).as_posix())}"] .outdated'
            rules.append(f"{place}, {place} .{state} {{ display: block }}")
    text = "\n".join([*rules, ""])
    file = folder / MARKS
    if not file.exists() or file.read_text() != text:
        write_text(file, text)


def _in_css(text):
    """A text inside quotes of a style sheet."""
    return re.sub(r"[^A-Za-z0-9._/+-]", lambda sign: f"\\{ord(sign.group()):x} ", text)
