"""Near misses: what counting words tells is rewritten until it does not, and every version is kept."""

from collections import Counter

import pytest

from answers import by_hand
from ragassay.calls.ledger.call_keys import WRITTEN, read
from ragassay.metrics.panel import auroc
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.studies.scope import controls
from ragassay.studies.scope.controls import Overlap
from scripts.questions.write_near_misses import Versions, write_near_misses
from study import MINILM, document, question
from tools.loopback import Loopback

LIMIT = 0.5


class Alike:
    """Finds all questions alike, so that only their wording tells."""

    def measure(self, pairs):
        return [dict.fromkeys(controls.FEATURES, 0.0) for _ in pairs]


def version_row(doc_id, slot, intended, text):
    row = {"question_id": f"{doc_id}-{intended}-{slot}", "doc_id": doc_id, "slot": slot, "intended": intended}
    return row | {"text": text, "n_words": 5, "generator": "g", "recovered_id": "r", "prompt": "first"}


@pytest.fixture
def versions():
    """Twenty documents, each with an in-scope question and an out-of-scope one that begins otherwise."""
    documents = {f"d{number:02}": {"text": f"Text {number}.", "cluster_id": f"c{number}"} for number in range(20)}
    rows = [version_row(name, 1, "in_scope", f"When does the ferry {name} sail?") for name in documents]
    rows += [version_row(name, 1, "out_of_scope", f"Why was it that {name} failed?") for name in documents]
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
    rows = [version_row("d", 1, intended, f"Is this {intended}?") for intended in ("in_scope", "out_of_scope")]
    alone = Versions(rows, documents, Alike())
    alone.score()
    assert alone.told(0.0) == {} and alone.chosen(("d", 1), LIMIT).question() == rows[1]


def test_a_question_is_new_if_nobody_wrote_it_about_its_document(versions):
    assert not versions.is_new("d00", "when does the ferry d00 sail") and versions.is_new("d01", "When does d00 sail?")
    versions.add(("d00", 1), 1, "Who sails?", "second", None)
    assert not versions.is_new("d00", "Who sails?")


EASY = "Why was it that the foreign bank number {} had quietly refused to insure Zanzibar?"  # a template
CONTROLS = (controls.overlap_scores, controls.wording_scores)


def written(answered, out):
    """Rows of documents and of their questions, by text: in-scope questions and out-of-scope ones."""
    documents = {f"d{number}": document(f"d{number}", text) for number, text in enumerate(answered)}
    rows = [
        question(name, f"{name}-{intended}-{slot}", intended, text)
        | {"slot": slot, "recovered_id": f"r{slot}" if intended == "out_of_scope" else None}
        for name, own in documents.items()
        for intended, texts in (("in_scope", answered[own["text"]]), ("out_of_scope", out[own["text"]]))
        for slot, text in enumerate(texts, 1)
    ]
    return documents, rows


def run(study, **settings):
    settings = {"tries": 3, "told_from": 0.5, "fewest_words": 3, "most_words": 30} | settings
    settings |= {"encoder": MINILM, "embeddings": str(study.folder / "embeddings")}
    outputs, prompts = ["questions", "near_misses"], {"prompt": "write_near_misses"}
    return study.run(write_near_misses, ["documents", "written_questions"], outputs, prompts, **settings)


def told(rows, documents, overlap):
    """What either control tells of questions, fitted on those of other documents."""
    found = overlap.measure([(row["text"], documents[row["doc_id"]]["text"]) for row in rows])
    pairs = zip(rows, found, strict=True)
    out = [row["intended"] == "out_of_scope" for row in rows]
    rows = [documents[row["doc_id"]] | numbers | {"text": row["text"]} for row, numbers in pairs]
    return [auroc(control(rows, out), out) for control in CONTROLS]


def test_no_control_tells_what_was_rewritten_into_the_demos_near_misses(study):
    """As many questions by a template as people wrote near misses of a document; the server answers with those."""
    misses = {text: own for text, own in by_hand("near_misses").items() if len(own) == 2}
    easy = {text: [EASY.format(number), EASY.format(number + 100)] for number, text in enumerate(misses)}
    documents, rows = written({text: by_hand("answered")[text] for text in easy}, easy)
    study.write(documents=documents.values(), written_questions=rows)
    with Loopback(respond="answers:near_misses") as server:
        study.asks(server.url)
        questions, versions = run(study)
        asked = server.summary()["billed"]
    out = {(row["doc_id"], row["slot"]): row["text"] for row in questions if row["intended"] == "out_of_scope"}
    assert out == {(row["doc_id"], row["slot"]): row["text"] for row in versions if row["chosen"]}
    assert len({row["question_id"] for row in questions}) == len(questions) == len(rows)
    [keys] = [read(path) for path in (study.folder / "ledger").rglob(WRITTEN)]
    assert len(keys) == asked and sorted(keys) == [(item, 0) for item in range(asked)], "all rounds, in a row"
    tries = Counter(row["attempt"] for row in versions)
    assert tries[0] == tries[1] == len(out) >= tries[2] >= tries[3] and asked > len(documents)
    unusable = {row["reason"].partition(":")[0] for row in versions if row["question_id"] is None}
    assert unusable == {"no_question", "left_out", "wrong_number", "repeated"}
    overlap = Overlap(Embedder(Encoder(**MINILM), str(study.folder / "embeddings")))
    assert min(told(rows, documents, overlap)) > 0.95 and max(told(questions, documents, overlap)) <= 0.75
