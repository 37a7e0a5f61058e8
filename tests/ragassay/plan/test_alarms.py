"""Defences beside probes: what a cell reads, and what is refused before any job."""

import pytest

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
    assert alarms.combine_alarms(wanted) == {"defences": ["raguard", "echo"], "fpr": 0.05}
    assert alarms.cells(wanted).column("responder") == ["llama"] and not alarms.cells(config([]))
    assert not list(alarms.check(wanted)) and not list(alarms.check(config([])))


@pytest.mark.parametrize(
    ("defences", "more", "line"),
    [
        (["ragard"], {}, "revprag.defences: found the defence 'ragard', expected one of"),
        (["robustrag"], {}, "revprag.defences: found robustrag, which asks a model, expected defences that score"),
        (["chain"], {}, "revprag.defences: found chain, which has no links"),
        (["raguard"], {"conditions": ["matched"]}, "revprag.defences: found no condition retrieved"),
        (["raguard"], {"cell": CELL | {"k": 20}}, "revprag.defences: found prompts of 20 passages, expected at most"),
        (["knowing"], {}, "defences.knowing.settings: found read, which has read the corpus of mine"),
    ],
)
def test_what_cannot_be_compared_is_one_line(defences, more, line):
    [found] = {f"{'.'.join(key)}: {text}" for key, text in alarms.check(config(defences, **more))}
    assert found.startswith(line)
