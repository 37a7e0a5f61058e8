"""The house in numbers, read from its code without running it: sizes, rooms, arrows between them, names.

`benchmarks/house.py` prints them beside their targets; tests hold those of which there may only be fewer.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from ragassay.base import code_version

WORKFLOW = Path(__file__).resolve().parents[1]
ROOT = WORKFLOW.parent
LIBRARY = WORKFLOW / "ragassay"
# Rooms of the library from the ground up. A room imports itself and what stands before it.
BELOW = "base text metrics schemas documents config models calls grading news corpora queries search".split()
STUDIES = sorted(f"studies.{module.parent.name}" for module in LIBRARY.glob("studies/*/__init__.py"))
FLOORS = [*BELOW, *STUDIES, *"people services release report running plan command".split()]
# Names of one thing with many forms: each module of such a folder has a class of this name.
FORMS = {"Connector", "Kind", "Provider"}
BANNED = {*"found own one told said known about".split()}  # as names of variables: they say nothing of what it is
# The stages from a target to its cell of the table of defences: planted, found, scored, filtered, answered, measured.
WALK = "make_targets poison_corpus retrieve_dense train_scorer score_passages fit_defence filter_retrieved".split()
WALK += ["answer_attacked", "measure_raguard"]


def sources(folder: Path) -> dict[Path, str]:
    return {path: path.read_text() for path in sorted(folder.rglob("*.py"))}


def lines(folder: Path) -> int:
    return sum(text.count("\n") for text in sources(folder).values())


def modules() -> int:
    """Modules of the library, without the empty files that make packages."""
    return sum(bool(text) for text in sources(LIBRARY).values())


def imports(source: str) -> set[str]:
    """The modules of the library that a module names, each by its longest possible name."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name for name in names if name.startswith("ragassay.")}


def room_of(module: str) -> str:
    """The room of a module by its dotted name below the library; studies are rooms of their own."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "studies" else parts[0]


def arrows() -> set[tuple[str, str]]:
    """(room, another that it imports)."""
    pairs = set()
    for path, source in sources(LIBRARY).items():
        parts = path.relative_to(LIBRARY).with_suffix("").parts
        if len(parts) > 1:
            room = room_of(".".join(parts))
            pairs |= {(room, room_of(name.removeprefix("ragassay."))) for name in imports(source)}
    rooms = {room for room, _ in pairs}
    return {(room, other) for room, other in pairs if room != other and other in rooms}


def arrows_up() -> set[tuple[str, str]]:
    """Those to a room that stands later in the list, or that are of a room without a floor."""
    floor = {room: number for number, room in enumerate(FLOORS)}
    return {
        (room, other)
        for room, other in arrows()
        if room not in floor or other not in floor or floor[other] > floor[room]
    }


def stage_cycles(graph: set[tuple[str, str]], stages: dict[str, str]) -> list[set[str]]:
    """Groups of stages that feed each other, from rule -> rule and the stage of each rule."""
    edges = {(stages[a], stages[b]) for a, b in graph if a in stages and b in stages and stages[a] != stages[b]}
    leads = {stage: reached(edges, stage) for stage in stages.values()}
    groups = [{stage} | {b for b in ahead if stage in leads[b]} for stage, ahead in leads.items()]
    return [group for number, group in enumerate(groups) if len(group) > 1 and group not in groups[:number]]


def reached(edges: set[tuple[str, str]], start: str) -> set[str]:
    """All that ways along the edges lead to."""
    seen, ahead = set(), {start}
    while ahead:
        ahead = {b for a, b in edges if a in ahead} - seen
        seen |= ahead
    return seen


def shared_class_names(folder: Path = LIBRARY) -> dict[str, list[str]]:
    """Names that several modules give to classes of their own, with these modules."""
    homes = defaultdict(list)
    for path, source in sources(folder).items():
        for name in {node.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef)}:
            homes[name].append(str(path.relative_to(folder)))
    return {name: files for name, files in homes.items() if len(files) > 1 and name not in FORMS}


def bindings(source: str) -> Iterator[str]:
    """The banned names that a module binds: variables, arguments, targets of loops and of `with`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in BANNED:
            yield node.id
        elif isinstance(node, ast.arg) and node.arg in BANNED:
            yield node.arg


def banned_bindings() -> int:
    """How often the library and the scripts bind banned names."""
    folders = (LIBRARY, WORKFLOW / "scripts")
    return sum(len(list(bindings(source))) for folder in folders for source in sources(folder).values())


def walk() -> int:
    """Modules that somebody may meet who follows a poisoned text through the stages of WALK."""
    scripts = [next((WORKFLOW / "scripts").glob(f"*/{stage}.py")) for stage in WALK]
    files = {path for script in scripts for path in code_version.modules(script)}
    return sum(bool(path.read_text()) for path in files)
