"""Take the picture of a report's top that README shows: `make screenshot`, after `make demo`."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ragassay.errors import AssayError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
WIDTH, HEIGHT = 1280, 900
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1")


class ScreenshotError(AssayError):
    """There is no page, or no browser to show it."""


def screenshot(page, picture, browser: str | None = None) -> None:
    page, picture = Path(page).resolve(), Path(picture).resolve()
    if not page.is_file():
        raise ScreenshotError(f"screenshot: found no page {page}, expected a finished report; run `make demo` first")
    browser = browser or next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise ScreenshotError(f"screenshot: found no browser, expected one of: {', '.join(BROWSERS)}; install chromium")
    with tempfile.TemporaryDirectory() as profile:
        draft = Path(profile) / "picture.png"
        size = f"--window-size={WIDTH},{HEIGHT}"
        command = [browser, *FLAGS, size, f"--user-data-dir={profile}", f"--screenshot={draft}", page.as_uri()]
        done = subprocess.run(command, capture_output=True, text=True)
        if not draft.is_file():
            said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
            raise ScreenshotError(f"screenshot: {browser} wrote no picture of {page}; its last words: {said}")
        picture.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(draft, picture)
    sys.stdout.write(f"screenshot: {os.path.relpath(picture)}\n")


if __name__ == "__main__":
    try:
        screenshot(*sys.argv[1:])
    except ScreenshotError as error:
        sys.exit(str(error))
