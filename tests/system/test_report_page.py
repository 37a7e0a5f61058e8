"""The report in a real browser: it sorts, fits a phone, follows light and dark, and asks for nothing from outside."""

import pytest
from selenium.webdriver.common.by import By

pytestmark = pytest.mark.system
# A topic and headlines of the tiny pipeline that try to be code.
EVIL = "<img src=https://evil.example/x onerror=alert(1)><script>document.title='hacked'</script>"


@pytest.fixture
def page(tiny, browser):
    browser.get((tiny / "results/report/index.html").as_uri())
    return browser


def column(page, table, number):
    cells = page.find_elements(By.CSS_SELECTOR, f"#documents figure:nth-of-type({table}) td:nth-child({number})")
    return [cell.text for cell in cells]


def test_it_is_complete_and_nothing_in_it_runs_or_is_fetched(page):
    assert page.find_element(By.TAG_NAME, "h1").text == page.title == "The tiny pipeline"
    assert page.find_element(By.CSS_SELECTOR, "svg[role=img]").size["height"] > 100
    assert EVIL in column(page, 2, 1)
    passages = [part.get_attribute("textContent") for part in page.find_elements(By.CSS_SELECTOR, "#scope dd")]
    assert any(text.startswith(EVIL) for text in passages)
    assert page.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert page.get_log("browser") == []


def test_a_click_sorts_and_another_turns_it_round(page):
    words = ["food", "science", "travel"]
    heading = page.find_element(By.CSS_SELECTOR, "#documents figure:nth-of-type(2) th button")
    assert heading.text == "Topic"
    heading.click()
    first = [topic for topic in column(page, 2, 1) if topic in words]
    assert heading.find_element(By.XPATH, "..").get_attribute("aria-sort") == "ascending"
    heading.click()
    assert first == words and [topic for topic in column(page, 2, 1) if topic in words] == words[::-1]
    mean = page.find_elements(By.CSS_SELECTOR, "#documents figure:nth-of-type(2) th button")[3]
    assert mean.text == "Mean words"
    mean.click()
    numbers = [float(value) for value in column(page, 2, 4)]
    assert numbers == sorted(numbers, reverse=True) and len(set(numbers)) > 1


@pytest.mark.parametrize("width", [360, 768, 1600])
def test_it_is_readable_at_every_width(page, width):
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    wide, seen = page.execute_script("return [document.documentElement.scrollWidth, window.innerWidth]")
    assert seen == width and wide <= width
    assert float(page.execute_script("return getComputedStyle(document.querySelector('td')).fontSize")[:-2]) >= 14


def test_no_table_scrolls_sideways_on_a_laptop(page):
    size = {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    script = "return [...document.querySelectorAll('.wide')].filter(one => one.scrollWidth > one.clientWidth)"
    script += ".map(one => one.getAttribute('aria-label'))"
    assert len(page.find_elements(By.CSS_SELECTOR, ".wide table")) > 10 and page.execute_script(script) == []


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
return [...document.querySelectorAll("figure svg")].flatMap((svg) => {
  const texts = places(svg), level = texts.filter(([text]) => !text.getAttribute("transform").includes("rotate"));
  const outside = texts.filter(([, box]) => !inside(box, svg.getBoundingClientRect()));
  const above = level.filter(([, box], at) => level.slice(0, at).some(([, other]) => overlap(box, other)));
  return [...outside, ...above].map(([text]) => `${svg.getAttribute("aria-label")}: ${text.textContent}`);
});
"""


def test_text_in_figures_has_room(page):
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


def test_an_example_opens_and_shows_its_lineage(page):
    summaries = page.find_elements(By.CSS_SELECTOR, "#scope summary")
    assert 1 <= len(summaries) <= 3 and summaries[0].text.startswith("Example 1: ")
    shown = [part.text for part in page.find_elements(By.CSS_SELECTOR, "#scope dt") if part.is_displayed()]
    assert shown[:3] == ["Headline", "Published", "Document"] and "Question" in shown
    summaries[0].click()
    left = [part for part in page.find_elements(By.CSS_SELECTOR, "#scope dt") if part.is_displayed()]
    assert len(left) < len(shown)
