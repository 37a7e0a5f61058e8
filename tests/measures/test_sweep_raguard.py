"""RAGuard under other settings, on questions whose poison is more similar to them than clean passages are."""

import json

import numpy as np
import pytest

from ragassay.base import tables
from ragassay.schemas.attacks import POISONED_PASSAGES, RETRIEVED, TARGETS
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES
from ragassay.schemas.defences import PASSAGE_SCORES, RAGUARD_SWEEPS, SWEEP_SHOWN
from rows import row, written
from scripts.measures.sweep_raguard import sweep_raguard

NAMES, FOUND, TEXTS = [f"q{at:02}" for at in range(30)], 8, 3
VARIANTS = {"II": ["ts"], "III": ["ts", "pd"], "all": ["ts", "pd", "pm"]}
SIMILAR = {"criteria": ["ts"], "alpha": 0.05}
KEYS = {"dataset": "mine", "retriever": "minilm"}


def sweep(table, at, depth=FOUND, texts=0, contamination=0.0, **settings):
    kind = settings.pop("kind", "raguard")
    about = {"table": table, "at": str(at), "kind": kind, "attack": "black", "k": 5, "depth": depth, "texts": texts}
    about |= {"scorer": settings.pop("scorer", "ngram"), "sample": settings.get("sample", 100), "seed": 0}
    return about | {"contamination": contamination, "settings": {"alpha": 0.05} | settings}


ROWS = [sweep("table_7", name, criteria=criteria) for name, criteria in VARIANTS.items()]
ROWS += [sweep("figure_4", texts, texts=texts, criteria=["ts"]) for texts in (1, TEXTS)]
ROWS += [sweep("figure_3", depth, depth=depth, criteria=["ts"]) for depth in (2, FOUND)]
ROWS += [sweep("contamination", share, contamination=share, criteria=["ts"]) for share in (0.0, 0.2)]
ROWS += [sweep("table_3", name, scorer=name, criteria=["pm"]) for name in ("ngram", "other")]
ROWS += [sweep("figure_2", kind, kind=kind) for kind in ("ppl", "echo")]
ROWS += [sweep("sampled", size, sample=size, criteria=["pm"], surprise_null="sample") for size in (100, 40)]
ROWS += [sweep("trimmed", 0.2, contamination=0.2, criteria=["ts"], trim=0.2)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the tables of sweeps are."""
    folder, random = tmp_path_factory.mktemp("swept"), np.random.default_rng(0)

    def write(table, rows, **more):
        keys = KEYS | {"corpus": "mine", "query_set": "mine.targets", "scorer": "ngram"} | more
        return str(written(folder, table, rows, **keys))

    def ranked(passages, similarity):
        """Pairs of passage and score, best first."""
        scored = [(passage, round(float(random.normal(similarity, 0.05)), 5)) for passage in passages]
        return sorted(scored, key=lambda pair: -pair[1])

    def surprising(passage):
        values = dict(zip(("whole", "pre", "post"), random.normal(5, 1, 3), strict=True))
        return row(PASSAGE_SCORES, passage_id=passage, scored_by="{}", **values)

    clean = [f"p{at:03}" for at in range(200)]
    planted = {name: [f"poison-{name}-{number}" for number in range(1, TEXTS + 1)] for name in NAMES}
    neighbours, retrieved, poison = [], [], []
    for name, passages in planted.items():
        found = ranked(random.choice(clean, FOUND, replace=False), 0.5)
        both = sorted(found + ranked(passages, 0.7), key=lambda pair: -pair[1])[:FOUND]
        for rank, (passage, score) in enumerate(found, 1):
            neighbours.append({"query_id": name, "rank": rank, "passage_id": passage, "score": score})
        for rank, (passage, score) in enumerate(both, 1):
            of_poison = {"poisoned": passage in passages, "aimed_at": name if passage in passages else None}
            own = {"target_id": name, "rank": rank, "passage_id": passage, "score": score}
            retrieved.append(row(RETRIEVED, **own, **of_poison))
        for number, passage in enumerate(passages, 1):
            own = {"passage_id": passage, "number": number, "target_id": name, "text": passage}
            poison.append(row(POISONED_PASSAGES, **own, poisoned=True))
    texts = {"none": clean, "black": [passage for passages in planted.values() for passage in passages]}
    scores = {attack: list(map(surprising, passages)) for attack, passages in texts.items()}
    targets = [row(TARGETS, target_id=name, question=f"What of {name}?", answers=["passage p001"]) for name in NAMES]
    passages = [row(PASSAGES, passage_id=one, text=f"passage {one}") for one in clean]
    files = [write(TARGETS, targets), write(NEIGHBOURS, neighbours), [write(PASSAGES, passages)]]
    files += [[write(POISONED_PASSAGES, poison, attack="black")]]
    files += [[write(PASSAGE_SCORES, rows, attack=attack) for attack, rows in scores.items()]]
    loud = {  # to another scorer what is planted is surprising
        attack: [one | {"pre": one["pre"] + 9 * (attack == "black")} for one in rows] for attack, rows in scores.items()
    }
    files[-1] += [write(PASSAGE_SCORES, rows, attack=attack, scorer="other") for attack, rows in loud.items()]
    files += [[write(RETRIEVED, retrieved, attack="black")], folder / "sweeps.parquet", folder / "shown.parquet"]
    sweep_raguard(*files, ROWS, KEYS, 5, "cosine", {}, "", 20, 0)
    return folder


@pytest.fixture(scope="module")
def numbers(folder):
    """(table, at, metric) -> row"""
    rows = tables.read(RAGUARD_SWEEPS, folder / "sweeps.parquet").to_pylist()
    return {(one["table"], json.loads(one["keys"])["at"], one["metric"]): one for one in rows}


def value(numbers, *key):
    return numbers[key]["value"]


def test_a_further_criterion_never_lowers_false_alarms_or_misses_more(numbers):
    for name, sign in (("fpr", 1), ("fnr", -1)):
        found = [sign * value(numbers, "table_7", variant, name) for variant in VARIANTS]
        assert found == sorted(found)
    assert value(numbers, "table_7", "II", "fpr") < value(numbers, "table_7", "all", "fpr")


def test_with_fewer_texts_for_a_question_there_are_fewer_to_find(numbers):
    counts = [numbers["figure_4", str(texts), "fnr"]["n"] for texts in (1, TEXTS)]
    assert counts[0] == len(NAMES) < counts[1] <= TEXTS * len(NAMES)
    assert value(numbers, "figure_4", "1", "fnr") < 0.5


def test_what_lies_deeper_is_not_looked_at(numbers):
    assert numbers["figure_3", "2", "accuracy"]["n"] == 2 * len(NAMES)
    assert numbers["figure_3", str(FOUND), "accuracy"]["n"] == FOUND * len(NAMES)


def test_a_smaller_sample_gives_other_thresholds(numbers):
    assert value(numbers, "sampled", "40", "fpr") != value(numbers, "sampled", "100", "fpr")


def test_each_scorer_judges_by_its_own_scores(numbers):
    assert value(numbers, "table_3", "other", "fnr") == 0 < value(numbers, "table_3", "ngram", "fnr")


def test_other_kinds_of_defences_are_tried_by_their_own_scores(folder, numbers):
    """What is planted is like the questions and not surprising, which perplexity cannot see."""
    assert value(numbers, "figure_2", "ppl", "fnr") > 0.8
    assert value(numbers, "figure_2", "echo", "fnr") < value(numbers, "figure_2", "ppl", "fnr") - 0.2
    shown = tables.read(SWEEP_SHOWN, folder / "shown.parquet").to_pylist()
    assert {one["kind"] for one in shown if one["sweep"] == "figure_2"} == {"ppl", "echo"}


def test_what_is_answered_from_are_the_first_k_that_are_left(folder, numbers):
    rows = tables.read(SWEEP_SHOWN, folder / "shown.parquet").to_pylist()
    assert len(rows) == len(ROWS) * len(NAMES)
    assert max(len(one["passages"]) for one in rows) == 5, "more than five are left"
    left = [one for one in rows if (one["sweep"], one["at"]) == ("table_3", "other")]
    assert not any(name.startswith("poison") for one in left for name in one["passages"])


def test_poison_in_the_null_hides_poison_unless_the_quantile_is_trimmed(numbers):
    clean, poisoned = (value(numbers, "contamination", at, "fnr") for at in ("0.0", "0.2"))
    assert poisoned > clean + 0.3
    assert value(numbers, "trimmed", "0.2", "fnr") < poisoned - 0.2


def test_clean_passages_with_the_right_answer_are_counted(numbers):
    questions = {key[1]: row["value"] for key, row in numbers.items() if key[0] == "figure_5"}
    assert sum(questions.values()) == len(NAMES) and set(questions) <= {"0", "1"}
