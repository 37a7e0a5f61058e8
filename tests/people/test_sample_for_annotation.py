"""Samples for annotation: as many as are needed, in proportion, dealt to groups, and nothing that tells a label."""

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragassay.base import tables
from ragassay.plan import people
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.people import ANNOTATION_ITEMS
from ragassay.schemas.scope_answers import RESPONSES
from ragassay.schemas.scope_questions import SELECTED_QUESTIONS
from rows import row
from scripts.people.sample_for_annotation import allocation, cochran, dealt, drawn, sample_for_annotation, size

SETTINGS = {"questions": "kept", "confidence": 0.95, "margin": 0.1, "groups": 3, "seed": 0}
LABELS = ("out_of_scope", "in_scope")


def question(number, **values):
    label = LABELS[number % 2]
    same = {
        "question_id": f"question-{number:03}",
        "doc_id": f"doc-{number % 20}",
        "slot": number,
        "text": f"Q{number}?",
    }
    return row(SELECTED_QUESTIONS, **{**same, "intended": label, "label": label, "status": "kept", **values})


def responses(folder, *cells, numbers=range(0, 200, 2)):
    paths = []
    for responder, prompt in cells:
        paths.append(folder / f"{responder}-{prompt}.parquet")
        told = {"responder": responder, "prompt_name": prompt}
        rows = [
            row(RESPONSES, question_id=f"question-{n:03}", text=f"{responder} {prompt} {n}", **told) for n in numbers
        ]
        tables.write(RESPONSES, paths[-1], rows)
    return paths


@pytest.fixture
def draw(tmp_path):
    def draw_items(asked=None, responses=(), **settings):
        topics = ["food", "sport", None, "food"]
        documents = [
            row(DOCUMENTS, doc_id=f"doc-{n}", topic=topics[n % 4], text=f"T{n}", title=f"H{n}") for n in range(20)
        ]
        tables.write(DOCUMENTS, tmp_path / "documents.parquet", documents)
        tables.write(SELECTED_QUESTIONS, tmp_path / "questions.parquet", asked or [question(n) for n in range(200)])
        files = [
            [tmp_path / "documents.parquet"],
            [tmp_path / "questions.parquet"],
            responses,
            tmp_path / "items.parquet",
        ]
        sample_for_annotation(*files, **SETTINGS | settings)
        return tables.read(ANNOTATION_ITEMS, tmp_path / "items.parquet").to_pylist()

    return draw_items


def test_as_many_as_cochran_asks_for_in_proportion_to_topics_and_labels(draw):
    items = draw()
    assert len(items) == 66  # 65.1 of 200 at ten per cent, in three groups of one size
    assert Counter(item["group"] for item in items) == {1: 22, 2: 22, 3: 22}
    kinds = Counter((item["topic"], LABELS[int(item["question_id"][-3:]) % 2]) for item in items)
    assert {kind: count for kind, count in kinds.items() if abs(count - 66 / 4) > 1 and kind[0] != "food"} == {}
    for group in (1, 2, 3):
        own = sorted(item["position"] for item in items if item["group"] == group)
        assert own == list(range(1, 23))


def test_the_order_of_a_group_tells_nothing(draw):
    items = sorted((item for item in draw(margin=0.02) if item["group"] == 1), key=lambda item: item["position"])
    labels = [int(item["question_id"][-3:]) % 2 for item in items]
    changes = sum(one != other for one, other in itertools.pairwise(labels))
    assert 0.3 < changes / len(labels) < 0.7


def test_no_column_holds_a_label(draw, tmp_path):
    draw(responses=responses(tmp_path, ("r", "basic")))
    content = (tmp_path / "items.parquet").read_bytes()
    assert not {"label", "intended", "status", "margin", "judge", "split"} & set(ANNOTATION_ITEMS.schema.names)
    assert b"out_of_scope" not in content and b"in_scope" not in content


def test_questions_out_of_scope_get_one_response_and_all_cells_their_turn(draw, tmp_path):
    cells = [("one", "basic"), ("one", "cot"), ("two", "basic")]
    items = draw(responses=responses(tmp_path, *cells))
    given = [item for item in items if item["task"] == "defusion"]
    asked = {item["question_id"]: item for item in items if item["task"] == "scope"}
    assert {item["question_id"] for item in given} == {name for name in asked if int(name[-3:]) % 2 == 0}
    assert all(item["group"] == asked[item["question_id"]]["group"] for item in given)
    counts = Counter((item["responder"], item["prompt_name"]) for item in given)
    assert set(counts) == set(cells) and max(counts.values()) - min(counts.values()) <= 1
    assert all(item["response"].startswith(f"{item['responder']} {item['prompt_name']}") for item in given)


def test_where_a_cell_has_no_response_another_takes_its_turn(draw, tmp_path):
    paths = responses(tmp_path, ("all", "basic")) + responses(tmp_path, ("few", "basic"), numbers=range(0, 20, 2))
    given = [item for item in draw(responses=paths) if item["task"] == "defusion"]
    assert len(given) == sum(1 for item in draw() if int(item["question_id"][-3:]) % 2 == 0)


def test_disputed_questions_are_drawn_only_if_all_are(draw):
    asked = [question(n, status="kept" if n < 10 else "disputed") for n in range(40)]
    assert len(draw(asked)) == 10
    assert len(draw(asked, questions="all")) == 30


def test_the_same_bytes_again_and_others_with_another_seed(draw, tmp_path):
    draw()
    first = (tmp_path / "items.parquet").read_bytes()
    draw(list(reversed([question(n) for n in range(200)])))
    assert (tmp_path / "items.parquet").read_bytes() == first
    draw(seed=1)
    assert (tmp_path / "items.parquet").read_bytes() != first


class Keys(dict):
    """Wildcards as Snakemake gives them."""

    __getattr__ = dict.__getitem__


@pytest.mark.parametrize(
    ("generator", "pattern", "expected"),
    [
        ("careful", "documents/{shard}", ["documents/a", "documents/b"]),
        ("careful", "{generator}/{judge}/{shard}", ["careful/j/a", "careful/j/b"]),
        (
            "careful",
            "{generator}/{responder}/{prompt}/{shard}",
            [f"careful/{r}/basic/{s}" for s in "ab" for r in ("one", "two")],
        ),
        ("gold", "{generator}/{judge}/{shard}", ["gold/j/gold"]),
        ("gold", "{generator}/{responder}/{prompt}/{shard}", ["gold/gpt/recorded/gold"]),
    ],
)
def test_a_question_set_is_its_own_shard_with_recorded_responses(generator, pattern, expected):
    config = {"question_sets": {"gold": {"responders": {"gpt": "response"}, "responding": False}}}
    config["scope"] = {"responders": ["one", "two"], "responding": {"prompts": ["basic"]}}
    wildcards = Keys(generator=generator, judge="j")
    assert people.tables_of(config, {"a": {}, "b": {}}, pattern, wildcards) == expected


@pytest.mark.parametrize(
    ("population", "confidence", "margin", "expected"),
    [
        (10**9, 0.95, 0.05, 385),  # the textbook's number for no limit
        (1000, 0.95, 0.05, 278),  # and for a thousand
        (100, 0.95, 0.05, 80),
        (10**9, 0.99, 0.05, 664),
        (1, 0.95, 0.05, 1),
        (0, 0.95, 0.05, 0),
    ],
)
def test_cochrans_number_is_that_of_the_textbooks(population, confidence, margin, expected):
    assert cochran(population, confidence, margin) == expected


def test_the_papers_sample_is_216_in_three_groups_of_72():
    assert size(8949 + 10105 + 216, 0.95, 0.0667, 3) == 216


def test_few_questions_are_all_taken():
    assert size(5, 0.95, 0.0667, 3) == 5


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 60), max_size=8), st.integers(0, 300))
def test_shares_are_in_proportion_and_add_up(sizes, wanted):
    wanted = min(wanted, sum(sizes.values()))
    given = allocation(sizes, wanted)
    assert sum(given.values()) == wanted
    for name, most in sizes.items():
        share = wanted * most / (sum(sizes.values()) or 1)
        assert given[name] <= most and abs(given[name] - share) < 1


def test_the_rest_goes_to_the_largest_remainders():
    assert allocation({"a": 5, "b": 3, "c": 2}, 5) == {"a": 3, "b": 1, "c": 1}  # 2.5, 1.5 and 1
    assert allocation({"b": 1, "a": 1}, 1) == {"a": 1, "b": 0}


def strata(count):
    return {f"question-{number}": "ab"[number % 2] for number in range(count)}


def draw_of(shards, wanted, seed=0):
    return drawn(shards, lambda population: min(population, wanted), seed)[0]


def test_the_draw_does_not_depend_on_the_order_and_changes_with_the_seed():
    some = strata(50)
    shuffled = dict(sorted(some.items(), key=lambda pair: pair[0][::-1]))
    first = draw_of([some], 20)
    assert first == draw_of([shuffled], 20) and len(set(first)) == 20
    assert set(first) != set(draw_of([some], 20, seed=1))


@given(st.lists(st.integers(0, 90), max_size=5), st.integers(0, 100))
def test_the_draw_does_not_depend_on_shards(cuts, wanted):
    """Though of each stratum only as many are kept as are ever wanted."""
    every = list(strata(90).items())
    edges = [0, *sorted(cuts), len(every)]
    shards = [dict(every[first:last]) for first, last in itertools.pairwise(edges)]
    assert draw_of(shards, wanted) == draw_of([dict(every)], wanted)


def test_more_questions_move_few_of_the_old_ones():
    old, new = draw_of([strata(200)], 60), draw_of([strata(210)], 60)
    assert len(set(old) & set(new)) >= 50


def test_groups_are_of_one_size_and_get_their_share_of_each_stratum():
    chosen = draw_of([strata(90)], 30)
    groups = dealt(chosen, 3)
    assert Counter(groups.values()) == {1: 10, 2: 10, 3: 10}
    assert Counter((groups[name], strata(90)[name]) for name in chosen) == {(g, s): 5 for g in (1, 2, 3) for s in "ab"}
