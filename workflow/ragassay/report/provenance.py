"""What a page of the report was made from, and a mark on pages that no longer fit.

A page names its tables, each with its SHA-256, the models that its numbers rest on, and where its settings stand.

Beside the pages lies a style sheet that each run writes anew. Every page holds a notice that is not displayed; the
style sheet displays it on pages that no longer fit the tables and settings. So no page has to allow a second script,
and all that the file may hold is names of pages. A page allows this one style sheet by a nonce, which follows from its
tables: no text in a table can name the digest of that table.
"""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ragassay.base.atomic import write_text
from ragassay.base.card import digest

MARKS = "outdated.css"
FITS, UNFINISHED, OUTDATED, REMOVED = "", "unfinished", "stale", "removed"  # also classes of the notice's sentences
MEANING = "/* Written by each run: which pages in this folder no longer fit the tables and settings. */"


@dataclass
class Provenance:
    """Of one page; `command` draws it again."""

    page: str  # the name of its file
    tables: dict[str, str]  # file -> SHA-256
    command: str
    models: dict[str, str] = field(default_factory=dict)  # name -> what it is
    settings: str = ""  # SHA-256 of their text, on pages that change with every setting
    home: str = ""  # the way to the folder of the report
    marks: str = MARKS

    @property
    def nonce(self) -> str:
        text = "\n".join([self.page, self.settings, *(f"{file} {digest}" for file, digest in self.tables.items())])
        return hashlib.sha256(text.encode()).hexdigest()[:32]


def of_page(page, tables: Iterable, command: str, models: dict | None = None, settings="", home="") -> Provenance:
    """Of the page in this file. `settings` is the text that people read."""
    digests = {Path(path).as_posix(): digest(path) for path in sorted({*map(Path, tables)})}
    of_settings = hashlib.sha256(settings.encode()).hexdigest() if settings else ""
    return Provenance(Path(page).name, digests, command, models or {}, of_settings, home)


def named(models: dict[str, str], keys: Iterable[str]) -> dict[str, str]:
    """The models that the keys of some metric row name, as JSON, alone or in a list or brackets."""
    values = {value for text in set(keys) for value in json.loads(text).values() if isinstance(value, str)}
    words = {word for value in values for word in re.split(r"[ ,()]+", value)}
    return {name: words_of for name, words_of in models.items() if name in words}


def in_paths(models: dict[str, str], files: Iterable) -> dict[str, str]:
    """The models that the paths of some table name."""
    names = {name for file in files for name in Path(file).with_suffix("").parts}
    return {name: words for name, words in models.items() if name in names}


def mark(root, states: dict[str, str], removed: Iterable[str] = ()) -> None:
    """Write the style sheet beside all pages below `root`. `states` says of each page whether it fits, `removed` are
    pages that no configuration has. Where no page is left, the style sheet goes.
    """
    states, folders = states | dict.fromkeys(removed, REMOVED), defaultdict(list)
    for page in sorted(Path(root).rglob("*.html")):
        rules = folders[page.parent]
        if state := states.get(page.as_posix()):
            notice = f'[data-page="{_in_css(page.name)}"] .outdated'
            rules.append(f"{notice}, {notice} .{state} {{ display: block }}")
    for folder, rules in folders.items():
        text = "\n".join([MEANING, *rules, ""])
        file = folder / MARKS
        if not file.exists() or file.read_text() != text:
            write_text(file, text)
    for file in Path(root).rglob(MARKS):
        if file.parent not in folders and not file.is_symlink():
            file.unlink()


def _in_css(text):
    """A text inside quotes of a style sheet."""
    return re.sub(r"[^A-Za-z0-9._/+-]", lambda sign: f"\\{ord(sign.group()):x} ", text)
