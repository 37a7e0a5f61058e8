"""Grids: each cell once and in order, and what is read of them."""

import pytest

from ragassay.base.errors import AssayError
from ragassay.config.grid import MOST, Grid

ENTRIES = [
    {"datasets": ["a", "b"], "attacks": ["x"], "others": ["not read"]},
    {"datasets": ["b"], "attacks": ["x", "y"]},
]
GRID = Grid.of_entries(ENTRIES, "dataset", "attack")


def test_names_meet_in_each_entry_and_every_cell_is_there_once():
    assert [tuple(cell.values()) for cell in GRID] == [("a", "x"), ("b", "x"), ("b", "y")]
    assert len(GRID) == 3 and not Grid([]) and {"dataset": "b", "attack": "y"} in GRID


def test_cells_are_read_like_wildcards_and_give_each_name_and_path_once():
    assert [cell.attack for cell in GRID] == ["x", "x", "y"]
    assert GRID.column("dataset") == ["a", "b"]
    assert GRID.over("{dataset}/{attack}") == ["a/x", "b/x", "b/y"]
    assert GRID.over("only/{attack}") == ["only/x", "only/y"]
    assert GRID.each("only/{attack}") == ["only/x", "only/x", "only/y"]


def test_a_grid_is_narrowed_to_names_and_to_cells():
    assert [dict(cell) for cell in GRID.by("attack")] == [{"attack": "x"}, {"attack": "y"}]
    assert GRID.where(lambda cell: cell.dataset == "b").over("{attack}") == ["x", "y"]
    assert Grid.of_rows(("a", "b"), [(1, 2), (1, 2)]).over("{a}{b}") == ["12"]


def test_more_cells_than_can_be_planned_are_a_line_and_are_not_made():
    many = {"datasets": range(10**6), "attacks": range(10**6)}
    with pytest.raises(AssayError, match=r"more than 50,000 combinations of dataset, attack, expected at most so many"):
        Grid.of_entries([many], "dataset", "attack")
    assert len(Grid.of_entries([{"datasets": range(50), "attacks": range(MOST // 50)}], "dataset", "attack")) == MOST
