"""Ranked dots: the greatest on top, each in its place with its interval, number and abstentions."""

import pytest

from drawings import Drawing, number
from ragassay.report import charts


def mark(label, value, series="", **more):
    return {"label": label, "series": series, **number(value, **more)}


def draw(*marks, **options):
    return Drawing(charts.dots(list(marks), "T", "Share", **options))


def middle(dot):
    return (dot.left + dot.right) / 2


def test_the_greatest_is_on_top_and_what_is_not_defined_stands_last_without_a_dot():
    drawing = draw(mark("low", 0.2), mark("none", None), mark("high", 0.8, low=0.7, high=0.9), line=1)
    heights = [drawing.text(name)[1] for name in ("high", "low", "none")]
    assert heights == sorted(heights)
    assert drawing.tips == ["high: 0.8 [0.7, 0.9], n = 10", "low: 0.2"]


def test_dots_and_whiskers_stand_where_the_axis_says():
    drawing = draw(mark("a", 0.5, low=0.25, high=1.0), mark("b", 0.2), line=1)
    zero, one = drawing.text("0.0")[0], drawing.text("1.0")[0]
    assert (middle(drawing.mark("a")) - zero) / (one - zero) == pytest.approx(0.5, abs=0.01)
    assert (middle(drawing.mark("b")) - zero) / (one - zero) == pytest.approx(0.2, abs=0.01)
    (whisker,) = [rule for rule in drawing.rules if rule.top == rule.bottom]
    assert (whisker.left - zero) / (one - zero) == pytest.approx(0.25, abs=0.01)
    assert (whisker.right - zero) / (one - zero) == pytest.approx(1.0, abs=0.01)


def test_abstentions_stand_beside_the_number():
    drawing = draw(mark("a", 0.5), mark("b", 0.4, abstained=1200))
    assert {"0.5", "0.4, 1,200 abstained"} <= set(drawing.words)
    assert drawing.mark("b").tip == "b: 0.4, 1,200 abstained"


def test_series_share_a_row_and_differ_in_colour_and_shape():
    drawing = draw(mark("a", 0.5, "all"), mark("a", 0.3, "hard"), mark("b", 0.9, "all"), mark("b", None, "people"))
    every, hard = drawing.mark("a, all"), drawing.mark("a, hard")
    assert every.style["fill"] != hard.style["fill"] and every.style["d"] != hard.style["d"]
    row = drawing.text("a")[1]
    assert every.top < row < hard.bottom
    assert "hard" in drawing.words and "people" not in drawing.words  # nothing of it is drawn


def test_a_long_label_takes_two_lines():
    label = "questions by gpt-4o-mini, judged by gpt-4o, two_shot, meta-llama/Llama-3.3-70B-Instruct"
    drawing = draw(mark(label, 0.5), mark('an "odd" \\ label', 0.4))
    lines = [word for word in drawing.words if len(word) > 8 and word.rstrip("…") in label]
    assert len(lines) == 2 and max(map(len, lines)) < 40 and "two_shot" in lines[1]
    heights = [y for text, _, y, _ in drawing.texts if text in lines]
    assert all(abs(y - drawing.mark(label).top) < 12 for y in heights)  # both beside their dot
    assert drawing.mark(label).tip == f"{label}: 0.5" and 'an "odd" \\ label' in drawing.words
