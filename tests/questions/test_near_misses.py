"""The versions of out-of-scope questions: who is told, what is chosen, and on what the controls are fitted."""

import pytest

from ragassay.studies.scope import controls
from scripts.questions.write_near_misses import Versions

LIMIT = 0.5


class Alike:
    """Finds all questions alike, so that only their wording tells."""

    def measure(self, pairs):
        return [dict.fromkeys(controls.FEATURES, 0.0) for _ in pairs]


def written(doc_id, slot, intended, text):
    row = {"question_id": f"{doc_id}-{intended}-{slot}", "doc_id": doc_id, "slot": slot, "intended": intended}
    return row | {"text": text, "n_words": 5, "generator": "g", "recovered_id": "r", "prompt": "first"}


@pytest.fixture
def versions():
    """Twenty documents, each with an in-scope question and an out-of-scope one that begins otherwise."""
    documents = {f"d{number:02}": {"text": f"Text {number}.", "cluster_id": f"c{number}"} for number in range(20)}
    rows = [written(name, 1, "in_scope", f"When does the ferry {name} sail?") for name in documents]
    rows += [written(name, 1, "out_of_scope", f"Why was it that {name} failed?") for name in documents]
    return Versions(rows, documents, Alike())


def test_what_the_wording_tells_is_rewritten_and_the_newest_versions_are_what_controls_learn_from(versions):
    versions.score()
    assert versions.told(LIMIT) == {f"d{n:02}": {1: f"Why was it that d{n:02} failed?"} for n in range(20)}
    for doc_id, slot in versions.tried:
        versions.add((doc_id, slot), 1, f"When does the train {doc_id} leave?", "second", None)
    versions.score()
    assert all(own[1].wording > max(LIMIT, own[0].wording) for own in versions.tried.values())  # "train" tells now
    for doc_id, slot in versions.tried:
        versions.add((doc_id, slot), 2, f"When does the ferry of {doc_id} sail?", "second", "too_long: found 6 words")
    assert [own[:2] for own in map(versions._usable, versions.tried)] == [own[:2] for own in versions.tried.values()]


@pytest.mark.parametrize(
    ("probabilities", "chosen"),
    [((0.9, 0.4), 1), ((0.3, 0.4), 1), ((0.6, 0.9), 0), ((0.9, 0.7), 1), ((0.9, 0.3, 0.4), 2), ((None, None), 1)],
)
def test_the_newest_version_goes_on_or_the_one_that_is_told_least(versions, probabilities, chosen):
    slot = ("d00", 1)
    for attempt in range(1, len(probabilities)):
        versions.add(slot, attempt, f"Version {attempt}?", "second", None)
    for one, probability in zip(versions.tried[slot], probabilities, strict=True):
        one.overlap = probability
    found = versions.chosen(slot, LIMIT)
    assert found.attempt == chosen
    row = found.question()
    assert (row["text"], row["prompt"]) == ((f"Version {chosen}?", "second") if chosen else (found.text, "first"))
    assert (row["question_id"] == "d00-out_of_scope-1") == (chosen == 0) and row["recovered_id"] == "r"


def test_without_other_documents_nothing_is_told(versions):
    documents = {"d": {"text": "Text.", "cluster_id": "c"}}
    rows = [written("d", 1, intended, f"Is this {intended}?") for intended in ("in_scope", "out_of_scope")]
    alone = Versions(rows, documents, Alike())
    alone.score()
    assert alone.told(0.0) == {} and alone.chosen(("d", 1), LIMIT).question() == rows[1]


def test_a_question_is_new_if_nobody_wrote_it_about_its_document(versions):
    assert not versions.is_new("d00", "when does the ferry d00 sail") and versions.is_new("d01", "When does d00 sail?")
    versions.add(("d00", 1), 1, "Who sails?", "second", None)
    assert not versions.is_new("d00", "Who sails?")
