"""What is planted, from tables."""

import csv
import json

import pytest

from passages import TEXTS
from ragassay.base import tables
from ragassay.schemas.attacks import POISONED_PASSAGES
from ragassay.schemas.corpora import NEIGHBOURS
from ragassay.studies.poisoning.attacks.attack import AttackError
from rows import row
from scripts.attacks.poison_corpus import poison_corpus
from targets import TARGET_ROWS, write_targets
from workshop import pages


@pytest.fixture
def planted(files):
    def planted(kind, passages=(), neighbours=(), written=(), **own):
        poison_corpus(files("targets"), passages, neighbours, written, files("poison"), "mine", kind, own)
        return tables.read(POISONED_PASSAGES, files("poison")).to_pylist()

    return planted


def test_texts_are_planted_for_their_targets_and_none_by_no_attack(planted):
    rows = planted("poisonedrag_black", texts=5)
    assert {row["target_id"] for row in rows} == {"bridge", "ferry"} and len(rows) == 5
    assert planted("none") == []


def test_an_attack_that_edits_gets_what_questions_find_best_first(planted, files):
    found = [("bridge", 1, "p3"), ("bridge", 2, "p4"), ("bridge", 3, "p2"), ("ferry", 1, "p1")]
    rows = [row(NEIGHBOURS, query_id=query, rank=rank, passage_id=name) for query, rank, name in found]
    tables.write(NEIGHBOURS, files("neighbours"), rows)
    own = [one for one in planted("edited", [files("passages")], [files("neighbours")], texts=1) if one["target_id"]]
    assert {one["made_from"]: one["text"] for one in own} == {
        "p4": TEXTS["p4"].replace("A bridge", "The lighthouse"),
        "p1": TEXTS["p1"].replace("at nine", "at seven"),
    }


def test_texts_that_somebody_wrote_are_read_and_what_cannot_be_used_is_told(planted, tmp_path, caplog):
    file = tmp_path / "texts.csv"
    head = ["target_id", "question", "text", "attacker", "target"]
    by_question = ["", "when does the FERRY sail", "It left at ten.", "rival", "at ten"]
    texts = [["ferry", "", f"It left at seven, {number}.", "", ""] for number in range(6)]
    bad = [["other", "", "Nothing.", "", ""], ["ferry", "", " ", "", ""], ["", "", "Nothing.", "", ""]]
    with file.open("w", newline="") as lines:
        csv.writer(lines).writerows([head, *texts, by_question, *bad])
    rows = sorted(planted("table", written=[str(file)], texts=None), key=lambda one: one["number"])
    assert [one["text"] for one in rows] == [*(row[2] for row in texts), "It left at ten."], "all rows, not five"
    assert [(one["method"], one["wants"]) for one in rows[-2:]] == [(None, None), ("rival", "at ten")]
    assert "3 of 10 rows are of no use: found a target that is none of the dataset (" in caplog.text
    assert "texts.csv row 8, for 'other'); found nothing in 'text' (" in caplog.text
    file.write_text("target_id,text\nFerry,Nothing.\n")
    with pytest.raises(AttackError, match=r"1 of 1 rows .* for 'Ferry' \(did you mean ferry\?\)\); expected target_id"):
        planted("table", written=[str(file)])
    file.write_text("text\nNothing.\n")
    with pytest.raises(AttackError, match=r"none of the dataset .*texts\.csv row 1, .*expected target_id or question"):
        planted("table", written=[str(file)])
    file.write_text("target_id,text,calls\nferry,Nothing.,some\n")
    with pytest.raises(AttackError, match="found 'some' in 'calls', expected a whole number"):
        planted("table", written=[str(file)])


def test_released_texts_of_several_attackers_name_who_wrote_them_and_what_each_wants(files, tmp_path):
    """Each file is one attacker; one that wants the target's wrong answer, in whatever form, has none of its own."""
    row = {"id": "ferry", "question": "When does the ferry sail?", "answer": "at nine"}
    for name, wanted in (("black", "At Seven."), ("garag", "at ten")):
        texts = [{"context": f"It sails {wanted}, {number}."} for number in range(2)]
        other = {"id": "x", "question": "?", "answer": "a", "incorrect_answer": "b", "adv_texts": texts}
        content = [row | {"incorrect_answer": wanted, "adv_texts": texts}, other, "no object"]
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    texts = [str(tmp_path / f"{name}.json") for name in ("black", "garag")]
    poison_corpus(files("targets"), [], [], texts, files("poison"), "mine", "table", {"texts": None}, "poisonarena")
    made = tables.read(POISONED_PASSAGES, files("poison")).to_pylist()
    assert {(one["method"], one["wants"]) for one in made} == {("black", None), ("garag", "at ten")} and len(made) == 4


def test_the_guides_table_of_texts_is_planted_as_it_says(planted, files, tmp_path):
    file = tmp_path / "texts.csv"
    file.write_text(pages("attacks")["csv"][0])
    asked = {"pump-1": "How often is pump 1 oiled?", "pump-2": "When is pump 2 oiled?"}
    usual = TARGET_ROWS[0] | {"answers": ["every 20 hours"]}
    write_targets(files("targets"), [usual | {"target_id": name, "question": asked[name]} for name in asked])
    made = {one["target_id"]: one for one in planted("table", written=[str(file)], texts=None)}
    assert made["pump-1"]["text"].startswith("Since its overhaul") and made["pump-1"]["method"] is None
    assert (made["pump-2"]["method"], made["pump-2"]["wants"]) == ("rival", "once a month")
