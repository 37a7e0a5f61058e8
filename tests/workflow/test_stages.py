"""Stages follow one another: each reads only what those before it write, in the order of `Snakefile`, in every plan.
A service that stands behind guards of the same run is asked after they are fitted, and a judge that votes on the sample
alone, after it is drawn.
"""

from project import ROOT, snakemake
from tools import counts, docs

EVERY = ("--configfile", "tests/workflow/every_rule.yaml")
TARGETS = ("report", "paper", "question_sets", "export", "export_attacks", "results/gold/authors/careful.parquet")
MERGED = "results/duplicate_indexes/up_to/2026-09.arrow"  # which the seventeenth shard asks for
BEHIND_GUARDS = {(rule, "ask_service") for rule in ("fit_gate", "fit_defence", "train_scorer")}
ON_THE_SAMPLE = {("sample_for_annotation", "judge_scope")}
# Stages that share the room of their study, and one whose code only the demo needs.
ROOMS = dict.fromkeys(["questions", "responses", "labels", "hardness", "months", "question_sets"], "studies/scope")
ROOMS |= {"demo_lm": "demo/lm", "coverage": "studies/relevance"}


def backwards(graph, files):
    """The arrows that lead from a rule to one of an earlier stage. Without any there is no cycle either."""
    order = list(dict.fromkeys(files.values()))
    steps = [(a, b) for a, b in graph if a in files and b in files]
    return {(a, b) for a, b in steps if order.index(files[a]) > order.index(files[b])}


def planned_graph(project, *arguments):
    """(rule, rule that needs it) for all rules of a plan."""
    command = ("--forceall", "--rulegraph", "mermaid-js", *arguments, "--", *TARGETS, MERGED)
    return docs.arrows(snakemake(project, *command).stdout)


def test_no_stage_reads_what_a_later_one_writes(project):
    labels = project / "annotation/authors/careful"
    labels.mkdir(parents=True)
    for name in ("items.parquet", "events.jsonl"):
        (labels / name).touch()
    files = docs.rule_files()
    every, default = planned_graph(project, *EVERY), planned_graph(project)
    assert not set(files) - {rule for pair in every for rule in pair}, "a rule that every_rule.yaml does not ask for"
    assert not backwards(every, files) - BEHIND_GUARDS - ON_THE_SAMPLE and backwards(default, files) == BEHIND_GUARDS
    assert not counts.stage_cycles(default, files)


def test_a_stage_that_reads_what_a_later_one_writes_is_found():
    files = {"write": "first", "read": "second", "measure": "first"}
    assert not backwards({("write", "read"), ("write", "measure")}, files)
    assert backwards({("write", "read"), ("read", "measure")}, files) == {("read", "measure")}


def test_a_stage_is_a_rule_file_a_folder_of_scripts_one_of_tests_and_a_room():
    rooms = [f"/{module.parent.as_posix()}" for module in (ROOT / "workflow").rglob("__init__.py")]
    for stage in dict.fromkeys(docs.rule_files().values()):
        assert (ROOT / "workflow/scripts" / stage).is_dir() and (ROOT / "tests" / stage).is_dir(), stage
        assert any(room.endswith(f"/{ROOMS.get(stage, stage)}") for room in rooms), stage
