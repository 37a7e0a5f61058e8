"""Figures: how a benchmark prints them, which benchmarks there are, and that the table in docs/figures.md is theirs."""

import ast
import re
import shutil
import subprocess
import sys
from collections import Counter

import pytest

from common import figures
from programs import require
from project import ROOT
from tools import docs

BENCHMARKS = ROOT / "benchmarks"
MEASURED = sorted((BENCHMARKS / "figures").glob("*.txt"))
NAMES = re.search(r"^BENCHMARKS := (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE).group(1).split()


@pytest.fixture(autouse=True)
def nothing_is_short(monkeypatch):
    monkeypatch.setattr(figures, "short", [])


def lines(path):
    return [line for line in path.read_text().splitlines() if line.startswith("figure ")]


def test_a_figure_without_a_target_is_shown_and_never_short(capsys):
    figures.figure("pages", 3, "pages")
    figures.figure("accuracy", 0.25, "share", limit=0.5)
    assert capsys.readouterr().out.splitlines() == [
        "figure pages 3 pages limit - ratio - target - shown",
        "figure accuracy 0.25 share limit 0.5 ratio 0.5 target - shown",
    ]
    with pytest.raises(SystemExit, match="0"):
        figures.finish()


def test_the_last_line_says_what_was_measured_beside_how_much_other_work(capsys):
    with pytest.raises(SystemExit):
        figures.finish()
    assert re.fullmatch(r"measured at commit \w+(-changed)?, load \d+\.\d on \d+ processors\n", capsys.readouterr().out)


@pytest.mark.parametrize(("value", "verdict", "status"), [(3, "ok", 0), (4, "short", 1)])
def test_a_figure_with_a_target_reaches_it_or_falls_short(capsys, value, verdict, status):
    figures.figure("time", value, "s", "<= 3", 2)
    assert capsys.readouterr().out == f"figure time {value} s limit 2 ratio {value / 2:g} target <=3 {verdict}\n"
    with pytest.raises(SystemExit, match=str(status)):
        figures.finish()


def test_a_figure_without_a_unit_has_as_many_words_as_all_others(capsys):
    figures.figure("status", 0, "")
    assert capsys.readouterr().out.split()[2:5] == ["0", "-", "limit"]


def test_no_target_is_met_whatever_was_measured():
    printed = [line.split() for path in MEASURED for line in lines(path)]
    assert printed
    assert not [name for _, name, *_, target, _ in printed if re.fullmatch(r">=(0|-\d+)", target)]
    assert not [name for _, name, *_, target, verdict in printed if (target == "-") != (verdict == "shown")]
    assert not [path.name for path in BENCHMARKS.glob("*.py") if re.search(r'">= (0|-\d+)"', path.read_text())]


def test_make_bench_runs_every_benchmark():
    scripts = {path.stem: path.read_text() for path in BENCHMARKS.glob("*.py")}
    assert sorted(NAMES) == sorted(name for name in scripts if "figures import figure, finish" in scripts[name])


def parts(entry):
    """A benchmark's own code: its entry and the modules that this takes from a folder beside it."""
    script = ast.parse(entry.read_text())
    yield script
    for node in ast.walk(script):
        if isinstance(node, ast.ImportFrom):
            files = [BENCHMARKS / node.module.replace(".", "/") / f"{name.name}.py" for name in node.names]
            yield from (ast.parse(file.read_text()) for file in files if file.is_file())


def patterns(script):
    """What a benchmark may call its figures: its strings, with anything where it fills in values."""
    inside = {id(value) for node in ast.walk(script) if isinstance(node, ast.JoinedStr) for value in node.values}
    for node in ast.walk(script):
        if isinstance(node, ast.JoinedStr):
            yield "".join(re.escape(v.value) if isinstance(v, ast.Constant) else ".+" for v in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            yield re.escape(node.value)


@pytest.mark.parametrize("path", MEASURED, ids=lambda path: path.stem)
def test_every_figure_is_one_that_its_benchmark_prints(path):
    assert path.stem in NAMES
    known = re.compile("|".join(one for part in parts(BENCHMARKS / f"{path.stem}.py") for one in patterns(part)))
    names = [line.split()[1] for line in lines(path)]
    assert names and not [name for name in names if not known.fullmatch(name)]


def test_figures_on_gold_say_that_the_embedded_judge_was_fitted_on_it():
    names = [line.split()[1] for path in MEASURED for line in lines(path)]
    judged = [name for name in names if name.startswith(("scope_accuracy", "gold_embedded"))]
    assert judged and not [name for name in judged if "fitted" not in name]


def test_the_table_has_every_figure_once_beside_its_benchmark():
    table = (ROOT / "docs/figures.md").read_text().split("<!-- figures -->\n")[1].split("<!-- end of figures -->")[0]
    rows = [tuple(cell.strip() for cell in row.split("|")[1:3]) for row in table.splitlines()[2:]]
    printed = [(path.stem, line.split()[1].replace("_", " ")) for path in MEASURED for line in lines(path)]
    assert rows == printed and max(Counter(rows).values()) == 1


def test_the_table_shows_what_has_no_target():
    table = docs.figure_table({"tables": [["pages", "3", "pages", "4", "0.75", "-", "shown"]]})
    assert table.splitlines()[2:] == ["| tables | pages | 3 pages | 4 pages | 0.75 | - | shown |"]


def test_make_keeps_the_figures_of_each_benchmark_and_fails_if_one_is_short(tmp_path):
    """Benchmarks of two lines, run by the project's own Makefile."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for folder in ("benchmarks/figures", "workflow/ragassay", ".venv/bin"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copy(BENCHMARKS / "common/figures.py", tmp_path / "benchmarks")
    (tmp_path / ".venv/bin/python").symlink_to(sys.executable)
    (tmp_path / "workflow/tools/docs.py").write_text("print('docs written')\n")
    for name, target in (("far", "<= 1"), ("near", "<= 3")):
        program = f"from figures import figure, finish\nfigure('{name}', 2, 's', '{target}')\nfinish()\n"
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
    assert kept["far"].startswith("figure far 2 s limit - ratio - target <=1 short\nmeasured at commit ")
    assert status == {"bench-near": (True, ["near"]), "bench-far": (False, ["far"]), "bench": (False, ["far", "near"])}
