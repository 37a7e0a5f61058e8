"""The explorer's page: what rows are filtered by, and a policy that lets only its own style and script in."""

import base64
import hashlib
import re

import pytest

from explorers import FILES, QUESTION_SCRIPTS, content, facet
from ragassay.report.explorers.page import Facet, Kind, Listing, excerpt, packed, room
from ragassay.report.provenance import MARKS, Provenance

KIND = Kind(
    "rows",
    (Facet("status", "Status", ("kept", "undecided")),),
    {"who": "Who"},
    ("bad", "good"),
    {"wrong": ("Wrong", ("bad",))},
    {"size": "largest first"},
    {"id": ("id",), "words": ("text",), "title": ("^", "title"), "first": ("cells", 0, "text")},
    {"person": {"answer": "text"}},
)
COLUMNS = [{"kind": "person", "name": name, "who": name} for name in ("ann", "ben")]
MADE = Provenance("page.html", {}, "make demo")
ABOUT = {"title": "t", "subject": "a", "report": "r.html", "missing": []}


def row(number, status="kept", cells=(None, None)):
    return {"id": f"q{number}", "text": "Why?", "status": status, "size": number, "cells": list(cells)}


def dossier(name, rows):
    return {"id": name, "title": name, "sorting": (name,), "rows": rows}


def page_of(folder, dossiers, **more):
    listing, page = Listing(KIND, COLUMNS, **more), folder / "page.html"
    listing.write(dossiers, page.with_suffix(".csv"))
    listing.render(MADE, page, **FILES, behaviour=QUESTION_SCRIPTS, file=page.with_suffix(".csv"), **ABOUT)
    return page


def test_values_stand_in_their_order_and_unknown_ones_behind(tmp_path):
    rows = [row(at, name) for at, name in enumerate(["later", "undecided", "kept", "also", "kept"])]
    index, _ = content(page_of(tmp_path, [dossier("d", rows)]))
    [status] = index["facets"]
    assert status["values"] == ["kept", "undecided", "also", "later"] and status["codes"] == [3, 1, 0, 2, 0]


def test_the_list_is_in_its_own_order_whatever_the_dossiers_are_in(tmp_path):
    dossiers = [dossier(name, [row(f"{name}{at}", name) for at in range(2)]) for name in "bca"]
    index, listed = content(page_of(tmp_path, dossiers))
    assert index["id"] == ["qa0", "qa1", "qb0", "qb1", "qc0", "qc1"] and index["dossier"] == [2, 2, 0, 0, 1, 1]
    places = zip(index["dossier"], index["place"], strict=True)
    assert [listed[at]["rows"][place]["id"] for at, place in places] == index["id"]
    assert facet(index, "status") == ["a", "a", "b", "b", "c", "c"]


def test_cells_are_letters_of_their_outcomes(tmp_path):
    bad, good = {"outcome": "bad", "text": "x"}, {"outcome": "good", "text": "y"}
    rows = [row(0, cells=(bad, None)), row(1, cells=(good, bad)), row(2)]
    index, _ = content(page_of(tmp_path, [dossier("d", rows)]))
    assert index["codes"] == ["ab-", "-a-"] and index["findings"][0]["outcomes"] == [0]
    lines = (tmp_path / "page.csv").read_text().splitlines()
    assert lines[0] == "id,words,title,first,ann: answer,ben: answer"
    assert lines[1:] == ["q0,Why?,d,x,x,", "q1,Why?,d,y,y,x", "q2,Why?,d,,,"]


def test_a_share_of_dossiers_is_shown_and_more_rows_never_move_one(tmp_path):
    dossiers = [dossier(f"d{number}", [row(number)]) for number in range(40)]
    few = content(page_of(tmp_path, dossiers[:20], share=0.5))[0]["id"]
    many = content(page_of(tmp_path, dossiers, share=0.5))[0]["id"]
    assert 0 < len(few) < 20 and set(few) <= set(many) < {row(number)["id"] for number in range(40)}


def test_a_list_without_rows_still_has_a_page(tmp_path):
    assert 'id="index"' in page_of(tmp_path, []).read_text()


def test_the_policy_allows_exactly_its_own_style_and_script_and_no_markup_from_scripts(tmp_path):
    text = page_of(tmp_path, []).read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text).group(1).replace("&#39;", "'")
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy
    assert "require-trusted-types-for 'script'" in policy
    for tag in ("style", "script"):
        content_of = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL).group(1)
        assert f"{tag}-src 'sha256-{base64.b64encode(hashlib.sha256(content_of.encode()).digest()).decode()}'" in policy
    assert re.findall(r"<link[^>]*>", text) == [f'<link rel="stylesheet" href="{MARKS}" nonce="{MADE.nonce}">']
    assert not re.search(r"https?:|src=|style=|\son\w+=", text.split("<script>")[0])


def test_what_is_packed_has_no_letter_of_markup():
    assert re.fullmatch(r"[A-Za-z0-9+/]+=*", packed({"a": "<script>&\"'"}))


@pytest.mark.parametrize(("count", "characters"), [(0, 1000), (1, 1000), (10, 100), (1000, 20)])
def test_many_texts_have_less_room_each(count, characters):
    assert room(count, 1000, 20) == characters


def test_a_cut_text_says_so_and_has_at_most_the_characters_that_it_may_have():
    assert excerpt("a" * 20, 20) == "a" * 20
    assert excerpt("a" * 21, 20) == "a" * 18 + " …"
