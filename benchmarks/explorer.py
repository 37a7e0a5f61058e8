"""Time the explorer with 20,000 questions in a real browser: until its first rows stand there, and until a filter or a
word that is searched has changed them on the screen; and how large the page is.
"""

import shutil
import sys
import tempfile
from pathlib import Path
from statistics import median

from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

from common.figures import figure, finish

ROOT = Path(__file__).resolve().parent.parent

DOCUMENTS, TIMES = 2_000, 5
FLAGS = ["headless=new", "no-sandbox", "disable-gpu", "no-first-run", "disable-background-networking"]
REPORT = ROOT / "workflow/report"
FILES = {"template": REPORT / "explorer.html.j2", "style": REPORT / "explorer.css"}
FILES["behaviour"] = [REPORT / "dossier.js", REPORT / "explorer.js"]
CHANGES = {
    "search": "search.value = search.value ? '' : 'ba cor'",
    "filter": "facets[0].select.selectedIndex = facets[0].select.selectedIndex ? 0 : 3",
    "order": "order.selectedIndex = order.selectedIndex ? 0 : 1",
}


def opened(browser, page) -> float:
    """Milliseconds from the start of the page to its first rows."""
    browser.get("about:blank")
    browser.get(page.as_uri())
    script = "return performance.getEntriesByName('ready')[0]?.startTime"
    return WebDriverWait(browser, 60, 0.05).until(lambda driver: driver.execute_script(script))


def changed(browser, change) -> float:
    """Milliseconds from a change of the filters until its rows are on the screen."""
    script = f"""const done = arguments[0], start = performance.now();
        {change};
        document.getElementById("filters").dispatchEvent(new Event("input"));
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));"""
    return browser.execute_async_script(script)


def program(name: str) -> str:
    """Its path; nothing is downloaded in its place."""
    return shutil.which(name) or sys.exit(f"needs {name} on the PATH")


def main():
    from corpora.large_study import write_study
    from scripts.hardness.build_explorer import build_explorer

    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        page, paths = Path(folder) / "explorer.html", write_study(folder, DOCUMENTS)
        build_explorer(**paths, responses=[], defusion_labels=[], **FILES, page=page, title="A large study")
        options = webdriver.ChromeOptions()
        options.binary_location = program("chromium")
        for flag in [*FLAGS, f"user-data-dir={folder}/profile"]:
            options.add_argument(f"--{flag}")
        service = webdriver.ChromeService(executable_path=program("chromedriver"))
        browser = webdriver.Chrome(options=options, service=service)
        try:
            browser.set_window_size(1400, 900)
            first = median(opened(browser, page) for _ in range(TIMES))
            times = {name: [changed(browser, change) for _ in range(2 * TIMES)] for name, change in CHANGES.items()}
        finally:
            browser.quit()
        figure("explorer_20000_questions_first_rows", first, "ms", "< 2000")
        for name, found in times.items():
            figure(f"explorer_20000_questions_{name}", median(found), "ms", "< 200")
        figure("explorer_20000_questions_page", page.stat().st_size / 1e6, "MB", "< 12")
    finish()


if __name__ == "__main__":
    main()
