"""gate_query_log: one row per entry, whatever comes again, in the order of the log."""

import datetime
from pathlib import Path

import numpy as np

from ragassay.base import tables
from ragassay.schemas.corpora import QUERIES, QUERY_LOG
from ragassay.schemas.relevance import GATED_QUERIES, QUERY_VERDICTS
from ragassay.services.gate import Measured
from ragassay.studies.relevance import gated
from rows import place, row
from scripts.relevance import gate_query_log as module
from scripts.relevance import score_relevance as of_sets

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
    monkeypatch.setattr(gated, "TOGETHER", 2)
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
    for name, texts in asked.items():
        rows = [row(QUERIES, query_id=f"{name} {at}", text=text) for at, text in enumerate(texts)]
        tables.write(QUERIES, place(tmp_path, QUERIES, query_set=name), rows)
    pairs = [("a", "short"), ("b", "short"), ("b", "long")]
    outputs = [place(tmp_path, QUERY_VERDICTS, corpus=corpus, retriever="r", query_set=name) for corpus, name in pairs]
    queries = [place(tmp_path, QUERIES, query_set=name) for name in asked]
    gates = [tmp_path / "gates" / corpus / "r" for corpus in "ab"]
    of_sets.score_relevance([], queries, [], gates, [], outputs, k=8, temperature=1.0)
    for (corpus, name), output in zip(pairs, outputs, strict=True):
        rows = tables.read(QUERY_VERDICTS, output).to_pylist()
        assert [one["query_id"] for one in rows] == [f"{name} {at}" for at in range(len(asked[name]))]
        assert [one["value"] for one in rows] == [len(text) for text in asked[name]]
        assert [one["rejected"] for one in rows] == [len(text) > 4 for text in asked[name]]
        assert {one["passage_id"] for one in rows} == {corpus}
