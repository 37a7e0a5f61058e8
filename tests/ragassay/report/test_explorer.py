"""The explorer's page: what questions are filtered by, and a policy that lets only its own style and script in."""

import base64
import hashlib
import re

from project import ROOT
from ragassay.report.explorer import FACETS, index, packed, render

REPORT = ROOT / "workflow/report"
FILES = [REPORT / "explorer.html.j2", REPORT / "explorer.css", [REPORT / "dossier.js", REPORT / "explorer.js"]]


def question(number, **values):
    known = {name: "x" for name, _, _ in FACETS} | {"id": f"q{number}", "text": "Why?", "nearness": None, "margin": 0.0}
    return known | values


def test_values_stand_in_their_order_and_unknown_ones_behind():
    found = [question(at, status=name) for at, name in enumerate(["later", "undecided", "kept", "also", "kept"])]
    dossiers = [{"id": "d", "title": None, "topic": "t", "questions": found}]
    status = next(facet for facet in index(dossiers, [])["facets"] if facet["name"] == "status")
    assert status["values"] == ["kept", "undecided", "also", "later"] and status["codes"] == [3, 1, 0, 2, 0]


def test_a_study_without_questions_still_has_a_page():
    assert 'id="index"' in render(*FILES, "t", {"generator": "", "judge": ""}, [], [])


def test_the_policy_allows_exactly_its_own_style_and_script_and_no_markup_from_scripts():
    text = render(*FILES, "t", {"generator": "g", "judge": "j"}, [], [])
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text).group(1).replace("&#39;", "'")
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy
    assert "require-trusted-types-for 'script'" in policy
    for tag in ("style", "script"):
        content = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL).group(1)
        assert f"{tag}-src 'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'" in policy
    assert not re.search(r"https?:|src=|<link|style=|\son\w+=", text.split("<script>")[0])


def test_what_is_packed_has_no_letter_of_markup():
    assert re.fullmatch(r"[A-Za-z0-9+/]+=*", packed({"a": "<script>&\"'"}))
