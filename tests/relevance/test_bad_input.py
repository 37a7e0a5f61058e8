"""What cannot be measured ends in one line, at the stage where the user meets it: what, where, and what to do."""

import json

import numpy as np
import pyarrow as pa
import pytest

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES, QUERIES
from ragassay.schemas.relevance import RELEVANCE_SCORES
from ragassay.schemas.report import METRICS
from ragassay.services.gate import Gate
from rows import place, written
from scripts.corpora.hold_out_documents import hold_out_documents
from scripts.relevance.fit_gate import fit_gate
from scripts.relevance.measure_relevance import measure_relevance
from scripts.relevance.score_relevance import score_relevance

WORDS = {"kind": "bm25", "options": {"divide_by_idf": True}, "titles": "none"}
GATE = {
    "statistic": "mss",
    "temperature": 1.0,
    "confidence": None,
    "strategy": "reject",
    "shown": 3,
    "embeddings": "",
    "unmasked": False,
    "ks": [8],
    "temperatures": [1.0],
}


@pytest.fixture
def replaced(files, study, tmp_path):
    """A function that changes the rows of one table in a copy; gives the files with that of the copy."""

    def replaced(table, change, **keys):
        old = place(study, table, **keys)
        new = written(tmp_path, table, change(tables.read(table, old)), **keys)
        return files | {table.name: [str(new) if path == str(old) else path for path in files[table.name]]}

    return replaced


@pytest.fixture
def measure(entry, options, tmp_path):
    """A function that measures files; gives the metric rows, with keys as a dict."""

    def measure(files, **changes):
        shared = {"resamples": 0, "flips": 9, "seed": 0}
        metrics = tmp_path / "metrics.parquet"
        measure_relevance(**files, metrics=metrics, sets={"one": entry}, options=options | changes, **shared)
        return [row | {"keys": json.loads(row["keys"])} for row in tables.read(METRICS, metrics).to_pylist()]

    return measure


@pytest.fixture
def fit(study, tmp_path):
    """A function that fits a gate to a table of neighbours."""

    def fit(neighbours, k=8):
        gate = tmp_path / "gate"
        given = place(study, PASSAGES, corpus="small"), study / "held_out_documents/small.parquet"
        queries = place(study, QUERIES, query_set="natural")
        fit_gate(*given, queries, [neighbours], gate, {"words": WORDS}, k=k, alpha=0.1, **GATE)
        return gate

    return fit


def one_line(error):
    assert isinstance(error.value, AssayError) and "\n" not in str(error.value)


def column(name, values):
    """A change of one column."""
    return lambda rows: rows.set_column(rows.column_names.index(name), name, values(rows))


def constant(rows):
    return pa.array(np.full(len(rows), 0.5))


def undefined(rows):
    return pa.array(np.where(np.arange(len(rows)) == 7, np.nan, rows["score"].to_numpy()), from_pandas=False)


NATURAL = {"corpus": "small", "retriever": "dense", "query_set": "natural"}
SCORES = [
    (constant, "query set natural.* found the score -?0.5 for all 120 queries, expected scores that differ"),
    (undefined, "natural, dense: found a score that is no finite number; check the vectors"),
]


@pytest.mark.parametrize(("values", "message"), SCORES)
def test_scores_that_tell_nothing_calibrate_nothing(replaced, measure, fit, values, message):
    files = replaced(NEIGHBOURS, column("score", values), **NATURAL)
    with pytest.raises(AssayError, match=message) as error:
        measure(files)
    one_line(error)
    changed = next(path for path in files["neighbours"] if path.endswith("small/dense/natural.parquet"))
    with pytest.raises(AssayError, match=message.replace("dense", "words")) as error:
        fit(changed)
    one_line(error)


def test_a_corpus_needs_as_many_passages_as_the_largest_k(files, study, measure, fit, tmp_path):
    with pytest.raises(
        AssayError, match=r"found 120 passages, expected at least k = 200; .*lower .*relevance\.ks"
    ) as error:
        measure(files, ks=[8, 200])
    one_line(error)
    with pytest.raises(AssayError, match=r"natural, held out, dense: found \d+ passages, expected at least k = 100"):
        measure(files, ks=[8, 100])
    inputs = [place(study, PASSAGES, corpus="small")], [place(study, QUERIES, query_set="natural")]
    neighbours = place(study, NEIGHBOURS, **NATURAL)
    with pytest.raises(AssayError, match="found 120 passages, expected at least k = 121"):
        score_relevance(*inputs, [neighbours], [], [tmp_path / "scores.parquet"], [], k=121, temperature=1.0)
    with pytest.raises(AssayError, match="natural, words: found 120 passages, expected at least k = 121"):
        fit(neighbours, k=121)


@pytest.mark.parametrize("name", ["near", "far"])
def test_a_set_of_one_query_is_refused(replaced, measure, name):
    with pytest.raises(
        AssayError, match=f"query set {name}: found 1 queries, expected at least 2; add .*sets"
    ) as error:
        measure(replaced(QUERIES, lambda rows: rows.slice(0, 1), query_set=name))
    one_line(error)


def test_a_query_that_shares_no_word_with_any_passage_is_out_of_knowledge(replaced, measure, study, tmp_path):
    keys = {"corpus": "small", "retriever": "words", "query_set": "far"}
    files = replaced(NEIGHBOURS, lambda rows: rows.filter(pa.compute.not_equal(rows["query_id"], "far 003")), **keys)
    areas = [row for row in measure(files) if row["table"] == "methods" and row["metric"] == "auroc"]
    assert all(np.isfinite(row["value"]) and row["abstained"] == 0 for row in areas)
    changed = next(path for path in files["neighbours"] if path.endswith("small/words/far.parquet"))
    inputs = [place(study, PASSAGES, corpus="small")], [place(study, QUERIES, query_set="far")], [changed]
    score_relevance(*inputs, [], [tmp_path / "scores.parquet"], [], k=8, temperature=1.0)
    found = tables.read(RELEVANCE_SCORES, tmp_path / "scores.parquet").to_pandas()
    mss = found[found["statistic"] == "mss"].set_index("query_id")["value"]
    assert mss["far 003"] == 0 == mss.max() and len(mss) == 70


def test_in_knowledge_queries_have_to_be_about_documents_of_the_corpus(replaced, measure):
    elsewhere = column("passage_id", lambda rows: pa.array([f"page {at}" for at in range(len(rows))]))
    expected = "query set natural: found 120 queries about passages or documents such as 'page 0', none of which is in"
    with pytest.raises(AssayError, match=expected) as error:
        measure(replaced(QUERIES, elsewhere, query_set="natural"))
    one_line(error)


@pytest.fixture
def fit_synthetic(study, tmp_path):
    """A function that fits a gate to synthetic queries; gives it."""

    def fit_synthetic(passages, unmasked=False):
        rows = tables.read(QUERIES, place(study, QUERIES, query_set="natural")).to_pylist()
        known = [row | {"kind": "synthetic", "passage_id": passages(row["passage_id"])} for row in rows]
        queries, gate = written(tmp_path, QUERIES, known, query_set="natural"), tmp_path / "gate"
        given = place(study, PASSAGES, corpus="small"), study / "held_out_documents/small.parquet", queries
        neighbours = [place(study, NEIGHBOURS, **NATURAL)]
        fit_gate(*given, neighbours, gate, {"words": WORDS}, k=8, alpha=0.1, **GATE | {"unmasked": unmasked})
        return Gate.load(gate)

    return fit_synthetic


def test_synthetic_queries_that_cannot_be_masked_make_no_gate_unless_that_is_accepted(fit_synthetic):
    expected = r"natural: found 120 synthetic queries, .* name no passage .* bring 90 or .* relevance\.gate\.unmasked"
    for passages in (lambda _: None, lambda _: "another corpus's"):
        with pytest.raises(AssayError, match=expected) as error:
            fit_synthetic(passages)
        one_line(error)
    assert fit_synthetic(lambda _: None, unmasked=True).about["synthetic"]
    assert fit_synthetic(lambda name: name).about["synthetic"]


def test_a_gate_of_peoples_queries_is_not_synthetic(fit, study):
    assert not Gate.load(fit(place(study, NEIGHBOURS, **NATURAL))).about["synthetic"]


def test_an_empty_corpus_is_refused(study, tmp_path):
    passages = written(tmp_path, PASSAGES, [], corpus="empty")
    with pytest.raises(AssayError, match=r"empty\.parquet: found no passage, expected at least one") as error:
        hold_out_documents(passages, tmp_path / "out.parquet", tmp_path / "known.parquet", 0.5, 0.6, 300)
    one_line(error)
