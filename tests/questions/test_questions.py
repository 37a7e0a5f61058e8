"""Questions written from claims, and near misses: what counting words tells is rewritten until it does not."""

from collections import Counter

import pytest

from answers import by_hand
from ragassay.calls.ledger.call_keys import WRITTEN, read
from ragassay.calls.model import Answer
from ragassay.metrics.panel import auroc
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.studies.scope import controls
from ragassay.studies.scope.controls import Overlap
from ragassay.studies.scope.model_answers import flaw, read_questions
from scripts.questions.write_near_misses import Versions, write_near_misses
from scripts.questions.write_questions import Wanted, write_questions
from study import MINILM, document, novel, question
from tools.loopback import Loopback

CLAIMS = {2: "The boat is red.", 3: "The boat is old.", 5: "The boat sank."}
FIVE = "Who built the boat?"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Who built the boat that lies in the harbour now?", None),
        ("Who decides when and where the boat will be shown?", None),
        ("Which of the two, the sailmaker or the net dealer, got the lease?", None),
        ("Who built the boat now?", None),
        ("Who built the boat that lies in the harbour of the old market town?", None),
        ("Who built it?", "too_short"),
        ("Who built the boat that lies in the harbour of the old town of Brackwater now?", "too_long"),
        ("Somebody built the boat that lies in the harbour.", "no_question"),
        ("Who built the boat? And who paid for it?", "two_questions"),
        ("Who built the boat, and when was it first sold?", "two_questions"),
    ],
)
def test_the_form_of_a_question(text, reason):
    found = flaw(text, 5, 14)
    assert (found and found[0]) == reason


@pytest.mark.parametrize(
    ("intended", "text", "finish", "expected"),
    [
        ("out_of_scope", f"2. {FIVE}\n5. {FIVE}", "stop", {2: FIVE, 3: "left_out", 5: FIVE}),
        ("out_of_scope", f"1. {FIVE}\n2. {FIVE}", "stop", dict.fromkeys(CLAIMS, "wrong_number")),
        ("out_of_scope", "None", "stop", dict.fromkeys(CLAIMS, "left_out")),
        ("out_of_scope", "", "stop", dict.fromkeys(CLAIMS, "empty")),
        ("out_of_scope", f"2. {FIVE}\n3. Who", "length", {2: FIVE, 3: "truncated", 5: "truncated"}),
        ("in_scope", f"1. {FIVE}", "stop", {1: FIVE, 2: "count_mismatch"}),
        ("in_scope", f"1. {FIVE}\n2. {FIVE}\n3. {FIVE}", "stop", {1: FIVE, 2: FIVE}),
    ],
)
def test_questions_are_taken_by_the_numbers_of_their_claims(intended, text, finish, expected):
    claims = {number: {"text": claim} for number, claim in CLAIMS.items()}
    one = Wanted({}, intended, claims if intended == "out_of_scope" else dict.fromkeys((1, 2)))
    found = read_questions(Answer(text, finish), one.claims, one.about)
    assert {number: question or why[0] for number, (question, why) in found.items()} == expected


def written_by(study):
    prompts = {"out_of_scope_prompt": "write_out_of_scope_questions", "in_scope_prompt": "write_in_scope_questions"}
    settings = {"in_scope_per_document": 4, "fewest_words": 3, "most_words": 9}
    return study.run(write_questions, ["documents", "novel_claims"], ["questions", "rejects"], prompts, **settings)


def test_what_is_wanted_is_written_with_its_lineage_or_rejected_with_a_reason(study):
    study.write(
        documents=[document(doc, f"text of {doc}") for doc in "ab"],
        novel_claims=[novel("a", 2, "The boat is red."), novel("a", 3, "The boat is old.")],
    )
    with Loopback(respond="answers:questions") as server:
        study.asks(server.url)
        rows, rejects = written_by(study)
        assert written_by(study) == [rows, rejects] and server.summary()["billed"] == 3
    assert [(row["doc_id"], row["intended"], row["slot"], row["text"]) for row in rows] == [
        ("a", "in_scope", 1, "Who built the boat?"),
        ("a", "out_of_scope", 2, "Who painted the boat red?"),
        ("b", "in_scope", 1, "Who built the boat?"),
    ]
    lineage = [(row["recovered_id"], row["claim_id"], row["round"]) for row in rows]
    assert lineage == [(None, None, None), ("recovered-a-3-2", "claim-a-2", 3), (None, None, None)]
    assert len({row["question_id"] for row in rows}) == 3 and {row["n_words"] for row in rows} == {4, 5}
    assert rows[0]["prompt"] == rows[2]["prompt"] != rows[1]["prompt"]
    reasons = {row["item"]: row["reason"] for row in rejects}
    assert reasons["recovered-a-3-3"] == "left_out" and len(reasons) == 7
    assert [reasons[f"b in scope {n}"] for n in (2, 3, 4)] == ["too_long", "repeated", "count_mismatch"]


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
