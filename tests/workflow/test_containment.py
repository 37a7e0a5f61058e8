"""What attacks plant stays in tables that say so: no clean table takes it, and no rule makes one from it."""

import re

import pytest

from passages import TEXTS, write_passages
from project import ROOT
from ragassay.base import tables
from ragassay.config.schema import merged
from ragassay.config.settings import checked
from ragassay.plan import release
from ragassay.results import all_tables
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES
from ragassay.studies.poisoning.attacks.attack import Tools, rows
from rows import row
from rule_texts import directives
from targets import targets
from wildcards import Wildcards

MARKED = re.compile(r"\{attack\}|results/(metrics|export|calls|poisoned_\w+)/")
COLUMNS = {
    f"results/{table.path}.parquet": {column.name for column in table.columns}
    for table in all_tables().values()
    if table.path
}
CELLS = [{"datasets": ["demo"], "retrievers": ["bm25"], "attacks": ["none", "poisonedrag_bare"]}]


def leaks(text):
    """rule -> the outputs of rules that read poisoned tables which hold passages and bear no attack's name."""
    found = {}
    for name, says in directives(text):
        if re.search(r"\b(poisoned_passages|retrieved|filtered)=", says.get("input", "")):
            paths = [path for path in re.findall(r'"(results/[^"]+)"', says["output"]) if not MARKED.search(path)]
            found[name] = [path for path in paths if COLUMNS.get(path, {"text"}) & {"text", "passage_id"}]
    return found


def test_rules_that_read_poison_write_what_bears_the_attacks_name():
    found = leaks("\n".join(file.read_text() for file in (ROOT / "workflow/rules").glob("*.smk")))
    assert {"retrieve_dense", "filter_retrieved", "answer_attacked", "export_targets"} <= found.keys()
    assert not any(found.values())


def test_a_rule_that_makes_a_clean_table_from_poison_is_found():
    place = "results/passages/{corpus}.parquet"
    rule = f'rule a:\n    input:\n        retrieved="x",\n    output:\n        b=table("{place}"),\n'
    assert leaks(rule) == {"a": [place]}


@pytest.mark.parametrize(("table", "make"), [(PASSAGES, "passages"), (NEIGHBOURS, "neighbours")])
def test_a_clean_table_refuses_what_an_attack_made_in_one_line(tmp_path, table, make):
    planted = [one["passage_id"] for one in rows("bare", "poisonedrag_bare", targets(), Tools(), {"texts": 1})]
    keys = {"query_id": "q"} if table is NEIGHBOURS else {}
    for name in (*planted, f"{planted[0]}#2"):
        with pytest.raises(tables.TableError, match=rf"{make}\.parquet: .*found {name}, which an attack made") as told:
            tables.write(table, tmp_path / f"{make}.parquet", [row(table, passage_id=name, **keys)])
        assert "\n" not in str(told.value) and not (tmp_path / f"{make}.parquet").exists()


def test_ids_of_ones_own_may_speak_of_poison(tmp_path):
    write_passages(tmp_path / "passages.parquet", {"poison-ivy": "It itches.", **TEXTS})


@pytest.mark.parametrize(("poisoned", "attacks"), [(False, []), (True, ["none", "poisonedrag_bare"])])
def test_an_export_reads_poison_only_by_an_explicit_switch(poisoned, attacks):
    own = {"corpora": {"texts": {"files": ["a.csv"]}}, "under_attack": {"cells": CELLS}}
    own |= {"datasets": {"demo": {"corpus": "texts", "targets": ["t.csv"]}}, "export": {"poisoned": poisoned}}
    config = checked(own, [], merged())
    wanted = [f"results/poisoned_passages/demo/{name}.parquet" for name in attacks]
    assert release.poisoned_passages(config, Wildcards(dataset="demo")) == wanted
    assert not checked({}, [], merged())["export"]["poisoned"]
