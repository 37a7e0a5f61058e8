"""Charts: what each kind draws of its marks."""

import pytest

from drawings import Drawing, number
from ragassay.report import charts, heat, theme


def mark(label, value, series="", **interval):
    return {"label": label, "series": series, **number(value, **interval)}


def draw(*marks, **options):
    return Drawing(charts.bars(list(marks), "T", "Names", "Numbers", **options))


def test_bars_are_as_long_as_their_values_and_stand_in_the_order_of_their_rows():
    drawing = draw(*(mark(label, value) for label, value in (("z", 10), ("a", 5), ("m", 0), ("b", 2.5))))
    assert drawing.tips == ["z: 10", "a: 5", "m: 0", "b: 2.5"]
    heights = [bar.height for bar in drawing.marks]
    assert heights == pytest.approx([heights[0], heights[0] / 2, 0, heights[0] / 4], abs=0.05)
    assert [bar.left for bar in drawing.marks] == sorted(bar.left for bar in drawing.marks)


def test_several_series_stand_side_by_side_in_colours_of_their_own():
    drawing = draw(mark("a", 10, "Out"), mark("a", 5, "In"), mark("b", None, "Out"), mark("b", 8, "In"))
    assert drawing.tips == ["a, Out: 10", "a, In: 5", "b, In: 8"]
    out, inside, other = drawing.marks
    assert inside.left == pytest.approx(out.right, abs=0.1)
    assert out.style["fill"] != inside.style["fill"] == other.style["fill"]
    assert {"Out", "In"} <= set(drawing.words)


def test_an_interval_is_a_whisker_and_a_line_goes_across():
    marks = [mark(label, 0.8, low=0.7, high=1.0) for label in "abcd"]
    drawing = draw(*marks, line=0.75)
    assert "a: 0.8 [0.7, 1], n = 10" in drawing.tips
    unit, base = drawing.marks[0].height / 0.8, drawing.marks[0].bottom
    whiskers = [rule for rule in drawing.rules if rule.style.get("stroke-width") == "1.5"]
    (across,) = [rule for rule in drawing.rules if rule.style.get("stroke-dasharray")]
    assert len(whiskers) == 4
    assert (base - whiskers[0].bottom) / unit == pytest.approx(0.7, abs=0.01)
    assert (base - whiskers[0].top) / unit == pytest.approx(1.0, abs=0.01)
    assert (base - across.top) / unit == pytest.approx(0.75, abs=0.01)
    assert not [rule for rule in draw(mark("a", 1)).rules if rule.style.get("stroke-dasharray")]


def test_labels_that_are_too_long_stand_beside_bars_that_lie():
    upright = draw(*(mark(f"label {n}", 1) for n in range(6)))
    lying = draw(*(mark(f"a label that is far too long {n}", n) for n in range(6)))
    assert len({bar.bottom for bar in upright.marks}) == 1 and len({bar.left for bar in lying.marks}) == 1
    widths = [bar.width for bar in lying.marks]
    assert widths == pytest.approx([n * widths[1] for n in range(6)], abs=0.1)
    assert all(f"a label that is far too long {n}" in lying.words for n in range(6))


def test_every_bar_of_many_keeps_its_label():
    drawing = draw(*(mark(f"2026-{n:02}", n) for n in range(80)))
    assert len(drawing.marks) == 80 and {f"2026-{n:02}" for n in range(80)} <= set(drawing.words)


def test_few_bars_bear_their_numbers_unless_they_have_intervals():
    plain = draw(*(mark(label, 1234.5) for label in "abcd"))
    assert plain.words.count("1,234.5") + plain.words.count("1,235") == 4
    assert "0.87654" not in draw(*(mark(label, 0.87654, low=0.8, high=0.9) for label in "abcd")).words


def test_four_series_have_four_colours():
    drawing = draw(*(mark(label, 1, f"s{n}") for label in "ab" for n in range(4)))
    assert len({bar.style["fill"] for bar in drawing.marks}) == len(theme.SERIES) == 4


def draw_dots(*marks, **options):
    return Drawing(charts.dots(list(marks), "T", "Share", **options))


def test_the_greatest_is_on_top_and_what_is_not_defined_stands_last_without_a_dot():
    drawing = draw_dots(mark("low", 0.2), mark("none", None), mark("high", 0.8, low=0.7, high=0.9), line=1)
    heights = [drawing.text(name)[1] for name in ("high", "low", "none")]
    assert heights == sorted(heights)
    assert drawing.tips == ["high: 0.8 [0.7, 0.9], n = 10", "low: 0.2"]


def test_dots_and_whiskers_stand_where_the_axis_says():
    drawing = draw_dots(mark("a", 0.5, low=0.25, high=1.0), mark("b", 0.2), line=1)
    zero, one = drawing.text("0.0")[0], drawing.text("1.0")[0]
    assert (drawing.mark("a").middle[0] - zero) / (one - zero) == pytest.approx(0.5, abs=0.01)
    assert (drawing.mark("b").middle[0] - zero) / (one - zero) == pytest.approx(0.2, abs=0.01)
    (whisker,) = [rule for rule in drawing.rules if rule.top == rule.bottom]
    assert (whisker.left - zero) / (one - zero) == pytest.approx(0.25, abs=0.01)
    assert (whisker.right - zero) / (one - zero) == pytest.approx(1.0, abs=0.01)


def test_abstentions_stand_beside_the_number():
    drawing = draw_dots(mark("a", 0.5), mark("b", 0.4, abstained=1200))
    assert {"0.50", "0.40, 1,200 abstained"} <= set(drawing.words)
    assert drawing.mark("b").tip == "b: 0.4, 1,200 abstained"


def test_series_share_a_row_and_differ_in_colour_and_shape():
    drawing = draw_dots(mark("a", 0.5, "all"), mark("a", 0.3, "hard"), mark("b", 0.9, "all"), mark("b", None, "people"))
    every, hard = drawing.mark("a, all"), drawing.mark("a, hard")
    assert every.style["fill"] != hard.style["fill"] and every.style["d"] != hard.style["d"]
    row = drawing.text("a")[1]
    assert every.top < row < hard.bottom
    assert "hard" in drawing.words and "people" not in drawing.words  # nothing of it is drawn


def test_a_long_label_takes_two_lines():
    label = "questions by gpt-4o-mini, judged by gpt-4o, two_shot, meta-llama/Llama-3.3-70B-Instruct"
    drawing = draw_dots(mark(label, 0.5), mark('an "odd" \\ label', 0.4))
    lines = [word for word in drawing.words if len(word) > 8 and word.rstrip("…") in label]
    assert len(lines) == 2 and max(map(len, lines)) < 40 and "two_shot" in lines[1]
    heights = [y for text, _, y, _ in drawing.texts if text in lines]
    assert all(abs(y - drawing.mark(label).top) < 12 for y in heights)  # both beside their dot
    assert drawing.mark(label).tip == f"{label}: 0.5" and 'an "odd" \\ label' in drawing.words


def draw_heat(*marks):
    return Drawing(charts.heat(list(marks), "T", "Topic"))


def mark_heat(label, series, value, **more):
    return {"label": label, "series": series, **number(value, n=100), **more}


def test_a_cell_is_the_stronger_the_greater_its_share_and_one_without_says_why():
    drawing = draw_heat(mark_heat("a", "food", 0.1), mark_heat("a", "music", 0.9), mark_heat("b", "food", None))
    shares, reasons = drawing.tips[:2], drawing.tips[2:]
    assert shares == ["a, food: 0.1", "a, music: 0.9"]
    assert sorted(reasons) == ["b, food: nothing to measure", "b, music: not run, or no such case"]
    assert "blank: not run, or no such case; –: nothing to measure" in drawing.words and "–" in drawing.words
    weak, strong, *blanks = (float(cell.style["fill-opacity"]) for cell in drawing.marks)
    assert blanks == [0, 0]
    assert weak < 0.2 < 0.4 < strong < heat.STRONGEST
    assert {"a", "b", "food", "music", "0.10", "0.90"} <= set(drawing.words)
    assert ["--ink" in style["fill"] for text, _, _, style in drawing.texts if text in ("0.10", "0.90")] == [True, True]


def test_a_cell_of_few_cases_is_dashed_and_says_so():
    few, enough = mark_heat("a", "food", 0.5, n=19), mark_heat("a", "music", 0.5, n=20)
    drawing = draw_heat(few, enough)
    assert drawing.tips == ["a, food: 0.5, fewer than 20 cases", "a, music: 0.5"]
    assert "dashed: fewer than 20 cases" in drawing.words and drawing.svg.count("stroke-dasharray") == 1
    plain = draw_heat(enough)
    assert "stroke-dasharray" not in plain.svg and not any("dashed" in word for word in plain.words)


def test_a_cell_shows_another_number_than_it_is_shaded_by():
    drawing = draw_heat(mark_heat("a", "food", 0.25, shown=31.0))
    assert "31" in drawing.words and "0.25" not in drawing.words


def test_columns_that_have_no_room_for_their_names_have_them_slanted():
    crowded = draw_heat(*(mark_heat("a", f"a column with a long name {n}", 0.5) for n in range(8)))
    assert all(f"a column with a long name {n}" in crowded.words for n in range(8))
    slants = ["rotate" in style["transform"] for text, _, _, style in crowded.texts if text.startswith("a column")]
    assert all(slants)
    roomy = draw_heat(mark_heat("a", "b", 0.5), mark_heat("a", "c", 0.5))
    assert not any("rotate" in style["transform"] for text, _, _, style in roomy.texts)


def test_cells_without_room_for_their_numbers_have_none():
    drawing = draw_heat(*(mark_heat("a", f"topic {n}", 0.5) for n in range(40)))
    assert len(drawing.marks) == 40 and "0.50" not in drawing.words


def mark_histogram(start, end, value, series=""):
    return {"series": series, "start": start, "end": end, **number(value)}


def draw_histogram(*marks, **options):
    return Drawing(charts.histogram(list(marks), "T", "Words", "Documents", **options))


def test_bins_touch_are_as_wide_as_their_numbers_and_as_high_as_their_counts():
    drawing = draw_histogram(mark_histogram(0, 10, 4), mark_histogram(10, 30, 8), mark_histogram(40, 50, 2))
    first, second, third = drawing.marks
    assert first.right == pytest.approx(second.left, abs=0.1)
    assert second.width == pytest.approx(2 * first.width, abs=0.1)
    assert third.left - second.right == pytest.approx(first.width, abs=0.1)  # no documents from 30 to 40
    heights = [bar.height for bar in drawing.marks]
    assert heights == pytest.approx([heights[2] * 2, heights[2] * 4, heights[2]], abs=0.1)


def test_series_lie_over_each_other_and_can_be_seen_through():
    drawing = draw_histogram(mark_histogram(0.05, 0.1, 4, "In scope"), mark_histogram(0.05, 0.1, 3, "Out of scope"))
    assert drawing.tips == ["In scope, 0.05 to 0.1: 4", "Out of scope, 0.05 to 0.1: 3"]
    one, other = drawing.marks
    assert (one.left, one.right, one.bottom) == (other.left, other.right, other.bottom)
    assert one.style["fill"] != other.style["fill"]
    assert float(one.style["fill-opacity"]) < 0.5 and {"In scope", "Out of scope"} <= set(drawing.words)


def test_a_threshold_is_a_line_at_its_number():
    drawing = draw_histogram(mark_histogram(0, 10, 4), mark_histogram(10, 20, 8), line=10)
    (line,) = [rule for rule in drawing.rules if rule.style.get("stroke-dasharray")]
    assert line.left == line.right == pytest.approx(drawing.marks[1].left, abs=0.6)


def test_few_bins_have_a_tick_at_each_end_and_whole_numbers_in_their_middle():
    assert {"175", "200", "225"} <= set(draw_histogram(mark_histogram(175, 200, 4), mark_histogram(200, 225, 8)).words)
    drawing = draw_histogram(*(mark_histogram(n - 0.5, n + 0.5, 8) for n in (13, 14, 15)))
    assert drawing.text("14")[0] == pytest.approx(drawing.marks[1].middle[0], abs=0.6)
    assert "13.5" not in drawing.words
    many = [word for word in draw_histogram(*(mark_histogram(n, n + 1, 8) for n in range(100))).words if word.isdigit()]
    assert 5 < len(many) < 40


def mark_curves(label, at, value, low=None, high=None, at_low=None, at_high=None, **more):
    return {"label": label, "at": at, "at_low": at_low, "at_high": at_high, **number(value, low, high), **more}


def draw_curves(kind, *marks, **options):
    return Drawing(kind(list(marks), "T", "Documents", "Right", **options))


def test_points_are_joined_in_the_order_of_their_places_and_stand_where_axes_say():
    values = {40: 0.9, 10: 0.5, 30: None, 20: 0.7}
    drawing = draw_curves(charts.lines, *(mark_curves("a", at, value) for at, value in values.items()))
    assert sorted(drawing.tips) == ["a", "a, 10: 0.5", "a, 20: 0.7", "a, 40: 0.9"]
    (x1, y1), (x2, y2), (x3, y3) = (drawing.mark(f"a, {at}").middle for at in (10, 20, 40))
    assert (x3 - x1) / (x2 - x1) == pytest.approx(3, abs=0.05)
    assert y1 - y2 == pytest.approx(y2 - y3, abs=0.2) and y1 > y3  # higher is further up
    (curve,) = [found for found in drawing.marks if found.tip == "a"]
    across = [float(piece.split(",")[0]) for piece in curve.style["d"].removeprefix("M").split("L")]
    assert across == sorted(across) and len(across) == 3


def test_an_interval_has_a_whisker_that_the_axis_reaches():
    drawing = draw_curves(charts.lines, mark_curves("a", 1, 0.5, 0.1, 0.9), mark_curves("a", 2, 0.5))
    (whisker,) = [rule for rule in drawing.rules if rule.left == rule.right]
    grid = [rule.top for rule in drawing.rules if rule.left != rule.right]
    assert min(grid) - 0.6 <= whisker.top < drawing.mark("a, 1").middle[1] < whisker.bottom <= max(grid) + 0.6


def test_places_that_are_a_few_whole_numbers_have_one_tick_each():
    words = draw_curves(
        charts.lines, mark_curves("a", 1, 0.5), mark_curves("a", 2, 0.5), mark_curves("a", 4, 0.7)
    ).words
    assert {"1", "2", "4"} <= set(words) and not {"3", "1.5"} & set(words)
    assert {"1.5", "2.5"} <= set(draw_curves(charts.lines, mark_curves("a", 1.25, 0.5), mark_curves("a", 3, 0.7)).words)


def test_places_bear_names_where_they_have_some():
    names = ['an "odd" \\ month', *(f"m{n}" for n in range(2, 41))]
    marks = [mark_curves("a", at, 0.5) | {"place": name} for at, name in enumerate(names, 1)]
    assert {'an "odd" \\ month', "m2", "m3"} <= set(draw_curves(charts.lines, *marks[:3]).words)
    many = draw_curves(charts.lines, *marks)
    assert names[0] in many.words and not {"10", "20"} & set(many.words)
    across = [many.mark(f"a, {at}:").middle[0] for at in (10, 20, 40)]
    assert across[2] - across[1] == pytest.approx(2 * (across[1] - across[0]), abs=0.5), "not logarithmic"


def test_places_that_differ_by_orders_of_magnitude_stand_on_a_logarithmic_axis():
    drawing = draw_curves(charts.lines, *(mark_curves("a", 10**power, 0.5) for power in range(4)))
    across = [drawing.mark(f"a, {10**power}:").middle[0] for power in range(4)]
    assert across[1] - across[0] == pytest.approx(across[3] - across[2], abs=0.1)
    assert {"1", "10", "100", "1k"} <= set(drawing.words)


def test_the_diagonal_is_where_both_axes_are_equal():
    drawing = draw_curves(charts.lines, mark_curves("a", 0.25, 0.25), mark_curves("a", 0.75, 0.75), diagonal=True)
    (equal,) = drawing.curves
    for at in ("0.25", "0.75"):
        x, y = drawing.mark(f"a, {at}").middle
        part = (x - equal.left) / equal.width
        assert part == pytest.approx(float(at), abs=0.01)
        assert (equal.bottom - y) / equal.height == pytest.approx(part, abs=0.01)


def test_four_names_share_a_chart_and_differ_in_colour_and_shape():
    drawing = draw_curves(charts.lines, *(mark_curves(f"method {n}", at, n / 9) for n in range(4) for at in (1, 2)))
    points = [drawing.mark(f"method {n}, 1") for n in range(4)]
    assert len({point.style["fill"] for point in points}) == len({point.style["d"] for point in points}) == 4
    assert all(drawing.words.count(f"method {n}") == 1 for n in range(4))


@pytest.mark.parametrize("kind", [charts.lines, charts.scatter, charts.roc])
def test_of_many_names_each_has_a_panel_in_which_the_others_are_grey(kind):
    names = [f"method {n}" for n in range(7)]
    drawing = draw_curves(kind, *(mark_curves(name, at, n / 7) for n, name in enumerate(names) for at in (0, 1)))
    assert [drawing.words.count(name) for name in names] == [1] * 7
    assert len({drawing.text(name) for name in names}) == 7
    coloured = [found.tip for found in drawing.marks if "--mark," in str(found.style)]
    assert {tip.split(",")[0] for tip in coloured} == set(names)
    greys = [element for element in drawing.root.iter() if element.get("opacity") == "0.25"]
    shapes = sum((element.get("d") or "M").count("M") for element in greys)  # several curves may be one path
    assert shapes == 7 * 7 * (2 if kind is charts.scatter else 1) and not any(len(element) for element in greys)


def test_of_more_than_a_dozen_names_none_is_grey():
    drawing = draw_curves(charts.lines, *(mark_curves(f"method {n}", at, n / 13) for n in range(13) for at in (0, 1)))
    assert not [element for element in drawing.root.iter() if element.get("opacity") == "0.25"]
    assert all(drawing.words.count(f"method {n}") == 1 for n in range(13))


def test_points_of_a_scatter_have_intervals_both_ways_and_are_not_joined():
    drawing = draw_curves(
        charts.scatter, mark_curves("a", 0.4, 0.5, 0.3, 0.8, 0.2, 0.6), mark_curves("a", 0.6, 0.2), diagonal=True
    )
    assert drawing.tips == ["a, 0.4: 0.5 [0.3, 0.8], n = 10", "a, 0.6: 0.2"]
    (equal,) = drawing.curves
    whiskers = [rule for rule in drawing.rules if rule.style.get("stroke-width") == "1.5"]
    (upright,) = [rule for rule in whiskers if rule.left == rule.right]
    (level,) = [rule for rule in whiskers if rule.top == rule.bottom]
    assert upright.height / equal.height == pytest.approx(0.5, abs=0.01)
    assert level.width / equal.width == pytest.approx(0.4, abs=0.01)


def test_a_roc_curve_is_named_with_its_area_and_lies_over_the_diagonal_with_its_band():
    points = [(0, 0), (0, 0.6), (0.3, 0.6), (1, 1)]
    drawing = draw_curves(
        charts.roc, *(mark_curves("probe", at, value, value, value, area=0.78125) for at, value in points)
    )
    assert "probe (AUROC 0.781)" in drawing.words
    (curve,) = [found for found in drawing.marks if found.tip == "probe (AUROC 0.781)"]
    (equal,) = drawing.curves
    assert (curve.left, curve.top, curve.right, curve.bottom) == pytest.approx(equal[1:5], abs=0.6)
    corner = equal.height * 0.4  # the curve rises at once to 0.6
    pieces = [tuple(map(float, piece.split(","))) for piece in curve.style["d"].removeprefix("M").split("L")]
    assert pieces[1] == pytest.approx((0, corner), abs=0.1) and len(pieces) == 4
    assert 'opacity="0.15"' in drawing.svg
    unknown = draw_curves(charts.roc, *(mark_curves("probe", at, value, area=None) for at, value in points))
    assert "probe" in unknown.words and 'opacity="0.15"' not in unknown.svg


def test_a_control_stands_first_in_a_heat_map():
    cells = [mark(label, 0.5, series=series) for label in ("b, guard", "a, words", "b, words") for series in ("y", "x")]
    for first, rows, columns in (
        ((), ["b, guard", "a, words", "b, words"], ["y", "x"]),
        (("gone", "words", "x"), ["a, words", "b, words", "b, guard"], ["x", "y"]),
    ):
        places = charts.heat(cells, "T", "X", first=first).to_dict()["layer"][0]["encoding"]
        assert places["y"]["scale"]["domain"] == rows and places["x"]["scale"]["domain"] == columns


def test_dots_of_controls_are_hollow():
    marks = [mark("a, control (toy)", 0.5), mark("a, guard", 0.7)]
    plain, hollow = (charts.dots(marks, "T", "X", controls=names).to_dict()["layer"] for names in ((), ["control"]))
    (layer,) = [layer for layer in hollow if layer["mark"].get("color") == theme.CARD]
    assert layer["transform"] == [{"filter": {"field": "label", "oneOf": ["a, control (toy)"]}}]
    assert len(hollow) == len(plain) + 1
