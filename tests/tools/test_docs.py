"""The generated parts of the documentation are what they are generated from."""

import re

from project import ROOT
from ragassay.results import all_tables
from tools import docs, figures


def test_everything_generated_is_current():
    stale = [str(path.relative_to(ROOT)) for path, text in docs.documentation().items() if path.read_text() != text]
    assert not stale, f"run `make docs`: {stale}"


def test_every_setting_and_column_is_in_the_documents():
    settings, tables = (ROOT / "config/README.md").read_text(), list(all_tables().values())
    assert "`documents.cut_after_words` | `300`" in settings
    dictionary = docs.data_dictionary(tables)
    assert {table.name for table in tables} >= {"documents", "metrics", "rejects"}
    assert all(f"`{column.name}`" in dictionary for table in tables for column in table.columns)


def test_the_map_has_the_fewest_arrows():
    files = {"a": "first", "b": "second", "b2": "second", "c": "third", "measure_c": "third"}
    graph = {("a", "b"), ("b", "c"), ("a", "c"), ("b", "b2"), ("c", "all"), ("a", "measure_c")}
    arrows = [line for line in docs.stage_map(graph, files).splitlines() if "-->" in line]
    assert arrows == ["  first --> second", "  second --> third"]


def test_stages_that_feed_each_other_are_one_box_and_every_stage_is_in_the_map():
    files = dict(zip("abcdef", ["first", "second", "third", "fourth", "fifth", "alone"], strict=True))
    graph = {("a", "b"), ("b", "c"), ("c", "d"), ("d", "b"), ("d", "e"), ("c", "e"), ("a", "e")}
    drawn = docs.stage_map(graph, files)
    assert all(stage in drawn for stage in files.values())
    assert '  second["second, third, fourth"]' in drawn.splitlines() and '  alone["alone"]' in drawn.splitlines()
    assert [line for line in drawn.splitlines() if "-->" in line] == ["  first --> second", "  second --> fifth"]


def test_the_readme_maps_and_describes_every_rule_file():
    stages = {path.stem for path in (ROOT / "workflow/rules").glob("*.smk")} - {"common"}
    drawn, described = (ROOT / "README.md").read_text().split("<!-- end of stages -->")
    arrows, boxes = (re.findall(form, drawn, re.MULTILINE) for form in (r"^  (\w+) --> (\w+)$", r'^  \w+\["(.+)"\]$'))
    assert {*sum(arrows, ()), *", ".join(boxes).split(", ")} == stages
    assert set(re.findall(r"^\| (\w+) \|", described.split("##")[0], re.MULTILINE)) - {"stage"} == stages


def test_the_picture_groups_rules_by_stage_and_leaves_targets_out():
    picture = docs.picture({("a", "b"), ("b", "all")}, {"a": "first", "b": "second"})
    assert 'subgraph first_stage["first"]\n    a\n' in picture and "a --> b" in picture and "all" not in picture


def test_headlines_say_what_falls_short(monkeypatch):
    monkeypatch.setattr(docs, "HEADLINES", [("calls", "wait", "waiting"), ("tables", "size", "size")])
    calls, tables = ["wait", "3", "s", "2", "1.5", "<=2", "short"], ["size", "1", "MB", "-", "-", "<=2", "ok"]
    rows = docs.headlines({"calls": [calls], "tables": [tables]}).splitlines()[2:]
    assert rows == ["| waiting | 3 s | 2 s | <=2 | **falls short** |", "| size | 1 MB | - | <=2 | reached |"]


def test_the_table_of_figures_counts_targets_and_shows_those_that_are_short_or_nearly_missed():
    def line(name, value, target, verdict):
        return [name, value, "s", "-", "-", target, verdict, "abc", "1.0/2"]

    measured = [line(f"near_{n}", str(100 - n), "<=100", "ok") for n in range(1, figures.NEAREST + 2)]
    measured += [line("exact", "0", "==0", "ok"), line("missed", "9", "<=3", "short")]
    pages = [["pages", "3", "pages", "-", "-", "-", "count", "abc", "1.0/2"]]
    summary, rows = figures.figure_table({"calls": measured, "scale": pages}).split("\n\n")
    assert summary.splitlines()[2:] == [
        f"| [calls](../benchmarks/figures/calls.txt) | {figures.NEAREST + 2} of {figures.NEAREST + 3} | abc | 1.0/2 |",
        "| [scale](../benchmarks/figures/scale.txt) | 1 counts | abc | 1.0/2 |",
    ]
    shown = [row.split(" | ")[1] for row in rows.splitlines()[2:]]
    assert shown == ["missed", *(f"near {n}" for n in range(1, figures.NEAREST + 1))]


def test_a_study_page_says_which_targets_are_not_reached_and_why_and_nothing_of_others():
    lines = [["near", "0.5", "auroc", "-", "-", ">0.6", "short", "abc", "1.0/2"]]
    lines += [["far", "0.7", "auroc", "-", "-", ">0.6", "ok", "abc", "1.0/2"]]
    why = {"scope/near": "Few answers.", "scope/far": "Nothing."}
    head, _, *rows = figures.not_reached({"scope": lines}, why).splitlines()
    assert head.startswith("| not reached |") and rows == ["| near | 0.5 | >0.6 | Few answers. |"]
    assert figures.not_reached({"scope": lines[1:]}, {"scope/far": "Nothing."}) == "None."


def test_every_figure_of_a_study_that_is_short_has_a_reason():
    known = {name for why in figures.reasons().values() for name in why}
    studies = {name.partition("/")[0] for name in known}
    short = {
        f"{benchmark}/{line[0]}"
        for benchmark, lines in figures.figures().items()
        for line in lines
        if benchmark in studies and line[6] == "short"
    }
    assert studies == {"relevance", "published", "revprag", "scope"} and short <= known


def test_benchmarks_without_figures_are_named():
    assert "`make bench-tables`" in figures.unmeasured({})
    assert "`make bench-tables`" not in figures.unmeasured({"tables": []})
