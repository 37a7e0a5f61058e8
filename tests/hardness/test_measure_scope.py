"""measure_scope: counts follow the tables, intervals the documents, and the section shows all of it."""

import pytest

from described import shown
from ragassay.base import tables
from ragassay.base.chance import split_of
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS, HARDNESS_SCORES, HARDNESS_STRATA
from ragassay.schemas.relevance import DRIFT
from ragassay.schemas.report import EXAMPLES, METRICS
from ragassay.schemas.scope_questions import CLAIMS, NOVEL_CLAIMS, RECOVERED_CLAIMS, SCOPE_LABELS, SELECTED_QUESTIONS
from rows import row, values_of, written
from scripts.hardness import measure_scope as stage
from scripts.hardness.measure_scope import measure_scope

TOPICS = {"d1": "food", "d2": "food", "d3": None, "d4": "sport"}
# document, intended, label: four questions per document but the last, which has none
ASKED = [(doc, "out_of_scope" if n < 2 else "in_scope", n) for doc in ("d1", "d2", "d3") for n in range(4)]
STATUS = {("out_of_scope", "out_of_scope"): "kept", ("in_scope", "in_scope"): "kept", "tie": "undecided"}


def label(doc, intended, number):
    """The judge agrees but for two questions: one of d1 is disputed, one of d2 is a tie."""
    return {("d1", 0): "in_scope", ("d2", 3): "tie"}.get((doc, number), intended)


def study(generator="g", judge="j"):
    """table -> rows, of one generator and judge; claims in two slots, guessed in two rounds, all novel but one."""
    slots = [(doc, slot) for doc in ("d1", "d2", "d3") for slot in (1, 2)]
    guesses = [
        {"doc_id": doc, "slot": slot, "round": turn, "recovered_id": f"{doc}-{turn}-{slot}"}
        for doc, slot in slots
        for turn in (1, 2)
    ]
    questions, labels, near, scores = [], [], [], []
    for doc, intended, number in ASKED:
        said = label(doc, intended, number)
        same = {"question_id": f"{doc}-q{number}", "doc_id": doc}
        own = {"intended": intended, "slot": number % 2 + 1, "n_words": 13 + number, "split": split_of(doc)}
        own |= {"label": said, "status": STATUS.get((intended, said), STATUS.get(said, "disputed")), "text": "Why?"}
        own["recovered_id"] = f"{doc}-2-{number + 1}" if intended == "out_of_scope" else None
        questions.append(row(SELECTED_QUESTIONS, **same, **own, generator=generator, judge=judge))
        labels.append(row(SCOPE_LABELS, **same, label=said))
        near.append(row(HARDNESS, **same, nearness=0.5 + number / 10, intended=intended))
        scores.append(row(HARDNESS_SCORES, **same, shard="s", score=0.5, hard=number == 1))
    numbers = {"n_in_scope": 5, "auroc": 0.7, "auroc_low": 0.6, "auroc_high": 0.8, "n_hard": 3, "share": 0.6}
    hard = {"position": 0, "stratum": "below 0.60", "n_out_of_scope": 3, "hard": True, "grade": "hard"}
    every = {"position": 1, "stratum": "all", "n_out_of_scope": 5, "hard": False, "grade": "easy"}
    topics = [{"doc_id": doc, "cluster_id": doc, "topic": topic} for doc, topic in TOPICS.items()]
    refused = {"stage": "write_questions", "shard": "s", "reason": "too_long", "detail": ""}
    return {
        DOCUMENTS: [row(DOCUMENTS, **own, n_words=100) for own in topics],
        CLAIMS: [row(CLAIMS, doc_id=doc, slot=slot, text="A claim.") for doc, slot in slots],
        RECOVERED_CLAIMS: [row(RECOVERED_CLAIMS, **guess, text="A guess.") for guess in guesses],
        DRIFT: [row(DRIFT, **guess, to_original=0.8 - guess["round"] / 5) for guess in guesses],
        NOVEL_CLAIMS: [row(NOVEL_CLAIMS, doc_id=doc, slot=slot) for doc, slot in slots[1:]],
        SCOPE_LABELS: labels,
        SELECTED_QUESTIONS: questions,
        HARDNESS: near,
        HARDNESS_SCORES: scores,
        HARDNESS_STRATA: [row(HARDNESS_STRATA, **stratum, **numbers) for stratum in (hard, every)],
        tables.REJECTS: [{**refused, "item": str(number)} for number in range(3)],
    }


def measure(folder, *others, study=study):
    """Run the stage on the study's own models and others; gives the metrics' path."""
    paths = {}
    for pair in [("g", "j"), *others]:
        for table, rows in study(*pair).items():
            if pair == ("g", "j") or table in (SELECTED_QUESTIONS, HARDNESS_STRATA):
                path = written(folder, table, rows, generator=pair[0], judge=pair[1])
                paths.setdefault(table.name, []).append(path)
    made = {name: folder / f"{name}.parquet" for name in ("metrics", "examples")}
    measure_scope(**paths, **made, generator="g", judge="j", resamples=50, seed=0)
    return made["metrics"]


SHARDED = (DOCUMENTS, CLAIMS, RECOVERED_CLAIMS, DRIFT, NOVEL_CLAIMS, SCOPE_LABELS, SELECTED_QUESTIONS, HARDNESS)


@pytest.mark.parametrize("few", [0, 10_000])
@pytest.mark.parametrize("shards", ["ab", "ba"])
def test_a_shard_for_some_documents_gives_the_bytes_of_one_for_all_in_any_order(
    measured, tmp_path, monkeypatch, shards, few
):
    """Whether they are read one at a time or all at once."""
    monkeypatch.setattr(stage, "FEW", few)
    paths, given = {}, study()
    for table in SHARDED:
        for shard in shards:
            rows = [one for one in given[table] if (one["doc_id"] < "d3") == (shard == "a")]
            path = written(tmp_path, table, rows, generator="g", judge="j", shard=shard)
            paths.setdefault(table.name, []).append(path)
    given[HARDNESS_SCORES] = [one | {"shard": "a" if one["doc_id"] < "d3" else "b"} for one in given[HARDNESS_SCORES]]
    for table in (HARDNESS_SCORES, HARDNESS_STRATA, tables.REJECTS):
        paths[table.name] = [written(tmp_path, table, given[table], generator="g", judge="j")]
    made = {name: tmp_path / f"{name}.parquet" for name in ("metrics", "examples")}
    measure_scope(**paths, **made, generator="g", judge="j", resamples=50, seed=0)
    for name, path in made.items():
        assert path.read_bytes() == measured.with_name(f"{name}.parquet").read_bytes()


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    return measure(tmp_path_factory.mktemp("measured"))


def test_agreement_is_a_confusion_matrix_and_ties_are_no_side(measured):
    rows = values_of(measured, "agreement")
    labels = ("questions", "out_of_scope", "in_scope", "tie", "no_verdict", "agreement")
    assert [rows["out of scope"][name] for name in labels] == [6, 5, 1, 0, 0, pytest.approx(5 / 6)]
    assert [rows["in scope"][name] for name in labels] == [6, 0, 5, 1, 0, 1]
    written = tables.read(METRICS, measured).to_pylist()
    row = next(row for row in written if row["metric"] == "agreement" and "in scope" in row["keys"])
    assert (row["n"], row["abstained"]) == (5, 1)
    row = next(row for row in written if row["metric"] == "agreement" and "out of" in row["keys"])
    assert row["low"] < 0.5 < row["value"] < row["high"] <= 1, "one of two is wrong in one document of three"


def test_models_are_compared_and_the_rest_is_about_the_first(measured, tmp_path):
    both = measure(tmp_path, ("g2", "j"))
    rows = values_of(both, "models")
    assert rows.keys() == {"g j", "g2 j"} and rows["g j"] == rows["g2 j"]
    own = rows["g j"]
    assert (own["questions"], own["disputed"], own["undecided"], own["hard"], own["hard_share"]) == (12, 1, 1, 3, 0.6)
    assert values_of(measured, "funnel") == values_of(both, "funnel")


def test_the_section_shows_all_that_is_measured(measured):
    section, missing = shown("scope", measured, measured.with_name("examples.parquet"))
    more, _ = shown("scope_questions", measured)
    parts = [*section.parts, *section.details, *more.parts, *more.details]
    assert all(part.rows for part in parts) and not missing
    tables_shown = {part.name for part in parts if part.kind != "examples"}
    assert tables_shown == {row["table"] for row in tables.read(METRICS, measured).to_pylist()}
    strata = next(part for part in parts if part.name == "strata" and part.kind == "table")
    assert [(row["stratum"], row["verdict"]) for row in strata.rows] == [("below 0.60", "yes")]


def test_examples_have_their_lineage(measured):
    rows = tables.read(EXAMPLES, measured.with_name("examples.parquet")).to_pylist()
    titles = {row["example"]: row["title"] for row in rows}
    assert sorted(titles) == [1, 2, 3] and titles[1] == "kept, in a hard stratum"
    parts = [row["part"] for row in rows if row["example"] == 1]
    assert parts[:4] == ["Headline", "Published", "Document", "Claim in slot 2"] and parts[-1] == "Nearness"
    assert parts[5] == "Round 2, similarity 0.40; not supported, so asked about"


def test_nothing_at_all_is_measured_too(tmp_path):
    empty = {table: [] for table in study()} | {DOCUMENTS: study()[DOCUMENTS]}
    empty[HARDNESS_STRATA] = [row(HARDNESS_STRATA, stratum="all")]
    path = measure(tmp_path, study=lambda *_: empty)
    assert shown("scope", path, tmp_path / "examples.parquet")[0].parts
    assert values_of(path, "funnel")["(all)"]["documents"] == 4
