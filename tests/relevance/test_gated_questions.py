"""Gates on query logs and on questions."""

import datetime
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from ragassay.base import tables
from ragassay.models.batches import padded
from ragassay.models.encoders.embed import tokenized
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.corpora import QUERIES, QUERY_LOG
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.relevance import GATED_QUERIES, GATED_QUESTIONS, QUERY_VERDICTS
from ragassay.schemas.scope_questions import QUESTIONS, SCOPE_LABELS
from ragassay.services.gate import Measured
from ragassay.studies.relevance import outside, searched_queries
from rows import place, row, written
from scripts.relevance import gate_query_log as module
from scripts.relevance import score_relevance as of_sets
from scripts.relevance.gate_questions import FOLDS, gate_questions
from study import MINILM

TEXTS = ["Who?", "Where is it?", "Who?", "When?", "Where is it?"]


class LengthGate:
    """A gate that looks at the length of a text."""

    asked: list

    @classmethod
    def load(cls, folder):
        cls.asked = []
        return cls()

    def measure(self, texts):
        self.asked += texts
        values = np.array([len(text) for text in texts], float)
        passages = [[text, "other"] if text != "When?" else [] for text in texts]
        return Measured(values, 1 / values, values > 4, passages, [[1.0]] * len(texts))


def test_each_text_is_asked_about_once_and_each_entry_has_its_answer(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "Gate", LengthGate)
    monkeypatch.setattr(outside, "TOGETHER", 2)
    day = datetime.datetime(2026, 11, 1, tzinfo=datetime.UTC)
    empty = dict.fromkeys(QUERY_LOG.schema.names)
    rows = [
        empty | {"entry": at, "date": day + datetime.timedelta(at), "text": text, "query_id": text}
        for at, text in enumerate(TEXTS, 1)
    ]
    tables.write(QUERY_LOG, tmp_path / "log.parquet", rows)
    module.gate_query_log("gate", tmp_path / "log.parquet", tmp_path / "gated.parquet")
    found = tables.read(GATED_QUERIES, tmp_path / "gated.parquet").to_pylist()
    assert LengthGate.asked == ["Who?", "Where is it?", "When?"]
    assert [one["value"] for one in found] == [len(text) for text in TEXTS]
    assert [one["rejected"] for one in found] == [False, True, False, True, True]
    assert [one["passage_id"] for one in found] == ["Who?", "Where is it?", "Who?", None, "Where is it?"]
    assert found[4]["date"] == day + datetime.timedelta(5) and found[4]["p_value"] == 1 / 12


def test_each_query_of_a_set_has_the_verdict_of_its_corpus(tmp_path, monkeypatch):
    class NamedGate(LengthGate):
        @classmethod
        def load(cls, folder):
            gate = super().load(folder)
            gate.name = Path(folder).parts[-2]
            return gate

        def measure(self, texts):
            measured = super().measure(texts)
            return measured._replace(passages=[[self.name] for _ in texts])

    monkeypatch.setattr(of_sets, "Gate", NamedGate)
    asked = {"short": ["Who?", "When?"], "long": ["Where is it?"]}
    queries = []
    for name, texts in asked.items():
        rows = [row(QUERIES, query_id=f"{name} {at}", text=text) for at, text in enumerate(texts)]
        queries.append(written(tmp_path, QUERIES, rows, query_set=name))
    pairs = [("a", "short"), ("b", "short"), ("b", "long")]
    outputs = [place(tmp_path, QUERY_VERDICTS, corpus=corpus, retriever="r", query_set=name) for corpus, name in pairs]
    gates = [tmp_path / "gates" / corpus / "r" for corpus in "ab"]
    of_sets.score_relevance([], queries, [], gates, [], outputs, k=8, temperature=1.0)
    for (corpus, name), output in zip(pairs, outputs, strict=True):
        rows = tables.read(QUERY_VERDICTS, output).to_pylist()
        assert [one["query_id"] for one in rows] == [f"{name} {at}" for at in range(len(asked[name]))]
        assert [one["value"] for one in rows] == [len(text) for text in asked[name]]
        assert [one["rejected"] for one in rows] == [len(text) > 4 for text in asked[name]]
        assert {one["passage_id"] for one in rows} == {corpus}


WORDS = {"words": {"kind": "bm25", "options": {"divide_by_idf": True}, "titles": "none"}}
DENSE = {"kind": "dense", "encoder": MINILM, "query_encoder": MINILM, "similarity": "cosine", "titles": "none"}
THINGS = "ferry quay glacier council harbour orchard lighthouse census bridge herring cheese choir".split()
TOWNS = "Alba Brim Corvo Dorn Elst Fjall".split()
FAR = ["What is the square root of two?", "How do bees dance?", "Zebra?"]
ALPHA = 0.1
PLACES = [(thing, town) for town in TOWNS for thing in THINGS]  # of documents d00, d01, ...


def text(thing, town, at):
    return f"In {town} the {thing} was closed after {at + 3} days of rain. Its keeper asked the {THINGS[at % 7]}."


def asked():
    """(question_id, doc_id, intended, label, text): of each document one in scope and one out of scope."""
    rows = []
    for at, (thing, town) in enumerate(PLACES):
        document = f"d{at:02}"
        inside = (
            f"How long did it rain until the {thing} in {town} was closed?" if at % 3 else f"Who keeps the {thing}?"
        )
        rows.append((f"in {at:02}", document, "in_scope", "in_scope", inside))
        rows.append((f"out {at:02}", document, "out_of_scope", "out_of_scope", f"Who painted the {thing} in {town}?"))
    rows += [(f"far {at}", f"d{at:02}", "out_of_scope", "out_of_scope", text) for at, text in enumerate(FAR)]
    rows.append(("disputed", "d05", "out_of_scope", "in_scope", "Why?"))
    rows.append(("refused", "d07", "in_scope", "out_of_scope", "How many days of rain were there in Alba?"))
    rows.append(("unlabelled in", "d06", "unlabelled", "in_scope", "Who keeps the lighthouse in Alba?"))
    return [*rows, ("unlabelled out", "d06", "unlabelled", "out_of_scope", "Who is the mayor?")]


def cluster(document):
    """d00 and d01 are near-duplicates."""
    return "cluster d00" if document == "d01" else f"cluster {document}"


def decided(folder, questions, retrievers=WORDS):
    """The rows of the table by question; the study has two shards."""
    documents = [
        row(DOCUMENTS, doc_id=f"d{at:02}", cluster_id=cluster(f"d{at:02}"), text=text(*names, at))
        for at, names in enumerate(PLACES)
    ]
    fields = ("question_id", "doc_id", "intended", "label", "text")
    rows = [dict(zip(fields, values, strict=True)) for values in questions]
    paths = {table: [] for table in (DOCUMENTS, QUESTIONS, SCOPE_LABELS)}
    for at, shard in enumerate("st"):
        part = [entry for entry in rows if int(entry["doc_id"][1:]) % 2 == at]
        asked = [
            row(QUESTIONS, slot=number, **{key: entry[key] for key in fields if key != "label"})
            for number, entry in enumerate(part)
        ]
        labels = [
            row(SCOPE_LABELS, **{key: entry[key] for key in ("question_id", "doc_id", "label")}) for entry in part
        ]
        for table, own in zip(paths, (documents[at::2], asked, labels), strict=True):
            paths[table].append(written(folder, table, own, shard=shard))
    output = place(folder, GATED_QUESTIONS)
    gate_questions(*paths.values(), [output], retrievers, str(folder / "embeddings"), ALPHA, None)
    return {entry["question_id"]: entry for entry in tables.read(GATED_QUESTIONS, output).to_pylist()}


def by_words(questions):
    """BM25 of each question with each document over the inverse document frequencies of its words, by loops."""
    documents = [re.findall(r"\w+", text(*names, at).lower()) for at, names in enumerate(PLACES)]
    mean = sum(map(len, documents)) / len(documents)
    having = Counter(word for words in documents for word in set(words))

    def idf(word):
        return math.log(1 + (len(documents) - having[word] + 0.5) / (having[word] + 0.5))

    best = []
    for question in questions:
        words = re.findall(r"\w+", question[-1].lower())
        scores = []
        for document in documents:
            length = 1.2 * (1 - 0.75 + 0.75 * len(document) / mean)
            weights = [idf(word) * document.count(word) / (document.count(word) + length) for word in words]
            scores.append(sum(weights) / sum(map(idf, words)))
        best.append((round(max(scores), 5), int(np.argmax(scores))))
    return best


def by_vectors(questions, kind):
    """The best cosine of each question with a document, in the half precision of stored vectors."""

    def vectors(texts):
        rows = [kind.vectors(*padded([tokens], kind.pad))[0] for tokens in tokenized(kind, texts)]
        rows = np.array(rows, np.float16).astype(float)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    similar = (
        vectors([entry[-1] for entry in questions]) @ vectors([text(*names, at) for at, names in enumerate(PLACES)]).T
    )
    return list(zip(similar.max(axis=1), similar.argmax(axis=1), strict=True))


def by_hand(questions, *best):
    """question -> (value, p): each is compared with in-scope questions of other folds, in units of some of these."""
    keys = [cluster(entry[1]) for entry in questions]
    folds = [int(share * FOLDS) for share in searched_queries.fractions("folds", keys)]
    fitting = searched_queries.fits(keys)
    inside = [entry[2] == "in_scope" or entry[2:4] == ("unlabelled", "in_scope") for entry in questions]
    results = {}
    for at, entry in enumerate(questions):
        others = [other for other in range(len(questions)) if inside[other] and folds[other] != folds[at]]
        values = np.zeros(len(questions))
        for similar in best:
            scores = np.array([score for score, _ in similar])
            some = scores[[other for other in others if fitting[other]]]
            values += (some.mean() - scores) / some.std()
        known = [values[other] for other in others if not fitting[other]]
        results[entry[0]] = values[at], (1 + sum(value >= values[at] for value in known)) / (len(known) + 1), len(known)
    return results


def test_p_values_are_counted_among_in_scope_questions_of_other_folds(tmp_path):
    questions, kind = asked(), Encoder(**MINILM).load()
    vectors, words = by_vectors(questions, kind), by_words(questions)
    rows, expected = decided(tmp_path, questions, {"minilm": DENSE, **WORDS}), by_hand(questions, vectors, words)
    assert rows.keys() == expected.keys()
    for at, (name, (value, p, known)) in enumerate(expected.items()):
        assert rows[name]["value"] == pytest.approx(value, abs=5e-3), name
        assert rows[name]["p_value"] == pytest.approx(p, abs=1.5 / (known + 1)), "values may be equal but for rounding"
        assert rows[name]["calibrated_by"] == known
        assert rows[name]["rejected"] == (rows[name]["p_value"] <= ALPHA)
        assert rows[name]["nearest_doc_id"] == f"d{vectors[at][1]:02}"
    assert np.mean([rows[name]["p_value"] == p for name, (_, p, _) in expected.items()]) > 0.9
    assert all(rows[f"far {at}"]["rejected"] for at in range(len(FAR)))


def test_p_values_of_words_alone_are_exact(tmp_path):
    questions = asked()
    rows, expected = decided(tmp_path, questions), by_hand(questions, by_words(questions))
    assert {name: rows[name]["p_value"] for name in expected} == {
        name: pytest.approx(p) for name, (_, p, _) in expected.items()
    }
    assert rows["far 2"]["nearest_doc_id"] is None and rows["far 2"]["rejected"]


def test_neither_a_question_nor_one_about_its_document_or_a_near_duplicate_calibrates_its_gate(tmp_path):
    questions = asked()
    before = decided(tmp_path / "before", questions)
    changed = [(*entry[:4], "Zebra?") if entry[0] in ("in 00", "in 01") else entry for entry in questions]
    after = decided(tmp_path / "after", changed)
    same = {name for name in before if before[name] == after[name]}
    assert {"out 00", "out 01", "far 0", "far 1"} <= same
    assert len(same) < len(before) / 2, "gates of other folds are calibrated by these"


def test_only_questions_in_scope_calibrate_by_intention_or_where_there_is_none_by_the_judge(tmp_path):
    questions = asked()
    before = decided(tmp_path / "before", questions)
    without = [entry for entry in questions if entry[0] in ("refused", "unlabelled in") or entry[0].startswith("in ")]
    after = decided(tmp_path / "after", without)
    assert all(after[name] == before[name] for name in after)


def test_too_few_in_scope_questions_decide_nothing(tmp_path):
    few = decided(tmp_path, asked()[:24])
    assert len(few) == 24 and {entry["calibrated_by"] for entry in few.values()} == {0}
    assert {entry["p_value"] for entry in few.values()} == {entry["rejected"] for entry in few.values()} == {None}
    assert few["in 01"]["nearest_doc_id"] == "d01"


def test_without_questions_the_table_is_empty(tmp_path):
    assert decided(tmp_path, []) == {}


def test_nothing_is_embedded_twice(tmp_path, monkeypatch):
    decided(tmp_path, asked(), {"minilm": DENSE})
    monkeypatch.setattr(Encoder, "load", None)
    decided(tmp_path, asked(), {"minilm": DENSE})
