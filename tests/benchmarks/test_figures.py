"""Figures: how a benchmark prints them, which benchmarks there are, and that the table in docs/figures.md is theirs."""

import ast
import re
import shutil
import subprocess
import sys

import pytest

from common import figures, keep
from programs import require
from project import ROOT

BENCHMARKS = ROOT / "benchmarks"
MEASURED = sorted((BENCHMARKS / "figures").glob("*.txt"))
NAMES = re.search(r"^BENCHMARKS := (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE).group(1).split()


@pytest.fixture(autouse=True)
def nothing_is_short(monkeypatch):
    monkeypatch.setattr(figures, "short", [])


def lines(path):
    return path.read_text().splitlines()


ON = r"commit \w+(-changed)? load \d+\.\d/\d+\n"


@pytest.mark.parametrize(("value", "verdict", "status"), [(3, "ok", 0), (3.5, "short", 1)])
def test_a_figure_reaches_its_target_or_falls_short_and_says_what_it_was_measured_on(capsys, value, verdict, status):
    figures.figure("time", value, "s", "<= 3", 2)
    line = rf"figure time {value} s limit 2 ratio {value / 2:.3g} target <=3 {verdict} {ON}"
    assert re.fullmatch(line, capsys.readouterr().out)
    with pytest.raises(SystemExit, match=str(status)):
        figures.finish()


def test_a_count_is_neither_good_nor_bad(capsys):
    figures.count("pages", 12345, "pages")
    assert re.fullmatch(rf"count pages 12345 pages {ON}", capsys.readouterr().out) and not figures.short


def test_parts_are_all_or_those_that_are_named(capsys, monkeypatch):
    runs = {name: lambda name=name: sys.stdout.write(f"{name}\n") for name in ("first", "second")}
    for words, printed in ([], ["first", "second"]), (["second"], ["second"]):
        monkeypatch.setattr(sys, "argv", ["benchmark.py", *words])
        with pytest.raises(SystemExit, match="0"):
            figures.parts(runs)
        assert capsys.readouterr().out.split() == printed
    monkeypatch.setattr(sys, "argv", ["benchmark.py", "third"])
    with pytest.raises(SystemExit, match="found no part third, expected some of first, second"):
        figures.parts(runs)


def test_a_part_replaces_only_the_figures_that_it_printed():
    before = "figure one 1 s old\ncount two 2 s old\n"
    after = keep.kept(before, ["count two 3 s new", "figure three 4 s new"])
    assert after == "figure one 1 s old\ncount two 3 s new\nfigure three 4 s new\n"


def test_every_recorded_line_is_a_figure_with_a_target_that_can_be_missed_or_a_count():
    figure = r"figure \w+ \S+ \S+ limit \S+ ratio \S+ target ([<>=]=?\S+) (ok|short)"
    line = re.compile(rf"({figure}|count \w+ \S+ \S+) commit \S+ load \S+")
    for path in MEASURED:
        matches = [line.fullmatch(text) for text in lines(path)]
        assert all(matches), path
        assert not [m[0] for m in matches if m[2] and re.fullmatch(r">=(0|-\d+)", m[2])], "it is met by whatever comes"
        assert len({m[0].split()[1] for m in matches}) == len(matches), path


def test_make_bench_runs_every_benchmark():
    scripts = {path.stem: path.read_text() for path in BENCHMARKS.glob("*.py")}
    assert sorted(NAMES) == sorted(name for name in scripts if "from common.figures import" in scripts[name])


def parts(entry):
    """A benchmark's own code: its entry and the modules that this takes from folders beside it, but for what is common
    to all.
    """
    script = ast.parse(entry.read_text())
    yield script
    for node in ast.walk(script):
        if isinstance(node, ast.ImportFrom) and not node.module.startswith("common"):
            folder = BENCHMARKS / node.module.replace(".", "/")
            files = [folder.with_suffix(".py"), *(folder / f"{name.name}.py" for name in node.names)]
            for file in files:
                if file.is_file() and file.parent != BENCHMARKS:
                    yield from parts(file)


def patterns(scripts):
    """What a benchmark may call its figures: its strings, with any word where it fills in values, or, where nothing but
    values makes the name, with its words.
    """
    nodes = [node for script in scripts for node in ast.walk(script)]
    inside = {id(value) for node in nodes if isinstance(node, ast.JoinedStr) for value in node.values}
    words = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    words |= {name.arg for name in nodes if isinstance(name, ast.keyword) and name.arg}
    words |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    named = "|".join(sorted({word for text in words for word in re.findall(r"\w+", text.lower().replace("=", "_"))}))
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            pieces = [value.value if isinstance(value, ast.Constant) else None for value in node.values]
            value = r"\w+" if any(re.search("[a-z]", piece or "") for piece in pieces) else f"(?:{named})"
            yield "".join(value if piece is None else re.escape(piece) for piece in pieces)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            yield re.escape(node.value)


@pytest.mark.parametrize("path", MEASURED, ids=lambda path: path.stem)
def test_every_figure_is_one_that_its_benchmark_prints(path):
    assert path.stem in NAMES
    known = re.compile("|".join(patterns([*parts(BENCHMARKS / f"{path.stem}.py")])))
    names = [line.split()[1] for line in lines(path)]
    assert names and not [name for name in names if not known.fullmatch(name)]
    assert not known.fullmatch("nobody_prints_this")


def test_make_keeps_the_figures_of_each_benchmark_and_fails_if_one_is_short(tmp_path):
    """Benchmarks of two lines, run by the project's own Makefile."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for folder in ("benchmarks/figures", "workflow/tools", ".venv/bin"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copytree(BENCHMARKS / "common", tmp_path / "benchmarks/common")
    (tmp_path / ".venv/bin/python").symlink_to(sys.executable)
    (tmp_path / "workflow/tools/docs.py").write_text("print('docs written')\n")
    for name, target in (("far", "<= 1"), ("near", "<= 3")):
        program = f"from common.figures import figure, finish\nfigure('{name}', 2, 's', '{target}')\nfinish()\n"
        (tmp_path / f"benchmarks/{name}.py").write_text(program)
    status = {}
    for arguments in (["bench-near"], ["bench-far"], ["bench", "BENCHMARKS=far near"]):
        shutil.rmtree(tmp_path / "benchmarks/figures")
        (tmp_path / "benchmarks/figures").mkdir()
        command = [require("make"), "PYTHON=true", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        kept = {path.stem: path.read_text() for path in (tmp_path / "benchmarks/figures").iterdir()}
        assert "docs written" in done.stdout and all(text in done.stdout for text in kept.values())
        status[arguments[0]] = (done.returncode == 0, sorted(kept))
    assert kept["far"].startswith("figure far 2 s limit - ratio - target <=1 short commit ")
    assert status == {"bench-near": (True, ["near"]), "bench-far": (False, ["far"]), "bench": (False, ["far", "near"])}
