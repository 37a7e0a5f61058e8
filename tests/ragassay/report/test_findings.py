"""Findings are computed: the sentence follows the number, its interval and how many items it rests on."""

import pytest

from ragassay.base import tables
from ragassay.report.findings import FindingError, chosen, fact, findings, formed, ordered
from ragassay.schemas.report import METRICS, metric

RULE = {
    "name": "declines",
    "question": "whether responders decline",
    "table": "cells",
    "metric": "rate",
    "form": "share",
    "against": 0.5,
    "reference": "guessing",
    "higher": "{responder} declines {value}.",
    "lower": "{responder} declines only {value} of {n}.",
    "action": {"lower": "Change the prompt."},
}


def row(value, low, high, n=100, table="cells", name="rate", **keys):
    return metric("scope", table, keys or {"responder": "toy_model"}, name, value, n, low, high)


@pytest.fixture
def worded(tmp_path):
    """A function that gives the finding that a rule makes of metric rows."""

    def finding(rows, content=None, **changes):
        tables.write(METRICS, tmp_path / "scope.parquet", rows)
        rule = RULE | changes
        return findings({"findings": [rule]} | (content or {}), tmp_path / "scope.parquet", tmp_path / "scope.yaml")[0]

    return finding


def test_a_reversed_effect_reverses_the_sentence(worded):
    high = worded([row(0.8, 0.7, 0.9)])
    low = worded([row(0.2, 0.1, 0.3)])
    assert (high["verdict"], high["sentence"], high["action"]) == ("higher", "`toy_model` declines 80%.", "")
    assert low["verdict"] == "lower"
    assert (low["sentence"], low["action"]) == ("`toy_model` declines only 20% of 100.", "Change the prompt.")
    assert high["certainty"] == pytest.approx(0.3 / 0.1)


def test_where_intervals_meet_the_data_cannot_tell(worded):
    finding = worded([row(0.6, 0.5, 0.7)])
    assert finding["verdict"] == "unclear"
    assert finding["sentence"] == "The data cannot tell whether responders decline: 60% against 50%."


def test_five_items_are_too_few_whatever_they_say(worded):
    finding = worded([row(1.0, 0.9, 1.0, n=5)])
    assert finding["verdict"] == "too_few"
    assert finding["sentence"] == "Too few data to tell whether responders decline (5 cases)."


def test_what_was_not_measured_names_the_command(worded):
    finding = worded([row(1, 1, 1, table="other")], {"command": "make demo STUDY=scope"})
    assert (finding["verdict"], finding["value"]) == ("missing", None)
    assert finding["sentence"] == "Not measured yet: whether responders decline."
    assert finding["action"] == "Run `make demo STUDY=scope`."


def test_a_warning_is_silent_unless_its_sentence_fits(worded):
    silent = [[row(0.8, 0.7, 0.9)], [row(0.5, 0.4, 0.6)], [row(0.1, 0, 0.2, n=5)], [row(1, 1, 1, table="other")]]
    assert [worded(rows, kind="warning", higher="")["sentence"] for rows in silent] == [""] * 4
    assert worded([row(0.2, 0.1, 0.3)], kind="warning")["sentence"] == "`toy_model` declines only 20% of 100."


def test_a_row_is_compared_with_the_row_of_its_control(worded):
    rows = [
        row(0.9, 0.85, 0.95, method="guard", attack="a"),
        row(0.6, 0.5, 0.7, method="control", attack="a"),
        row(0.99, 0.98, 1, method="control", attack="b"),
    ]
    against = {"where": {"method": "control"}, "same": ["attack"]}
    beaten = {"against": against, "higher": "{method} beats {other_method} by {difference}"}
    finding = worded(rows, where={"method": "guard"}, **beaten)
    assert (finding["sentence"], finding["against"]) == ("`guard` beats `control` by 30 points", 0.6)
    assert finding["certainty"] == pytest.approx(0.3 / (0.05**2 + 0.1**2) ** 0.5)
    assert worded(rows[:1], where={"method": "guard"}, against=against)["verdict"] == "missing"


def test_a_rule_may_be_about_the_width_of_an_interval(worded):
    rule = {"of": "width", "form": "score", "against": 0.2, "higher": "{value} wide", "lower": "only {value} wide"}
    wide, narrow = (worded([row(0.6, 0.6 - half, 0.6 + half)], **rule) for half in (0.2, 0.05))
    assert (wide["sentence"], narrow["sentence"]) == ("0.40 wide", "only 0.10 wide")
    assert worded([row(0.6, None, None)], **rule)["verdict"] == "missing"
    assert worded([row(0.6, None, None)])["verdict"] == "higher", "a number without one is compared as it is"


@pytest.mark.parametrize("pick, value", [("first", 2), ("highest", 3), ("lowest", -4), ("farthest", -4), ("sum", 1)])
def test_one_of_several_rows_is_picked(pick, value):
    place, ends = {"table": "t", "metric": "m"}, ("value", "low", "high", "n")
    rows = [place | {"keys": {"k": str(value)}} | dict.fromkeys(ends, value) for value in (2, 3, -4)]
    assert chosen(rows, place | {"pick": pick})["value"] == value
    assert chosen(rows, place | {"pick": pick, "where": {"k": ["3", "4"]}})["value"] == 3
    assert chosen(rows, place | {"where": {"k": "5"}}) is None


def test_a_fact_is_a_number_or_lists_the_values_of_a_key():
    def rows(*shards):
        return [{"table": "t", "metric": "m", "keys": {"shard": s}, "value": 2, "n": 2} for s in shards]

    asked = {"label": "Months", "table": "t", "metric": "m"}
    assert fact(rows("b", "a"), asked | {"pick": "sum"}) == "4"
    assert fact(rows("b", "a", "b"), asked | {"by": "shard"}) == "a, b"
    assert fact(rows(*"abcde"), asked | {"by": "shard"}) == "5"
    assert fact(rows(*"54321"), asked | {"by": "shard"}) == "5: 1 to 5"
    assert fact([], asked) is None and fact([], asked | {"by": "shard"}) is None


def test_a_sentence_that_names_what_its_row_has_not_is_refused(worded):
    problem = r"scope\.yaml: finding declines: found 'prompt' .*expected one of: against, "
    with pytest.raises(FindingError, match=problem):
        worded([row(0.8, 0.7, 0.9)], higher="With {prompt}")


def test_what_matters_most_comes_first_and_what_is_certain_before_what_is_not():
    rows = [("a", 2, 5.0, "A"), ("b", 3, 1.0, "B"), ("c", 3, 2.0, "C"), ("d", 3, 9.0, "")]
    names = ("finding", "weight", "certainty", "sentence")
    rows = ordered([dict(zip(names, row, strict=True), section="s") for row in rows])
    assert [row["finding"] for row in rows] == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("value", "form", "words"),
    [
        (0.414, "share", "41%"),
        (0.004, "share", "0.4%"),
        (1.0, "share", "100%"),
        (0.9952, "share", "99.5%"),
        (-0.12, "points", "-12 points"),
        (1234.4, "number", "1,234"),
        (1.5, "dollars", "$1.50"),
        (0.826, "score", "0.83"),
    ],
)
def test_numbers_are_written_in_their_form(value, form, words):
    assert formed(value, form) == words
