"""Heat maps: the stronger the colour the greater the share, a number in each cell, nothing where nothing is known."""

from drawings import Drawing, number
from ragassay.report import charts


def draw(*marks):
    return Drawing(charts.heat(list(marks), "T", "Topic"))


def mark(label, series, value, **more):
    return {"label": label, "series": series, **number(value), **more}


def test_a_cell_is_the_stronger_the_greater_its_share_and_an_unknown_one_is_missing():
    drawing = draw(mark("a", "food", 0.1), mark("a", "music", 0.9), mark("b", "food", None))
    assert drawing.tips == ["a, food: 0.1", "a, music: 0.9"]
    weak, strong = (float(cell.style["fill-opacity"]) for cell in drawing.marks)
    assert weak < 0.2 < 0.8 < strong
    assert {"a", "b", "food", "music", "0.10", "0.90"} <= set(drawing.words)


def test_numbers_can_be_read_on_weak_and_strong_cells():
    drawing = draw(mark("a", "food", 0.1), mark("a", "music", 0.9))
    colours = {text: style["fill"] for text, _, _, style in drawing.texts}
    assert "--ink" in colours["0.10"] and "--card" in colours["0.90"]


def test_a_cell_shows_another_number_than_it_is_shaded_by():
    drawing = draw(mark("a", "food", 0.25, shown=31.0))
    assert "31" in drawing.words and "0.25" not in drawing.words


def test_columns_that_have_no_room_for_their_names_have_them_slanted():
    crowded = draw(*(mark("a", f"a column with a long name {n}", 0.5) for n in range(8)))
    assert all(f"a column with a long name {n}" in crowded.words for n in range(8))
    slants = ["rotate" in style["transform"] for text, _, _, style in crowded.texts if text.startswith("a column")]
    assert all(slants)
    roomy = draw(mark("a", "b", 0.5), mark("a", "c", 0.5))
    assert not any("rotate" in style["transform"] for text, _, _, style in roomy.texts)


def test_cells_without_room_for_their_numbers_have_none():
    drawing = draw(*(mark("a", f"topic {n}", 0.5) for n in range(40)))
    assert len(drawing.marks) == 40 and "0.50" not in drawing.words
