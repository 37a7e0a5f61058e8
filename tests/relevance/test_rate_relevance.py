"""How relevant a model finds what was retrieved."""

import pytest

from query_corpus import READER, write_corpus
from ragassay.base import tables
from ragassay.schemas.corpora import LM_RELEVANCE, NEIGHBOURS, QUERIES
from rows import row
from scripts.relevance.rate_relevance import rate_relevance, rating


def test_every_vote_is_kept_and_what_is_covered_is_rated_higher(tmp_path):
    files = write_corpus(tmp_path)
    asked = {"covered": "How many piers has the bridge in Port Alder?", "far": "Why do onions make you weep?"}
    asked["alone"] = "Qwertz?"
    tables.write(QUERIES, files("queries"), [row(QUERIES, query_id=name, text=text) for name, text in asked.items()])
    near = [row(NEIGHBOURS, query_id=name, rank=1, passage_id="bridge#1", score=1.0) for name in ("covered", "far")]
    tables.write(NEIGHBOURS, files("neighbours"), near)
    settings = {"model": READER, "ledger": str(tmp_path / "ledger"), "sampling": {"temperature": 0.5}}
    settings |= {"shown": 5, "votes": 2, "most_rejected": 1}
    paths = [files(name) for name in ("passages", "queries", "neighbours")]
    prompt = "resources/prompts/rate_relevance.yaml"
    rate_relevance(*paths, prompt, files("rated"), files("calls"), **settings)
    rows = {(one["query_id"], one["vote"]): one for one in tables.read(LM_RELEVANCE, files("rated")).to_pylist()}
    assert len(rows) == 6 and all(one["abstained"] is None and one["feedback"] for one in rows.values())
    for vote in (1, 2):
        assert rows["covered", vote]["value"] < rows["far", vote]["value"] <= 1
        assert rows["alone", vote]["value"] > 0.9


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"feedback": "All there.", "score": 1}', (1.0, "All there.", None)),
        ('{"feedback": "Half.", "score": "0.5"}', (0.5, "Half.", None)),
        ('{"feedback": "Much.", "score": 7}', (None, None, "no_verdict")),
        ('{"feedback": "Much.", "score": true}', (None, None, "no_verdict")),
        ('{"feedback": "Much.", "score": [1]}', (None, None, "no_verdict")),
        ('{"score": 1}', (None, None, "no_object")),
        ('{"feedback": "Much.", "score": "NaN"}', (None, None, "no_verdict")),
        ("I cannot help with that.", (None, None, "refusal")),
    ],
)
def test_a_rating_is_a_number_between_0_and_1(text, expected):
    assert rating(text, "stop") == expected
