"""Change single operators of the library, one at a time, and see whether its tests notice.

A mutant exchanges a comparison, an arithmetic or boolean operator, `min` and `max` or `any` and `all`, leaves out a
`not` or a minus, turns a truth value, or adds one to a small number. Mutants are drawn from all places of the rooms, by
a seed. The tests that import the module, or a script that does, run in a clone until one fails: first those that name
the module or mirror such a script, at last those of its room. The test that fails has to pass without the mutant, or it
does not count. A mutant that hangs them is noticed. Some mutants change nothing that anybody could notice; nobody sorts
them out.

    make mutants                                            120 mutants of studies, metrics and calls
    make mutants ARGS="--count 12 --seed 7 studies/scope"   a dozen of one room
    make mutants ARGS="scripts/relevance"                   the stages of one study
    make mutants ARGS="--changed main"                      only in files that differ from a commit
    make mutants ARGS="--seed 7 --log mutants.txt"          in several runs: those in the log are not run again
"""

import argparse
import ast
import contextlib
import functools
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from common.clone import ROOT, cloned
from common.figures import count, figure, finish
from ragassay.base import code_version

ROOMS = ["studies", "metrics", "calls"]
OPERATORS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
ABOUT_FILES = {"workflow", "benchmarks"}  # folders of tests that read the code or run it whole
FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any"}
LARGEST = 10  # of the numbers that one is added to: larger ones are sizes and times
AT_MOST, LONGEST = 6, 200  # files of tests for a mutant; seconds that they may take
PYTEST = ("-m", "pytest", "--quiet", "-x", "-rfE", "--tb=no", "-p", "no:cacheprovider")
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
FIRST = re.compile(r"^(?:FAILED|ERROR) ([^\s\[]+(?:\[.*?\])?)(?: - .*)?$", re.MULTILINE)


def changes(node: ast.AST) -> Iterator[tuple]:
    """(node or part of it, attribute, new value) of each change of a node."""

    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            other = OPERATORS.get(type(operator))
            if other:
                yield (node, "ops", [*node.ops[:place], other(), *node.ops[place + 1 :]])
    elif isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)) and type(node.op) in OPERATORS:
        yield (node, "op", OPERATORS[type(node.op)]())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield (node, "op", ast.UAdd())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield (node, "operand", ast.UnaryOp(ast.Not(), node.operand))
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield (node, "value", not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value <= LARGEST:
        yield (node, "value", node.value + 1)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
        yield (node.func, "id", FUNCTIONS[node.func.id])


def places(source: str) -> list[int]:
    """The lines of all mutants of a module, in their order."""
    return [node.lineno for node in ast.walk(ast.parse(source)) for _ in changes(node)]


def mutant(source: str, number: int) -> tuple[str, str]:
    """What the mutant of this number changes, and the source of the whole module with it."""
    tree = ast.parse(source)
    node, change = [(node, change) for node in ast.walk(tree) for change in changes(node)][number]
    before = ast.unparse(node)
    owner, name, value = change
    setattr(owner, name, value)
    return f"{node.lineno}: {before} -> {ast.unparse(node)}", ast.unparse(tree)


def tests_of(module: Path, clone: Path) -> list[str]:
    """Files of tests that import the module, or a script that does: first those that name it or mirror a script that
    does, then the others, at last those of its room. A variant is loaded by its name, so tests of the folder around
    count, too.
    """
    workflow, tests = clone / "workflow", clone / "tests"
    room = [part for part in module.relative_to(workflow).parent.parts if part != "scripts"]
    folder = tests.joinpath(*room)
    scripts = [path for path in workflow.glob("scripts/*/*.py") if module in code_version.modules(path, root=workflow)]
    dotted = {".".join(path.relative_to(workflow).with_suffix("").parts) for path in [module, *scripts]}
    mirrors = {tests / path.parent.name / f"test_{path.name}" for path in scripts if _names(path, module)}
    mirrors.add(folder / f"test_{module.stem.removeprefix('_')}.py")
    mirrored = {folder, folder.parent} if folder.name == "kinds" else {folder}
    chosen = []
    for path in sorted(tests.rglob("test_*.py")):
        if path.parent.name in ABOUT_FILES:
            continue
        files = _imported(path, tests)
        reaches = module in files or any(name in path.read_text() for name in dotted)
        if reaches or path.parent in mirrored:
            named = _names(path, module) or path in mirrors
            chosen.append(
                (
                    not named,
                    not reaches,
                    len({*room} ^ {*path.parent.relative_to(tests).parts}),
                    len(files),
                    str(path.relative_to(clone)),
                )
            )
    return [path for *_, path in sorted(chosen)[:AT_MOST]]


def _names(path: Path, module: Path) -> bool:
    return bool(re.search(rf"\.{module.stem} |import .*\b{module.stem}\b|\"{module.stem}\"", path.read_text()))


@functools.cache
def _imported(path: Path, tests: Path) -> frozenset[Path]:
    """The files of the library that a file of tests imports, by fixtures of its folder and by helpers, too."""
    sources = {source for source in (path, path.parent / "conftest.py") if source.is_file()}
    imports = "\n".join(
        re.findall(r"^(?:from|import) .*", "".join(source.read_text() for source in sources), re.MULTILINE)
    )
    sources |= {helper for helper in tests.glob("helpers/*.py") if re.search(rf"\b{helper.stem}\b", imports)}
    return frozenset(
        file for source in sources for file in code_version.modules(source, root=tests.parent / "workflow")
    )


def ran(folder: Path, tests: list[str], seconds: float) -> tuple[int | None, str]:
    """The exit status of tests of a folder, none if they took longer, and the first that failed."""
    environment = os.environ | ONE_THREAD | {"PYTHONPATH": ""}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    command = [sys.executable, "-P", *PYTEST, *tests]
    with subprocess.Popen(command, cwd=folder, env=environment, start_new_session=True, **pipes) as run:
        try:
            printed, _ = run.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            return None, ""
        finally:
            with contextlib.suppress(ProcessLookupError):  # what tests have left behind
                os.killpg(run.pid, signal.SIGKILL)
    first = FIRST.search(printed)
    return run.returncode, first[1] if first else ""


class Trial:
    """Runs tests on mutants in a clone."""

    def __init__(self, clone: Path):
        self.clone, self.library = clone, clone / "workflow/ragassay"
        self.sound = set()  # tests that have passed without a mutant

    def verdict(self, path: Path, changed: str) -> str | None:
        """Which test notices the changed source of a module; nothing if none does; None if it fails without it, too."""
        before, times = path.read_text(), path.stat()
        tests = tests_of(path, self.clone)
        if not tests:
            return ""
        path.write_text(changed)
        moment = time.time_ns()
        os.utime(path, ns=(moment, moment))
        try:
            status, test = ran(self.clone, tests, LONGEST)
        finally:
            path.write_text(before)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        if status == 0:
            return ""
        if not test:  # they hung, or fixtures could not be imported: it is noticed if that is not so without the mutant
            again, _ = ran(self.clone, tests, LONGEST)
            return None if again == status else "no end" if status is None else "no import"
        return test if self._pass([test]) else None

    def _pass(self, tests: list[str]) -> bool:
        if not self.sound.issuperset(tests) and ran(self.clone, tests, LONGEST)[0] == 0:
            self.sound.update(tests)
        return self.sound.issuperset(tests)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("rooms", nargs="*", default=ROOMS, help="folders or modules of workflow/ragassay or workflow")
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--changed", help="only files that differ from this commit")
    parser.add_argument("--log", type=Path, default=Path(os.devnull), help="file with the verdicts of earlier runs")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin with no mutant later than that")
    words = parser.parse_args()
    end = time.monotonic() + 60 * words.minutes
    earlier = dict(json.loads(line) for line in words.log.read_text().splitlines()) if words.log.is_file() else {}
    with cloned() as clone, words.log.open("a") as log:
        trial, tests = Trial(clone), []
        for path, number in drawn(clone, words):
            if time.monotonic() > end:
                break
            what, changed = mutant(path.read_text(), number)
            name = f"{path.relative_to(trial.library)}:{what} (place {number})"
            test = earlier[name] if name in earlier else trial.verdict(path, changed)
            if test is None:
                sys.stderr.write(f"not counted, since its tests fail without it, too: {name}\n")
                continue
            tests.append(test)
            if name not in earlier:
                log.write(json.dumps([name, test]) + "\n")
                log.flush()
            sys.stdout.write(f"noticed {name} by {test}\n" if test else f"SURVIVED {name}\n")
            sys.stdout.flush()
        if not tests:
            sys.exit("found no mutant, expected operators in these files")
        count("mutants", len(tests), "mutants")
        figure("mutants_noticed", sum(map(bool, tests)) / len(tests), "share", ">= 0.85", 1.0)
    finish()


def drawn(clone: Path, words: argparse.Namespace) -> list[tuple[Path, int]]:
    """Modules and numbers of their mutants, in an order that the seed gives."""
    homes = [folder / room for folder in (clone / "workflow/ragassay", clone / "workflow") for room in words.rooms]
    files = {path for home in homes for path in [*home.rglob("*.py"), home.with_suffix(".py")]}
    if words.changed:
        command = ["git", "diff", "--name-only", words.changed]
        differ = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
        files &= {clone / name for name in differ}
    sources = {path: path.read_text() for path in sorted(files) if path.is_file()}
    every = [(path, number) for path, source in sources.items() for number in range(len(places(source)))]
    return random.Random(words.seed).sample(every, min(words.count, len(every)))


if __name__ == "__main__":
    main()
