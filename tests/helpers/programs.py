"""Programs outside Python that some tests need, where they are found, and what is said where they are missing."""

import os
import shutil
from pathlib import Path

import pytest

from clusters.slurm import INSTALL, missing

PACKAGES = {"chromedriver": "chromium-driver"}  # of Debian, where they are not called like the program
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DRIVERS = ("chromedriver", "chromium.chromedriver")  # the second is what snap calls it
DRIVER_PLACES = (
    "/usr/lib/chromium*/chromedriver",
    "/snap/bin/chromium.chromedriver",
    "/snap/chromium/current/usr/lib/chromium-browser/chromedriver",
)


def require(program: str, path: str | None = None) -> str:
    """The program's path, which is on the PATH unless it is given; without one the test is skipped, or fails where
    REQUIRE_SYSTEM_TESTS=1 asks for all tests.
    """
    path = path or shutil.which(program)
    if path:
        return path
    missing = f"needs {program} (install {PACKAGES.get(program, program)})"
    if os.environ.get("REQUIRE_SYSTEM_TESTS") == "1":
        pytest.fail(f"{missing}, and REQUIRE_SYSTEM_TESTS=1 does not let it be skipped")
    pytest.skip(missing)


def slurm() -> None:
    """Skip the test where Slurm cannot be started. REQUIRE_SYSTEM_TESTS=1 does not ask for it: few machines have it."""
    if lacking := missing():
        pytest.skip(f"needs {', '.join(lacking)} ({INSTALL})")


def browser() -> str:
    """Chromium or Chrome under any of its names."""
    return require("chromium", next(filter(None, map(shutil.which, BROWSERS)), None))


def driver(browser: str, places=DRIVER_PLACES) -> str:
    """The program that drives the browser: $CHROMEDRIVER, on the PATH, beside the browser, or where packages put it."""
    if own := os.environ.get("CHROMEDRIVER"):
        return require(f"a program at $CHROMEDRIVER, which is {own}", shutil.which(own))
    beside = {Path(browser).parent, Path(browser).resolve().parent}
    candidates = [shutil.which(name) for name in DRIVERS]
    candidates += [shutil.which("chromedriver", path=str(folder)) for folder in sorted(beside)]
    candidates += [shutil.which(str(path)) for place in places for path in sorted(Path("/").glob(place.lstrip("/")))]
    return require("chromedriver", next(filter(None, candidates), None))
