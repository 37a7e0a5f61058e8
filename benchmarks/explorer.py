"""Time an explorer with 20,000 rows in a real browser: until its first rows stand there, and until a filter, a finding
or a word that is searched has changed them on the screen; and how large the page is.
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
RESPONDERS, DETECTORS = [f"responder-{number}" for number in range(6)], [f"detector-{number}" for number in range(8)]
FLAGS = ["headless=new", "no-sandbox", "disable-gpu", "no-first-run", "disable-background-networking"]
REPORT = ROOT / "workflow/report"
TEMPLATES = [REPORT / "explorer.html.j2", REPORT / "provenance.html.j2"]
FILES = {"templates": TEMPLATES, "style": REPORT / "explorer.css"}
SETTINGS = {"title": "A large study", "report": "index.html", "models": {}, "command": "make demo"}
REMEDIES = "responses scope_labels defusion_labels people predictions gated_questions filtered answers clean".split()
CHANGES = {
    "search": "search.value = search.value ? '' : 'ba cor'",
    "filter": "for (const { select } of facets.slice(0, 2)) select.selectedIndex = select.selectedIndex ? 0 : 1",
    "finding": "$('filter-finding').selectedIndex = $('filter-finding').selectedIndex ? 0 : 1",
    "column": "keys[0].select.selectedIndex = keys[0].select.selectedIndex ? 0 : 2",
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


def page_of_questions(folder) -> Path:
    """20,000 questions, each with six answers, eight predictions and what a gate says."""
    from corpora.large_study import write_answers, write_gate, write_study
    from scripts.explorers.list_questions import list_questions

    paths = write_study(folder, DOCUMENTS)
    paths |= write_answers(folder, paths["questions"][0], RESPONDERS, DETECTORS)
    paths["gated_questions"] = write_gate(folder, paths["questions"][0])
    del paths["selected_questions"]
    page, script = Path(folder) / "questions.html", [REPORT / "explorer_question.js", REPORT / "explorer.js"]
    settings = {**SETTINGS, "subject": "Questions.", "remedies": dict.fromkeys(REMEDIES, "")}
    files = {**FILES, "behaviour": script, "page": page, "csv": page.with_suffix(".csv")}
    further = {name: [] for name in ("gold", "human_labels", "covered_questions")}
    list_questions(**paths, **further, **files, **settings)
    return page


def page_of_attacks(folder) -> Path:
    """Ten attacks on 2,000 targets, each behind four defences with two responders."""
    from corpora.large_attacks import DEPTH, FIRST, NONE, write_attacks
    from scripts.explorers.list_attacks import list_attacks

    attacks = [NONE, *(f"attack-{number}" for number in range(1, 10))]
    defences = [NONE, *(f"defence-{number}" for number in range(1, 4))]
    paths = write_attacks(folder, DOCUMENTS, attacks, defences, RESPONDERS[:2])
    page, script = Path(folder) / "attacks.html", [REPORT / "explorer_attack.js", REPORT / "explorer.js"]
    wants = {name: None if name == NONE else "answer" for name in attacks}
    settings = {**SETTINGS, "subject": "Attacks.", "remedies": dict.fromkeys(REMEDIES, ""), "wants": wants}
    settings |= {"corpora": {"d": "c"}, "k": FIRST, "depth": DEPTH}
    files = {**FILES, "behaviour": script, "page": page, "csv": page.with_suffix(".csv")}
    list_attacks(**paths, **files, **settings)
    return page


PAGES = {"questions": page_of_questions, "attacks": page_of_attacks}


def main():
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        options = webdriver.ChromeOptions()
        options.binary_location = program("chromium")
        for flag in [*FLAGS, f"user-data-dir={folder}/profile"]:
            options.add_argument(f"--{flag}")
        service = webdriver.ChromeService(executable_path=program("chromedriver"))
        for name, build in PAGES.items():
            page = build(Path(folder) / name)
            browser = webdriver.Chrome(options=options, service=service)
            try:
                browser.set_window_size(1400, 900)
                first = median(opened(browser, page) for _ in range(TIMES))
                times = {key: [changed(browser, change) for _ in range(2 * TIMES)] for key, change in CHANGES.items()}
            finally:
                browser.quit()
            figure(f"explorer_20000_{name}_first_rows", first, "ms", "< 2000")
            for key, milliseconds in times.items():
                figure(f"explorer_20000_{name}_{key}", median(milliseconds), "ms", "< 200")
            figure(f"explorer_20000_{name}_page", page.stat().st_size / 1e6, "MB", "< 25")
    finish()


if __name__ == "__main__":
    main()
