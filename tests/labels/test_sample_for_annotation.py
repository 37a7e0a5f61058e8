"""sample_for_annotation: the right number, in proportion, dealt to groups, and nothing that tells a label."""

import itertools
from collections import Counter

import pytest

from ragassay.base import tables
from ragassay.plan import labels
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.people import ANNOTATION_ITEMS
from ragassay.schemas.scope_answers import RESPONSES
from ragassay.schemas.scope_questions import SELECTED_QUESTIONS
from rows import row
from scripts.labels.sample_for_annotation import sample_for_annotation

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
    def drawn(asked=None, responses=(), **settings):
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

    return drawn


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
    assert labels.tables_of(config, {"a": {}, "b": {}}, pattern, wildcards) == expected
