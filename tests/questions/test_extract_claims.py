"""extract_claims: lists become rows with lineage, other answers become rejects, and nothing is paid twice."""

import pytest

from project import ROOT
from ragassay.base import tables
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.report import CALLS
from ragassay.schemas.scope_questions import CLAIMS
from rows import row
from scripts.questions.extract_claims import extract_claims
from tools.loopback import Loopback

GOOD = """Here are the claims:
1. The ferry costs 57 million marks.
2) It is built in Brackwater.
**3.** It is due in June."""
ANSWERS = {"good": GOOD, "few": "1. Only one claim.", "refusal": "I'm sorry, but I can't help with that.", "empty": ""}


@pytest.fixture
def documents(tmp_path):
    """A function that writes documents with these texts."""

    def write(texts):
        rows = [row(DOCUMENTS, doc_id=f"doc-{text}", text=text, n_words=2, shard="s") for text in texts]
        tables.write(DOCUMENTS, tmp_path / "documents.parquet", rows)

    return write


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A function that runs the stage against a server and reads what it wrote."""
    monkeypatch.setenv("KEY", "test-key")

    def stage(url, ledger="ledger"):
        model = {"name": "m", "provider": "openai", "model": "loopback", "base_url": url, "key_variable": "KEY"}
        paths = {name: tmp_path / f"{name}.parquet" for name in ("documents", "claims", "rejects", "calls")}
        given = {
            "model": model | {"price": {"input": 1, "output": 2}},
            "ledger": tmp_path / ledger,
            "sampling": {"max_tokens": 99},
        }
        prompt = ROOT / "resources/prompts/extract_claims.yaml"
        extract_claims(**paths, prompt=prompt, **given, claims_per_document=3, fewest_claims=2, most_rejected=1)
        kinds = {"claims": CLAIMS, "rejects": tables.REJECTS, "calls": CALLS}
        return {name: tables.read(table, paths[name]).to_pylist() for name, table in kinds.items()}

    return stage


@pytest.mark.parametrize("kind", ANSWERS)
def test_an_answer_becomes_claims_or_a_reject_with_its_reason(documents, run, kind):
    documents(["text"])
    with Loopback(texts=[ANSWERS[kind]]) as server:
        found = run(server.url)
    if kind == "good":
        texts = ["The ferry costs 57 million marks.", "It is built in Brackwater.", "It is due in June."]
        assert [(row["slot"], row["text"]) for row in found["claims"]] == list(enumerate(texts, 1))
        assert {(row["doc_id"], row["generator"]) for row in found["claims"]} == {("doc-text", "m")}
        assert len({row["claim_id"] for row in found["claims"]}) == 3 and not found["rejects"]
    else:
        reason = {"few": "count_mismatch"}.get(kind, kind)
        assert [(row["item"], row["reason"]) for row in found["rejects"]] == [("doc-text", reason)]
        assert not found["claims"]


def test_a_second_run_asks_nothing_and_gives_the_same(documents, run):
    documents([f"text {number}" for number in range(20)])
    with Loopback(texts=[GOOD]) as server:
        first = run(server.url)
        assert run(server.url) == first
        assert server.summary()["billed"] == 20
    assert len(first["claims"]) == 60 and first["calls"][0]["requests"] == 20


def test_a_new_document_is_the_only_one_that_is_paid(documents, run):
    with Loopback(texts=[GOOD]) as server:
        documents(["one", "two"])
        run(server.url)
        documents(["one", "two", "three"])
        run(server.url)
        assert server.summary()["billed"] == 3
