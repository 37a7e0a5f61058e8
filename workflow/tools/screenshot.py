"""Take the pictures of README and guides, of the report's pages and sections: `make screenshot`, after `make demo`."""

import os
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
    """There is no page, no page with that section, or no browser to show it."""


def screenshot(page, picture, browser: str | None = None, anchor: str = "") -> None:
    """The top of the page, or what stands at an anchor."""
    page, picture = Path(page).resolve(), Path(picture).resolve()
    if not page.is_file():
        raise ScreenshotError(f"screenshot: found no page {page}, expected a finished report; run `make demo` first")
    browser = browser or next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise ScreenshotError(f"screenshot: found no browser, expected one of: {', '.join(BROWSERS)}; install chromium")
    with tempfile.TemporaryDirectory() as profile:
        draft = Path(profile) / "picture.png"
        size = f"--window-size={WIDTH},{HEIGHT}"
        address = page.as_uri() + (f"#{anchor}" if anchor else "")
        command = [browser, *FLAGS, size, f"--user-data-dir={profile}", f"--screenshot={draft}", address]
        done = subprocess.run(command, capture_output=True, text=True)
        if not draft.is_file():
            last = (done.stderr.strip().splitlines() or ["nothing"])[-1]
            raise ScreenshotError(f"screenshot: {browser} wrote no picture of {page}; its last words: {last}")
        picture.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(draft, picture)
    sys.stdout.write(f"screenshot: {os.path.relpath(picture)}\n")


def take_all(report, folder) -> None:
    """A picture of the front page, and of the page or section of each description that names one."""
    report, folder = Path(report), Path(folder)
    screenshot(report / "index.html", folder / "report.png")
    pages = {page.stem: page.read_text(encoding="utf-8") for page in sorted(report.glob("*.html"))}
    for section, description in docs.sections().items():
        if "picture" in description:
            page, anchor = (section, "") if section in pages else (_page_of(section, pages), section)
            screenshot(report / f"{page}.html", folder / f"{description['picture']}.png", anchor=anchor)


def _page_of(section, pages):
    shown = [page for page, text in pages.items() if f'<section id="{section}">' in text]
    if not shown:
        problem = f"found no section {section} on the pages {', '.join(pages)}"
        raise ScreenshotError(f"screenshot: {problem}; run `make demo` first")
    return shown[0]


if __name__ == "__main__":
    try:
        take_all("results/report", "docs")
    except ScreenshotError as error:
        sys.exit(str(error))
