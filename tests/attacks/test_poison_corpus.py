"""What is planted, from tables."""

import csv

import pytest

from passages import TEXTS
from ragassay.base import tables
from ragassay.schemas.attacks import POISONED_PASSAGES
from ragassay.schemas.corpora import NEIGHBOURS
from ragassay.studies.poisoning.attacks.attack import AttackError
from rows import row
from scripts.attacks.poison_corpus import poison_corpus


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
    with file.open("w", newline="") as lines:
        csv.writer(lines).writerows(
            [["target_id", "text"], ["ferry", "It left at seven."], ["other", "Nothing."], ["ferry", " "]]
        )
    assert [one["text"] for one in planted("adaptive_manual", written=[str(file)], texts=5)] == ["It left at seven."]
    assert "found texts for 1 of 2 targets that are none of the dataset, such as 'other'" in caplog.text
    assert "texts.csv row 3: found nothing in 'text'; 1 of 3 rows have no text and are left out" in caplog.text
    file.write_text("target_id,text\nFerry,Nothing.\n")
    with pytest.raises(AttackError, match=r"for none .* found the target 'Ferry', expected ids such as bridge, ferry"):
        planted("adaptive_manual", written=[str(file)])
    file.write_text("target_id,text\n,Nothing.\n")
    with pytest.raises(AttackError, match=r"texts\.csv row 1: found nothing in 'target_id', expected a value"):
        planted("adaptive_manual", written=[str(file)])
