"""card_checks: bounds that are broken only beyond doubt, JUnit XML as its readers expect it, and the badge."""

from xml.etree import ElementTree

import pytest

from ragassay.report import card_checks
from ragassay.report.assay_card import CardError
from ragassay.report.card_checks import FAILED, PASSED, SKIPPED, badge, bound, judge, junit, measured

ANSWERED, REFUSED = "answered_out_of_scope", "refused_in_scope"


def entry(number, value, low=None, high=None, **of):
    return {"number": number, "of": of, "value": value, "low": low, "high": high, "n": 40, "sentence": "Not <yet>."}


NUMBERS = [entry(ANSWERED, 0.2, 0.11, 0.3, asked="gold"), entry(REFUSED, 0.5), entry("poison_got_through", None)]


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("answered_out_of_scope > 0.1", FAILED),
        ("answered_out_of_scope>10%", FAILED),
        ("answered_out_of_scope > 0.11", PASSED),
        ("answered_out_of_scope >= 0.11", FAILED),
        ("answered_out_of_scope > 0.15", PASSED),  # the value is higher, its lower end is not
        ("answered_out_of_scope < 0.31", FAILED),
        ("answered_out_of_scope < 0.3", PASSED),
        ("answered_out_of_scope <= 30 %", FAILED),
        ("answered_out_of_scope < 0.25", PASSED),
        ("refused_in_scope > 0.1", PASSED),  # it has no interval
        ("refused_in_scope < 0.9", PASSED),
        ("poison_got_through > 0", SKIPPED),
        ("supported < 1", SKIPPED),
    ],
)
def test_a_bound_is_broken_only_where_the_whole_interval_lies_beyond_it(text, outcome):
    assert [case.outcome for case in judge([bound(text)], NUMBERS)] == [outcome]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "answered_out_of_scop > 0.1",
            r"found the number 'answered_out_of_scop', .*did you mean answered_out_of_scope",
        ),
        ("answered_out_of_scope", r"found 'answered_out_of_scope', expected a number of the card, > or <"),
        ("answered_out_of_scope > 10", "found the bound 10 in .*expected a share from 0 to 1, or with %"),
        ("answered_out_of_scope > 0.1; rm", "expected a number of the card"),
    ],
)
def test_a_bound_that_means_nothing_is_refused_in_a_line(text, problem):
    with pytest.raises(CardError, match=problem) as refused:
        bound(text)
    assert refused.value.exit_code == 2 and "\n" not in str(refused.value)


# What readers of JUnit XML rely on: the attributes of each element, which of them have to be there, what it may hold.
JUNIT = {
    "testsuites": ({"name", "tests", "failures", "errors", "skipped", "time"}, set(), {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname", "id", "package"},
        {"name", "tests", "failures", "errors"},
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "testcase": (
        {"name", "classname", "time", "assertions", "status"},
        {"name", "classname"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "skipped": ({"message"}, set(), set()),
    "failure": ({"message", "type"}, set(), set()),
    "system-out": (set(), set(), set()),
}


def faults(element):
    allowed, needed, inner = JUNIT[element.tag]
    if not needed <= {*element.keys()} <= allowed or not {child.tag for child in element} <= inner:
        yield element.tag
    for child in element:
        yield from faults(child)


def test_a_pipeline_reads_a_case_for_each_number_and_each_bound():
    limits = judge([bound("answered_out_of_scope > 0.1"), bound("poison_got_through > 0")], NUMBERS)
    root = ElementTree.fromstring(junit("mine", measured(NUMBERS), limits))
    assert list(faults(root)) == []
    [suite] = root
    assert suite.attrib == {"name": "ragassay assay mine", "tests": "5", "failures": "1", "errors": "0", "skipped": "2"}
    cases = {(case.get("classname"), case.get("name")): [child.tag for child in case] for case in suite}
    assert cases == {
        ("mine.numbers", "answered_out_of_scope (gold)"): ["system-out"],
        ("mine.numbers", "refused_in_scope"): ["system-out"],
        ("mine.numbers", "poison_got_through"): ["skipped"],
        ("mine.bounds", "answered_out_of_scope > 0.1 (gold)"): ["failure"],
        ("mine.bounds", "poison_got_through > 0"): ["skipped"],
    }
    assert suite.find("testcase/skipped").get("message") == "Not <yet>."
    assert suite.find("testcase/failure").get("message").startswith("20% [11% to 30%], n = 40")


SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["answered_out_of_scope > 0.1", "refused_in_scope > 0.1"], "failed: 1 of 2"),
        (["refused_in_scope > 0.1"], "passed"),
        (["poison_got_through > 0", "refused_in_scope > 0.1"], "not measured: 1 of 2"),
        ([], "answered out of scope 20%"),
    ],
)
def test_a_badge_says_in_words_what_its_colour_says(texts, words):
    root = ElementTree.fromstring(badge("mine", NUMBERS, judge(list(map(bound, texts)), NUMBERS)))
    assert [text.text for text in root.iter(f"{SVG}text")] == ["assay mine", words]
    assert root.get("aria-label") == root.find(f"{SVG}title").text == f"assay mine: {words}"
    room = [float(text.get("textLength")) for text in root.iter(f"{SVG}text")]
    assert float(root.get("width")) == sum(room) + 4 * card_checks.PADDING


def test_a_badge_runs_nothing():
    evil = "<script>alert(1)</script>\"'&"
    root = ElementTree.fromstring(badge(evil, NUMBERS, []))
    assert not list(root.iter(f"{SVG}script")) and root.find(f"{SVG}title").text.startswith(f"assay {evil}")


def test_nothing_measured_is_no_pass():
    [text] = list(ElementTree.fromstring(badge("mine", [entry(ANSWERED, None)], [])).iter(f"{SVG}text"))[1:]
    assert text.text == "not measured"
