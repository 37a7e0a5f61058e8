"""Defences beside probes: what a cell reads, and what is refused before any job."""

from ragassay.config.schema import merged
from ragassay.config.settings import checked
from ragassay.plan import alarms
from wildcards import Wildcards

CELL = {"datasets": ["mine"], "retrievers": ["minilm"], "attacks": ["jamming"], "responders": ["llama"]}
OWN = {
    "corpora": {"texts": {"files": ["texts.csv"]}},
    "datasets": {"mine": {"corpus": "texts", "targets": ["t.csv"]}},
    "models": {
        "llama": {"provider": "transformers", "model": "llama", "price": {"input": 0, "output": 0}},
        "careful": {"provider": "rules", "model": "careful", "price": {"input": 0, "output": 0}},
    },
    "scorers": {"read": {"kind": "causal", "model": "gpt2", "has_read": ["texts"]}},
    "defences": {"knowing": {"kind": "ppl", "settings": {"scorer": "read"}}},
}


def config(defences, cell=CELL, **more):
    return checked(OWN | {"revprag": {"cells": [cell], "defences": defences} | more}, [], merged())


def test_a_cell_reads_what_each_defence_says_without_the_attack_and_under_it():
    own = Wildcards(dataset="mine", retriever="minilm", attack="jamming", responder="llama")
    place = "results/filtered/mine/minilm/{}/{}.parquet".format
    wanted = config(["raguard", "echo"])
    assert alarms.filtered(wanted, own) == [
        place("none", "raguard"), place("jamming", "raguard"), place("none", "echo"), place("jamming", "echo")
    ]  # fmt: skip
    assert alarms.cells(wanted).column("responder") == ["llama"] and not alarms.cells(config([]))
    assert not list(alarms.check(wanted)) and not list(alarms.check(config([])))
