"""The page of all messages is read from the code: errors that are really raised stand on it, as they are told."""

import re

import pytest

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.calls.prompts import Prompt
from ragassay.news.opt_outs import OptOuts
from ragassay.release.publishing import publish
from ragassay.results import Results
from ragassay.schemas.documents import DOCUMENTS
from tools import error_messages

PAGE = error_messages.WORKFLOW.parent / "docs/troubleshooting.md"
CODE = '''
"""Weigh things. Not more."""

class ScaleError(AssayError):
    """A scale cannot be used. It is told once."""

class Other(ValueError):
    """Nobody has to act on it."""

def weigh(scale, grams):
    """Grams of a thing; raises."""
    told, remedy = f"found {grams} grams", "take the larger scale"
    rest = 0
    rest += 1
    if scale:
        raise ScaleError(f"{scale.name}: {told}, expected at most 100; " + remedy)
    if grams:
        raise AssayError(f"found no scale at all, expected some, {rest} | <more>")
    raise Other(f"found {grams} grams, which is nobody's business to put right")

def problems(things):
    for thing in things:
        yield f"{thing}: found no thing of this name among those on the scale; buy one"
        yield "something else altogether"
'''


def test_messages_are_put_together_from_what_the_code_says(tmp_path):
    (tmp_path / "lib/weighing").mkdir(parents=True)
    (tmp_path / "lib/weighing/scale.py").write_text(CODE)
    (tmp_path / "lib/base.py").write_text("class AssayError(Exception):\n    pass\n")
    found = error_messages.messages(tmp_path)
    assert [(one.text, one.when, one.remedy) for one in found] == [
        ("found no scale at all", "Weigh things", "expected some, … | <more>"),
        ("…: found no thing of this name among those on the scale", "Weigh things", "buy one"),
        ("…: found … grams, expected at most 100", "A scale cannot be used", "take the larger scale"),
    ]
    assert {one.room for one in found} == {"weighing"}
    assert "| found no scale at all | Weigh things | expected some, … \\| \\<more> |" in error_messages.tables(found)


def no_results(folder):
    Results(folder / "nothing")


def no_table(folder):
    tables.read(DOCUMENTS, folder / "nothing.parquet")


def no_prompt(folder):
    Prompt.load(folder / "nothing.yaml")


def no_opt_outs(folder):
    OptOuts.read(folder / "nothing.txt")


def no_version(folder):
    publish("", [], "2026-11-23")


@pytest.mark.parametrize(
    "cause", [no_results, no_table, no_prompt, no_opt_outs, no_version], ids=lambda one: one.__name__
)
def test_what_is_raised_stands_on_the_page(tmp_path, cause):
    with pytest.raises(AssayError) as raised:
        cause(tmp_path)
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    told = [row for row in rows if len(row) == 3 and _form(row[0]).match(str(raised.value))]
    assert any(_form(row[2].strip(" |").removeprefix("expected ")).search(str(raised.value)) for row in told), (
        raised.value
    )


def _form(cell):
    """What a cell stands for: anything where it has a gap."""
    plain = re.sub(r"\\([|<*\\])", r"\1", cell)
    return re.compile(re.escape(plain).replace("…", ".*"), re.DOTALL)
