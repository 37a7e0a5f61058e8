"""choose_examples: synthetic queries beside their passages, and a model's clearest misses."""

import pytest

from ragassay.base import tables
from ragassay.base.chance import lot
from ragassay.schemas.corpora import HELD_OUT_DOCUMENTS, LM_RELEVANCE, NEIGHBOURS, PASSAGES, QUERIES
from ragassay.schemas.relevance import QUERY_VERDICTS
from ragassay.schemas.report import ANSWER_EXAMPLES, EXAMPLES
from ragassay.studies.relevance.searched_queries import fits
from rows import place, row, written
from scripts.relevance.choose_examples import choose_examples

UNKNOWN = {"far": "far", "near": "near"}
SOURCES = {"made": {"corpus": "c", "source": "written by m"}, "taken": {"corpus": "c", "source": "sentence of a text"}}
# The value of each vote: 1 minus the score.
VOTES = {
    "known": {f"k{at}": 0.0 for at in range(7)},
    "near": {"n0": 0.2, "n1": None},
    "far": {"f0": 0.6, "f1": 0.2, "f2": 0.9},
}

# The p-value of each verdict of a gate, and the nearest passage.
GATED = {
    "known": {f"k{at}": (at / 120, f"p{at % 6}") for at in range(7)},  # the last is at .05
    "far": {"f0": (0.01, "p0"), "f1": (0.4, None), "f2": (0.06, "p2")},
    "near": {"n0": (0.9, "p3"), "n1": (0.04, "p3")},
    "made": {"made 0": (0.001, "p0")},
}


@pytest.fixture
def chosen(tmp_path):
    """title -> [(part, text)] of each example, in their order."""
    texts = {f"p{at}": f"Text {at}." for at in range(6)}
    rows = [row(PASSAGES, passage_id=name, document_id=name, text=text) for name, text in texts.items()]
    written(tmp_path, PASSAGES, rows, corpus="c")
    queries = {
        name: [row(QUERIES, query_id=one, text=f"What is {one}?") for one in votes] for name, votes in VOTES.items()
    }
    for name in SOURCES:
        more = {"options": ["yes", "no"], "answers": ["no"]} if name == "made" else {}
        queries[name] = [
            row(QUERIES, query_id=f"{name} {at}", text=f"Is it {at}?", passage_id=f"p{at}", **more) for at in range(5)
        ]
    for name, own in queries.items():
        written(tmp_path, QUERIES, own, query_set=name)
    for name, votes in VOTES.items():
        keys = {"corpus": "c", "retriever": "r", "query_set": name}
        found = [
            row(NEIGHBOURS, query_id=one, rank=rank, passage_id=f"p{rank + 1}", score=1 / rank)
            for one in votes
            for rank in (1, 2, 3)
            if one != "n0"
        ]
        written(tmp_path, NEIGHBOURS, found, **keys)
        rated = [
            row(LM_RELEVANCE, query_id=one, vote=vote, value=value, feedback=None if value is None else f"says {value}")
            for one, value in votes.items()
            for vote in (1, 2)
        ]
        written(tmp_path, LM_RELEVANCE, rated, rater="m", **keys)
    for name, verdicts in GATED.items():
        verdicts = [
            row(QUERY_VERDICTS, query_id=one, p_value=p, rejected=p <= 0.05, passage_id=passage)
            for one, (p, passage) in verdicts.items()
        ]
        written(tmp_path, QUERY_VERDICTS, verdicts, corpus="c", retriever="r", query_set=name)
    names = ("passages", "queries", "neighbours", "lm_relevance", "query_verdicts")
    files = {name: sorted(map(str, (tmp_path / name).rglob("*.parquet"))) for name in names}
    examples, answered = tmp_path / "examples/relevance.parquet", tmp_path / "answer_examples.parquet"
    part = {"study": "relevance", "title": "before a gate", "part": "Query", "text": "Why?"}
    tables.write(ANSWER_EXAMPLES, answered, [row(ANSWER_EXAMPLES, example=at, position=1, **part) for at in (1, 2)])
    choose_examples(
        **files, answer_examples=[answered], examples=examples, sources=SOURCES, unknown={"c": UNKNOWN}, shown=2,
        held_out_documents=[], in_knowledge=[],
    )  # fmt: skip
    found = {}
    for one in tables.read(EXAMPLES, examples).to_pylist():
        found.setdefault((one["example"], one["title"]), []).append((one["part"], one["text"]))
    return found


def test_each_source_has_two_queries_with_the_passage_they_come_from(chosen):
    assert [title for _, title in chosen][:4] == [
        *["synthetic query, written by m"] * 2, *["synthetic query, sentence of a text"] * 2
    ]  # fmt: skip
    parts = [dict(own) for (_, title), own in chosen.items() if title.startswith("synthetic")]
    assert all(own["Passage"] == f"Text {own['Query'][6]}." for own in parts)
    assert parts[0]["Options"] == "yes\nno" and parts[0]["Answer"] == "no" and "Options" not in parts[2]
    assert len({own["Query"] for own in parts[:2]}) == 2


def test_the_most_surprising_verdicts_of_a_gate_are_shown_with_the_nearest_passage(chosen):
    shown = [(title, dict(own)) for (_, title), own in chosen.items() if "gate" in title and "p =" in title]
    turned_away = [(title, own["Query"], own["Passage"]) for title, own in shown[:5]]
    assert turned_away == [
        (f"in-knowledge query that the gate turns away, p = {at / 120:.3f}", f"What is k{at}?", f"Text {at}.")
        for at in range(5)
    ]
    passed = [(title, own["Query"], own["Query set"], own.get("Passage")) for title, own in shown[5:]]
    assert passed == [
        ("out-of-knowledge query (near) that the gate lets pass, p = 0.900", "What is n0?", "near", "Text 3."),
        ("out-of-knowledge query (far) that the gate lets pass, p = 0.400", "What is f1?", "far", None),
        ("out-of-knowledge query (far) that the gate lets pass, p = 0.060", "What is f2?", "far", "Text 2."),
    ]


@pytest.mark.parametrize("step", [1, 0])
def test_held_out_queries_with_a_text_as_near_as_others_are_shown_nearest_first(files, tmp_path, step):
    """Five queries about held-out documents find a text at once; one of them fits, and three are shown. Lots choose
    where all are equally near.
    """
    names = ("passages", "held_out_documents", "queries", "neighbours")
    given = {name: files[name] for name in names} | {"lm_relevance": [], "query_verdicts": [], "answer_examples": []}
    documents = tables.read(HELD_OUT_DOCUMENTS, given["held_out_documents"][0]).to_pylist()
    out = {one["document_id"] for one in documents if one["held_out"]}
    queries = next(path for path in given["queries"] if path.endswith("natural.parquet"))
    asked = {one["query_id"]: one for one in tables.read(QUERIES, queries).to_pylist() if one["passage_id"]}
    about = {name: one["passage_id"].split("#")[0] for name, one in asked.items()}
    gone = [name for name in sorted(asked) if about[name] in out]
    tested = [name for name in gone if not fits([f"document {about[name]}"])[0]][:4]
    fitting = next(name for name in gone if fits([f"document {about[name]}"])[0])
    raised = {name: 10 + step * at for at, name in enumerate([*tested, fitting])}
    [found] = [path for path in given["neighbours"] if path.endswith("small.held_out/dense/natural.parquet")]
    rows = tables.read(NEIGHBOURS, found).to_pylist()
    rows = [row | {"score": raised.get(row["query_id"], row["score"]) + 1 / row["rank"]} for row in rows]
    near = place(tmp_path, NEIGHBOURS, corpus="small.held_out", retriever="dense", query_set="natural")
    tables.write(NEIGHBOURS, near, rows)
    settings = {"sources": {}, "unknown": {}, "shown": 2, "in_knowledge": [["small", "dense", "natural"]]}
    choose_examples(**given | {"neighbours": [near]}, examples=tmp_path / "examples.parquet", **settings)
    shown = tables.read(EXAMPLES, tmp_path / "examples.parquet").to_pylist()
    expected = tested[:0:-1] if step else sorted(tested, key=lambda name: lot("example", name))[:3]
    assert [one["text"] for one in shown if one["part"] == "Query"] == [asked[name]["text"] for name in expected]
    assert {one["title"] for one in shown} == {"held-out query that this text may answer"}
    first = {row["query_id"]: row["passage_id"] for row in rows if row["rank"] == 1}
    texts = {}
    for path in given["passages"]:
        texts |= {one["passage_id"]: one["text"] for one in tables.read(PASSAGES, path).to_pylist()}
    passages = [one["text"] for one in shown if one["part"] == "Passage"]
    assert passages == [texts[first[name]] for name in expected]


def test_misses_are_the_highest_scores_of_queries_out_of_knowledge_one_far_and_one_near(chosen):
    misses = {title: dict(own) for (_, title), own in chosen.items() if "score" in title}
    assert list(misses) == [
        "relevance score 0.80 by m for an out-of-knowledge query (far)",
        "relevance score 0.80 by m for an out-of-knowledge query (near)",
    ]
    far, near = misses.values()
    same = {"Query set": "far", "Feedback": "says 0.2"}
    assert far == same | {"Query": "What is f1?", "Passage 1": "Text 2.", "Passage 2": "Text 3."}
    assert near == {"Query": "What is n0?", "Query set": "near", "Feedback": "says 0.2"}


def test_what_was_answered_before_a_gate_comes_last_with_numbers_of_its_own(chosen):
    numbers = [number for number, _ in chosen]
    assert numbers == list(range(1, len(chosen) + 1))
    assert [title for _, title in chosen][-2:] == ["before a gate"] * 2
