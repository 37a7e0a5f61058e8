"""write_near_misses: what counting words tells is rewritten until it does not, and every version is kept."""

from collections import Counter

from answers import by_hand
from ragassay.calls.ledger.call_keys import WRITTEN, read
from ragassay.metrics.panel import auroc
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.studies.scope import controls
from ragassay.studies.scope.controls import Overlap
from scripts.questions.write_near_misses import write_near_misses
from study import MINILM, document, question
from tools.loopback import Loopback

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
