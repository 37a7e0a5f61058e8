"""measure_months: each figure against one that is counted slowly by hand, and what a shard may lack."""

from itertools import product

import numpy as np
import pytest

from project import ROOT
from ragassay.base import tables
from ragassay.metrics.resampling import draws, share_interval
from ragassay.report.findings import findings
from ragassay.report.sections import described, load
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS_SCORES
from ragassay.schemas.report import CALLS
from ragassay.schemas.scope_answers import DEFUSION_LABELS, PREDICTIONS
from ragassay.schemas.scope_questions import SELECTED_QUESTIONS
from rows import metrics_of, place, row
from scripts.months.measure_months import measure_months

SECTION = ROOT / "workflow/report/sections/months.yaml"
KINDS = ("out_of_scope", "in_scope")
TIMES = 400


def questions(shard, documents, random, answering=0.3):
    """Four questions about each document, two of each kind, with what is known of each; `answering` is how probably a
    responder answers one that is out of scope.
    """
    rows = []
    for number, slot in product(range(documents), range(4)):
        one = {"question_id": f"{shard}-{number}-{slot}", "doc_id": f"{shard}-{number}", "intended": KINDS[slot % 2]}
        one |= {"status": "kept" if random.random() < 0.8 else "disputed", "slot": slot}
        one |= {"score": random.choice([0.4, None], p=[0.9, 0.1]), "hard": random.choice([True, False, None])}
        for prompt in ("basic", "cot"):
            defused = "tie" if random.random() < 0.1 else "not_defused" if random.random() < answering else "defused"
            one[prompt] = defused
        one["part"] = random.choice(["train", "test", "unseen"])
        one["seeds"] = [float(random.normal(one["intended"] == KINDS[0])) for _ in range(2)]
        rows.append(one)
    return rows


def measured(folder, months, prompts=("basic", "cot"), detectors=("sbert",), times=TIMES):
    """The path of the metrics of these months, a list of questions each, by shard."""
    paths = {name: [] for name in ("documents", "selected_questions", "defusion_labels", "predictions", "calls")}

    def add(argument, table, rows, path=None, **keys):
        path = path or place(folder, table, generator="g", judge="j", **keys)
        tables.write(table, path, [row(table, **of_table) for of_table in rows])
        paths.setdefault(argument, []).append(str(path))

    for shard, rows in months.items():
        add("documents", DOCUMENTS, [{"doc_id": name} for name in {one["doc_id"] for one in rows}], shard=shard)
        names = ("question_id", "doc_id", "intended", "status", "slot")
        add(
            "selected_questions", SELECTED_QUESTIONS, [{name: one[name] for name in names} for one in rows], shard=shard
        )
        for prompt in prompts:
            labels = [
                {"question_id": one["question_id"], "label": one[prompt]} for one in rows if one["intended"] == KINDS[0]
            ]
            add("defusion_labels", DEFUSION_LABELS, labels, responder="r", prompt=prompt, shard=shard)
        for rule in ("respond", "judge_scope"):
            paid = [{"model": model, "requests": len(rows), "dollars": 0.5} for model in ("a", "b")]
            add("calls", CALLS, paid, folder / f"calls/{rule}/g/{shard}.parquet")
    everything = [one for rows in months.values() for one in rows]
    names = ("question_id", "doc_id", "score", "hard")
    scores = [{name: one[name] for name in names} | {"wording": one["score"]} for one in everything]
    for score in scores:
        score["shard"] = score["doc_id"].rpartition("-")[0]
    kept = [score for score, one in zip(scores, everything, strict=True) if one["status"] == "kept"]
    add("hardness_scores", HARDNESS_SCORES, kept)
    for detector, (shard, of_shard) in product(detectors, months.items()):
        rows = [
            {"question_id": one["question_id"], "shard": shard, "part": one["part"], "head": "mlp", "seed": seed}
            | {"score": score}
            for one in of_shard
            for seed, score in enumerate(one["seeds"])
        ]
        add("predictions", PREDICTIONS, rows, detector=detector, encoder="e", asked="g", shard=shard)
    measure_months(**paths, metrics=folder / "months.parquet", resamples=times, seed=0)
    return folder / "months.parquet"


def numbers(path):
    return metrics_of(path, "at", "since")


def by_hand(rows):
    """(values, documents) of each rate, question by question."""
    rates = {"kept": [], "hard": [], "basic": [], "cot": []}
    for one in rows:
        rates["kept"].append((float(one["status"] == "kept"), one["doc_id"]))
        if one["status"] != "kept" or one["intended"] != KINDS[0]:
            continue
        if one["score"] is not None:
            rates["hard"].append((float(one["hard"] is True), one["doc_id"]))
        for prompt in ("basic", "cot"):
            if one[prompt] != "tie":
                rates[prompt].append((float(one[prompt] == "not_defused"), one["doc_id"]))
    return rates


def area_by_hand(rows):
    new = [one for one in rows if one["status"] == "kept" and one["part"] != "train"]
    above, below = ([np.mean(one["seeds"]) for one in new if one["intended"] == kind] for kind in KINDS)
    return np.mean([(a > b) + (a == b) / 2 for a in above for b in below]), len(new)


def drawn_by_hand(pairs, documents):
    """The mean in each draw, document by document."""
    documents, means = sorted(documents), []
    for weights in np.concatenate(list(draws(documents, TIMES))):
        of_draw = dict(zip(documents, weights, strict=True))
        total = sum(of_draw[document] * value for value, document in pairs)
        count = sum(of_draw[document] for _, document in pairs)
        means.append(total / count if count else np.nan)
    return np.array(means)


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    random = np.random.default_rng(0)
    months = {"z": questions("z", 12, random), "b": questions("b", 15, random, answering=0.7)}
    return months, measured(tmp_path_factory.mktemp("two"), months)


def test_each_rate_of_a_month_is_the_one_counted_by_hand(two):
    months, path = two
    found = numbers(path)
    for shard, rows in months.items():
        keys = {"kept": ("trend", shard, "kept_share"), "hard": ("trend", shard, "hard_share")}
        keys |= {prompt: ("answered", prompt, "r", shard, "answered") for prompt in ("basic", "cot")}
        for name, pairs in by_hand(rows).items():
            own, values = found[keys[name]], [value for value, _ in pairs]
            assert own["value"] == pytest.approx(np.mean(values)) and own["n"] == len(values)
            documents = {document for _, document in pairs}
            drawn = drawn_by_hand(pairs, {one["doc_id"] for one in rows})
            expected = share_interval(np.mean(values), drawn, len(documents), len(values))
            assert (own["low"], own["high"]) == pytest.approx(expected)
        area, count = area_by_hand(rows)
        own = found["detectors", "sbert (e)", shard, "auroc"]
        assert own["value"] == pytest.approx(area) and own["n"] == count and own["low"] < area < own["high"]


def test_counts_and_dollars_of_a_month_are_those_of_its_files(two):
    months, path = two
    found = numbers(path)
    for shard, rows in months.items():
        kept = sum(one["status"] == "kept" for one in rows)
        expected = {"documents": len(rows) // 4, "questions": len(rows), "kept": kept, "requests": 4 * len(rows)}
        for name, value in (expected | {"dollars": 2.0}).items():
            assert found["trend", shard, name]["value"] == value
    assert (
        found["counts", "documents", "b", "change"]["value"] == 3
        and found["counts", "documents", "b", "now"]["n"] == 15
    )
    paid = found["counts", "dollars", "b", "change"]
    assert (paid["value"], paid["low"], paid["n"]) == (0, None, 4 * len(months["z"]))


def test_a_change_squares_and_adds_what_both_months_may_be_off(two):
    _, path = two
    found = numbers(path)
    changes = {key: one for key, one in found.items() if key[0] == "change" and key[-1] == "change"}
    assert len(changes) == 5
    for key, own in changes.items():
        before, now = (found[*key[:-1], name] for name in ("before", "now"))
        assert own["value"] == pytest.approx(now["value"] - before["value"]) and own["n"] == min(now["n"], before["n"])
        below = ((now["value"] - now["low"]) ** 2 + (before["high"] - before["value"]) ** 2) ** 0.5
        above = ((now["high"] - now["value"]) ** 2 + (before["value"] - before["low"]) ** 2) ** 0.5
        assert own["low"] == pytest.approx(max(-1, own["value"] - below))
        assert own["high"] == pytest.approx(min(1, own["value"] + above))
    answered = next(key for key in changes if "basic" in key)
    assert found[*answered[:-1], "now"]["value"] == found["answered", "basic", "r", "b", "answered"]["value"]
    assert found[*answered[:-1], "before"]["low"] == found["answered", "basic", "r", "z", "answered"]["low"]
    assert all(name in str(changes) for name in ("questions kept", "hard questions", "AUROC"))


def sentences(path):
    return {one["finding"]: one for one in findings(described(SECTION), path, SECTION)}


@pytest.mark.parametrize(
    ("first", "then", "verdict"), [(0.1, 0.9, "higher"), (0.9, 0.1, "lower"), (0.5, 0.5, "unclear")]
)
def test_a_reversed_effect_reverses_the_sentence(tmp_path, first, then, verdict):
    random = np.random.default_rng(3)
    months = {"m1": questions("m1", 40, random, first), "m2": questions("m2", 40, random, then)}
    own = sentences(measured(tmp_path, months))["answered"]
    words = {
        "higher": "points more in `m2` than in `m1`",
        "lower": "points fewer in `m2` than in `m1`",
        "unclear": "within chance",
    }
    assert own["verdict"] == verdict and words[verdict] in own["sentence"] and "prompt `basic`" in own["sentence"]


def test_of_five_questions_nobody_can_tell(tmp_path):
    random = np.random.default_rng(3)
    months = {"m1": questions("m1", 3, random, 0.0), "m2": questions("m2", 40, random, 1.0)}
    own = sentences(measured(tmp_path, months))["answered"]
    assert own["verdict"] == "too_few" and own["n"] <= 6 and own["sentence"].startswith("Too few data to tell")


def test_one_document_says_nothing_of_a_change(tmp_path):
    rows = questions("m1", 1, np.random.default_rng(0))
    rows = [one | {"question_id": f"q{at}", "slot": at, "status": "kept", "basic": "defused"} | {"intended": KINDS[0]}
            for at, one in enumerate(rows * 10)]  # fmt: skip
    months = {"m1": rows, "m2": questions("m2", 40, np.random.default_rng(1), 0.95)}
    path = measured(tmp_path, months)
    own = sentences(path)["answered"]
    assert own["n"] == 40 and own["verdict"] == "unclear" and own["low"] < 0 < own["high"]


def test_months_may_lack_questions_and_detectors(tmp_path):
    random = np.random.default_rng(0)
    only_in = [one for one in questions("in", 5, random) if one["intended"] == KINDS[1]]
    disputed = [one | {"status": "disputed"} for one in questions("disputed", 5, random)]
    months = {"full": questions("full", 5, random), "in": only_in, "disputed": disputed, "none": []}
    for last in ("in", "disputed", "none"):
        folder = tmp_path / last
        path = measured(
            folder, {name: months[name] for name in ("full", last)}, prompts=["basic"], detectors=["a", "b"]
        )
        found = numbers(path)
        answered = found["answered", "basic", "r", last, "answered"]
        assert (answered["value"], answered["low"], answered["n"]) == (None, None, 0)
        assert found["trend", last, "documents"]["value"] == (0 if last == "none" else 5)
        own = sentences(path)
        assert own["answered"]["verdict"] == "missing" and own["detected"]["verdict"] in ("missing", "too_few")
        assert load(SECTION, path).parts
    path = measured(tmp_path / "untrained", {name: months[name] for name in ("full", "in")}, detectors=())
    assert sentences(path)["detected"]["sentence"].startswith("Not measured yet") and load(SECTION, path).parts
    assert not [key for key in numbers(path) if key[0] == "detectors" or "AUROC" in key]


def test_three_months_stand_in_the_order_of_the_shards_and_the_last_two_are_compared(tmp_path):
    random = np.random.default_rng(0)
    months = {shard: questions(shard, 6, random) for shard in ("winter", "autumn", "spring")}
    path = measured(tmp_path, months)
    section = load(SECTION, path)
    assert [one["shard"] for one in section.parts[0].rows] == list(months)
    curve = [(mark["at"], mark["place"]) for mark in section.parts[1].rows if "basic" in mark["label"]]
    assert curve == [(1, "winter"), (2, "autumn"), (3, "spring")]
    assert {(one["since"], one["shard"]) for part in section.details for one in part.rows} == {("autumn", "spring")}
    first = numbers(measured(tmp_path / "two", {name: months[name] for name in ("winter", "autumn")}))
    whole = numbers(path)
    same = [key for key in first if key[0] in ("trend", "answered", "detectors")]
    assert same and all(first[key] == whole[key] for key in same), "a new month changes no number of an older one"


def test_a_single_month_has_no_change(tmp_path):
    path = measured(tmp_path, {"m": questions("m", 4, np.random.default_rng(0))})
    assert {key[0] for key in numbers(path)} == {"trend", "answered", "detectors"}
