"""Look at the pages of a finished report (`make demo`, or the folder that is given) in a real browser: how large
they are, how soon the front page shows something, how many words a reader meets before any details, and whether
accessibility, contrast and width hold on all of them, light and dark.
"""

import sys
import tempfile
from pathlib import Path

from axe_core_python.base import AXE_SCRIPT
from selenium.webdriver.support.ui import WebDriverWait

from common.browser import browser_in
from common.figures import figure, finish

REPORT = Path(__file__).resolve().parent.parent / "results/report"
WIDTHS = (400, 1280)
# Words outside of drawings and of what is folded.
WORDS = """const text = document.querySelector("main").cloneNode(true);
    text.querySelectorAll("details:not([open]), svg, script").forEach(part => part.remove());
    return text.textContent.split(/\\s+/).filter(word => /\\w/.test(word)).length"""
# The bytes of tables and examples, which are data.
DATA = """return [...document.querySelectorAll("table, details:not(.more)")]
    .reduce((bytes, part) => bytes + new Blob([part.outerHTML]).size, 0)"""
PAINT = "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
CUT = """const main = document.querySelector("main");
    return Math.max(0, (main ?? document.body).scrollWidth - (main ?? document.body).clientWidth)"""
AXE = "const done = arguments[0]; axe.run().then(result => done(result.violations))"
OPEN = "document.querySelectorAll('details').forEach(box => box.open = true)"


def faults(browser, page: Path) -> tuple[int, int, float]:
    """Serious faults of accessibility, elements of too little contrast, and points that stick out, in all variants."""
    serious = contrast = 0
    cut = 0.0
    for scheme in ("light", "dark"):
        features = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", features)
        for width in WIDTHS:
            size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            browser.get(page.as_uri())
            browser.execute_script(OPEN)
            browser.execute_script(AXE_SCRIPT)
            violations = browser.execute_async_script(AXE)
            serious += sum(fault["impact"] in ("serious", "critical") for fault in violations)
            contrast += sum(len(fault["nodes"]) for fault in violations if fault["id"] == "color-contrast")
            cut = max(cut, browser.execute_script(CUT))
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    return serious, contrast, cut


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else REPORT).resolve()
    front = folder / "index.html"
    if not front.is_file():
        sys.exit(f"pages: found no {front}, expected a finished report: run `make demo` first")
    studies = [page for page in sorted(folder.glob("*.html")) if page.stem not in ("index", "settings")]
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as profile, browser_in(profile) as browser:
        browser.set_script_timeout(120)
        browser.get(front.as_uri())
        figure("front_page_size", front.stat().st_size / 1e3, "kB", target="<= 150")
        paint = WebDriverWait(browser, 20, 0.05).until(lambda driver: driver.execute_script(PAINT))
        figure("front_page_first_paint", paint, "ms", target="<= 1000")
        figure("front_page_words", browser.execute_script(WORDS), "words", target="<= 350")
        totals = [0, 0, 0.0]
        for page in studies:
            browser.get(page.as_uri())
            size = (page.stat().st_size - browser.execute_script(DATA)) / 1e3
            figure(f"{page.stem}_page_size_without_data", size, "kB", target="<= 400")
            figure(f"{page.stem}_page_words_above_details", browser.execute_script(WORDS), "words", target="<= 900")
        for page in [front, *studies]:
            serious, contrast, cut = faults(browser, page)
            totals = [totals[0] + serious, totals[1] + contrast, max(totals[2], cut)]
    figure("pages_serious_faults_of_accessibility", totals[0], "faults", target="<= 0")
    figure("pages_texts_of_too_little_contrast", totals[1], "texts", target="<= 0")
    figure("pages_cut_at_400_or_1280", totals[2], "points", target="<= 0")
    finish()


if __name__ == "__main__":
    main()
