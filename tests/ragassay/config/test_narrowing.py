"""A configuration for one table: cells with other names go, and entries that nothing names any longer."""

from ragassay.config.narrowing import narrowed

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
    assert off == {
        "models": ["unasked"],
        "datasets": ["other"],
        "corpora": ["other"],
        "scorers": ["opt"],
        "retrievers": ["cosine"],
    }
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
    lists = [
        {key: value for key, value in cell.items() if key != "screened"} for cell in CONFIG["under_attack"]["cells"]
    ]
    assert over["under_attack"]["cells"] == lists and over["revprag"]["cells"] == CONFIG["revprag"]["cells"]
    assert over["datasets"] == {} and over["relevance"]["sets"] == CONFIG["relevance"]["sets"]
