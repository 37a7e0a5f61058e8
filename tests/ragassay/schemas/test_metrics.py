"""Rows of the table metrics, as sections write them."""

import math

import numpy as np

from ragassay.schemas.report import Section, metric


def test_a_section_writes_rows_of_its_study_and_nan_is_no_number():
    section = Section("responses")
    row = section.row("cells", {"b": 1, "a": "x"}, "accuracy", np.float64(0.5), np.int64(4), math.nan, 1, 2)
    assert row == metric("responses", "cells", {"a": "x", "b": "1"}, "accuracy", 0.5, 4, None, 1.0, 2)
    assert (row["keys"], row["low"], row["high"], row["n"]) == ('{"a": "x", "b": "1"}', None, 1.0, 4)
    assert section.row("cells", {}, "mean", math.nan, 0)["value"] is None


def test_numbers_without_n_are_counts_of_as_many_items():
    section = Section("scope")
    counts = list(section.rows("steps", {}, {"kept": 3, "none": 0}))
    assert [(row["metric"], row["value"], row["n"]) for row in counts] == [("kept", 3.0, 3), ("none", 0.0, 0)]
    assert [row["n"] for row in section.rows("steps", {}, {"kept": 3, "none": 0}, 9)] == [9, 9]
