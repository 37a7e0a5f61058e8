"""Grids of names, and what is left of them for one table of a paper."""

import pytest

from ragassay.base.errors import AssayError
from ragassay.config.grid import MOST, Grid
from ragassay.config.narrowing import narrowed

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


CELL = {"datasets": ["nq", "other"], "retrievers": ["dense"], "attacks": ["none", "black"]}
CONFIG = {
    "models": {"gpt": {"model": "a"}, "writer": {"model": "b"}, "unasked": {}, "service:mine": {}},
    "encoders": {"contriever": {"model": "c"}, "mpnet": {"model": "d"}, "control": {}},
    "retrievers": {"dense": {"encoder": "contriever"}, "cosine": {"encoder": "mpnet"}},
    "scorers": {"gpt2": {}, "opt": {}},
    "corpora": {"nq": {}, "other": {}},
    "query_sets": {"nq": {}, "other": {}, "near": {}},
    "datasets": {"nq": {"corpus": "nq", "by_model": {"model": "writer"}}, "other": {"corpus": "other"}},
    "synthetic_queries": {},
    "attacks": {"black": {"kind": "black"}, "white": {"kind": "white"}},
    "defences": {"raguard": {"settings": {"scorer": "gpt2"}}, "ppl": {"settings": {"scorer": "opt"}}},
    "detectors": {
        "use": ["control"],
        "methods": {"control": {"encoders": ["control"]}, "network": {"encoders": ["mpnet"]}},
    },
    "lm_relevance": {"raters": ["gpt", "writer"], "rated": [{"query_set": "near"}]},
    "services": {"mine": {"note": "other"}},
    "under_attack": {
        "cells": [
            CELL | {"defences": ["raguard", "ppl"], "responders": ["gpt"], "screened": {"queries": None}},
            CELL | {"defences": ["ppl"], "responders": ["gpt"]},
            CELL | {"defences": ["raguard"], "responders": []},
            CELL | {"datasets": ["other"], "defences": ["raguard"], "responders": ["gpt"]},
        ]
    },
    "revprag": {
        "cells": [CELL | {"responders": ["unasked"]}],
        "probes": {"triplet": {}, "logistic": {}},
        "generalisation": {"attacks": {}, "data_sets": {}},
        "conditions": ["released", "matched"],
        "baselines": ["masking", "scrutiny"],
        "defences": ["raguard"],
    },
    "relevance": {
        "retrievers": ["dense", "bm25"],
        "answers": {"responders": ["gpt"], "retrievers": ["dense", "bm25"]},
        "sets": {
            "books": {"corpus": "nq", "near": ["near", "other"], "far": [], "retrievers": ["dense", "bm25"]},
            "others": {"corpus": "other", "near": ["other"], "far": []},
        },
    },
}
KEYS = {"dataset": ["nq"], "defence": ["raguard"], "responder": ["gpt"]}


def test_cells_keep_what_the_table_shows():
    over = narrowed(CONFIG, KEYS, None)
    small = {"datasets": ["nq"], "retrievers": ["dense"], "attacks": ["none", "black"], "defences": ["raguard"]}
    assert over["under_attack"]["cells"] == [small | {"responders": ["gpt"]}, small | {"responders": []}]
    assert over["revprag"]["cells"] == []  # whose responder is none of the table's


def test_entries_go_that_nothing_leads_to():
    """A writer stays for its data set, a scorer for its defence, and no service is switched off."""
    over = narrowed(CONFIG, KEYS | {"corpus": ["nq"], "set": ["near"], "retriever": ["dense"]}, None)
    off = {name: sorted(over.get(name, {})) for name in ("models", "datasets", "corpora", "scorers", "retrievers")}
    others = {"models": ["unasked"], "datasets": ["other"], "corpora": ["other"]}
    assert off == others | {"scorers": ["opt"], "retrievers": ["cosine"]}
    assert over["encoders"] == {"mpnet": None} and over["detectors"] == {"methods": {"network": None}}
    assert over["query_sets"] == {"other": None} and over["attacks"] == {"white": None}


def test_sets_and_probes_keep_what_the_table_shows():
    keys = {"corpus": ["nq"], "set": ["near"], "retriever": ["bm25"], "probe": ["triplet"], "condition": ["released"]}
    over = narrowed(CONFIG, keys | {"generalisation": ["data_sets"]}, None)
    books = {"corpus": "nq", "near": ["near"], "far": [], "retrievers": ["bm25"]}
    answers = {"responders": [], "retrievers": ["bm25"]}
    assert over["relevance"] == {"sets": {"books": books, "others": None}, "retrievers": ["bm25"], "answers": answers}
    assert narrowed(CONFIG, keys | KEYS, None)["relevance"]["answers"]["responders"] == ["gpt"]
    assert over["revprag"]["probes"] == {"logistic": None} and over["revprag"]["conditions"] == ["released"]
    assert over["revprag"]["generalisation"] == {"attacks": None}
    assert over["revprag"]["baselines"] == over["revprag"]["defences"] == []
    assert narrowed(CONFIG, {"probe": ["masking"]}, None)["revprag"]["baselines"] == ["masking"]


def test_relevance_is_rated_where_the_table_names_raters():
    assert narrowed(CONFIG, {"method": ["Energy"]}, None)["lm_relevance"] == {"raters": [], "rated": []}
    rated = narrowed(CONFIG, {"method": ["gpt", "Energy"]}, None)["lm_relevance"]
    assert rated == {"raters": ["gpt"], "rated": [{"query_set": "near"}]}


def test_sweeps_name_scorers():
    assert "opt" not in narrowed(CONFIG, KEYS, 'table_3\topt\t{"scorer": "opt"}')["scorers"]


def test_nothing_goes_without_names_but_what_nothing_needs():
    over = narrowed(CONFIG, {}, None)
    cells = CONFIG["under_attack"]["cells"]
    lists = [{key: value for key, value in cell.items() if key != "screened"} for cell in cells]
    assert over["under_attack"]["cells"] == lists and over["revprag"]["cells"] == CONFIG["revprag"]["cells"]
    assert over["datasets"] == {} and over["relevance"]["sets"] == CONFIG["relevance"]["sets"]
