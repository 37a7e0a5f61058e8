"""Results open as pandas frames, also for the installed package; errors are one line with the nearest name."""

import pandas as pd
import pytest

from ragassay.base import tables
from ragassay.base.tables import REJECTS
from ragassay.results import Results, ResultsError
from ragassay.schemas.report import METRICS, metric
from ragassay.schemas.scope_questions import SCOPE_LABELS
from rows import index_recall, row


def label(number, name):
    return row(SCOPE_LABELS, question_id=f"question-{number}", label=name)


def reject(item):
    return {"stage": "write_questions", "shard": "january", "item": item, "reason": "short", "detail": "3 words"}


@pytest.fixture
def folder(tmp_path):
    results = tmp_path / "results"
    for judge, shard, name in [("ann", "january", "in"), ("ann", "february", "out"), ("ben", "january", "in")]:
        tables.write(
            SCOPE_LABELS, results / f"scope_labels/gpt/{judge}/{shard}.parquet", [label(1, name), label(2, name)]
        )
    tables.write(REJECTS, results / "rejects/questions/gpt/january.parquet", [reject("one")])
    tables.write(REJECTS, results / "rejects/articles/january.parquet", [reject("two"), reject("three")])
    of = {"responder": "gpt", "at": "10"}
    table_2 = [
        metric("responses", "table_2", of | {"topic": "food"}, "accuracy", 0.5, 4, 0.25, 0.75),
        metric("responses", "table_2", of | {"topic": "music"}, "accuracy", 0.7, 4),
        metric("responses", "table_2", of, "average", 0.6, 8, 0.5, 0.7),
        metric("responses", "table_2", of | {"at": "9"}, "average", 0.1, 8),
        metric("responses", "by_shard", {"shard": "january"}, "asked", 3, 3),
    ]
    tables.write(METRICS, results / "metrics/responses.parquet", table_2)
    by_shard = [metric("documents", "by_shard", {"shard": "january"}, "documents", 8, 8)]
    tables.write(METRICS, results / "metrics/documents.parquet", by_shard)
    tables.write(
        METRICS, results / "metrics/scope.parquet", [metric("scope", "funnel", {"topic": "food"}, "claims", 4, 4)]
    )
    return results


def test_tables_are_listed_with_what_they_are(folder):
    listed = Results(folder).tables()
    assert listed["files"].to_dict() == {"metrics": 3, "rejects": 2, "scope_labels": 3}
    assert listed.loc["scope_labels", "keys"] == "generator, judge, shard"
    assert listed.loc["scope_labels", "description"] == SCOPE_LABELS.row


def test_files_that_are_left_over_are_not_read(folder):
    left = ["results/scope_labels/gpt/ben/january.parquet", "results/rejects/articles/january.parquet"]
    (folder / "left_over.txt").write_text("".join(f"{path}\n" for path in left))
    moved = folder.rename(folder.with_name("copy"))
    results = Results(moved)
    assert results.tables()["files"].to_dict() == {"metrics": 3, "rejects": 1, "scope_labels": 2}
    assert {*results.frame("scope_labels")["judge"]} == {"ann"} and {*results.frame("rejects")["item"]} == {"one"}


def test_a_frame_has_the_keys_of_its_files_as_columns(folder):
    frame = Results(folder).frame("scope_labels")
    assert list(frame.columns[:3]) == ["generator", "judge", "shard"] and len(frame) == 6
    assert set(zip(frame["judge"], frame["shard"], frame["label"], strict=True)) == {
        ("ann", "january", "in"),
        ("ann", "february", "out"),
        ("ben", "january", "in"),
    }


@pytest.mark.parametrize(
    ("chosen", "rows"),
    [({"judge": "ann"}, 4), ({"judge": ["ann", "ben"], "shard": "january"}, 4), ({"judge": "ben"}, 2)],
)
def test_rows_are_chosen_by_keys(folder, chosen, rows):
    frame = Results(folder).frame("scope_labels", **chosen)
    assert len(frame) == rows
    for name, values in chosen.items():
        assert set(frame[name]) == ({values} if isinstance(values, str) else set(values))


def test_columns_are_chosen_beside_the_keys(folder):
    frame = Results(folder).frame("scope_labels", columns=["label", "shard"])
    assert list(frame.columns) == ["generator", "judge", "shard", "label"]
    assert list(Results(folder).frame("rejects", columns=["item"]).columns) == ["file", "item"]


def test_a_table_without_a_place_of_its_own_says_where_its_rows_stand(folder):
    frame = Results(folder).frame("rejects", file="articles/january")
    assert list(frame["file"]) == ["articles/january"] * 2 and set(frame["item"]) == {"two", "three"}
    assert len(Results(folder).frame("rejects")) == 3


def test_metrics_read_like_the_report(folder):
    expected = pd.DataFrame(
        [{"at": "9", "responder": "gpt", "average": 0.1}, {"at": "10", "responder": "gpt", "average": 0.6}]
    ).assign(food=[None, 0.5], music=[None, 0.7])
    found = Results(folder).metrics("responses", "table_2")
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)


def test_metrics_have_their_intervals_if_asked_for(folder):
    found = Results(folder).metrics("responses", "table_2", intervals=True).set_index("at")
    assert tuple(found.loc["10", ["average", "average_low", "average_high", "food_low"]]) == (0.6, 0.5, 0.7, 0.25)
    assert "music_low" not in found


def test_metrics_say_what_the_index_misses_that_they_rest_on(folder):
    keys = {"a": {"retriever": "near"}, "b": {"retriever": "bm25"}, "c": {"passages_by": "near"}, "d": {"corpus": "x"}}
    rows = [metric("searched", "finds", key | {"at": at}, "share", 0.5, 4, 0.25, 0.75) for at, key in keys.items()]
    tables.write(METRICS, folder / "metrics/searched.parquet", rows)
    results = Results(folder)
    plain = results.metrics("searched", "finds", intervals=True)
    assert "index" not in plain
    index_recall(folder, "x", "asked", 8, 9)
    near = "`near` searches an index that finds 85.0 % of the 10 nearest passages."

    def resting():
        frame = results.metrics("searched", "finds", intervals=True)
        pd.testing.assert_frame_equal(frame.drop(columns="index"), plain)
        assert frame.columns[-1] == "index"
        return dict(zip(frame["at"], frame["index"], strict=True))

    assert resting() == {"a": near, "b": "", "c": near, "d": ""}
    index_recall(folder, "x.held_out", "asked", 10, 10, retriever="theirs")
    theirs = "`theirs` searches an index that finds 100.0 % of the 10 nearest passages."
    assert resting() == {"a": near, "b": "", "c": near, "d": theirs}
    assert "index" not in results.metrics("responses", "table_2")
    left = folder / "index_recall"
    (folder / "left_over.txt").write_text(
        "".join(f"results/{path.relative_to(folder)}\n" for path in left.rglob("*.*"))
    )
    assert "index" not in Results(folder).metrics("searched", "finds")


def test_a_table_that_one_other_section_has_is_found_there(folder):
    results = Results(folder)
    pd.testing.assert_frame_equal(results.metrics("scope", "table_2"), results.metrics("responses", "table_2"))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda r: r.frame("scope_lables"), r"'scope_lables' is no table, .*\(did you mean scope_labels\?\)"),
        (
            lambda r: r.frame("scope_labels", juge="ann"),
            r"'juge' is no key of table scope_labels.*\(did you mean judge\?\)",
        ),
        (
            lambda r: r.frame("scope_labels", judge="bem"),
            r"'bem' is no judge of table .*: ann, ben \(did you mean ben\?\)",
        ),
        (lambda r: r.frame("scope_labels", columns=["labl"]), r"'labl' is no column of .*\(did you mean label\?\)"),
        (lambda r: r.frame("documents"), r"found no file of table documents; run the rule that writes it"),
        (lambda r: r.metrics("scop", "funnel"), r"'scop' is no section, .*\(did you mean scope\?\)"),
        (lambda r: r.metrics("scope", "funel"), r"'funel' is no table of section scope, .*\(did you mean funnel\?\)"),
        (lambda r: r.metrics("scope", "by_shard"), r"section scope has no table by_shard, .*: documents, responses"),
        (lambda r: Results(r.folder.parent / "result"), r"no such folder, .*\(did you mean .*results\?\)"),
    ],
)
def test_what_is_wrong_is_one_line_with_the_nearest_name(folder, ask, message):
    with pytest.raises(ResultsError, match=message) as caught:
        ask(Results(folder))
    assert "\n" not in str(caught.value)
