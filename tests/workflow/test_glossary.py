"""Names: a class name stands for one thing, and no variable has a name that could be anybody's.

Of what is wrong there may only be less: how much there was, `make bench-house ARGS=counts` has written down.
"""

import pytest

from project import ROOT
from tools import counts

FIGURES = dict(line.split()[1:3] for line in (ROOT / "benchmarks/figures/house.txt").read_text().splitlines())


def test_no_further_class_name_stands_for_several_things():
    shared = counts.shared_class_names()
    assert len(shared) <= int(FIGURES["class_names_for_several_things"]), shared


def test_no_further_variable_has_a_name_that_says_nothing():
    assert counts.banned_bindings() <= int(FIGURES["bindings_of_banned_names"]), f"name none of {counts.BANNED} again"


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("found = 1", ["found"]),
        ("for one, other in pairs: pass", ["one"]),
        ("def read(said): return [known for known in said]", ["known", "said"]),
        ("with open(path) as told: found_files = told.own", ["told"]),
        ("finding = known(found)", []),
    ],
)
def test_what_binds_a_banned_name(source, names):
    assert sorted(counts.bindings(source)) == names


def test_two_modules_with_a_class_of_one_name_are_found(tmp_path):
    (tmp_path / "a.py").write_text("class Row: pass")
    (tmp_path / "b.py").write_text("class Row: pass\nclass Kind: pass")
    (tmp_path / "c.py").write_text("class Kind: pass")
    assert counts.shared_class_names(tmp_path) == {"Row": ["a.py", "b.py"]}


def test_stages_that_feed_each_other_are_one_cycle():
    stages = {"plant": "attacks", "measure": "attacks", "filter": "defences", "report": "report"}
    graph = {("plant", "filter"), ("filter", "measure"), ("measure", "report"), ("report", "all")}
    assert counts.stage_cycles(graph, stages) == [{"attacks", "defences"}]
    assert counts.stage_cycles(graph - {("filter", "measure")}, stages) == []
