"""Targets that rules make of queries with known answers: rows in = rows out + rejects."""

import pytest

from ragassay.base import tables
from ragassay.calls.providers import rules
from ragassay.schemas.attacks import TARGETS
from ragassay.schemas.corpora import PASSAGES, QUERIES
from rows import row
from scripts.targets.write_targets import NoTargets, write_targets
from targets import READER

PROMPTS = ("answer_briefly", "propose_wrong_answer", "write_supporting_texts")
PASSAGE = {
    "ferry#1": "The ferry to the island sails on Monday. It takes 540 people.",
    "ferry#2": "The mayor opened the berth in May.",
    "bridge": "The bridge in Port Alder cost 214 million marks.",
}
ASKED = {
    "sails": ("When does the ferry to the island sail?", "ferry", ["Monday"]),
    "cost": ("How many marks did the bridge in Port Alder cost?", None, ["214 million marks"]),
    "berth": ("When did the mayor open the berth?", "ferry#2", ["in June"]),
    "lost": ("Who found the lock?", "lock", ["Ada"]),
    "loose": ("Who built the lock?", None, ["Ada"]),
    "open": ("Who opened the berth?", "ferry#2", []),
}


@pytest.fixture
def write(tmp_path):
    def write(names=ASKED, **own):
        rows = [
            row(PASSAGES, passage_id=name, document_id=name.split("#")[0], text=text) for name, text in PASSAGE.items()
        ]
        tables.write(PASSAGES, tmp_path / "passages.parquet", rows)
        rows = [
            row(QUERIES, query_id=name, text=text, passage_id=document, answers=answers)
            | ({"relevant": ["bridge"], "grades": [1]} if name == "cost" else {})
            for name, (text, document, answers) in ASKED.items()
            if name in names
        ]
        tables.write(QUERIES, tmp_path / "queries.parquet", rows)
        paths = [tmp_path / f"{name}.parquet" for name in ("queries", "passages")]
        paths += [f"resources/prompts/{name}.yaml" for name in PROMPTS]
        paths += [tmp_path / f"{name}.parquet" for name in ("targets", "rejects", "calls")]
        settings = {"model": READER, "ledger": str(tmp_path / "ledger"), "dataset": "mine", "count": 99, "seed": 0}
        settings |= {"agreement": "answers", "texts": 3, "words": 30, "tries": 2, "most_rejected": 0.5}
        write_targets(*paths, **settings | {"answering": {"temperature": 0}, "writing": {"temperature": 1}} | own)
        return [tables.read(kind, path).to_pylist() for kind, path in ((TARGETS, paths[5]), (tables.REJECTS, paths[6]))]

    return write


def test_questions_become_targets_or_rejects_with_their_reason(write):
    rows, rejects = write()
    found = {one["target_id"]: one for one in rows}
    assert found.keys() == {"sails", "cost"}
    assert found["cost"]["answers"] == ["214 million marks"] and found["cost"]["document"] == "bridge"
    assert found["cost"]["target"].endswith(" million marks") and found["sails"]["document"] == "ferry"
    for one in rows:
        assert (one["origin"], one["made_by"]) == ("model", "reader")
        assert len(one["texts"]) == len(one["tries"]) == len(one["flags"]) > 0 and set(one["tries"]) <= {1, 2}
    reasons = {row["item"]: row["reason"] for row in rejects if row["item"] in ASKED}
    assert reasons == {
        "berth": "no_agreement",
        "lost": "no_gold_passage",
        "loose": "no_gold_passage",
        "open": "no_answer",
    }


def test_a_second_run_asks_nothing(write, monkeypatch):
    first = write()

    async def fail(*_):
        pytest.fail("this was asked before")

    monkeypatch.setattr(rules.Provider, "send", fail)
    assert write() == first


def test_a_model_that_knows_nothing_by_heart_makes_none_and_stops_nothing(write):
    rows, rejects = write(["sails", "cost"], agreement="closed_book")
    assert rows == [] and {one["reason"] for one in rejects} == {"no_agreement"}


def test_a_set_of_which_no_question_can_be_asked_is_told(write):
    with pytest.raises(NoTargets, match="found 2 queries and none with a passage or document of the corpus and"):
        write(["lost", "open"])
