"""list_attacks: what an attack reached and what became of answers, on the page and in the file."""

from pathlib import Path

import pytest

from attacked import DEPTH, FIRST
from explorers import ATTACK_TABLES, build_attacks, content, facet, outcomes, rows_of
from ragassay.report.explorers.attacks import answer_outcome
from rows import index_recall

EVIL = "</script><script>alert(1)</script>"


def test_every_attack_on_every_target_is_a_row_with_what_was_retrieved(tmp_path):
    page = build_attacks(tmp_path, 4)
    index, dossiers = content(page)
    rows = rows_of(page)
    assert len(dossiers) == 4 and len(rows) == len(index["text"]) == 12
    assert facet(index, "attack") == ["none", "loud", "mute"] * 4 and facet(index, "reach")[:2] == [
        "only_clean",
        "planted",
    ]
    for row in rows:
        ids = row["retrieved"].split("; ")
        planted = [name for name in ids if name.startswith("poison-")]
        assert len(ids) == DEPTH and planted == [name for name in row["planted passages"].split("; ") if name]
        assert int(row["planted among the first"]) == len(planted) == 3 * (row["attack"] != "none")
    for dossier in dossiers:
        assert {name for row in dossier["rows"] for name in row["retrieved"]} <= dossier["passages"].keys()
        assert all(dossier["passages"].values()) and dossier["wanted"] and dossier["answers"]


def test_what_defences_remove_and_show_is_counted(tmp_path):
    rows = rows_of(build_attacks(tmp_path, 4))
    for row in rows:
        attacked = row["attack"] != "none"
        names = ("planted removed", "planted shown", "clean removed")
        counts = [int(row[f"guard: {name}"]) for name in names]
        assert counts == ([1, 2, 1] if attacked else [0, 0, 2])
        first, last = row["retrieved"].split("; ")[0], row["retrieved"].split("; ")[-1]
        assert row["guard: removes"] == f"{first}; {last}" and row["none: removes"] == ""
        assert row["none: outcome"] == ("planted_shown" if attacked else "nothing_planted_found")
        expected = "planted_shown" if attacked else "nothing_planted_found"
        assert row["guard: outcome"] == f"{expected}_and_clean_removed"


def test_answers_stand_beside_those_without_the_attack(tmp_path):
    page = build_attacks(tmp_path, 4)
    rows = rows_of(page)
    clean = {row["target_id"]: row for row in rows if row["attack"] == "none"}
    for row in rows:
        name, without = "guard, r1", clean[row["target_id"]]
        wanted = int(row["target_id"][1:]) % 2 == 0
        if row["attack"] == "none":
            assert row[f"{name}: before"] == "" and row[f"{name}: outcome"] == "right_without_attack"
            continue
        assert row[f"{name}: before"] == without[f"{name}: after"] != row[f"{name}: after"]
        assert row[f"{name}: before is"] == "correct" and row[f"{name}: after is"] == (
            "target" if wanted else "correct"
        )
        got = "right_before_and_got_through" if row["attack"] == "loud" else "right_before_and_spoiled"
        assert row[f"{name}: outcome"] == (got if wanted else "held")
    index = content(page)[0]
    assert outcomes(index, "none, r2")[:3] == [
        "right_without_attack",
        "right_before_and_got_through",
        "right_before_and_spoiled",
    ]


@pytest.mark.parametrize(
    ("aim", "after", "before", "outcome"),
    [
        ("answer", "target", "correct", "right_before_and_got_through"),
        ("answer", "target", "refusal", "got_through"),
        ("answer", "target", None, "got_through"),
        ("answer", "both", "correct", "right_before_and_spoiled"),
        ("answer", "refusal", "correct", "right_before_and_spoiled"),
        ("answer", "refusal", "refusal", "held"),
        ("answer", "correct", "neither", "held"),
        ("answer", "abstained", "correct", "no_verdict"),
        ("declining", "refusal", "correct", "right_before_and_got_through"),
        ("declining", "refusal", "refusal", "not_comparable"),
        ("declining", "target", "correct", "right_before_and_spoiled"),
        ("error", "neither", "correct", "right_before_and_got_through"),
        ("error", "correct", "correct", "held"),
    ],
)
def test_an_attack_succeeds_if_the_answer_is_what_it_wants(aim, after, before, outcome):
    assert answer_outcome(aim, after, before) == outcome


def test_where_nobody_was_asked_behind_a_defence_without_attack_the_answer_without_defence_stands_in(tmp_path):
    rows = rows_of(build_attacks(tmp_path, 2, without=("/answers/d/r/none/guard/",)))
    clean = {row["target_id"]: row["none, r1: after"] for row in rows if row["attack"] == "none"}
    assert all(row["guard, r1: after"] == "" for row in rows if row["attack"] == "none")
    befores = [(row["guard, r1: before"], clean[row["target_id"]]) for row in rows if row["attack"] != "none"]
    assert len(befores) == 4 and all(before == without for before, without in befores)


def test_what_is_missing_is_named_and_the_rest_is_shown(tmp_path):
    page = build_attacks(tmp_path / "a", 3, without=("/answers/",))
    assert "No responder was asked under attack" in page.read_text() and len(rows_of(page)) == 9
    page = build_attacks(tmp_path / "b", 3, without=("/answers/", "/filtered/"))
    assert page.read_text().count("Do this.") == 2 and len(rows_of(page)) == 9
    page = build_attacks(tmp_path / "c", 3, attacks=["loud"])
    assert "asked without an attack" in page.read_text()
    assert {row["none, r1: outcome"] for row in rows_of(page)} == {"got_through", "held"}
    page = build_attacks(tmp_path / "d", 3, attacks=["none"])  # no poison
    assert {row["planted passages"] for row in rows_of(page)} == {""} and "What is missing" not in page.read_text()
    page = build_attacks(tmp_path / "e", 3, without=[f"/{name}/" for name in ATTACK_TABLES])
    assert rows_of(page) == [] and 'id="index"' in page.read_text()


def test_attackers_texts_reach_neither_page_nor_spreadsheet_as_they_are(tmp_path):
    def change(name, row):
        texts = {column: EVIL for column in ("text", "question", "target", "reason") if row.get(column)}
        return row | texts | ({"answers": ["=1+1"]} if "answers" in row else {})

    page = build_attacks(tmp_path, 2, change, title=EVIL)
    assert "alert" not in page.read_text().replace("&lt;script&gt;alert(1)", "")
    assert {row["right answers"] for row in rows_of(page)} == {"'=1+1"}


def test_only_a_share_is_on_the_page_of_too_many(tmp_path, monkeypatch):
    monkeypatch.setattr("scripts.explorers.list_attacks.MOST_ROWS", 30)
    page = build_attacks(tmp_path, 20)
    shown = len(content(page)[0]["text"])
    assert 0 < shown < 60 and len(rows_of(page)) == 60 and f"room for {shown} of 60 attacks" in page.read_text()


def test_long_texts_are_cut_on_the_page_if_there_are_too_many(tmp_path, monkeypatch):
    monkeypatch.setattr("scripts.explorers.list_attacks.MOST_CHARACTERS", 1)
    _, dossiers = content(build_attacks(tmp_path, 3))
    texts = [text for dossier in dossiers for text in dossier["passages"].values()]
    assert max(map(len, texts)) <= 120 and any(text.endswith(" …") for text in texts)


def test_a_second_page_has_the_same_bytes(tmp_path, monkeypatch):
    pages = []
    for name in "ab":
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)  # a page names its tables as they are given
        pages.append(tmp_path / name / build_attacks(Path(), 3))
    assert pages[0].read_bytes() == pages[1].read_bytes()
    assert FIRST < DEPTH


def test_rows_say_what_the_index_misses_that_found_their_passages(tmp_path):
    plain = build_attacks(tmp_path / "a", 3)
    assert "index" not in rows_of(plain)[0] and "searches an index" not in plain.read_text()
    files = [index_recall(tmp_path, "c", "d.targets", 9, 10, retriever=name) for name in ("r", "other")]
    page = build_attacks(tmp_path / "b", 3, index_recall=files)
    remark = "`r` searches an index that finds 95.0 % of the 10 nearest passages."
    assert rows_of(page) == [row | {"index": remark} for row in rows_of(plain)]
    assert f"<summary>{remark.replace('`', '')}</summary>" in page.read_text()
    assert "95.0 % (d.targets in c, 2 queries)" in page.read_text()
    index, dossiers = content(page)
    assert ["index", "resting"] in index["csv"] and dossiers[0]["rows"][0]["resting"] == remark
