"""The pages on which people label, in a real browser against the real server: a whole part by keyboard, with undo, a
kill of the server, the training round, and a third person who settles.
"""

import signal

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from clocks import patiently
from people import GUIDELINES, Client, Serving, click, item, project, sample
from ragassay.people import click_log
from ragassay.people.folder import load_guidelines

pytestmark = pytest.mark.system
HACK = "window.hacked=1"
EVIL = f"</script><script>{HACK}</script><img src=x onerror={HACK}>{{{{7*7}}}}"
READY = "return document.readyState === 'complete' && typeof busy !== 'undefined' && !busy && !window.old"
ITEM = "return typeof page == 'undefined' ? arguments[0] : page.item"  # while the next page loads there is none


class Person:
    """Somebody at a keyboard."""

    def __init__(self, browser, serving, name):
        self.browser, self.name = browser, name
        browser.delete_all_cookies()
        browser.get(serving.url)
        browser.delete_all_cookies()
        browser.get(serving.url)
        self.wait()
        # Keys are lost before the field for a name has the focus.
        patiently(browser).until(lambda driver: driver.switch_to.active_element.tag_name == "input")
        self.press(name, Keys.ENTER)

    def wait(self):
        patiently(self.browser).until(lambda driver: driver.execute_script(READY))

    def press(self, *keys):
        """Keys of which the last one leads to another page."""
        self.browser.execute_script("window.old = true")
        self.type(*keys)
        self.wait()

    def type(self, *keys):
        for key in keys:
            self.browser.switch_to.active_element.send_keys(key)

    def page(self, name):
        return self.browser.execute_script(f"return page.{name}")

    def text(self, selector="main"):
        return self.browser.find_element(By.CSS_SELECTOR, selector).text

    def said(self, words):
        """Wait for words in the line that tells what happened."""
        script = "return document.getElementById('status').textContent.includes(arguments[0])"
        patiently(self.browser).until(lambda driver: driver.execute_script(script, words))


def events(folder):
    return click_log.read(folder / "annotation/careful/careful/events.jsonl")


def labels(folder):
    """(person, role, item) -> label, as the log has it in the end."""
    found = {}
    for event in events(folder):
        key = (event["person"], event.get("role"), event.get("item"))
        if event["event"] == "label":
            found[key] = event["label"]
        elif event["event"] == "undo":
            del found[key]
    return found


def test_a_part_by_keyboard_from_the_training_round_to_the_end(browser, tmp_path):
    folder = project(tmp_path, sample(scope=4, defusion=1), training_items=2)
    known = load_guidelines(GUIDELINES, 2).practice
    with Serving(folder) as serving:
        anna = Person(browser, serving, "Anna")
        assert "Hello, Anna" in anna.text("h1")
        anna.press(Keys.ENTER)  # takes a group
        assert "of 1" not in anna.text(), "how many there are in the second part would tell something"
        anna.press(Keys.ENTER)
        _practise(anna, known["scope"])
        first = anna.page("item")
        anna.press("s")  # later
        assert anna.page("item") != first
        second = anna.page("item")
        anna.type("c", "I am not sure 12us", Keys.ESCAPE)
        anna.press("2")
        third = anna.page("item")
        anna.press("u")
        assert anna.page("item") == second and labels(folder) == {}
        anna.press("1")
        assert anna.page("item") == third and labels(folder) == {("Anna", "annotator", second): "in_scope"}
        serving.process.send_signal(signal.SIGKILL)
        serving.process.wait()
        anna.type("2")
        anna.said("Not stored yet")
        with Serving(folder, port=serving.port):
            anna.said("")
            patiently(browser).until(lambda driver: driver.execute_script(ITEM, third) != third)
            anna.wait()
            assert labels(folder)["Anna", "annotator", third] == "out_of_scope", "sent again, and once"
            anna.press("1")
            assert anna.page("item") == first, "what was put off comes last"
            anna.press("1")
            assert anna.page("kind") == "home" and "Done, thank you." in anna.text()
            anna.press(Keys.ENTER)
            _practise(anna, known["defusion"])
            assert anna.page("place") == "defusion" and "Response 1." in anna.text("blockquote")
            anna.press("2")
            assert "That is all" in anna.text()
    comments = [event["comment"] for event in events(folder) if "comment" in event]
    assert comments[0] == "I am not sure 12us" and len(labels(folder)) == 5


def _practise(person, known):
    """Wrong at first, then right until the training round is over."""
    wrong = True
    while person.page("kind") == "practice":
        label = known[person.page("item")]["label"]
        choices = person.browser.find_elements(By.CSS_SELECTOR, ".choice")
        key = next(
            one.get_attribute("data-press") for one in choices if (one.get_attribute("data-label") == label) != wrong
        )
        person.type(key)
        patiently(person.browser).until(lambda driver: driver.find_element(By.ID, "feedback").is_displayed())
        told = person.text("#feedback")
        assert known[person.page("item")]["because"] in told and ("Right." in told) != wrong
        person.press(Keys.ENTER)
        wrong = False


def test_an_older_label_is_found_and_changed_by_keyboard(browser, tmp_path):
    folder = project(tmp_path, sample(scope=4, defusion=0), training_items=0)
    with Serving(folder) as serving:
        anna = Person(browser, serving, "Anna")
        anna.press(Keys.ENTER)
        anna.press(Keys.ENTER)
        for label in "112":
            anna.press(label)
        one, two, three = [item for _, _, item in labels(folder)]
        open_item = anna.page("item")
        anna.press("l")
        assert anna.page("kind") == "labels" and _focused(browser) == three
        anna.type(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP)
        assert _focused(browser) == two
        anna.press(Keys.ENTER)
        assert (anna.page("kind"), anna.page("item")) == ("own", two) and "your label" in anna.text(".choice.present")
        anna.press("2")
        assert anna.page("kind") == "labels" and _focused(browser) == two, "back where it was opened"
        assert "Out of scope" in _row(browser) and "changed" in _row(browser)
        anna.press(Keys.ENTER)
        anna.type("c", "read again", Keys.ESCAPE)
        anna.said("as soon as you give or keep one")
        serving.process.send_signal(signal.SIGKILL)
        serving.process.wait()
        anna.type(Keys.ENTER)
        anna.said("Not stored yet")
        with Serving(folder, port=serving.port):
            patiently(browser).until(
                lambda driver: driver.execute_script("return typeof page == 'undefined' ? null : page.kind") == "labels"
            )
            anna.wait()
            assert "read again" in _row(browser)
            anna.press(Keys.ENTER)
            assert browser.find_element(By.ID, "comment").get_attribute("value") == "read again"
            anna.press(Keys.ENTER)
            assert anna.page("kind") == "labels", "nothing was changed, nothing is stored"
            anna.press("n")
            assert anna.page("item") == open_item
            anna.press(Keys.ESCAPE)
            anna.press("l")
            assert anna.page("kind") == "labels"
    changes = [(event["item"], event["label"], event["comment"]) for event in events(folder)[4:]]
    assert changes == [(two, "out_of_scope", ""), (two, "out_of_scope", "read again")]
    assert labels(folder)["Anna", "annotator", one] == "in_scope"


def _focused(browser):
    return browser.switch_to.active_element.get_attribute("href").rpartition("/")[2]


def _row(browser):
    return browser.switch_to.active_element.text


def disputed(folder):
    """A server whose two annotators disagree on one item and agree on another."""
    serving = Serving(project(folder, sample(scope=2, defusion=0), training_items=0))
    for name, label in (("Anna", "in_scope"), ("Ben", "out_of_scope")):
        client = Client(serving.port)
        client.enter(name)
        client.post("/clicks/join", click())
        about = {"item": "item-scope-0001", "label": label, "comment": f"Why {label}", "seen": "", "seconds": 1}
        assert client.post("/clicks/label", click(**about))[0] == 200
        assert client.post("/clicks/label", click(**about | {"item": "item-scope-0002", "label": "in_scope"}))[0] == 200
        client.close()
    return serving


def test_a_third_person_settles_without_knowing_who_said_what(browser, tmp_path):
    with disputed(tmp_path):
        pass
    with Serving(tmp_path) as serving:
        cleo = Person(browser, serving, "Cleo")
        assert "1 item on which others disagree waits" in cleo.text()
        cleo.press("d")
        told = cleo.text()
        assert "In scope" in told and "Why in_scope" in told and "Why out_of_scope" in told
        source = browser.page_source
        assert "Anna" not in source and "Ben" not in source
        cleo.press("2")
        assert cleo.page("kind") == "home" and "There are none to settle" in cleo.text()
    assert labels(tmp_path)["Cleo", "adjudicator", "item-scope-0001"] == "out_of_scope"


def test_a_second_window_says_what_happened_and_overwrites_nothing(browser, tmp_path):
    folder = project(tmp_path, sample(scope=3, defusion=0), training_items=0)
    with Serving(folder) as serving:
        anna = Person(browser, serving, "Anna")
        anna.press(Keys.ENTER)
        anna.press(Keys.ENTER)
        shown, first = anna.page("item"), browser.current_window_handle
        browser.switch_to.new_window("tab")
        browser.get(f"{serving.url}label/scope")
        anna.wait()
        assert anna.page("item") == shown
        anna.press("1")
        browser.close()
        browser.switch_to.window(first)
        anna.type("2")
        anna.said("another window")
        anna.press("r")
        assert anna.page("item") != shown and labels(folder) == {("Anna", "annotator", shown): "in_scope"}


def test_no_text_runs_and_nothing_comes_from_elsewhere(browser, tmp_path):
    evil = {"title": EVIL, "document": EVIL, "question": EVIL}
    items = [item(1, **evil), item(1, task="defusion", **evil | {"response": EVIL})]
    with Serving(project(tmp_path, items, training_items=0)) as serving:
        person = Person(browser, serving, "Anna's + @friend.")
        person.press(Keys.ENTER)
        person.press(Keys.ENTER)
        assert person.text(".question") == EVIL
        person.press("1")
        person.press(Keys.ENTER)
        assert person.text("blockquote") == EVIL
        assert browser.execute_script("return window.hacked ?? 0") == 0
        assert not browser.find_elements(By.CSS_SELECTOR, "img, iframe, script:not([src='/page.js'])")
        assert browser.get_log("browser") == []
        made = "try { document.body.innerHTML = '<b>x</b>'; return 'made' } catch (error) { return error.name }"
        assert browser.execute_script(made) == "TypeError"
        names = browser.execute_script("return performance.getEntriesByType('resource').map((one) => one.name)")
        assert names and all(name.startswith(serving.url) for name in names)


@pytest.mark.parametrize("width", [360, 768, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_readable_at_every_width_and_by_night(browser, study, width, scheme):
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    person = Person(browser, study, f"Anna {width} {scheme}")
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    person.press(Keys.ENTER)
    person.press(Keys.ENTER)
    _readable(browser)
    assert browser.execute_script("return scrollY") == 0, "it begins with the question"
    person.press("1")
    person.press("l")
    _readable(browser)
    person.press(Keys.ENTER)
    assert person.page("kind") == "own"
    _readable(browser)


def _readable(browser):
    over = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert browser.execute_script(over) == 0
    smallest = "Math.min(...[...document.querySelectorAll('main *')].filter((e) => e.innerText && e.tagName !== 'KBD')"
    assert browser.execute_script(f"return {smallest}.map((e) => parseFloat(getComputedStyle(e).fontSize)))") >= 13.5
    for choice in browser.find_elements(By.CSS_SELECTOR, ".choice"):
        box = browser.execute_script("return arguments[0].getBoundingClientRect().toJSON()", choice)
        assert box["top"] >= 0 and box["bottom"] <= 800 and box["height"] >= 40, "the buttons are always in sight"


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    with Serving(project(tmp_path_factory.mktemp("study"), sample(groups=9), training_items=0)) as serving:
        yield serving
