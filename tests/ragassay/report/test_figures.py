"""Figures as rows, and as CSV: one row per mark, numbers whole, texts that are no formulas."""

import csv
import io
import json

import pytest

from ragassay.report import figures
from ragassay.report.figures import FigureError, marks, natural
from ragassay.schemas.report import metric


def rows(*numbers):
    """Metrics that share their keys share a row."""
    found = {}
    for number in numbers:
        found.setdefault(number["keys"], json.loads(number["keys"]))[number["metric"]] = number
    return sorted(found.values(), key=natural)


def row(name="accuracy", value=0.5, more=None, **keys):
    return metric("study", "scores", keys, name, value, 10, **(more or {}))


def drawn(part, *numbers):
    return marks({"table": "scores", **part}, rows(*numbers))


def test_a_mark_has_the_interval_and_the_counts_of_its_number():
    number = row(model="a", value=0.25, more={"low": 0.1, "high": 0.4, "abstained": 3})
    [mark] = drawn({"kind": "dots", "label": ["model"], "metric": "accuracy"}, number)
    expected = {"label": "a", "series": "", "value": 0.25, "low": 0.1, "high": 0.4, "n": 10, "abstained": 3}
    assert mark == expected


def test_bars_have_a_mark_for_each_label_and_metric():
    part = {"kind": "bars", "label": "round", "metrics": {"accuracy": "Right", "recall": "Found"}}
    found = drawn(part, row(round="10"), row(name="recall", value=0.7, round="10"), row(round="9"))
    assert [(mark["label"], mark["series"], mark["value"]) for mark in found] == [
        ("9", "Right", 0.5), ("10", "Right", 0.5), ("10", "Found", 0.7)
    ]  # fmt: skip


def test_dots_are_named_by_the_keys_that_differ():
    part = {"kind": "dots", "label": ["judge", "prompt", "model"], "metric": "accuracy"}
    found = drawn(part, *(row(judge="j", prompt=prompt, model=model) for prompt in ("p", "q") for model in ("a", "b")))
    assert [mark["label"] for mark in found] == ["p, a", "p, b", "q, a", "q, b"]


def test_dots_have_a_series_for_each_value_of_a_key_or_each_metric():
    part = {"kind": "dots", "label": ["model"], "by": "questions", "metric": "accuracy"}
    found = drawn(part, row(model="a", questions="hard"), row(model="a", questions="all"))
    assert [(mark["label"], mark["series"]) for mark in found] == [("a", "all"), ("a", "hard")]
    part = {"kind": "dots", "label": ["model"], "metrics": {"accuracy": "Right", "recall": "Found"}}
    found = drawn(part, row(model="a"), row(name="recall", model="a"), row(name="other", model="b"))
    assert [(mark["label"], mark["series"]) for mark in found] == [("a", "Right"), ("a", "Found")]


def test_a_heat_map_has_a_mark_for_each_name_and_column_with_what_is_shown_in_it():
    part = {"kind": "heat", "label": ["model"], "by": "topic", "metric": "accuracy", "shown": "items"}
    numbers = [row(model="a", topic=topic) for topic in "xy"] + [row(name="items", value=7, model="a", topic="x")]
    found = drawn(part, *numbers, row(name="items", value=8, model="a", topic="y"), row(model="a", name="mean"))
    assert [(mark["label"], mark["series"], mark["shown"]) for mark in found] == [("a", "x", 7), ("a", "y", 8)]


MONTHS = [(1, "may"), (2, "april")]
LINES = {"kind": "lines", "label": ["judge", "model"], "metric": "accuracy"}


def test_curves_are_named_by_the_keys_that_differ_and_placed_by_a_key():
    numbers = [row(judge="j", model=model, documents=f"{n:05}", value=n / 10) for model in "ba" for n in (10, 2)]
    found = drawn({**LINES, "at": "documents"}, *numbers)
    assert [(mark["label"], mark["at"], mark["value"]) for mark in found] == [
        ("a", 2.0, 0.2), ("a", 10.0, 1.0), ("b", 2.0, 0.2), ("b", 10.0, 1.0)
    ]  # fmt: skip


def test_places_have_names_where_a_key_gives_them_and_empty_keys_name_nothing():
    numbers = [row(judge="j", model=model, at=f"{at:04}", shard=shard) for model in ("", "b") for at, shard in MONTHS]
    found = drawn({**LINES, "at": "at", "places": "shard"}, *numbers)
    assert [(mark["label"], mark["at"], mark["place"]) for mark in found[2:]] == [
        ("b", 1.0, "may"),
        ("b", 2.0, "april"),
    ]
    both = [row(judge="j", model="b", documents="1"), row(judge="k", model="", documents="1")]
    assert {mark["label"] for mark in drawn({**LINES, "at": "documents"}, *both)} == {"j, b", "k"}


def test_curves_may_be_metrics():
    part = {"kind": "lines", "metrics": {"accuracy": "Right", "recall": "Found"}, "at": "round"}
    found = drawn(part, row(round="1"), row(name="recall", value=0.7, round="1"), row(round="2", value=None))
    assert [(mark["label"], mark["at"], mark["value"]) for mark in found] == [
        ("Right", 1, 0.5), ("Found", 1, 0.7), ("Right", 2, None)
    ]  # fmt: skip


def test_points_may_be_placed_by_a_metric_with_its_interval_and_what_has_no_place_is_omitted():
    more = {"low": 0.1, "high": 0.2}
    numbers = [
        row(judge="j", model="a", bin="1"),
        row(judge="j", model="a", bin="1", name="said", value=0.15, more=more),
    ]
    numbers += [row(judge="j", model="a", bin="2"), row(judge="j", model="a", bin="2", name="said", value=None)]
    [mark] = drawn({**LINES, "kind": "scatter", "at": "said"}, *numbers)
    assert (mark["at"], mark["at_low"], mark["at_high"], mark["value"]) == (0.15, 0.1, 0.2, 0.5)


def test_a_roc_curve_knows_its_area_from_the_row_without_a_threshold():
    part = {"kind": "roc", "label": ["model"], "at": "fpr", "metric": "tpr", "area": "auroc"}
    numbers = [row(name="auroc", value=0.8, model="a")]
    for model in "ab":
        numbers += [row(name="fpr", value=0.1, model=model, at="1"), row(name="tpr", value=0.7, model=model, at="1")]
    found = drawn(part, *numbers)
    assert [(m["label"], m["at"], m["value"], m["area"]) for m in found] == [
        ("a", 0.1, 0.7, 0.8),
        ("b", 0.1, 0.7, None),
    ]


@pytest.mark.parametrize(
    ("names", "bins"),
    [
        (["175-199", "200-224"], [(175, 200), (200, 225)]),
        (["13", "14", "20"], [(12.5, 13.5), (13.5, 14.5), (19.5, 20.5)]),
        (["0.05", "0.10", "0.20"], [(0.05, 0.1), (0.1, 0.15), (0.2, 0.25)]),
        (["0", "25", "50"], [(0, 25), (25, 50), (50, 75)]),
        (["-0.5", "0.0"], [(-0.5, 0.0), (0.0, 0.5)]),
        (["0.5"], [(0.5, 1.5)]),
    ],
)
def test_bins_are_ranges_whole_numbers_or_lower_ends(names, bins):
    found = drawn(
        {"kind": "histogram", "at": "bin", "metric": "items"}, *(row(name="items", bin=name) for name in names)
    )
    assert sorted((mark["start"], mark["end"]) for mark in found) == bins


@pytest.mark.parametrize("kind", ["histogram", "lines"])
def test_a_place_that_is_no_number_is_refused(kind):
    part = {**LINES, "kind": kind, "at": "bin"}
    with pytest.raises(FigureError, match="figure scores: bin: found 'many', expected a number"):
        drawn(part, row(judge="j", model="a", bin="many"))


def test_more_series_than_colours_are_refused():
    part = {"kind": "dots", "label": ["model"], "by": "topic", "metric": "accuracy"}
    assert len(drawn(part, *(row(model="a", topic=topic) for topic in "abcd"))) == 4
    with pytest.raises(FigureError, match="figure scores: found 5 values of topic, expected at most 4"):
        drawn(part, *(row(model="a", topic=topic) for topic in "abcde"))


def test_nothing_gives_no_marks():
    assert drawn({"kind": "bars", "label": "a", "metric": "b"}) == drawn({**LINES, "at": "b"}) == []


def test_numbers_are_sorted_by_their_size_and_texts_by_the_numbers_in_them():
    texts = ["b2", "+0.5", "-0.5", "0.05", "a", "b10", "10", "-3.0", "9", "2026-11-01"]
    found = [one["key"] for one in sorted(({"key": text} for text in texts), key=natural)]
    assert found == ["-3.0", "-0.5", "0.05", "+0.5", "9", "10", "2026-11-01", "a", "b2", "b10"]


def test_numbers_are_not_rounded_and_nothing_is_empty_text():
    value = 0.1234567890123456
    assert figures.csv_text(["a", "b"], [[value, None]]) == f"a,b\n{value},\n"
    assert figures.csv_text(["a"], [[-1.5]]) == "a\n-1.5\n"


def test_a_text_that_a_spreadsheet_would_run_is_quoted():
    texts = ["=1+1", "+1", "-1", "@a", "\t=1", "a=1", 'a "b", c\nd']
    read = [row[0] for row in csv.reader(io.StringIO(figures.csv_text(["text"], ([text] for text in texts))))]
    assert read == ["text", "'=1+1", "'+1", "'-1", "'@a", "'\t=1", "a=1", 'a "b", c\nd']
