"""The page: escaped, self-contained, exact about its policy, readable numbers."""

import base64
import hashlib
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from project import ROOT
from ragassay.report.pages import EDGE, Figure, ReportPages, cell, drawn, evidence, shown, sure
from ragassay.report.pages import FILES as BESIDE
from ragassay.report.provenance import MARKS, Provenance
from ragassay.report.sections import ReportPart, ReportSection

FOLDER = ROOT / "workflow/report"
FILES = sorted(FOLDER.glob("*.html.j2")), FOLDER / "page.css", FOLDER / "page.js"
EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


def page(text="plain"):
    number = {"value": 0.25, "low": 0.1, "high": 0.4, "n": 1200, "abstained": 3}
    table = ReportPart("table", "t", text, text, {"k": text, "m": text}, [{"k": text, "m": number}, {"k": "b"}])
    passages = [{"part": text, "text": text}, {"part": "b", "text": "c"}]
    examples = ReportPart("examples", "examples", text, text, rows=[{"title": text, "passages": passages}])
    figures = [ReportPart("bars", name, text, text, rows=rows) for name, rows in (("drawn", [{}]), ("empty", []))]
    section = ReportSection("s", text, text, [table, examples], figures, numbers="s")
    pictures = {("s", "drawn"): Figure("<svg></svg>", "../figures/s/drawn")}
    finding = dict.fromkeys(("low", "high", "value", "n", "against", "against_low", "against_high"))
    finding |= {"kind": "finding", "verdict": "missing", "link": "#s"}
    pages = ReportPages(*FILES, text, {text: "beside.html"}, [])
    made = Provenance("s.html", {text: "abc"}, text, {text: text})
    return pages.study(made, [section], [finding | {"sentence": text, "action": text}], pictures)


DRAWN = [f"../figures/s/drawn.{ending}" for ending in BESIDE]


class Elements(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


def test_whatever_text_comes_in_no_element_or_handler_is_added():
    plain, evil = Elements(page()).found, Elements(page(EVIL)).found
    assert [tag for tag, _ in plain] == [tag for tag, _ in evil]
    assert [attributes.keys() for _, attributes in plain] == [attributes.keys() for _, attributes in evil]


def test_examples_are_shown_with_all_passages_as_they_are():
    text = page("a <b>\n\nc")
    assert "<summary>Example 1: a &lt;b&gt;" in text and "<dd>a &lt;b&gt;\n\nc</dd>" in text and "<dt>b</dt>" in text


def test_a_note_on_a_model_stands_in_the_first_section_that_it_is_for():
    notes = [["careful is a toy."], [], ["careful is a toy.", "hasty is one, too."]]
    sections = [ReportSection(f"s{number}", "S", "", [], notes=own) for number, own in enumerate(notes)]
    text = ReportPages(*FILES, "Title", {}, []).study(Provenance("s0.html", {}, "make demo"), sections, [], {})
    assert [text.count(note) for note in ("careful is a toy.", "hasty is one, too.")] == [1, 1]
    assert text.index("careful is a toy.") < text.index('id="s1"') < text.index("hasty is one, too.")


def test_names_in_captions_are_shown_as_code():
    count = page("how `echo` & `<b>` do").count("how <code>echo</code> &amp; <code>&lt;b&gt;</code> do")
    assert count == 7, "a sentence and its action, a lead and four captions"


def test_nothing_is_fetched_from_anywhere():
    for tag, attributes in Elements(page()).found:
        assert not {"src", "srcset", "action", "style", "onclick", "onload"} & attributes.keys(), tag
        beside = ("beside.html", MARKS, "index.html", "settings.html", "s.csv", *DRAWN)
        assert attributes.get("href", "#")[0] == "#" or attributes["href"] in beside
        assert tag not in ("img", "iframe", "object", "base")
        assert tag != "link" or (attributes.keys() == {"rel", "href", "nonce"} and attributes["href"] == MARKS)


def test_a_figure_is_inlined_with_links_to_its_files_and_an_empty_one_says_so():
    text = page()
    links = [attributes["href"] for tag, attributes in Elements(text).found if tag == "a"]
    assert text.count("<svg></svg>") == 1 and [link for link in links if "figures" in link] == DRAWN
    assert text.count('<p class="none">None.</p>') == 1


def test_the_policy_allows_exactly_the_pages_own_style_and_script_and_the_marks():
    text = page()
    nonce = re.search(r'<link rel="stylesheet" href="outdated.css" nonce="([0-9a-f]{32})">', text).group(1)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text).group(1).replace("&#39;", "'")
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy
    for tag in ("style", "script"):
        content = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL).group(1)
        digest = f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
        more = f" 'nonce-{nonce}'" if tag == "style" else ""
        assert f"{tag}-src {digest}{more};" in policy


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (None, "–"),
        (3.0, "3"),
        (1234567, "1,234,567"),
        (0.123456, "0.123"),
        (99.95, "100.0"),
        (1234.56, "1,234.6"),
        (-0.5, "-0.5"),
        (0.0001, "0.0001"),
        (5.75e-06, "<0.0001"),
        (-5.75e-06, ">-0.0001"),
    ],
)
def test_numbers_are_readable(number, words):
    assert shown(number) == words


def test_a_cell_shows_interval_count_and_abstentions():
    content = cell({"value": 0.25, "low": 0.1, "high": 0.4, "n": 1200, "abstained": 3})
    assert (content["interval"], content["tooltip"]) == ("[0.1, 0.4]", "n = 1,200, 3 abstained")
    assert content["sort"] == "0.25"
    assert cell(None)["number"] and not cell("raguard")["number"], "a missing one stands where numbers do"


SPARK = {"value": 0.5, "low": 0.25, "high": 0.75, "against": 1}


def test_a_number_has_a_bar_with_its_interval_and_what_it_is_compared_with():
    drawing = drawn(SPARK)
    root = ElementTree.fromstring(drawing)
    left, right = EDGE, int(root.get("width")) - EDGE
    assert float(root.find("{*}circle").get("cx")) == (left + right) / 2
    _, interval, tick = (path.get("d") for path in root.iterfind("{*}path"))
    ends = [float(number) for number in re.findall(r"[MH](\d+)", interval)]
    assert ends == pytest.approx([left + 0.25 * (right - left), left + 0.75 * (right - left)], abs=0.5)
    assert tick.startswith(f"M{right} ") and len(drawing) < 700
    assert root.get("aria-label") == "0.5, interval 0.25 to 0.75, on a scale from 0 to 1, compared with 1"
    assert "from -1 to 1" in drawn(SPARK | {"low": -0.1}) and "compared" not in drawn(SPARK | {"against": None})
    without = [{"low": None}, {"value": None}, {"value": float("nan")}, {"against": 40}]
    assert [drawn(SPARK | changed) for changed in without] == [""] * 4


COUNTED = {"value": 27, "low": None, "high": None, "n": 27, "against": 40, "against_low": None, "against_high": None}
COUNTED |= {"verdict": "lower", "certainty": 0.0, "form": "number", "reference": "all"}
CHANGED = {"value": 0.12, "low": -0.03, "high": 0.01, "n": 82, "against": 0, "form": "points", "reference": "no change"}
BOTH = {"value": 0.7, "low": 0.6, "high": 0.8, "n": 9, "against": 0.75, "against_low": 0.7, "against_high": 0.79}


@pytest.mark.parametrize(
    "changed, certain, words",
    [
        ({}, "", "27; all: 40"),
        ({"value": 3}, "", "3, n = 27; all: 40"),
        (CHANGED | {"verdict": "unclear"}, "no clear difference", "[-3 to 1 point], n = 82; no change: 0 points"),
        (BOTH | {"form": "score"}, "clear", "[0.60 to 0.80], n = 9; all: 0.75 [0.70 to 0.79]"),
        (BOTH | {"verdict": "too_few"}, "too few data", "n = 9"),
        ({"n": None, "value": None, "verdict": "missing"}, "not measured", ""),
    ],
)
def test_a_finding_says_what_it_rests_on(changed, certain, words):
    finding = COUNTED | changed
    assert (sure(finding), evidence(finding)) == (certain, words)
