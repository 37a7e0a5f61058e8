"""Print where the report is, and open it if there is a screen."""

import os
import sys
import webbrowser
from pathlib import Path


def show(page) -> None:
    address = Path(page).resolve().as_uri()
    sys.stdout.write(f"report: {address}\n")
    screen = sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if sys.stdout.isatty() and screen:
        webbrowser.open(address)


if __name__ == "__main__":
    show(sys.argv[1])
