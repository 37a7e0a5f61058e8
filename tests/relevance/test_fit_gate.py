"""fit_gate and the gate: the p-values of the study's tables, one query or many, in threads, elsewhere; and misuse."""

import json
import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict

import numpy as np
import pytest

from ragassay.base import card, tables
from ragassay.models.batches import padded
from ragassay.models.encoders.embed import tokenized
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.corpora import HELD_OUT_DOCUMENTS, LM_RELEVANCE, NEIGHBOURS, PASSAGES, QUERIES
from ragassay.schemas.relevance import RELEVANCE_SCORES
from ragassay.services import gate_files
from ragassay.services.gate import ANSWER, Gate
from ragassay.services.gate_files import GateError, write_card
from ragassay.studies.relevance import calibration, searched_queries, statistics
from ragassay.studies.relevance.methods import apply_head, fit_head, masked_aurocs, settings
from ragassay.studies.relevance.searched_queries import DocumentClusters
from ragassay.studies.relevance.statistics import CHOSEN, FUSED, LOGISTIC
from rows import place, row, written
from scripts.corpora.hold_out_documents import hold_out_documents
from scripts.relevance.fit_gate import fit_gate
from scripts.relevance.score_relevance import score_relevance
from scripts.search.search_bm25 import search_bm25
from scripts.search.search_dense import search_dense
from study import MINILM

THINGS = "ferry quay glacier council harbour orchard lighthouse census bridge herring cheese choir".split()
DONE = "closed opened moved painted".split()
BY = "fishermen teachers nurses".split()
FAR = ["What is the square root of two?", "Who won the football cup?", "How do bees dance?"]
K = 8
RETRIEVERS = {
    "minilm": {"kind": "dense", "encoder": MINILM, "query_encoder": MINILM, "similarity": "cosine", "titles": "none"},
    "words": {"kind": "bm25", "options": {"divide_by_idf": True}, "titles": "none"},
}
SETTINGS = {
    "temperature": 1.0,
    "alpha": 0.05,
    "confidence": None,
    "strategy": "ask_person",
    "shown": 3,
    "k": K,
    "ks": [4, K],
    "temperatures": [1.0, 0.05],
    "unmasked": False,
}


@pytest.fixture(scope="module")
def kind():
    return Encoder(**MINILM).load()


@pytest.fixture(scope="module")
def small(tmp_path_factory, kind):
    """A folder of tables: a corpus, in-knowledge and other queries, and what two retrievers found for them."""
    folder, draw = tmp_path_factory.mktemp("small"), random.Random(0)
    facts = {f"d{at:02}": (thing, draw.choice(DONE), draw.choice(BY)) for at, thing in enumerate(THINGS * 4)}
    rows = [
        row(PASSAGES, passage_id=name, document_id=name, text=f"{name}: the {thing} was {done} by {by}.")
        for name, (thing, done, by) in facts.items()
    ]
    written(folder, PASSAGES, rows, corpus="small")
    known = [
        row(QUERIES, query_id=f"q{name}", text=f"Who {done} the {thing} in {name}?", passage_id=name)
        for name, (thing, done, _) in facts.items()
    ]
    others = [row(QUERIES, query_id=f"far {at}", text=text) for at, text in enumerate(FAR)]
    paths = [place(folder, PASSAGES, corpus=one) for one in ("small", "small.held_out")]
    hold_out_documents(paths[0], folder / "held_out_documents.parquet", paths[1], 0.5, 0.9, 300)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Encoder, "load", lambda self: kind)
        for name, own in (("known", known), ("far", others)):
            queries = written(folder, QUERIES, own, query_set=name)
            found = [place(folder, NEIGHBOURS, corpus="small", retriever=one, query_set=name) for one in RETRIEVERS]
            search_dense(
                paths[0], queries, found[0], MINILM, MINILM, str(folder / "embeddings"), "none", "cosine", 40
            )  # fmt: skip
            search_bm25(paths[0], queries, found[1], {"divide_by_idf": True}, 40)
    return folder


def fit(small, gate, statistic, retrievers=tuple(RETRIEVERS), queries=None, **more):
    """A gate is fitted to the known queries, or to those of another file."""
    files = place(small, PASSAGES, corpus="small"), small / "held_out_documents.parquet"
    files += (queries or place(small, QUERIES, query_set="known"),)
    found = [place(small, NEIGHBOURS, corpus="small", retriever=one, query_set="known") for one in retrievers]
    about = {one: RETRIEVERS[one] for one in retrievers}
    fit_gate(*files, found, gate, about, str(small / "embeddings"), statistic, **SETTINGS, **more)


@pytest.fixture(scope="module")
def fitted(small, kind):
    """A function that fits a gate by a statistic, once, and gives its folder."""

    def fitted(statistic, retrievers=tuple(RETRIEVERS)):
        gate = small / "gates" / statistic
        if not gate.exists():
            fit(small, gate, statistic, retrievers)
        return gate

    return fitted


@pytest.fixture(autouse=True)
def loaded_once(kind, monkeypatch):
    monkeypatch.setattr(Encoder, "load", lambda self: kind)


def similar(small, name, retriever, k):
    """queries x k scores from the table of neighbours, 0 where there is none."""
    found = {}
    rows = tables.read(NEIGHBOURS, place(small, NEIGHBOURS, corpus="small", retriever=retriever, query_set=name))
    ids = tables.read(QUERIES, place(small, QUERIES, query_set=name))["query_id"].to_pylist()
    for one in rows.to_pylist():
        found.setdefault(one["query_id"], []).append(one["score"])
    return np.array([(found.get(name, []) + [0.0] * k)[:k] for name in ids])


@pytest.mark.parametrize("statistic", ["mss", "energy"])
def test_p_values_are_those_of_the_studys_tables(small, fitted, statistic):
    values = {}
    for name in ("known", "far"):
        paths = [place(small, table, corpus="small", retriever="minilm", query_set=name) for table in (
            QUERIES, NEIGHBOURS, RELEVANCE_SCORES
        )]  # fmt: skip
        given = [place(small, PASSAGES, corpus="small"), *paths]
        score_relevance(*([path] for path in given[:3]), [], given[3:], [], K, SETTINGS["temperature"])
        rows = tables.read(RELEVANCE_SCORES, paths[2]).to_pylist()
        values[name] = [one["value"] for one in rows if one["statistic"] == statistic]
    decisions = Gate.load(fitted(statistic, ("minilm",)))(FAR)
    known = calibration.p_values(values["known"], values["far"])
    assert [one.p_value for one in decisions] == pytest.approx(known, abs=1e-12)
    assert [one.value for one in decisions] == pytest.approx(values["far"], abs=2e-5)
    assert [one.in_knowledge for one in decisions] == [False] * 3 or statistic == "energy"


def test_the_fused_statistic_takes_units_and_calibration_from_different_queries(small, fitted):
    gate = Gate.load(fitted(FUSED))
    fitting = _fitting(small)
    known, far = ([similar(small, name, one, K) for one in RETRIEVERS] for name in ("known", "far"))
    part = [own[fitting] for own in known]
    values = statistics.fused_mss(part, [own[~fitting] for own in known])
    assert gate.calibration == pytest.approx(np.sort(values), abs=1e-9)
    decisions = gate(FAR)
    assert [one.p_value for one in decisions] == pytest.approx(
        calibration.p_values(values, statistics.fused_mss(part, far)), abs=1e-12
    )
    assert {one.action for one in decisions} == {"ask_person"}


def test_a_gate_may_learn_from_masked_queries(small, fitted):
    gate = Gate.load(fitted(LOGISTIC))
    fitting = _fitting(small)
    asked = _asked(small)
    known, masked = ([way(one, K) for one in RETRIEVERS] for way in (asked.nearest, asked.masked))
    head = fit_head([scores[fitting] for scores in known], [scores[fitting] for scores in masked])
    assert gate.calibration == pytest.approx(np.sort(apply_head(head, known)[~fitting]), abs=1e-4)
    values = apply_head(head, [similar(small, "far", one, K) for one in RETRIEVERS])
    decisions = gate(FAR)
    assert [one.value for one in decisions] == pytest.approx(values, abs=1e-2)
    assert [one.p_value for one in decisions] == pytest.approx(calibration.p_values(gate.calibration, values))
    assert not any(one.in_knowledge for one in decisions)


@pytest.fixture
def read(small, tmp_path):
    """A gate whose in-knowledge queries were read, and what the reader said: more of those whose number is even."""
    ids = tables.read(QUERIES, place(small, QUERIES, query_set="known"))["query_id"].to_pylist()
    said = {name: 0.1 + at % 5 / 20 for at, name in enumerate(ids)}
    rows = [
        row(LM_RELEVANCE, query_id=name, vote=vote, value=value + way, rater="clever", prompt="ab")
        for name, value in said.items()
        for vote, way in ((1, 0.05), (2, -0.05))
    ]
    keys = {"rater": "clever", "corpus": "small", "retriever": "minilm", "query_set": "known"}
    votes = written(tmp_path, LM_RELEVANCE, rows, **keys)
    fit(small, tmp_path / "gate", FUSED, lm_relevance=[votes], read=4)
    return tmp_path / "gate", np.array([said[name] for name in ids])


def test_a_reader_is_a_third_signal_with_a_calibration_of_its_own(small, fitted, read):
    folder, said = read
    fitting = _fitting(small)
    known, far = ([similar(small, name, one, K) for one in RETRIEVERS] for name in ("known", "far"))
    part = [own[fitting] for own in known]
    of_known, of_far = statistics.fused_mss(part, known), statistics.fused_mss(part, far)

    def together(values, unread):
        pairs = (values, of_known[fitting]), (unread, said[fitting])
        return sum((own - units.mean()) / units.std() for own, units in pairs)

    asked = []

    def reader(query, passages):
        asked.append((query, passages))
        return 0.05 if query == FAR[0] else 0.9

    gate = Gate.load(folder, reader=reader)
    calibrated = np.sort(together(of_known, said)[~fitting])
    assert gate.calibration == pytest.approx(calibrated, abs=1e-9)
    decisions = gate(FAR)
    values = together(of_far, 1 - np.array([0.05, 0.9, 0.9]))
    assert [one.value for one in decisions] == pytest.approx(values, rel=1e-4)
    assert [one.p_value for one in decisions] == pytest.approx(calibration.p_values(calibrated, values))
    assert [query for query, _ in asked] == FAR and all(len(passages) == 4 for _, passages in asked)
    assert [passages[:3] for _, passages in asked] == [one.passages for one in decisions]
    assert gate.about["reader"]["model"] == "clever" and gate.about["reader"]["prompt"] == "ab"


def test_without_the_reader_the_gate_is_the_one_of_similarities(fitted, read):
    plain, alone = Gate.load(fitted(FUSED)), Gate.load(read[0])
    assert alone.calibration.tolist() == plain.calibration.tolist() and alone(FAR) == plain(FAR)


def test_a_reader_that_says_nothing_usable_opens_no_gate(fitted, read):
    with pytest.raises(GateError, match="calibrated without one; set relevance"):
        Gate.load(fitted(FUSED), reader=lambda query, passages: 1.0)
    for wrong in (None, 1.2, float("nan"), "0.4", True):
        with pytest.raises(GateError, match=f"the reader gave {wrong!r} for the query .*expected a number from 0 to 1"):
            Gate.load(read[0], reader=lambda query, passages, wrong=wrong: wrong)(FAR[0])


def test_queries_that_the_reader_gave_no_score_calibrate_nothing(small, read, tmp_path):
    votes = place(tmp_path, LM_RELEVANCE, rater="clever", corpus="small", retriever="minilm", query_set="known")
    rows = tables.read(LM_RELEVANCE, votes).to_pylist()
    lost = {row["query_id"] for row in rows[::8]}
    tables.write(LM_RELEVANCE, votes, [row | {"value": None} if row["query_id"] in lost else row for row in rows])
    fit(small, tmp_path / "other", FUSED, lm_relevance=[votes], read=4)
    counts = [len(Gate.load(folder, reader=lambda *_: 1.0).calibration) for folder in (read[0], tmp_path / "other")]
    fitting = _fitting(small)
    ids = tables.read(QUERIES, place(small, QUERIES, query_set="known"))["query_id"].to_numpy()
    assert counts[0] - counts[1] == np.isin(ids[~fitting], [*lost]).sum() > 0


def test_a_gate_may_choose_its_statistic(small, fitted):
    gate = Gate.load(fitted(CHOSEN, ("minilm",)))
    asked = _asked(small)
    fitting = _fitting(small)
    candidates = list(settings(SETTINGS["ks"], SETTINGS["temperatures"]))
    pairs = asked.nearest("minilm", K)[fitting], asked.masked("minilm", K)[fitting]
    best = candidates[int(np.argmax(masked_aurocs(*pairs, candidates)))]
    assert tuple(gate.about["statistic"][name] for name in ("name", "k", "temperature")) == best
    assert gate.calibration == pytest.approx(np.sort(best.of(asked.nearest("minilm", K)[~fitting])), abs=1e-9)
    assert [one.value for one in gate(FAR)] == pytest.approx(best.of(similar(small, "far", "minilm", K)), abs=2e-5)


@pytest.mark.parametrize("statistic", [LOGISTIC, CHOSEN])
def test_a_statistic_that_learns_needs_queries_with_their_texts(small, tmp_path, statistic):
    rows = tables.read(QUERIES, place(small, QUERIES, query_set="known")).to_pylist()
    queries = written(tmp_path, QUERIES, [one | {"passage_id": None} for one in rows], query_set="known")
    with pytest.raises(GateError, match=r"known: found no query that names a text .* give each its passage_id"):
        fit(small, tmp_path, statistic, queries=queries)


def _asked(small):
    clusters = DocumentClusters(place(small, PASSAGES, corpus="small"), small / "held_out_documents.parquet")
    found = {one: place(small, NEIGHBOURS, corpus="small", retriever=one, query_set="known") for one in RETRIEVERS}
    return searched_queries.read("known", place(small, QUERIES, query_set="known"), found, clusters)


def _fitting(small):
    """Which known queries fit, by the clusters of their documents."""
    rows = tables.read(QUERIES, place(small, QUERIES, query_set="known")).to_pylist()
    known = tables.read(HELD_OUT_DOCUMENTS, small / "held_out_documents.parquet").to_pylist()
    cluster = {one["document_id"]: one["cluster_id"] for one in known}
    return searched_queries.fits([f"document {cluster[one['passage_id']]}" for one in rows])


def test_a_known_query_is_answered_from_its_passage(small, fitted):
    query = tables.read(QUERIES, place(small, QUERIES, query_set="known"))["text"][0].as_py()
    decision = Gate.load(fitted(FUSED))(query)
    assert decision.in_knowledge and decision.action == ANSWER
    assert decision.passages[0] == "d00" and len(decision.passages) == len(decision.scores) == 3
    assert decision.scores == sorted(decision.scores, reverse=True)


def test_one_query_many_queries_and_threads_give_the_same(fitted):
    queries = [f"Who {done} the {thing}?" for thing in THINGS for done in DONE][:24] + FAR
    together = Gate.load(fitted(FUSED))(queries)
    gate = Gate.load(fitted(FUSED))
    with ThreadPoolExecutor(8) as threads:
        single = list(threads.map(gate, queries))
    assert [one.query for one in single] == queries
    for one, other in zip(single, together, strict=True):
        assert one.passages[0] == other.passages[0]
        assert one.value == pytest.approx(other.value, abs=2e-3)
    assert gate([]) == []


def test_a_gate_can_be_moved_and_holds_the_vectors_on_disk(fitted, tmp_path, small):
    gate = shutil.copytree(fitted(FUSED), tmp_path / "elsewhere")
    moved = Gate.load(gate)
    assert asdict(moved(FAR[0])) == asdict(Gate.load(fitted(FUSED))(FAR[0]))
    assert isinstance(moved._searchers[0]._passages, np.memmap)
    (gate / "minilm.npy").rename(gate / "other.npy")
    with pytest.raises(GateError, match=r"minilm\.npy: no such file, expected one of \d+ bytes; fit the gate again"):
        Gate.load(gate)


@pytest.mark.parametrize("query", ["", " \n", None])
def test_an_empty_query_is_refused_in_one_line(fitted, query):
    with pytest.raises(GateError, match="as query 2 of 2, expected a text") as error:
        Gate.load(fitted(FUSED))(["Who?", query])
    assert "\n" not in str(error.value)


def test_a_query_that_shares_no_word_with_any_passage_is_out_of_knowledge(fitted):
    gate = Gate.load(fitted("avg_knn", ("words",)))
    strange, known = gate(["Zzyzx qwertz?", "Who painted the ferry?"])
    assert not strange.in_knowledge and strange.passages == strange.scores == [] and strange.value == 0
    assert known.value < 0 and len(known.passages) == 3


def change(gate, **values):
    """Other parts of a card, which is signed again."""
    about = json.loads((gate / "gate.json").read_text()) | values
    card.write(gate / "gate.json", gate_files.FORM, about)


def test_misuse_is_one_clear_line(fitted, tmp_path, monkeypatch):
    gate = shutil.copytree(fitted(FUSED), tmp_path / "gate")
    with pytest.raises(
        GateError, match=r"gates.gate\.json: cannot read it .*\(did you mean .*gate\?\); fit the gate again"
    ):
        Gate.load(tmp_path / "gates")
    content = bytearray((gate / "minilm.npy").read_bytes())
    content[-3] ^= 1
    (gate / "minilm.npy").write_bytes(content)
    with pytest.raises(GateError, match=r"minilm\.npy: found other content than when the gate was fitted"):
        Gate.load(gate)(FAR)


HEAD = {"outer.weight": [1.0] * 3, "outer.bias": [0.0]}  # of one searcher
UNFIT = {"name": "fused", "k": 3, "temperature": 1.0}


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({"confidence": 1}, "confidence: found 1, expected a share below 1, or nothing"),
        ({"false_alarms": {"expected": 0.05}}, "false_alarms: found .*, expected the expected and the highest share"),
        ({"alpha": 2}, "alpha: found 2, expected a number between 0 and 1"),
        ({"strategy": "shrug"}, "strategy: found 'shrug', expected one of reject"),
        ({"passages": 0}, "passages: found 0, expected a number of passages"),
        ({"order": "minilm"}, "order: found 'minilm', expected names of searchers"),
        ({"order": ["elsewhere"]}, "found no searcher 'elsewhere'"),
        ({"searchers": {"minilm": {"kind": "dense"}}}, "searchers: found .*, expected searchers with their encoders"),
        ({"statistic": UNFIT}, "statistic: found units None, expected a mean and a spread"),
        ({"statistic": UNFIT | {"units": [[0.5, 0], [0.5, 0.1]]}}, r"statistic: found units \[\[0.5, 0\], "),
        ({"statistic": UNFIT | {"units": [[0.5, 0.1]]}}, "found numbers for other searchers than it has"),
        ({"statistic": UNFIT | {"name": "logistic"}}, "statistic: found the head None, expected its weights"),
        ({"statistic": UNFIT | {"name": "logistic", "head": HEAD}}, "found numbers for other searchers than it has"),
        ({"statistic": {"name": "mss", "k": 0, "temperature": 1}}, "statistic: found .*, expected k and a temperature"),
        ({"files": {"calibration.npy": {}}}, "files: expected names with sizes and digests"),
    ],
)
def test_a_damaged_gate_is_refused_when_it_is_loaded(fitted, tmp_path, values, line):
    gate = shutil.copytree(fitted(FUSED), tmp_path / "gate")
    change(gate, **values)
    with pytest.raises(GateError, match=rf"gate\.json: {line}"):
        Gate.load(gate)


@pytest.mark.parametrize("values", [[], [0.1, np.nan] * 40, [0.5, 0.1] * 40, ["a"] * 40, [0.1, 0.2], [[0.1]] * 40])
def test_statistics_that_would_let_all_pass_or_none_are_refused(fitted, tmp_path, values):
    gate = shutil.copytree(fitted(FUSED), tmp_path / "gate")
    np.save(gate / "calibration.npy", np.array(values))
    about = json.loads((gate / "gate.json").read_text())
    write_card(gate, {name: value for name, value in about.items() if name != "files"})
    with pytest.raises(GateError, match=r"cannot read it .statistics: found |found [02] queries that calibrate"):
        Gate.load(gate)


def test_another_encoder_is_refused(fitted, monkeypatch):
    monkeypatch.setattr(Encoder, "digest", "feedfacefeedface")
    with pytest.raises(
        GateError, match=r"with the digest feedfacefeedface, expected [0-9a-f]{16}, with which the gate"
    ):
        Gate.load(fitted(FUSED))(FAR)


def test_too_few_queries_cannot_calibrate(small, fitted, tmp_path):
    few = tmp_path / "known.parquet"
    tables.write(QUERIES, few, tables.read(QUERIES, place(small, QUERIES, query_set="known")).slice(0, 9))
    with pytest.raises(calibration.CalibrationError, match=r"query set known in .*: found 9 in-knowledge queries"):
        fit(small, tmp_path / "g", "mss", ("minilm",), few)


def test_an_encoder_of_the_service_takes_the_place_of_the_weights(fitted, kind, monkeypatch):
    def embed(texts):
        return [kind.vectors(*padded([tokens], kind.pad))[0] for tokens in tokenized(kind, texts)]

    expected = Gate.load(fitted(FUSED))(FAR)
    monkeypatch.setattr(Encoder, "load", None)
    monkeypatch.setattr(Encoder, "digest", "no weights are read")
    gate = Gate.load(fitted(FUSED), embed=embed)
    assert [one.action for one in gate(FAR)] == [one.action for one in expected] and gate([]) == []
    assert [one.value for one in gate(FAR)] == pytest.approx([one.value for one in expected], abs=1e-3)
    for_each = Gate.load(fitted(FUSED), embed={"minilm": embed})
    assert for_each(FAR[0]) == gate(FAR[0])


@pytest.mark.parametrize(
    ("embed", "line"),
    [
        (
            lambda texts: np.ones((len(texts), 384)),
            r"embed gives another vector than the encoder of the fitting \(cosine ",
        ),
        (lambda texts: np.zeros((len(texts), 384)), "embed gives another vector"),
        (
            lambda texts: np.ones((len(texts), 12)),
            r"found \(1, 12\) for 1 queries, .* expected 1 vectors of 384 numbers",
        ),
        (lambda texts: np.full((len(texts), 384), np.nan), "or a number that is not finite"),
        (lambda texts: ["none"], "cannot use what embed gave for 1 queries"),
        ("minilm", "found embed 'minilm', expected a function of a list of queries, or one for each of minilm"),
        ({"words": len}, "expected a function of a list of queries"),
    ],
)
def test_an_encoder_that_is_not_that_of_the_fitting_is_refused(fitted, embed, line):
    with pytest.raises(GateError, match=line):
        Gate.load(fitted(FUSED), embed=embed)


def test_a_gate_without_vectors_takes_no_encoder(fitted):
    with pytest.raises(GateError, match="no retriever, since this gate embeds nothing"):
        Gate.load(fitted("avg_knn", ("words",)), embed=len)
