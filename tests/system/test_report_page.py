"""The report in a real browser: it sorts, fits a phone, follows light and dark, and asks for nothing from outside."""

import re
import shutil

import pytest
from axe_core_python.base import AXE_SCRIPT
from selenium.webdriver.common.by import By

from payloads import PAYLOADS
from project import ROOT
from ragassay.base import tables
from ragassay.report import provenance
from ragassay.report.provenance import OUTDATED, REMOVED, UNFINISHED
from ragassay.schemas.report import EXAMPLES, METRICS, metric
from scripts.report.draw_figures import draw_figures
from scripts.report.render_front import render_front
from scripts.report.render_page import render_page
from scripts.report.write_findings import write_findings

pytestmark = pytest.mark.system
# A topic and headlines of the tiny pipeline that try to be code.
EVIL = "<img src=https://evil.example/x onerror=alert(1)><script>document.title='hacked'</script>"


PAGES = ("index", "documents", "scope", "months", "retrieval", "calls", "settings")


@pytest.fixture
def opened(tiny, browser):
    """A function that opens a page of the report."""

    def open_page(name, anchor=""):
        browser.get("about:blank")
        browser.get((tiny / f"results/report/{name}.html").as_uri() + anchor)
        return browser

    return open_page


@pytest.fixture
def page(opened):
    """That of documents, with all details open."""
    page = opened("documents")
    page.execute_script("document.querySelectorAll('details.more').forEach(box => box.open = true)")
    return page


@pytest.fixture
def scope(opened):
    """Its page, with all details open."""
    page = opened("scope")
    page.execute_script("document.querySelectorAll('details.more').forEach(box => box.open = true)")
    return page


def column(page, table, number):
    cells = page.find_elements(By.CSS_SELECTOR, f"#documents-{table} td:nth-child({number})")
    return [cell.text for cell in cells]


def test_the_front_page_leads_to_all_others(opened, tiny):
    page = opened("index")
    assert page.find_element(By.TAG_NAME, "h1").text == page.title == "The tiny pipeline"
    links = [link.get_attribute("href") for link in page.find_elements(By.CSS_SELECTOR, "body > nav a")]
    assert {f"{(tiny / 'results/report').as_uri()}/{name}.html" for name in PAGES} <= {*links}
    assert {*(tiny / "results/report").glob("*.html")} == {tiny / f"results/report/{name}.html" for name in PAGES}
    here = page.find_elements(By.CSS_SELECTOR, "[aria-current=page]")
    assert [link.text for link in here] == ["Findings"]


@pytest.mark.parametrize("name", PAGES)
def test_nothing_in_a_page_runs_or_is_fetched(opened, name):
    page = opened(name)
    assert page.title.endswith("The tiny pipeline")
    assert page.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert page.get_log("browser") == []


def test_what_tries_to_be_code_is_shown_as_text(page, opened):
    assert page.find_element(By.CSS_SELECTOR, "svg[role=img]").size["height"] > 100
    assert EVIL in column(page, "by_topic", 1)
    scope = opened("scope")
    passages = [part.get_attribute("textContent") for part in scope.find_elements(By.CSS_SELECTOR, "#scope dd")]
    assert any(text.startswith(EVIL) for text in passages)


def test_an_anchor_inside_closed_details_is_shown(opened):
    page = opened("documents", "#documents-by_topic")
    box = page.execute_script("return document.getElementById('documents-by_topic').getBoundingClientRect()")
    assert 0 <= box["top"] < page.execute_script("return innerHeight")
    assert page.find_element(By.ID, "documents-by_topic").is_displayed()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_a_serious_fault_of_accessibility(opened, name, scheme):
    page = opened(name)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    page.execute_script("document.querySelectorAll('details').forEach(box => box.open = true)")
    page.execute_script(AXE_SCRIPT)
    faults = page.execute_async_script("const done = arguments[0]; axe.run().then(done)")["violations"]
    serious = [fault for fault in faults if fault["impact"] in ("serious", "critical")]
    assert [f"{fault['id']}: {fault['nodes'][0]['html']}" for fault in serious] == []


def test_a_click_sorts_and_another_turns_it_round(page):
    words = ["food", "science", "travel"]
    heading = page.find_element(By.CSS_SELECTOR, "#documents-by_topic th button")
    assert heading.text == "Topic"
    heading.click()
    first = [topic for topic in column(page, "by_topic", 1) if topic in words]
    assert heading.find_element(By.XPATH, "..").get_attribute("aria-sort") == "ascending"
    heading.click()
    assert first == words and [topic for topic in column(page, "by_topic", 1) if topic in words] == words[::-1]
    mean = page.find_elements(By.CSS_SELECTOR, "#documents-by_topic th button")[3]
    assert mean.text == "Mean words"
    mean.click()
    numbers = [float(value) for value in column(page, "by_topic", 4)]
    assert numbers == sorted(numbers, reverse=True) and len(set(numbers)) > 1


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("width", [360, 400, 768, 1280, 1600])
def test_it_is_readable_at_every_width(opened, name, width):
    page = opened(name)
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    wide, seen = page.execute_script("return [document.querySelector('main').scrollWidth, window.innerWidth]")
    assert seen == width and wide <= width
    texts = "[...document.querySelectorAll('p, li, td, dd, a')]"
    small = f"{texts}.filter(text => parseFloat(getComputedStyle(text).fontSize) < 14)"
    assert page.execute_script(f"return {small}.length") == 0


def test_no_table_scrolls_sideways_on_a_laptop(scope):
    page = scope
    size = {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    script = "return [...document.querySelectorAll('.wide')].filter(one => one.scrollWidth > one.clientWidth)"
    script += ".map(one => one.getAttribute('aria-label'))"
    assert len(page.find_elements(By.CSS_SELECTOR, ".wide table")) > 4 and page.execute_script(script) == []


def test_a_long_table_scrolls_below_its_headings(page):
    page.execute_script(
        "const body = document.querySelector('.wide:has(table) tbody');"
        "while (body.rows.length < 60) body.append(body.rows[0].cloneNode(true))"
    )
    region, heading = (page.find_element(By.CSS_SELECTOR, f".wide:has(table){part}") for part in ("", " th"))
    assert region.size["height"] <= 42 * 16 < region.find_element(By.TAG_NAME, "table").size["height"]
    before = heading.location["y"]
    page.execute_script("arguments[0].scrollTop = 500", region)
    assert heading.location["y"] == pytest.approx(before, abs=2)
    others = page.find_elements(By.CSS_SELECTOR, ".wide:has(table)")[1:]
    assert all(one.get_property("scrollHeight") <= one.get_property("clientHeight") + 1 for one in others)


CROWDED = """
const places = (svg) => [...svg.querySelectorAll("text")].map((text) => [text, text.getBoundingClientRect()]);
const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
  Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
const inside = (a, b) => a.left > b.left - 1 && a.right < b.right + 1 && a.top > b.top - 1 && a.bottom < b.bottom + 1;
return [...document.querySelectorAll("figure svg:not(.spark)")].flatMap((svg) => {
  const texts = places(svg);
  const level = texts.filter(([text]) => !(text.getAttribute("transform") ?? "").includes("rotate"));
  const outside = texts.filter(([, box]) => !inside(box, svg.getBoundingClientRect()));
  const above = level.filter(([, box], at) => level.slice(0, at).some(([, other]) => overlap(box, other)));
  return [...outside, ...above].map(([text]) => `${svg.getAttribute("aria-label")}: ${text.textContent}`);
});
"""


def test_text_in_figures_has_room(scope):
    page = scope
    assert len(page.find_elements(By.CSS_SELECTOR, "figure svg text")) > 50
    assert page.execute_script(CROWDED) == []


def test_it_follows_light_and_dark(page):
    colours = {}
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        script = "const mark = document.querySelector('svg title').parentElement;"
        script += "return [document.body, document.querySelector('rect'), document.querySelector('svg text'), mark]"
        colours[scheme] = page.execute_script(
            f"{script}.map((e, i) => getComputedStyle(e)[i ? 'fill' : 'backgroundColor'])"
        )
    assert all(light != dark for light, dark in zip(colours["light"], colours["dark"], strict=True))


def test_headings_can_be_reached_and_used_with_the_keyboard(page):
    page.execute_script("document.querySelector('th button').focus(); document.activeElement.click()")
    assert page.execute_script("return document.activeElement.parentElement.getAttribute('aria-sort')") == "ascending"


def test_an_example_opens_and_shows_its_lineage(scope):
    page = scope
    summaries = page.find_elements(By.CSS_SELECTOR, "#scope-examples summary")
    assert 1 <= len(summaries) <= 3 and summaries[0].text.startswith("Example 1: ")
    shown = [part.text for part in page.find_elements(By.CSS_SELECTOR, "#scope dt") if part.is_displayed()]
    assert shown[:3] == ["Headline", "Published", "Document"] and "Question" in shown
    summaries[0].click()
    left = [part for part in page.find_elements(By.CSS_SELECTOR, "#scope dt") if part.is_displayed()]
    assert len(left) < len(shown)


@pytest.mark.parametrize("state", ["", OUTDATED, UNFINISHED, REMOVED])
def test_a_page_that_no_longer_fits_says_so_when_it_is_opened(tiny, tmp_path, browser, state):
    for name in ("index", "scope"):
        shutil.copy(tiny / f"results/report/{name}.html", tmp_path)
    provenance.mark(tmp_path, {(tmp_path / "scope.html").as_posix(): state})
    browser.get((tmp_path / "scope.html").as_uri())
    shown = browser.find_element(By.CLASS_NAME, "outdated").text
    expected = {
        "": "",
        OUTDATED: "This page is older than its tables or settings",
        UNFINISHED: "has begun and not ended well",
        REMOVED: "No configuration has this page any more.",
    }
    assert expected[state] in shown and bool(shown) == bool(state)
    command = "snakemake --configfile tests/tiny/config.yaml"
    assert (f"To draw it again: {command}" in shown) == (state in (OUTDATED, UNFINISHED))
    assert browser.get_log("browser") == []
    browser.get((tmp_path / "index.html").as_uri())
    assert browser.find_element(By.CLASS_NAME, "outdated").text == "", "only the page that is named"


def test_a_style_sheet_that_a_page_does_not_name_has_no_effect(tiny, tmp_path, browser):
    page = (tiny / "results/report/scope.html").read_text()
    nonce = re.search('nonce="([0-9a-f]+)"', page).group(1)
    forged = page.replace(f'nonce="{nonce}"', f'nonce="{nonce[::-1]}"')
    (tmp_path / "scope.html").write_text(forged)
    provenance.mark(tmp_path, {(tmp_path / "scope.html").as_posix(): OUTDATED})
    browser.get((tmp_path / "scope.html").as_uri())
    assert browser.find_element(By.CLASS_NAME, "outdated").text == ""
    assert "Content Security Policy" in browser.get_log("browser")[0]["message"]


HOSTILE = """
title: Study
findings:
  - {name: all, question: whether, table: scores, metric: right, against: 0, reference: none,
     higher: "{model}", action: {higher: "{model}"}}
parts:
  - {kind: dots, table: scores, title: S, caption: C, label: [model], metric: right, x: X}
  - {kind: heat, table: scores, name: map, title: S, caption: C, label: [model], by: topic, metric: right, x: X}
  - {kind: table, table: scores, title: S, caption: C, columns: {model: Model, right: Right}}
  - {kind: examples, title: E, caption: C}
"""


def test_no_payload_runs_on_any_page(browser, tmp_path):
    """Each is a key of a number, in charts, tables and findings, and a passage of an example; one names the report."""
    keys = [{"model": payload, "topic": "t"} for payload in PAYLOADS]
    rows = [metric("study", "scores", key, "right", 1 - place / 999, 50) for place, key in enumerate(keys)]
    tables.write(METRICS, tmp_path / "study.parquet", rows)
    (tmp_path / "study.yaml").write_text(HOSTILE)
    passage = {"study": "study", "example": 1}
    passages = [passage | {"position": at, "title": p, "part": p, "text": p} for at, p in enumerate(PAYLOADS, 1)]
    tables.write(EXAMPLES, tmp_path / "examples/study.parquet", passages)
    metrics, sections = [tmp_path / "study.parquet"], [tmp_path / "study.yaml"]
    draw_figures(metrics[0], sections[0], tmp_path / "study", tmp_path / "study.csv")
    write_findings(metrics, sections, [], tmp_path / "findings/default.parquet", {})
    shared = {"metrics": metrics, "sections": sections, "figures": [tmp_path / "study"], "heads": sections}
    shared |= {"templates": sorted((ROOT / "workflow/report").glob("*.html.j2")), "missing": sections}
    shared |= {"style": ROOT / "workflow/report/page.css", "behaviour": ROOT / "workflow/report/page.js"}
    shared |= {"models": {PAYLOADS[4]: PAYLOADS[5]}, "command": PAYLOADS[6], "recalls": {}}
    shared |= {"title": PAYLOADS[0], "links": {PAYLOADS[1]: "index.html"}}
    examples = [tmp_path / "examples/study.parquet"]
    render_page(**shared, examples=examples, notes={PAYLOADS[2]: PAYLOADS[3]}, page=tmp_path / "study.html")
    made = {"findings": tmp_path / "findings/default.parquet", "pages": [tmp_path / "study.html"]}
    files = {"page": tmp_path / "index.html", "settings": tmp_path / "settings.html"}
    render_front(**shared, **made, **files, config={"a": PAYLOADS})
    for name in ("study", "index", "settings"):
        browser.get((tmp_path / f"{name}.html").as_uri())
        browser.execute_script("document.querySelectorAll('details').forEach(box => box.open = true)")
        assert browser.execute_script("return window.hacked ?? 0") == 0
        assert browser.find_elements(By.CSS_SELECTOR, "img, iframe, object, video, math, base, template") == []
        assert [entry for entry in browser.get_log("browser") if "outdated.css" not in entry["message"]] == []
    browser.get((tmp_path / "study.html").as_uri())
    shown = browser.execute_script("return document.querySelector('main').textContent")
    assert sum(payload in shown for payload in PAYLOADS) == len(PAYLOADS) == 218
