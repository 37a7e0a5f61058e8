"""Fewer texts per question, out of one search: the same as searching without the others."""

import json

import numpy as np
import pandas as pd

from ragassay.studies.poisoning.measures.reach import found_numbers, sweep_rows

TARGETS, TEXTS, CLEAN, DEEP, K = 6, 4, 30, 40, 5
ASKED = pd.DataFrame(index=[f"t{number}" for number in range(TARGETS)])
PLANTED = [(f"poison-{target}-{number}", target, number) for target in ASKED.index for number in range(1, TEXTS + 1)]
AIMED = pd.DataFrame(PLANTED, columns=["passage_id", "target_id", "number"])


def search(scores, planted):
    """The best DEEP of clean and planted passages for each target, as rows of the table retrieved."""
    rows = []
    for target in ASKED.index:
        known = [(-score, name) for name, score in scores[target].items() if name in planted or name.startswith("p-")]
        rows += [(target, rank, name) for rank, (_, name) in enumerate(sorted(known)[:DEEP], 1)]
    found = pd.DataFrame(rows, columns=["target_id", "rank", "passage_id"])
    found["poisoned"] = found["passage_id"].str.startswith("poison")
    owners = AIMED.set_index("passage_id")["target_id"]
    return found.assign(aimed_at=found["passage_id"].map(owners))


def test_what_is_left_of_one_search_is_what_a_search_without_the_other_texts_finds():
    dice = np.random.default_rng(0)
    names = [*AIMED["passage_id"], *(f"p-{number}" for number in range(CLEAN))]
    scores = {target: dict(zip(names, dice.normal(size=len(names)), strict=True)) for target in ASKED.index}
    everything = search(scores, set(names)).sample(frac=1, random_state=0)  # rows may come in any order
    found = {}
    for row in sweep_rows({"attack": "a"}, ASKED, AIMED, everything, K, [1, 2, 9], 0, 0):
        found[json.loads(row["keys"])["texts"], row["metric"]] = row["value"]
    assert {texts for texts, _ in found} == {"1", "2", "4"}, "all that was planted is measured, and no more"
    for texts in (1, 2, 4):
        fewer = AIMED[AIMED["number"] <= texts]
        again = found_numbers(ASKED, fewer, search(scores, set(fewer["passage_id"])), K).mean()
        assert {name: found[str(texts), name] for name in again.index} == again.to_dict()
    assert found["1", "poisoned"] < found["4", "poisoned"]
