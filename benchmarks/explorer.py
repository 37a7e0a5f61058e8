"""Time an explorer with 20,000 rows in a real browser: until its first rows stand there, and until a filter, a finding
or a word that is searched has changed them on the screen; and how large the page is.
"""

import tempfile
from pathlib import Path
from statistics import median

from selenium.webdriver.support.ui import WebDriverWait

from common.browser import browser_in
from common.figures import figure, finish
from explorers import build, build_attacks
from tools.synthetic_study import QUESTIONS

ROWS, TIMES = 20_000, 5
RESPONDERS, DETECTORS = [f"responder-{number}" for number in range(6)], [f"detector-{number}" for number in range(8)]
CHANGES = {
    "search": "search.value = search.value ? '' : 'ba go'",
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


def page_of_questions(folder: Path) -> Path:
    """20,000 questions, each with six answers, eight predictions and what a gate says."""
    return build(folder, -(-ROWS // QUESTIONS), responders=RESPONDERS, detectors=DETECTORS)


def page_of_attacks(folder: Path) -> Path:
    """Ten attacks on 2,000 targets, each behind four defences with two responders."""
    attacks, defences = (
        ["none", *(f"{kind}-{number}" for number in range(1, count))]
        for kind, count in (("attack", 10), ("defence", 4))
    )
    return build_attacks(folder, ROWS // 10, attacks=attacks, defences=defences, responders=RESPONDERS[:2])


PAGES = {"questions": page_of_questions, "attacks": page_of_attacks}


def main():
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        for name, build_page in PAGES.items():
            page = build_page(Path(folder, name))
            with browser_in(folder) as browser:
                browser.set_window_size(1400, 900)
                first = median(opened(browser, page) for _ in range(TIMES))
                times = {key: [changed(browser, change) for _ in range(2 * TIMES)] for key, change in CHANGES.items()}
            figure(f"explorer_20000_{name}_first_rows", first, "ms", "< 2000")
            for key, milliseconds in times.items():
                figure(f"explorer_20000_{name}_{key}", median(milliseconds), "ms", "< 200")
            figure(f"explorer_20000_{name}_page", page.stat().st_size / 1e6, "MB", "< 25")
    finish()


if __name__ == "__main__":
    main()
