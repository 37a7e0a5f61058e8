"""Each kind of defence by what it removes of a few passages, and all of them by what they have in common."""

import json
import re
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings, strategies
from sklearn.cluster import AgglomerativeClustering
from sklearn.feature_extraction.text import TfidfVectorizer

from ragassay.base import variants
from ragassay.calls.model import Answer
from ragassay.studies.poisoning.defences.defence import KINDS, DefenceError, kind_of
from ragassay.studies.poisoning.defences.kinds import robustrag
from ragassay.studies.poisoning.defences.thresholds import Null

WORDS = (
    "harbour ferry bridge storm river choir island cathedral morning tide market signal lantern quarry orchard".split()
)
QUESTION = "Which bridge fell in the storm last winter?"
COUNT = 8


def passage(random, rank, text=None, vector=None, **scores):
    """A passage as a defence looks at it, clean unless it says otherwise."""
    values = (
        dict(zip(("whole", "pre", "post", "post_given_pre", "window"), random.normal(5, 1, 5), strict=True)) | scores
    )
    own = random.normal(size=24) if vector is None else vector
    text = text or " ".join(random.choice(WORDS, 12))
    about = {"target_id": "q", "rank": rank, "passage_id": f"p{rank}", "poisoned": False, "question": QUESTION}
    return about | {
        "text": text,
        "score": 0.5 + random.normal() / 20,
        "scores": values,
        "vector": own / np.linalg.norm(own),
    }


@pytest.fixture
def random():
    return np.random.default_rng(0)


@pytest.fixture
def null(random):
    found = {f"c{at}": [passage(random, rank) for rank in range(1, COUNT + 1)] for at in range(60)}
    return Null([passage(random, 1) for _ in range(500)], found, {"q": random.normal(0.1, 0.02, 500)})


def judged(kind, passages, null, **own):
    return list(kind_of(kind)(own).fit(null).filtered(passages, 3, COUNT))


def clean(random):
    return [passage(random, rank) for rank in range(1, COUNT + 1)]


LOUD = f"{QUESTION} It was the lighthouse."
TIGHT = np.eye(24)[0]


@pytest.mark.parametrize(
    ("kind", "poison", "own"),
    [
        ("raguard", {"pre": 20.0, "post": 2.0}, {}),
        ("raguard", {"pre": 2.0, "post": 20.0}, {"criteria": ["pd"]}),
        ("raguard", {"pre": 20.0, "post": 20.0}, {"criteria": ["pm", "ts"]}),
        ("raguard", {"whole": 20.0}, {"criteria": ["ppl"], "scale": "ppl"}),
        ("ppl", {"whole": 20.0}, {}),
        ("ppl_window", {"window": 20.0}, {}),
        ("question_share", {"text": LOUD}, {}),
        ("echo", {"text": LOUD, "whole": 9.0}, {}),
    ],
)
def test_what_stands_above_clean_text_is_removed_with_its_score_and_threshold(kind, poison, own, random, null):
    passages = [*clean(random)[:-1], passage(random, COUNT, **poison)]
    rows = judged(kind, passages, null, **own)
    assert rows[-1]["removed"] and rows[-1]["reason"] and rows[-1]["score"] > 0.97
    assert sum(row["removed"] for row in rows) <= 3
    for row in rows:
        reached = [one >= limit for one, limit in zip(row["criterion_scores"], row["thresholds"], strict=True)]
        assert row["removed"] == any(reached) and len(row["criteria"]) == len(reached)
    assert len({row["score"] for row in rows}) > 3, "scores vary"


def test_similarity_removes_at_its_threshold_and_above_alone(random, null):
    passages = clean(random)
    limit = judged("raguard", passages, null, criteria=["ts"])[0]["thresholds"][0]
    for one, score in zip(passages, (limit, np.nextafter(limit, 1), np.nextafter(limit, 0)), strict=False):
        one["score"] = float(score)
    removed = [row["removed"] for row in judged("raguard", passages, null, criteria=["ts"])]
    assert removed[:3] == [True, True, False]
    own = np.concatenate([[one["score"] for one in rows] for rows in null.found.values()])
    assert limit == pytest.approx(np.quantile(own, 0.975))


def test_read_literally_similarity_removes_nearly_all_and_knows_no_other_question(random, null):
    passages = clean(random)
    rows = judged("raguard", passages, null, criteria=["ts"], similarity_null="literal")
    assert all(row["removed"] for row in rows)
    other = [one | {"target_id": "new"} for one in passages]
    with pytest.raises(DefenceError, match="query new: found no threshold"):
        judged("raguard", other, null, criteria=["ts"], similarity_null="literal")
    raguard = kind_of("raguard")({"criteria": ["ts"], "similarity_null": "literal"})
    for size, rough in ((500, False), (399, True)):
        few = null._replace(literal={"q": null.literal["q"][:size]})
        own = raguard.fit(few).fitted["criteria"]["ts"]
        assert (own["texts"], own["rough"]) == (size, rough)
    with pytest.raises(DefenceError, match=r"criterion ts: found 39 clean texts .*, expected at least 40"):
        raguard.fit(null._replace(literal={"q": null.literal["q"][:39]}))


def test_scores_may_be_fitted_on_what_questions_find(random, null):
    calm = {name: [one | {"scores": {key: value - 3 for key, value in one["scores"].items()}} for one in rows]
            for name, rows in null.found.items()}  # fmt: skip
    limits = [
        judged("raguard", clean(random), null._replace(found=calm), criteria=["pm"], surprise_null=name)[0][
            "thresholds"
        ][0]
        for name in ("sample", "found")
    ]
    assert limits[0] - limits[1] == pytest.approx(3, abs=0.5)


@pytest.mark.parametrize(("reading", "source"), [("retrieved", "found"), ("literal", "sample")])
def test_the_literal_reading_alone_takes_a_sample_unless_somebody_says_otherwise(reading, source, random, null):
    passages = clean(random)
    usual = judged("raguard", passages, null, similarity_null=reading, criteria=["pm"])
    assert usual == judged("raguard", passages, null, criteria=["pm"], surprise_null=source)
    other = {"found": "sample", "sample": "found"}[source]
    assert usual != judged("raguard", passages, null, criteria=["pm"], surprise_null=other)


@settings(max_examples=25, deadline=None)
@given(seed=strategies.integers(0, 10_000), order=strategies.permutations(["pd", "pm", "ts", "ppl"]))
def test_a_further_criterion_never_lowers_fpr_or_raises_fnr(seed, order):
    random = np.random.default_rng(seed)
    null = Null([passage(random, 1) for _ in range(60)], {"c": [passage(random, rank) for rank in range(1, 61)]})
    passages = [
        passage(random, rank, pre=random.normal(5, 2), post=random.normal(5, 2)) for rank in range(1, COUNT + 1)
    ]
    poison, before = random.random(COUNT) < 0.5, (0, COUNT)
    for count in range(1, 5):
        rows = judged("raguard", passages, null, criteria=order[:count], alpha=0.1)
        removed = np.array([row["removed"] for row in rows])
        after = ((removed & ~poison).sum(), (~removed & poison).sum())
        assert after[0] >= before[0] and after[1] <= before[1]
        before = after


def test_the_trimmed_quantile_withstands_poison_in_the_null(random, null):
    poisoned = null._replace(found={name: [rows[0] | {"score": 0.99}, *rows[1:]] for name, rows in null.found.items()})
    limits = {
        name: judged("raguard", clean(random), one, criteria=["ts"], trim=trim)[0]["thresholds"][0]
        for name, one, trim in [("clean", null, 0), ("poisoned", poisoned, 0), ("trimmed", poisoned, 1 / COUNT)]
    }
    assert limits["poisoned"] == 0.99 and abs(limits["trimmed"] - limits["clean"]) < 0.02


def test_copies_of_a_better_passage_are_removed_exact_ones_or_near_ones(random, null):
    passages = clean(random)
    words = " ".join(random.choice(WORDS, 60)).split()
    for at, text in enumerate([" ".join(words), " ".join(words).upper(), " ".join([*words[:-1], "else"])]):
        passages[at + 2]["text"] = text
    assert [row["rank"] for row in judged("duplicates", passages, null) if row["removed"]] == [4]
    assert [row["rank"] for row in judged("duplicates", passages, null, similarity=0.6) if row["removed"]] == [4, 5]


def test_trustrag_removes_the_cluster_that_is_denser_than_clean_ones(random, null):
    texts = [f"the lighthouse fell that night they say, and {word} stood by it all along" for word in WORDS]
    passages = clean(random)
    for at in range(4):
        passages[at] |= {"text": texts[at], "vector": TIGHT + random.normal(size=24) / 100}
    rows = judged("trustrag", passages, null)
    assert [row["rank"] for row in rows if row["reason"] == "dense cluster"] == [1, 2, 3, 4]
    for at, one in enumerate(passages):
        one["text"] = WORDS[at]
    assert not any(row["removed"] for row in judged("trustrag", passages, null)), "no two share their wording"
    few = null._replace(found=dict(list(null.found.items())[:10]))
    with pytest.raises(DefenceError, match="trustrag: found 10 calibration queries, expected at least 20 for alpha"):
        judged("trustrag", passages, few)
    rows = judged("trustrag", passages, few._replace(found={}), similarity=0.88)
    assert {row["thresholds"][0] for row in rows} == {0.88}, "what is set needs no clean text"


@pytest.mark.parametrize("seed", range(6))
def test_ragdefender_counts_and_chooses_as_its_formulas_by_another_library(seed):
    random = np.random.default_rng(seed)
    passages = [passage(random, rank, " ".join(random.choice(WORDS[:8], 6))) for rank in range(1, 12)]
    for one in passages[: 3 + seed]:
        one["vector"] = TIGHT + random.normal(size=24) / 9
        one["vector"] /= np.linalg.norm(one["vector"])
    vectors = np.stack([one["vector"] for one in passages])
    sizes = np.bincount(AgglomerativeClustering(n_clusters=2).fit_predict(vectors))
    counter = TfidfVectorizer()
    weights = counter.fit_transform([one["text"] for one in passages]).sum(axis=0).A1
    top = counter.get_feature_names_out()[np.lexsort((counter.get_feature_names_out(), -weights.round(9)))[:5]]
    insistent = sum(sum(word in one["text"] for word in top) >= 3 for one in passages)
    count = sizes.max() if insistent > len(passages) / 2 else sizes.min()
    pairs = sorted(combinations(range(len(passages)), 2), key=lambda pair: -vectors[pair[0]] @ vectors[pair[1]])
    weight = np.zeros(len(passages))
    for one, other in pairs[: max(1, comb(count, 2))]:
        similarity = vectors[one] @ vectors[other]
        weight[[one, other]] += np.sign(similarity) * similarity**2
    found = kind_of("ragdefender")().judge(passages)
    assert sum(one.removed for one in found) == count
    assert np.allclose([one.score for one in found], weight, atol=1e-5)
    assert weight[[one.removed for one in found]].min() >= weight[[not one.removed for one in found]].max()


def test_a_chain_removes_what_one_of_its_links_does_and_judges_nothing_twice(random, null):
    passages = [*clean(random)[:-1], passage(random, COUNT, whole=20.0)]
    passages[1]["text"] = passages[0]["text"]
    links = [{"kind": kind, "settings": kind_of(kind).SETTINGS} for kind in ("duplicates", "ppl")]
    rows = judged("chain", passages, null, of=links)
    assert {row["rank"]: row["reason"] for row in rows if row["removed"]} == {2: "duplicate", COUNT: "ppl"}
    assert rows[1]["criteria"] == ["duplicate"] and rows[-1]["criteria"] == ["duplicate", "ppl"]


def test_robustrag_counts_keywords_once_for_each_passage_and_takes_what_enough_name():
    named = [["The bridge", "bridge", "river"], ["bridge", "storm"], ["Storm", "ferry"], ["bridge"]]
    assert robustrag.common(named, 0.5, 9) == ["The bridge", "storm"]
    assert robustrag.common(named, 0.5, 1) == ["The bridge", "storm", "river", "ferry"]
    assert robustrag.common(named, 0.51, 9) == ["The bridge"] == robustrag.common(named, 1.0, 3)
    longest = "a" * robustrag.LONGEST
    reply = json.dumps({"keywords": [longest, f"{longest}a", " old \n bridge ", "?", 3, ""]})
    assert robustrag.keywords(Answer(reply, "stop")) == [longest, "old bridge"]
    for nothing in ('{"keywords": "bridge"}', "The bridge."):
        assert robustrag.keywords(Answer(nothing, "stop")) == []


def test_robustrag_elects_the_first_answer_that_most_agree_with_and_those_that_decline_do_not_vote():
    ferry, bridge, old, none = (
        Answer(text, "stop") for text in ("The ferry.", "The bridge.", "An old bridge", "The passages do not say.")
    )
    refused = Answer(None, "refusal")
    assert robustrag.elected([none, none, refused, ferry, bridge, old]) is bridge
    assert robustrag.elected([refused, ferry, bridge]) is ferry and robustrag.elected([none, refused]) is none


LINKS = [{"kind": kind, "settings": kind_of(kind).SETTINGS} for kind in ("duplicates", "question_share")]


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        ({"of": 1}, "for the links 1, expected what each learned"),
        ({"links": {}}, r"found {} for the links"),
        ({"links": [{}]}, "expected what each learned"),
        ({"of": [], "links": []}, r"found the links \[\], expected kinds with settings"),
        ({"of": [LINKS[1], LINKS[1] | {"kind": 1}]}, "expected kinds with settings"),
        ({"links": [[], {}]}, "expected what each link learned"),
        ({"of": [LINKS[1], LINKS[0]]}, "found no thresholds|learns nothing"),
        ({"of": [LINKS[0], LINKS[1] | {"settings": {"trim": 0.0}}]}, "found no setting 'alpha'"),
        ({"of": [{"kind": "magic", "settings": {}}, LINKS[1]]}, "found the name 'magic'"),
        ({"other": 1}, "expected links and what each learned"),
    ],
)
def test_a_damaged_chain_says_what_is_wrong(damage, line, null):
    learned = kind_of("chain")({"of": LINKS}).fit(null).fitted
    assert kind_of("chain")({"of": LINKS}, learned).damage() == ""
    fitted = learned | {name: part for name, part in damage.items() if name != "of"}
    assert re.search(line, kind_of("chain")({"of": damage.get("of", LINKS)}, fitted).damage())


def test_a_threshold_may_lie_beyond_its_null_by_what_is_rounded_and_no_more(null):
    fitted = kind_of("question_share")().fit(null).fitted
    [(name, criterion)] = fitted["criteria"].items()
    for at, side in ((0, -1), (-1, 1)):
        end, room = criterion["null"][at], 1e-5 * max(map(abs, criterion["null"]))
        damages = []
        for limit in (end + side * room, end + side * room * 1.001):
            own = {"criteria": {name: criterion | {"threshold": limit}}, "units": None}
            damages.append(kind_of("question_share")(fitted=own).damage())
        assert damages[0] == "" and "expected one of its null" in damages[1]


def test_settings_of_trustrag_that_are_no_shares_are_damage():
    for own in ({"rouge": 2.0}, {"alpha": 2.0}, {}):
        damage = kind_of("trustrag")(own, {"threshold": 0.5, "texts": 9, "rough": True}).damage()
        assert damage.startswith("found rouge and alpha") == bool(own)


def test_a_null_that_is_too_small_or_says_nothing_is_refused(random, null):
    few = null._replace(sample=null.sample[:39])
    with pytest.raises(DefenceError, match=r"criterion ppl: found 39 clean texts .*, expected at least 40 for alpha"):
        judged("ppl", clean(random), few)
    same = null._replace(sample=[one | {"scores": {"whole": 3.0}} for one in null.sample])
    with pytest.raises(DefenceError, match="criterion ppl: found the same score 3 for all 500 clean texts"):
        judged("ppl", clean(random), same)


def test_a_passage_without_tokens_is_not_judged_by_how_surprising_it_is(random, null):
    empty = passage(random, 1, text=".", **dict.fromkeys(("whole", "pre", "post", "post_given_pre", "window")))
    for kind in ("ppl", "raguard", "echo"):
        (row,) = judged(kind, [empty | {"score": 0.5}], null)
        assert not row["removed"]


FOUND = {
    "a": [
        {"target_id": "a", "rank": rank, "passage_id": f"p{rank}", "poisoned": rank in (1, 3)} for rank in range(1, 6)
    ],
    "b": [{"target_id": "b", "rank": 1, "passage_id": "p9", "poisoned": False}],
}


def shown(kind, k=2):
    rows = [row for passages in FOUND.values() for row in kind_of(kind)().filtered(passages, k, 9)]
    assert [row["passage_id"] for row in rows] == [one["passage_id"] for own in FOUND.values() for one in own]
    assert all(row["shown"] is None for row in rows if row["removed"])
    return {(row["target_id"], row["passage_id"]): row["shown"] for row in rows if row["shown"]}


def test_without_defence_the_first_are_answered_from():
    assert shown("none") == {("a", "p1"): 1, ("a", "p2"): 2, ("b", "p9"): 1}


def test_the_oracle_removes_exactly_what_is_poisoned_and_others_follow():
    assert shown("oracle") == {("a", "p2"): 1, ("a", "p4"): 2, ("b", "p9"): 1}
    assert shown("oracle", k=9) == {("a", "p2"): 1, ("a", "p4"): 2, ("a", "p5"): 3, ("b", "p9"): 1}


def test_a_closed_book_shows_nothing():
    assert shown("closed_book") == {}


def test_whatever_removes_says_why(random, null):
    passages = [*clean(random)[:-1], passage(random, COUNT, text=LOUD, vector=TIGHT, whole=20.0, window=20.0)]
    for kind in variants.names(KINDS):
        for row in judged(kind, passages, null):
            assert bool(row["reason"]) == row["removed"]
