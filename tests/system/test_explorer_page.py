"""The explorer in a real browser: it finds, shows, obeys the keyboard, runs nothing that a text says, and is quick."""

import csv
import io
import re
from itertools import cycle
from urllib.parse import parse_qs, urlencode

import numpy as np
import pytest
from axe_core_python.base import AXE_SCRIPT
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from clocks import patiently
from explorers import build, build_attacks, content, outcomes, rows_of
from payloads import PAYLOADS
from ragassay.studies.scope.strata import stratum_names
from tools.synthetic_columns import ids
from tools.synthetic_study import CLAIMS, LIMITS, OF_A_KIND, VOTES
from tools.synthetic_study import QUESTIONS as EACH

pytestmark = pytest.mark.system
HACK = "window.hacked=(window.hacked||0)+1"
EVIL = (
    f"</script><script>{HACK}</script><!--<script>\"'><img src=x onerror={HACK}><svg onload={HACK}>"
    f"<iframe srcdoc='<script>parent.{HACK}</script>'></iframe><a href=javascript:{HACK}>x</a>{{{{7*7}}}}${{7*7}}\u202e"
)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Four documents, one in French, whose in-scope questions have seven words; one vote in nine is abstained."""

    french = ids("doc", np.array([3]))[0].as_py()

    def change(name, row):
        if name == "scope_votes" and row["vote"] == 2:
            row |= {"verdict": None, "abstained": "truncated"}
        if name == "documents" and row["doc_id"] == french:
            row |= {"topic": "français", "title": "Überfahrt nach Brackwater", "text": "Ein Leuchtturm steht dort."}
        return row

    return build(tmp_path_factory.mktemp("small"), 4, change)


@pytest.fixture(scope="module")
def evil(tmp_path_factory):
    """Every text of every table tries to be code, and so do addresses and the title."""
    texts = ("text", "title", "topic", "generator", "judge", "site", "label", "status", "stratum")

    def change(name, row):
        given = {column: EVIL for column in texts if row.get(column)}
        given |= {"verdict": None, "abstained": EVIL} if "verdict" in row else {}
        return row | given | ({"url": f"javascript:{HACK}"} if "url" in row else {})

    return build(tmp_path_factory.mktemp("evil"), 2, change, title=EVIL)


@pytest.fixture
def show(browser):
    """A function that opens a page and waits for its first rows."""

    def shown(page, fragment=""):
        browser.get("about:blank")  # else another fragment loads nothing
        browser.get(page.as_uri() + fragment)
        until(browser, "return performance.getEntriesByName('ready').length")
        return browser

    return shown


def until(browser, script, *arguments):
    return patiently(browser).until(lambda driver: driver.execute_script(script, *arguments))


def count(browser):
    """How many rows the filters leave."""
    words = browser.find_element(By.ID, "count").text
    return int(re.match(r"[\d,]+", words)[0].replace(",", ""))


def rows(browser):
    return [row.text for row in browser.find_elements(By.CSS_SELECTOR, "#rows .row")]


def choose(browser, facet, value):
    script = """const select = document.getElementById(arguments[0]);
        select.selectedIndex = [...select.options].findIndex((option) => option.text === arguments[1]);
        if (select.selectedIndex < 0) throw new Error('no such value');
        select.dispatchEvent(new Event('input', {bubbles: true}))"""
    browser.execute_script(script, facet, value)


def opened(browser, question):
    """Wait until a question is shown."""
    until(browser, "return document.querySelector('.asked')?.textContent === arguments[0]", question)


def test_filters_and_search_leave_what_they_say(show, small):
    browser = show(small)
    assert count(browser) == 4 * EACH
    choose(browser, "filter-intended", "out of scope")
    assert count(browser) == 4 * OF_A_KIND
    labels = [one.get_attribute("label") for one in browser.find_elements(By.CSS_SELECTOR, "#filter-topic option")]
    assert f"français ({OF_A_KIND})" in labels
    choose(browser, "filter-topic", "français")
    assert count(browser) == OF_A_KIND and all("français" in row for row in rows(browser))
    # beside each topic stands what choosing it instead would leave
    labels = [one.get_attribute("label") for one in browser.find_elements(By.CSS_SELECTOR, "#filter-topic option")]
    assert sum(int(re.search(r"\((\d+)\)", one)[1]) for one in labels[1:]) == 4 * OF_A_KIND
    browser.find_element(By.ID, "reset").click()
    until(browser, "return document.getElementById('reset').hidden")
    assert count(browser) == 4 * EACH
    search = browser.find_element(By.ID, "search")
    search.send_keys("brackwater UBERFAHRT")
    assert count(browser) == EACH
    search.clear()
    search.send_keys("leuchtturm")
    assert count(browser) == 0 and "Nothing is like that." in browser.find_element(By.ID, "rows").text
    browser.find_element(By.ID, "deep").click()
    until(browser, "return !document.querySelector('#rows .empty')")
    assert count(browser) == EACH
    browser.find_element(By.CSS_SELECTOR, "#rows .row").click()
    until(browser, "return document.querySelector('#dossier .whole mark')")
    assert browser.find_element(By.CSS_SELECTOR, "#dossier .whole mark").text == "Leuchtturm"


@pytest.mark.parametrize("words", ["(", "[a-", "\\", "'\"-%#/", "a|b {2}", "\u202e \u0301"])
def test_any_word_can_be_searched(show, small, words):
    browser = show(small)
    browser.find_element(By.ID, "search").send_keys("x ", words)
    opened(browser, browser.execute_script("return index.text[current]"))
    assert count(browser) >= 0 and browser.get_log("browser") == []


def test_hardness_and_nearness_filter_and_order(show, small):
    browser = show(small)
    choose(browser, "filter-hardness", "hard")
    hard = count(browser)
    choose(browser, "filter-stratum", stratum_names(LIMITS)[-1])
    assert 0 < hard == count(browser)
    choose(browser, "filter-hardness", "any")
    choose(browser, "filter-stratum", "any")
    choose(browser, "order", "nearest to the document first")
    near = browser.execute_script("return matching.map((row) => index.nearness[row])")
    assert near == sorted(near, reverse=True) and len(near) == 4 * EACH


def test_a_document_shows_everything_that_was_made_of_it(show, small):
    browser = show(small)
    choose(browser, "filter-intended", "out of scope")
    first = browser.find_element(By.CSS_SELECTOR, "#rows .row")
    question = first.find_element(By.CSS_SELECTOR, ".text").text
    first.click()
    opened(browser, question)
    shown = browser.find_element(By.ID, "dossier")
    assert "1 abstained (truncated)" in shown.text and "in round 3: the document does not support it" in shown.text
    assert len(shown.find_elements(By.CSS_SELECTOR, ".questions li")) == EACH
    assert len(shown.find_elements(By.CSS_SELECTOR, "[aria-label^=Claims] tr")) == CLAIMS + 1
    assert len(shown.find_elements(By.CSS_SELECTOR, "table .novel")) == OF_A_KIND
    assert len(shown.find_elements(By.CSS_SELECTOR, ".dot")) == (EACH + 1) * VOTES
    other = shown.find_elements(By.CSS_SELECTOR, ".questions button")[0].text
    shown.find_elements(By.CSS_SELECTOR, ".questions button")[0].click()
    opened(browser, other)
    browser.back()
    opened(browser, question)
    link = shown.find_element(By.CSS_SELECTOR, "a")
    assert link.get_attribute("href").startswith("https://news.example/") and "noreferrer" in link.get_attribute("rel")


def test_an_address_opens_its_question(show, small):
    browser = show(small)
    name, text = browser.execute_script("return [index.id[17], index.text[17]]")
    show(small, f"#row={name}")
    opened(browser, text)
    assert browser.find_element(By.CSS_SELECTOR, "#rows [aria-selected=true] .text").text == text


def test_findings_leave_the_questions_of_which_they_are_true(show, small):
    browser, (index, _) = show(small), content(small)
    wrong = {name: outcomes(index, f"{name}, basic") for name in ("r1", "r2")}
    missed = [row for row, outcome in enumerate(outcomes(index, "d1 (e)")) if outcome == "missed"]
    for name, marks in wrong.items():
        marks[:] = [row for row, outcome in enumerate(marks) if outcome == "answered_out_of_scope"]
        assert marks, name
    choose(browser, "filter-finding", "Answered although out of scope")
    assert left(browser) == sorted({*wrong["r1"], *wrong["r2"]})
    choose(browser, "filter-responder", "r1")
    assert left(browser) == wrong["r1"] and all("r1, basic" in row for row in rows(browser))
    # what a choice gives stands beside it before it is made
    labels = browser.execute_script("return [...$('filter-responder').options].map((option) => option.label)")
    assert labels[1:] == [f"{name} ({len(wrong[name])})" for name in ("r2", "r1")]
    choose(browser, "filter-finding", "A detector misses that it is out of scope")
    choose(browser, "filter-detector", "d1 (e)")
    assert left(browser) == missed
    choose(browser, "filter-should", "yes")
    assert left(browser) == []


def left(browser):
    """The numbers of the rows that filters leave, ascending."""
    return sorted(browser.execute_script("return matching"))


def test_filters_and_the_open_question_are_in_the_address(show, small):
    browser = show(small)
    choose(browser, "filter-finding", "Answered although out of scope")
    choose(browser, "filter-responder", "r1")
    browser.find_element(By.ID, "search").send_keys("a")
    browser.find_elements(By.CSS_SELECTOR, "#rows .row")[1].click()
    until(browser, "return location.hash.includes('row=')")
    rows_left, question = left(browser), browser.execute_script("return index.text[current]")
    address = parse_qs(browser.current_url.partition("#")[2])
    assert address["finding"] == ["answered_out_of_scope"] and address["responder"] == ["r1"]
    assert address["words"] == ["a"]
    show(small)
    assert left(browser) != rows_left
    show(small, f"#{urlencode(address, doseq=True)}")
    opened(browser, question)
    assert left(browser) == rows_left
    browser.find_element(By.ID, "reset").click()
    until(browser, "return !location.hash.includes('finding')")
    assert count(browser) == 4 * EACH


@pytest.mark.parametrize("fragment", ["#finding=nothing&responder=nobody&row=none", "#%%%", "#topic=<b>", "#order=x"])
def test_an_address_that_names_nothing_here_shows_everything(show, small, fragment):
    browser = show(small, fragment)
    assert count(browser) == 4 * EACH and browser.get_log("browser") == []


@pytest.mark.parametrize(("page", "should"), [("small", "no"), ("evil", "unclear")])
def test_a_selection_downloads_with_the_columns_and_values_of_the_file(show, page, should, request):
    page = request.getfixturevalue(page)
    browser, whole = show(page), rows_of(page)
    choose(browser, "filter-should", should)
    text = browser.execute_async_script("const done = arguments[0]; table().then(done)")
    rows_given = list(csv.DictReader(io.StringIO(text, newline="")))
    wanted = [row for row in whole if row["should be answered"] == should]
    assert rows_given and sorted(map(str, rows_given)) == sorted(map(str, wanted))
    assert list(rows_given[0]) == list(whole[0])


def test_the_selection_is_a_file_of_the_browser(browser, show, small, tmp_path):
    downloads = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", downloads)
    show(small)
    choose(browser, "filter-topic", "français")
    browser.find_element(By.ID, "download").click()
    patiently(browser).until(lambda _: (tmp_path / "selection.csv").exists())
    with (tmp_path / "selection.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == EACH
    assert browser.get_log("browser") == []


def test_answers_stand_side_by_side_with_what_was_right(show, small):
    browser = show(small)
    choose(browser, "filter-finding", "Answered although out of scope")
    browser.find_element(By.CSS_SELECTOR, "#rows .row").click()
    opened(browser, browser.execute_script("return index.text[matching[0]]"))
    one, two = browser.find_elements(By.CSS_SELECTOR, ".answers article")
    assert one.location["y"] == two.location["y"] and one.location["x"] < two.location["x"]
    assert "wrong: answered although out of scope" in one.text + two.text
    assert "votes: it answers" in one.text + two.text


def test_a_gate_says_what_it_decided_and_on_what_it_rests(show, small):
    browser, (index, documents) = show(small), content(small)
    names = [name for name, outcome in zip(index["id"], outcomes(index, "relevance gate"), strict=True) if outcome]
    choose(browser, "filter-finding", "The gate takes it for out of knowledge")
    assert count(browser) == outcomes(index, "relevance gate").count("out_of_knowledge") > 0
    rows = [row for document in documents for row in document["rows"]]
    for outcome, words in (("out_of_knowledge", "p = 0.01"), ("in_knowledge", "p = 0.5"), ("undecided", "too few")):
        row = next(row for row in rows if row["cells"][-1]["outcome"] == outcome and row["cells"][-1]["passage"])
        assert row["id"] in names
        show(small, f"#row={row['id']}")
        opened(browser, row["text"])
        shown = browser.find_element(By.ID, "dossier").text
        own = "is its own." if row["cells"][-1]["is_own"] else f"is not its own: {row['cells'][-1]['title']}"
        assert "What the relevance gate says" in shown and words in shown and f"The nearest document {own}" in shown


CONTRASTS = """
const linear = (value) => ((value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
function behind(element) {
  for (; element; element = element.parentElement) {
    const color = numbers(getComputedStyle(element).backgroundColor);
    if ((color[3] ?? 1) === 1) return color;
  }
  return [255, 255, 255];
}
const low = [];
for (const element of document.querySelectorAll("body *")) {
  const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (!hasText || !element.checkVisibility() || element.matches("mark, option, script, style")) continue;
  const [a, b] = [numbers(getComputedStyle(element).color), behind(element)].map(light).sort((x, y) => y - x);
  if ((a + 0.05) / (b + 0.05) < 4.5) low.push(`${element.className} ${element.textContent.slice(0, 40)}`);
}
return low;
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_what_is_behind_it(show, small, scheme):
    browser = show(small)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.execute_script("document.querySelectorAll('details').forEach((part) => (part.open = true))")
    for finding in ("Answered although out of scope", "Answered, as it should be", "No verdict on a response"):
        choose(browser, "filter-finding", finding)
        browser.find_element(By.CSS_SELECTOR, "#rows .row").click()
        opened(browser, browser.execute_script("return index.text[matching[0]]"))
        assert browser.execute_script(CONTRASTS) == []


def test_the_keyboard_reaches_everything(show, small):
    browser = show(small)
    texts = browser.execute_script("return index.text")
    press(browser, "/")
    assert browser.execute_script("return document.activeElement.id") == "search"
    browser.execute_script("document.getElementById('list').focus()")
    opened(browser, texts[0])
    for key, at in [
        (Keys.ARROW_DOWN, 1),
        (Keys.ARROW_DOWN, 2),
        (Keys.ARROW_UP, 1),
        (Keys.END, 4 * EACH - 1),
        (Keys.HOME, 0),
    ]:
        press(browser, key)
        opened(browser, texts[at])
        active = "document.getElementById(document.getElementById('list').getAttribute('aria-activedescendant'))"
        assert browser.execute_script(f"return {active}.firstChild.textContent") == texts[at]
    press(browser, Keys.ENTER)
    until(browser, "return document.activeElement.id === 'dossier'")
    press(browser, Keys.ESCAPE)
    until(browser, "return document.activeElement.id === 'list'")


def press(browser, key):
    browser.switch_to.active_element.send_keys(key)


def test_no_text_runs_or_becomes_markup(show, evil):
    browser = show(evil)
    for question in browser.execute_script("return index.id"):
        browser.execute_script("go(index.id.indexOf(arguments[0]))", question)
        until(browser, "return index.id[current] === arguments[0]", question)
        opened(browser, EVIL)
    browser.find_element(By.ID, "deep").click()
    browser.find_element(By.ID, "search").send_keys("img src")
    until(browser, "return deepHaystack !== null")
    assert browser.execute_script("return window.hacked ?? 0") == 0
    kinds = "img, svg, iframe, object, embed, link:not([nonce]), base, script:not([id]) ~ script, [onerror], b"
    kinds += ", a[href^='javascript']"
    assert browser.find_elements(By.CSS_SELECTOR, kinds) == []
    shown = browser.execute_script("return document.getElementById('dossier').textContent")
    assert EVIL in shown and browser.title.startswith(EVIL[:20])
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert browser.get_log("browser") == []


def test_even_a_mistake_in_its_script_could_make_no_markup(show, small):
    browser = show(small)
    script = "try { main.innerHTML = '<b>x</b>'; return 'made' } catch (error) { return error.name }"
    assert browser.execute_script(script) == "TypeError"


@pytest.mark.parametrize("width", [360, 400, 768, 1280])
def test_it_is_readable_at_every_width(show, small, evil, width):
    for page in (small, evil):
        browser = show(page)
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        for fragment in ("", browser.execute_script("return `row=${index.id[1]}`")):
            browser.execute_script("location.hash = arguments[0]", fragment)
            until(browser, "return location.hash === '' || document.querySelector('.asked')")
            wide = "[document.documentElement, main].map((element) => element.scrollWidth - element.clientWidth)"
            assert browser.execute_script(f"return {wide}") == [0, 0]
            smallest = (
                "Math.min(...[...document.querySelectorAll('.row *, #dossier *, label')].filter((e) => e.innerText)"
            )
            assert (
                browser.execute_script(f"return {smallest}.map((e) => parseFloat(getComputedStyle(e).fontSize)))") >= 14
            )


def test_on_a_phone_a_document_takes_the_place_of_the_list(show, small):
    browser = show(small)
    size = {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser = show(small)
    finder, dossier = browser.find_element(By.ID, "finder"), browser.find_element(By.ID, "dossier")
    assert finder.is_displayed() and not dossier.is_displayed()
    browser.find_elements(By.CSS_SELECTOR, "#rows .row")[2].click()
    until(browser, "return document.getElementById('back')")
    assert dossier.is_displayed() and not finder.is_displayed()
    browser.find_element(By.ID, "back").click()
    until(browser, "return !document.body.classList.contains('open')")
    assert finder.is_displayed() and not dossier.is_displayed()


def test_it_follows_light_and_dark(show, small):
    browser, colours = show(small), []
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        colours.append(browser.execute_script("return getComputedStyle(document.body).backgroundColor"))
    assert colours[0] != colours[1]


def test_thousands_of_questions_open_and_filter(browser, show, tmp_path):
    """`benchmarks/explorer.py` measures how long that takes; what it rests on is that few rows are ever in the page."""
    page = build(tmp_path, 600)
    show(page)
    assert count(browser) == 3_600 and len(rows(browser)) < 50
    browser.execute_script("document.getElementById('search').value = 'ba'; filter()")
    assert 0 < count(browser) < 3_600 and len(rows(browser)) < 50
    browser.execute_script("list.focus()")
    press(browser, Keys.END)
    last = browser.execute_script("return index.text[matching.at(-1)]")
    opened(browser, last)
    assert browser.find_elements(By.CSS_SELECTOR, "#rows .row")[-1].get_attribute("aria-selected") == "true"


@pytest.fixture(scope="module")
def attacks(tmp_path_factory):
    return build_attacks(tmp_path_factory.mktemp("attacks"), 4)


def test_poison_that_got_through_is_found_by_attack_defence_and_responder(show, attacks):
    browser = show(attacks)
    assert count(browser) == 12
    choose(browser, "filter-finding", "Poison got through")
    assert count(browser) == 2  # the wanted answers to every other target; no answer was not what `mute` got
    choose(browser, "filter-attack", "mute")
    assert count(browser) == 0
    choose(browser, "filter-attack", "loud")
    choose(browser, "filter-defence", "guard")
    assert count(browser) == 2 and all("guard, r1; guard, r2" in row for row in rows(browser))
    choose(browser, "filter-finding", "A defence removes clean passages")
    assert count(browser) == 4
    choose(browser, "filter-defence", "none")
    assert count(browser) == 0


def test_an_attack_shows_what_was_retrieved_removed_and_answered(show, attacks):
    browser = show(attacks, "#finding=got_through&attack=loud")
    browser.find_element(By.CSS_SELECTOR, "#rows .row").click()
    until(browser, "return location.hash.includes('row=')")
    until(browser, "return main.querySelectorAll('[aria-label=Passages] tr').length")
    texts = browser.execute_script(
        "return [...document.querySelectorAll('[aria-label=Passages] tr')].map((row) => row.innerText)"
    )
    assert len(texts) == 11 and "none\tguard" in texts[0]
    assert [index for index, text in enumerate(texts) if "planted poison-loud" in text] == [1, 2, 3]
    assert "shown\tremoved" in texts[1] and "too loud" in texts[1] and "shown\tshown" in texts[2]
    answers = browser.find_element(By.CSS_SELECTOR, "[aria-label=Answers]").text
    assert "poison got through; right before" in answers and "gives: correct" in answers and "gives: target" in answers
    assert len(browser.find_elements(By.CSS_SELECTOR, ".questions li")) == 3
    browser.find_elements(By.CSS_SELECTOR, ".questions button")[0].click()
    until(browser, "return main.querySelector('h2').textContent === 'No attack'")


@pytest.mark.parametrize("make", [build, build_attacks])
def test_no_payload_runs_wherever_it_stands(browser, show, tmp_path, make):
    """Each in the question, answer, passage, document or reason of another row; every row is opened and searched."""
    left = cycle(PAYLOADS)
    columns = ("text", "question", "target", "reason", "document", "title", "url", "site", "abstained")

    def change(name, row):
        return row | {column: next(left) for column in columns if isinstance(row.get(column), str)}

    show(make(tmp_path, 30, change, title=PAYLOADS[0]))
    browser.execute_script("window.hacked = 0")
    seen = browser.execute_async_script("""
        const done = arguments[0];
        (async () => {
          search.value = "hacked";
          deep.checked = true;
          await unpackForSearch();
          filter();
          let texts = "";
          for (const row of matching) {
            await open(row);
            texts += main.textContent;
          }
          await table();
          setTimeout(() => done([matching.length, texts]), 50);
        })()""")
    payloads = [payload for payload in PAYLOADS if payload in seen[1]]
    assert seen[0] == browser.execute_script("return total") and len(payloads) == len(PAYLOADS) == 218
    assert browser.execute_script("return window.hacked") == 0
    assert browser.find_elements(By.CSS_SELECTOR, "img, svg, iframe, object, video, math, base, template") == []
    assert browser.get_log("browser") == []


@pytest.mark.parametrize(("width", "scheme"), [(400, "light"), (1280, "dark")])
def test_names_of_any_length_and_direction_are_shown_whole_or_cut_where_they_can_be_read(
    browser, show, tmp_path, width, scheme
):
    long, arabic = "n" * 200, "من يحرس المنارة؟"
    names = {"attacks": ["none", "loud"], "defences": ["none", long[:120]], "responders": [long[:120]]}
    page = build_attacks(
        tmp_path, 2, lambda name, row: row | ({"text": f"{arabic} {long}"} if "text" in row else {}), **names
    )
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    show(page, "#attack=loud")
    browser.execute_script("go(matching[0])")
    until(browser, "return main.querySelector('[aria-label=Answers]')")
    wide = "[document.documentElement, main].map((element) => element.scrollWidth - element.clientWidth)"
    assert browser.execute_script(f"return {wide}") == [0, 0]
    assert browser.execute_script(CONTRASTS) == []
    assert arabic in browser.execute_script("return main.textContent")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["small", "attacks"])
def test_no_page_has_a_serious_fault_of_accessibility(show, request, kind, scheme):
    browser = show(request.getfixturevalue(kind))
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.execute_script("go(matching[1])")
    until(browser, "return current === matching[1] && main.querySelector('.asked')")
    browser.execute_script("document.querySelectorAll('details').forEach(box => box.open = true)")
    browser.execute_script(AXE_SCRIPT)
    faults = browser.execute_async_script("const done = arguments[0]; axe.run().then(done)")["violations"]
    serious = [fault for fault in faults if fault["impact"] in ("serious", "critical")]
    assert [f"{fault['id']}: {fault['nodes'][0]['html']}" for fault in serious] == []
