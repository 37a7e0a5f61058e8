"""Take the pictures of README and guides, each of one section of the report: `make screenshot`, after `make demo`."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ragassay.base.errors import AssayError
from tools import docs

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
WIDTH, HEIGHT = 1280, 1300
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1")


class ScreenshotError(AssayError):
    """There is no page, no such section on it, or no browser to show it."""


def screenshot(page, picture, browser: str | None = None, section: str = "") -> None:
    """The top of the page; with a section, as if it had no other one."""
    page, picture = Path(page).resolve(), Path(picture).resolve()
    if not page.is_file():
        raise ScreenshotError(f"screenshot: found no page {page}, expected a finished report; run `make demo` first")
    browser = browser or next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise ScreenshotError(f"screenshot: found no browser, expected one of: {', '.join(BROWSERS)}; install chromium")
    with tempfile.TemporaryDirectory() as profile:
        draft = Path(profile) / "picture.png"
        shown = _alone(page, section, Path(profile) / page.name) if section else page
        size = f"--window-size={WIDTH},{HEIGHT}"
        command = [browser, *FLAGS, size, f"--user-data-dir={profile}", f"--screenshot={draft}", shown.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True)
        if not draft.is_file():
            said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
            raise ScreenshotError(f"screenshot: {browser} wrote no picture of {page}; its last words: {said}")
        picture.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(draft, picture)
    sys.stdout.write(f"screenshot: {os.path.relpath(picture)}\n")


def _alone(page, section, copy):
    """A copy of the page with this section alone. A browser without a window does not scroll to one."""
    text = page.read_text(encoding="utf-8")
    names = re.findall(r'<section id="(\w+)">', text)
    if section not in names:
        raise ScreenshotError(f"screenshot: found no section {section} in {page}, expected one of: {', '.join(names)}")
    others = rf'<section id="(?!{section}")\w+">.*?</section>\s*'
    copy.write_text(re.sub(others, "", text, flags=re.DOTALL), encoding="utf-8")
    return copy


def take_all(page, folder) -> None:
    """A picture of each section whose description names one."""
    for section, description in docs.sections().items():
        if "picture" in description:
            screenshot(page, Path(folder, f"{description['picture']}.png"), section=section)


if __name__ == "__main__":
    try:
        take_all("results/report/index.html", "docs")
    except ScreenshotError as error:
        sys.exit(str(error))
