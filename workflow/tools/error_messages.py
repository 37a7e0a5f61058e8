"""Every error that a person can act on, read from the code without running it: the message, when it comes, what to do.

A message is the text that is given to a subclass of AssayError where it is raised, or one of a list of problems that a
function yields or returns. Where it is put together from variables of the function, these are followed; what only a run
knows is shown as `…`. Messages that are made elsewhere and only passed on are found there, not here.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

WORKFLOW = Path(__file__).resolve().parent.parent
BASE, UNKNOWN = "AssayError", "…"
FEWEST_LETTERS = 18  # of fixed text: less than that says nothing
PROBLEM = re.compile(r"\b(found|no such|expected)\b")  # in what a function yields


@dataclass(frozen=True, order=True)
class Message:
    room: str  # the folder of the code, which is the name of a stage for most
    text: str
    when: str
    remedy: str


def tables(found: list[Message]) -> str:
    """A table for each room."""
    lines = []
    for room, of_room in groupby(found, key=lambda message: message.room):
        lines += ["", f"### {room}", "", "| message | when it comes | what to do |", "|---|---|---|"]
        lines += [f"| {_cell(one.text)} | {_cell(one.when)} | {_cell(one.remedy)} |" for one in of_room]
    return "\n".join(lines[1:])


def _cell(text):
    return re.sub(r"([|<*\\])", r"\\\1", text)


def messages(workflow: Path = WORKFLOW) -> list[Message]:
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(workflow.rglob("*.py"))}
    classes = {node.name: node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    reasons = {name: _sentence(node) for name, node in classes.items() if _is_error(name, classes)}
    found = set()
    for path, tree in trees.items():
        for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)):
            for text, when in _of_function(function, reasons):
                if _letters(text) >= FEWEST_LETTERS:
                    found.add(_message(_room(path.relative_to(workflow)), text, when or _sentence(tree)))
    return sorted(found)


def _is_error(name, classes):
    """Whether a class is one of AssayError's."""
    bases = [base.id for base in classes[name].bases if isinstance(base, ast.Name)] if name in classes else []
    return name == BASE or any(_is_error(base, classes) for base in bases if base != name)


def _of_function(function, reasons) -> Iterator[tuple[str, str]]:
    values = _values(function)
    for node in ast.walk(function):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            if (name := getattr(node.exc.func, "id", None)) in reasons:
                yield _text(node.exc.args[0], values), reasons[name] if name != BASE else ""
        elif isinstance(node, ast.Yield | ast.Return) and isinstance(node.value, ast.JoinedStr):
            text = _text(node.value, values)
            if PROBLEM.search(text) and len(text.split()) > 4:
                yield text, _sentence(function)


def _values(function) -> dict[str, ast.expr]:
    """The variables of a function that have one value all along."""
    assigned = {}
    for node in (node for node in ast.walk(function) if isinstance(node, ast.Assign)):
        for target in node.targets:
            several = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
            for name, value in zip(target.elts, node.value.elts, strict=False) if several else [(target, node.value)]:
                if _is_name(name):
                    assigned.setdefault(name.id, []).append(value)
    counted = {
        node.target.id for node in ast.walk(function) if isinstance(node, ast.AugAssign) and _is_name(node.target)
    }
    return {name: values[0] for name, values in assigned.items() if len(values) == 1 and name not in counted}


def _is_name(node):
    return isinstance(node, ast.Name)


def _text(node, values, depth=0) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part, values, depth) for part in node.values)
    if isinstance(node, ast.FormattedValue) and isinstance(node.value, ast.Name | ast.JoinedStr | ast.Constant):
        return _text(node.value, values, depth)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _text(node.left, values, depth) + _text(node.right, values, depth)
    if isinstance(node, ast.Name) and isinstance(
        value := values.get(node.id), ast.Constant | ast.JoinedStr | ast.BinOp
    ):
        return _text(value, values, depth + 1) if depth < 4 else UNKNOWN
    return UNKNOWN


def _message(room, text, when):
    """What to do stands behind the last semicolon; else what was expected says it."""
    text = re.sub(f"({UNKNOWN})+", UNKNOWN, " ".join(text.split()))
    told, _, remedy = text.rpartition("; ")
    if not told:
        told, _, expected = text.partition(", expected ")
        remedy = f"expected {expected}" if expected else ""
    return Message(room, told, when, remedy) if _letters(told) > FEWEST_LETTERS / 3 else Message(room, text, when, "")


def _letters(text):
    return len(re.sub(r"\W", "", text))


def _sentence(node) -> str:
    """The first sentence of a docstring."""
    return re.split(r"(?<=[.;:]) ", " ".join((ast.get_docstring(node) or "").split()))[0].rstrip(".;:")


def _room(path):
    return path.parts[1] if len(path.parts) > 2 else "all stages"
