"""Which documents a detector was trained on, also where the same article came from elsewhere."""

import pytest

from ragassay.documents.ids import split_of
from ragassay.studies.scope.detectors.detector import described, trained_parts

SAME = {"similarity": 0.6, "cut_after_words": 30}
WORDS = "ferry quay glacier marks council storm harbour orchard lighthouse census bridge herring cheese tower".split()


def text(start, words):
    return " ".join(f"{WORDS[(start * 5 + at * at) % len(WORDS)]}{start}{at}" for at in range(words))


@pytest.fixture
def known():
    """Documents of the study, cut; enough for each part to have some."""
    rows = [{"doc_id": f"d{n}", "cluster_id": f"c{n}", "text": text(n, 30)} for n in range(40)]
    found = described(rows, SAME["cut_after_words"])
    assert {row["part"] for row in found} == {"train", "validation", "test"}
    return found


@pytest.mark.parametrize("number", [0, 7, 23])
def test_an_article_is_known_again_whole_with_a_headline_or_changed_a_little(known, number):
    whole = text(number, 80)
    changed = whole.replace(whole.split()[3], "otherwise")
    rows = [("whole", whole), ("cut", text(number, 30)), ("headline", f"A headline.\n\n{whole}"), ("changed", changed)]
    found = trained_parts([{"doc_id": name, "cluster_id": name, "text": own} for name, own in rows], known, **SAME)
    assert found == dict.fromkeys(found, split_of(f"c{number}"))


def test_what_is_not_known_is_unseen_and_a_cluster_counts(known):
    rows = [{"doc_id": "x", "cluster_id": "c3", "text": "Nothing alike."}]
    rows.append({"doc_id": "y", "cluster_id": "y", "text": text(99, 60)})
    assert trained_parts(rows, known, **SAME) == {"x": split_of("c3"), "y": "unseen"}


def test_a_text_that_is_near_to_several_is_where_it_can_do_most_harm(known):
    twins = [row | {"part": part} for row, part in zip([known[0]] * 3, ["test", "validation", "train"], strict=True)]
    twins = [row | {"doc_id": f"t{at}", "cluster_id": f"t{at}"} for at, row in enumerate(twins)]
    assert trained_parts([{"doc_id": "z", "cluster_id": "z", "text": text(0, 50)}], twins, **SAME) == {"z": "train"}


def test_nothing_is_known_of_no_documents(known):
    row = {"doc_id": "z", "cluster_id": "z", "text": text(0, 50)}
    assert trained_parts([], known, **SAME) == {} and trained_parts([row], [], **SAME) == {"z": "unseen"}
