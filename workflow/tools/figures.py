"""The figures that benchmarks have kept, and the tables of them in docs/."""

import re
from pathlib import Path

import yaml

from ragassay.base.errors import AssayError

ROOT = Path(__file__).resolve().parents[2]
REASONS = ROOT / "benchmarks/figures/not_reached.yaml"
NEAREST = 3  # figures of a benchmark that are shown beside those that fall short


def figures() -> dict[str, list[list[str]]]:
    """benchmark -> for each line it printed: name, value, unit, limit, ratio, target, verdict, commit, load.

    A count, from which a table is calculated, has no limit, ratio or target, and `count` as its verdict.
    """
    files = sorted((ROOT / "benchmarks/figures").glob("*.txt"))
    return {file.stem: [_printed(line.split()) for line in file.read_text().splitlines()] for file in files}


def _printed(words):
    kind, name, value, unit = words[:4]
    commit, load = words[-3], words[-1]
    if kind == "count":
        return [name, value, unit, "-", "-", "-", "count", commit, load]
    return [name, value, unit, words[5], words[7], words[9], words[10], commit, load]


def figure_table(printed: dict[str, list[list[str]]]) -> str:
    """How many figures each benchmark has and how many reach their targets, then those that are nearest to missing
    them."""
    rows = ["| benchmark | targets reached | commits | load |", "|---|---|---|---|"]
    for benchmark, lines in printed.items():
        aimed = [line for line in lines if line[6] != "count"]
        reached = f"{sum(line[6] == 'ok' for line in aimed)} of {len(aimed)}" if aimed else f"{len(lines)} counts"
        commits, loads = (", ".join(sorted({line[at] for line in lines})) for at in (7, 8))
        rows.append(f"| [{benchmark}](../benchmarks/figures/{benchmark}.txt) | {reached} | {commits} | {loads} |")
    rows += ["", "| benchmark | figure | measured | limit | ratio to it | target | |", "|---|---|---|---|---|---|---|"]
    for benchmark, lines in printed.items():
        for name, value, unit, limit, ratio, target, verdict, *_ in _nearest(lines):
            limit = limit if limit == "-" else f"{limit} {unit}"
            figure = f"{benchmark} | {name.replace('_', ' ')} | {value} {unit}"
            rows.append(f"| {figure} | {limit} | {ratio} | {target} | {verdict} |")
    return "\n".join(rows)


def _nearest(lines: list[list[str]]) -> list[list[str]]:
    """All figures that fall short, and of those with a range as target the ones with the least room."""
    short = [line for line in lines if line[6] == "short"]
    ranged = [line for line in lines if line[6] == "ok" and not line[5].startswith("==")]
    return short + sorted(ranged, key=_room)[:NEAREST]


def _room(line):
    """How far a figure is from its target, as a share of this."""
    aim = float(line[5].lstrip("<=>"))
    return abs(float(line[1]) - aim) / (abs(aim) or 1)


def reasons() -> dict[str, dict[str, str]]:
    """page -> for figures of its study, as `benchmark/figure`, why they do not reach their targets."""
    return yaml.safe_load(REASONS.read_text(encoding="utf-8"))


def not_reached(printed: dict[str, list[list[str]]], why: dict[str, str]) -> str:
    """The figures of a study that fall short, each with its reason."""
    lines = {f"{benchmark}/{line[0]}": line for benchmark, measured in printed.items() for line in measured}
    rows = [
        f"| {name.partition('/')[2].replace('_', ' ')} | {lines[name][1]} | {lines[name][5]} | {reason} |"
        for name, reason in why.items()
        if lines[name][6] == "short"
    ]
    return "\n".join(
        ["| not reached | measured | target | likely reason |", "|---|---|---|---|", *rows] if rows else ["None."]
    )


def unmeasured(printed) -> str:
    """The benchmarks of `make bench` that have no figures yet."""
    names = re.search(r"^BENCHMARKS := (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE).group(1).split()
    missing = [f"`make bench-{name}`" for name in names if name not in printed]
    return ", ".join(missing) or "none"


class Lookup:
    """The values of figures by their names; those of `get` may be missing."""

    def __init__(self, printed):
        self._numbers = {(name, figure[0]): float(figure[1]) for name, figures in printed.items() for figure in figures}

    def __call__(self, benchmark, figure) -> float:
        if not self.has(benchmark, figure):
            message = f"found no figure {figure}, expected one for docs/scale.md; run make bench-{benchmark}"
            raise AssayError(f"benchmarks/figures/{benchmark}.txt: {message}")
        return self._numbers[benchmark, figure]

    def has(self, benchmark, figure) -> bool:
        return (benchmark, figure) in self._numbers

    def get(self, benchmark, figure, times: float = 1) -> float | None:
        return self._numbers[benchmark, figure] * times if self.has(benchmark, figure) else None

    def names(self, benchmark) -> list[str]:
        return [figure for name, figure in self._numbers if name == benchmark]


def rounded(number):
    """Two digits that count, with words for large numbers: paper has no more."""
    if number == float("inf"):
        return "any number"
    if 0 < number < 0.01:
        return "under 0.01"
    number = float(f"{number:.2g}")
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if number >= size:
            return f"{number / size:g} {word}"
    return f"{number:,.0f}" if number >= 10 else f"{number:g}"


def sized(count):
    number = float(f"{count:.2g}")
    for size, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if number >= size:
            return f"{number / size:g} {unit}"
    return f"{number:g} bytes"
