"""What a run ends with: the most important findings, the addresses of the report's pages, and what it cost."""

import contextlib
import os
import sys
import webbrowser
from pathlib import Path

from ragassay.base.errors import AssayError
from ragassay.base.pipeline import in_clone, run_command
from ragassay.base.terminal import printable

MOST = 3  # findings that are shown
LAST, NEXT = "RAGASSAY_LAST_LINE", "next: ragassay show"  # set by commands whose last line says something else
OPEN = "RAGASSAY_OPEN_REPORT"  # set by `make demo`: a browser shows the report, if there is a screen


class Summary:
    """Of the report in the folder `report`, which bears `name` and may have these `pages` beside its front page."""

    def __init__(self, report: str, name: str, pages: list[str]):
        self.report, self.table, self.pages = Path(report), Path(f"results/findings/{name}.parquet"), pages

    def tell(self, asked: dict, well: bool = True) -> None:
        """On standard output, so that it can be kept apart from what the run said meanwhile. `asked` are the requests
        and dollars of the run. If it did not end well, its findings are not all that the report asks for.
        """
        front = self.report / "index.html"
        lines = [*(findings(self.table) if well else []), *self._addresses(front), cost(asked)]
        if well and front.exists() and (last := os.environ.get(LAST) or ("" if in_clone() else NEXT)):
            lines.append(last)
        with contextlib.suppress(BrokenPipeError):
            sys.stdout.write("\n".join(["", *lines, ""]))
            sys.stdout.flush()
        if os.environ.get(OPEN) and well and front.exists():
            show(front)

    def _addresses(self, front):
        if not front.exists():
            return [f"tables: {Path('results').resolve().as_uri()} (`{command()}` draws the report from them)"]
        others = [page for page in self.pages if (self.report / page).exists()]
        beside = [f"    and beside it {', '.join(others)}"] if others else []
        return [f"report: {front.resolve().as_uri()}", *beside]


def command() -> str:
    """What makes all that is missing."""
    return ".venv/bin/snakemake" if in_clone() else run_command()


def findings(table: Path, most: int = MOST) -> list[str]:
    """The most important ones that were measured, a line each."""
    if not table.exists():
        return [f"findings: none yet; `{command()}` computes them"]
    from ragassay.base import tables
    from ragassay.report.findings import ordered
    from ragassay.schemas.report import FINDINGS

    try:
        rows = ordered(tables.read(FINDINGS, table).to_pylist())
    except AssayError as error:
        return [f"findings: {error}"]
    rows = [row for row in rows if row["kind"] == "finding"]
    measured = [row for row in rows if row["verdict"] not in ("too_few", "missing")]
    if not measured:
        return [f"findings: none; the report says what its open questions lack ({len(rows)})"]
    of = f"{most} of {len(measured)}" if len(measured) > most else len(measured)
    numbered = (f"  {at}. {printable(row['sentence'])}{_sureness(row)}" for at, row in enumerate(measured[:most], 1))
    return [f"findings ({of}):", *numbered]


def _sureness(row):
    """The interval of a finding's number, if it has one, and the items that it comes from."""
    from ragassay.report.findings import between

    interval = "" if row["low"] is None else f"{between(row['low'], row['high'], row['form'])}, "
    return "" if row["n"] is None else f" [{interval}n = {row['n']:,}]"


def cost(asked: dict) -> str:
    if not asked.get("requests"):
        return "cost: $0, no model was asked"
    return f"cost: ${asked['dollars']:,.4f} for {asked['requests']:,} requests"


def show(page: Path) -> None:
    screen = sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if sys.stdout.isatty() and screen:
        webbrowser.open(page.resolve().as_uri())
