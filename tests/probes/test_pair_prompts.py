"""Pairs of prompts as tables: which questions have which, and what a ruler sees of them."""

from collections import Counter

from probe_study import CONDITIONS, COUNT, WITHOUT_ANSWER
from ragassay.base import tables
from ragassay.schemas.probes import PROMPT_PAIRS
from ragassay.studies.poisoning.probes.labels import PAIRED


def read(study):
    rows = study.rows(PROMPT_PAIRS)
    return {(row["target_id"], row["condition"], row["side"]): row for row in rows}


def test_every_question_has_each_pair_or_a_reason(study):
    rows, rejects = read(study), study.rows(tables.REJECTS)
    assert [(row["item"], row["reason"]) for row in rejects] == [(f"{WITHOUT_ANSWER} matched", "no_passage_answers")]
    counts = Counter((condition, side) for _, condition, side in rows)
    assert counts == {
        (condition, side): COUNT - (condition == "matched")
        for condition in CONDITIONS
        for side in ("clean", "attacked")
        if side == "clean" or condition in PAIRED
    }


def test_a_matched_pair_differs_in_the_answer_alone(study):
    rows = read(study)
    clean, attacked = (rows["target-00", "matched", side] for side in ("clean", "attacked"))
    assert attacked["passages"] == [text.replace("Anna Marlowe", "Levin Marlowe") for text in clean["passages"]]
    assert (clean["planted"], attacked["planted"]) == (0, 1) and clean["words"] == attacked["words"]
    assert clean["shown"] == ["p00", "p01"] and attacked["shown"] is None
    assert clean["question_words"] == attacked["question_words"]


def test_a_ruler_tells_the_released_pair_apart_and_prefixes_take_that_from_it(study):
    rows = read(study)
    released, prefixed = (
        [rows["target-00", condition, side] for side in ("clean", "attacked")] for condition in ("released", "prefixed")
    )
    assert released[0]["question_words"] < released[1]["question_words"] == 1
    assert released[0]["similarity"] < released[1]["similarity"]
    assert prefixed[0]["question_words"] == prefixed[1]["question_words"] == 1
    assert all(text.startswith("Who is the keeper of the old lighthouse?") for text in prefixed[1]["passages"])


def test_prompts_without_poison_show_what_others_find_or_typos(study):
    rows = read(study)
    other, misspelt = (rows["target-00", name, "clean"] for name in ("irrelevant", "misspelt"))
    assert len(other["passages"]) == 2 and not any("Anna" in text or "lighthouse" in text for text in other["passages"])
    before = rows["target-00", "retrieved", "clean"]["passages"]
    pairs = [(one, two) for a, b in zip(before, misspelt["passages"], strict=True)
             for one, two in zip(a.split(), b.split(), strict=True)]  # fmt: skip
    changed = [one for one, two in pairs if one != two]
    assert 4 <= len(changed) < len(pairs) / 3 and not {"Anna", "Marlowe"} & set(changed)
    assert (other["planted"], misspelt["planted"], misspelt["shown"]) == (0, 0, None)


def test_documents_are_kept_together_by_their_clusters(study):
    clusters = {(row["target_id"], row["cluster"]) for row in read(study).values()}
    assert len(clusters) == COUNT and ("target-00", "d00") in clusters
