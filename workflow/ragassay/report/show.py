"""Print where the report is, and open it if there is a screen. After a study that ran alone, which draws none, print
where the tables are.
"""

import os
import sys
import webbrowser
from pathlib import Path


def show(results, target="report") -> None:
    folder = Path(results).resolve()
    page = folder / "report/index.html"
    if target != "report" or not page.exists():
        sys.stdout.write(f"tables: {folder.as_uri()} (`make demo` draws the report from them)\n")
        return
    sys.stdout.write(f"report: {page.as_uri()}\n")
    screen = sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if sys.stdout.isatty() and screen:
        webbrowser.open(page.as_uri())


if __name__ == "__main__":
    show(*sys.argv[1:])
