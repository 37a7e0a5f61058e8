"""Which room of the library may import which: what is shared knows no study, and no study knows another."""

import ast
from pathlib import Path

import pytest

from project import ROOT

LIBRARY = ROOT / "workflow/ragassay"
STUDIES = (
    {"scope", "hardness", "responses", "question_sets", "detectors"},
    {"relevance"},
    {"attacks", "raguard", "revprag", "defences"},
)
BELOW = {
    "attacks": {"raguard", "revprag"},
    "defences": {"raguard", "revprag"},
}  # what each must not know of its studies
SHARED = {
    "text",
    "metrics",
    "weights",
    "heads",
    "ledger",
    "documents",
    "encoders",
    "activations",
    "schemas",
    "likelihood",
}
EVERY = set().union(*STUDIES)
CHECKERS = {"ragassay.config.settings", "ragassay.config.schema"}  # of configuration, and of other files with a schema


def imports(source: str) -> set[str]:
    """The modules of the library that a module names, each by its longest possible name."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.startswith("ragassay.")}


def forbidden(room: str, source: str) -> list[str]:
    """The imports that a module of this room must not have."""
    wrong = []
    for name in sorted(imports(source)):
        other = name.split(".")[1]
        other_studies = any(room in study and other in EVERY - study for study in STUDIES)
        upwards = (room in SHARED and (other in EVERY or other == "people")) or other in BELOW.get(room, ())
        to_reader = other == "embedded" and room in EVERY | SHARED
        to_plan = other == "plan" and room != "plan" and not any(name.startswith(one) for one in CHECKERS)
        if other_studies or upwards or to_reader or to_plan:
            wrong.append(name)
    return wrong


def test_no_module_imports_against_the_arrows():
    found = {}
    for path in sorted(LIBRARY.rglob("*.py")):
        parts = path.relative_to(LIBRARY).parts
        wrong = forbidden(parts[0] if len(parts) > 1 else "", path.read_text())
        if wrong:
            found[str(Path(*parts))] = wrong
    assert not found
    assert EVERY & {folder.name for folder in LIBRARY.iterdir()} >= STUDIES[0], "a study was renamed: name it here"


def test_scripts_import_of_studies_only_their_own():
    found = {}
    for path in sorted((ROOT / "workflow/scripts").glob("*/*.py")):
        room = path.parent.name
        wrong = forbidden(room, path.read_text()) if room in EVERY else []
        if wrong:
            found[f"{room}/{path.name}"] = wrong
    assert not found


@pytest.mark.parametrize(
    ("room", "line"),
    [
        ("relevance", "from ragassay.studies.scope.questions.votes import OUT"),
        ("scope", "import ragassay.studies.poisoning.defences.scorers"),
        ("attacks", "from ragassay.studies.poisoning.measures.guard import Guard"),
        ("defences", "from ragassay.studies.poisoning.measures import halves"),
        ("responses", "from ragassay.embedded.english import words"),
        ("text", "from ragassay.studies.scope.detectors import detector"),
        ("heads", "from ragassay.base import tables; from ragassay.studies.scope import detectors"),
        ("llm", "from ragassay.plan import settings"),
    ],
)
def test_an_arrow_in_the_wrong_direction_is_found(room, line):
    assert forbidden(room, line)


@pytest.mark.parametrize(
    ("room", "line"),
    [
        ("responses", "from ragassay.studies.scope.questions.votes import OUT"),
        ("detectors", "from ragassay.studies.scope.controls import overlap_features"),
        ("llm", "from ragassay.embedded.reader import respond"),
        ("report", "from ragassay.config.settings import checked"),
        ("attacks", "from ragassay.studies.poisoning.defences.guard import Guard"),
        ("scope", "import numpy"),
    ],
)
def test_an_arrow_in_the_right_direction_is_not(room, line):
    assert not forbidden(room, line)
