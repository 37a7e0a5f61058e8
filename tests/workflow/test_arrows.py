"""Which room of the library may import which: an arrow only points up the list, and no study knows another."""

import pytest

from project import ROOT
from tools.counts import FLOORS, LIBRARY, imports, room_of

# Scripts import what they like but other studies.
STUDIES = [room for room in FLOORS if room.startswith("studies.")]
# What only rules and commands may import, and what only the call layer may: nothing of a study rests on a stand-in.
RESERVED = {"ragassay.plan": {"plan", "command"}, "ragassay.calls.providers": {"calls"}}


def forbidden(room: str, source: str) -> list[str]:
    """The imports that a module of this room must not have."""
    wrong = []
    for name in sorted(imports(source)):
        other = room_of(name.removeprefix("ragassay."))
        downwards = other in FLOORS and room in FLOORS and FLOORS.index(other) > FLOORS.index(room)
        another_study = room in STUDIES and other in STUDIES and other != room
        reserved = any(name.startswith(f"{module}.") and room not in rooms for module, rooms in RESERVED.items())
        if downwards or another_study or reserved:
            wrong.append(name)
    return wrong


def test_no_module_imports_against_the_arrows():
    wrong = {}
    for path in sorted(LIBRARY.rglob("*.py")):
        module = ".".join(path.relative_to(LIBRARY).with_suffix("").parts)
        if forbidden(room_of(module), path.read_text()):
            wrong[module] = forbidden(room_of(module), path.read_text())
    assert not wrong


def test_every_room_has_its_floor():
    rooms = {room_of(".".join(path.parent.relative_to(LIBRARY).parts)) for path in LIBRARY.rglob("*/*.py")}
    assert rooms - {"studies"} == {*FLOORS}


def test_scripts_import_of_studies_only_their_own():
    for path in sorted((ROOT / "workflow/scripts").glob("*/*.py")):
        studies = {room_of(name.removeprefix("ragassay.")) for name in imports(path.read_text())} & {*STUDIES}
        assert len(studies) <= 1, f"{path} imports {studies}"


@pytest.mark.parametrize(
    ("room", "line"),
    [
        ("studies.relevance", "from ragassay.studies.scope.votes import OUT"),
        ("studies.scope", "import ragassay.studies.poisoning.defences.scorers"),
        ("studies.poisoning", "from ragassay.calls.providers.rules import respond"),
        ("text", "from ragassay.models import files"),
        ("models", "from ragassay.studies import scope"),
        ("calls", "from ragassay.plan import models"),
        ("report", "from ragassay.plan import models"),
    ],
)
def test_an_arrow_in_the_wrong_direction_is_found(room, line):
    assert forbidden(room, line)


@pytest.mark.parametrize(
    ("room", "line"),
    [
        ("studies.scope", "from ragassay.studies.scope.votes import OUT"),
        ("calls", "from ragassay.calls.providers.rules import respond"),
        ("report", "from ragassay.config.settings import checked"),
        ("studies.poisoning", "from ragassay.calls.model import Model"),
        ("studies.scope", "import numpy"),
    ],
)
def test_an_arrow_in_the_right_direction_is_not(room, line):
    assert not forbidden(room, line)
