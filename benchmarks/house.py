"""The house itself: how large it is, and how long its commands take from a clean clone.

`counts`: lines, modules, rooms, arrows between rooms, cycles of stages, names (see workflow/tools/counts.py).
`demos`: `make demo`, of which the second does nothing, and of each study alone. `again`: the second `make setup` and
the tiny pipeline of the tests. `tests`: `make test`. Plans are measured by project.py and cluster.py.
`python benchmarks/house.py demos` measures only what is named.
"""

import shutil

from common.clone import ROOT, cloned, timed
from common.figures import figure, parts
from tools import counts, docs

LONGEST = {"scope": 100, "detectors": 120, "relevance": 120, "attacks": 120, "raguard": 120, "revprag": 120}  # seconds


def house() -> None:
    graph, arrows = docs.rule_graph(), counts.arrows()
    figure("lines_of_the_library", counts.lines(counts.LIBRARY), "lines", "<= 33000")
    figure("modules_of_the_library", counts.modules(), "modules", "<= 330")
    figure("lines_of_tests", counts.lines(ROOT / "tests"), "lines", "<= 38000")
    figure("lines_of_benchmarks", counts.lines(ROOT / "benchmarks"), "lines", "<= 7500")
    figure("rooms", len({room for arrow in arrows for room in arrow}), "rooms", "<= 24")
    figure("arrows_between_rooms", len(arrows), "arrows", "<= 150")
    figure("arrows_up", len(counts.arrows_up()), "arrows", "== 0")
    figure("cycles_of_stages", len(counts.stage_cycles(graph, docs.rule_files())), "cycles", "== 0")
    figure("class_names_for_several_things", len(counts.shared_class_names()), "names", "== 0")
    figure("bindings_of_banned_names", counts.banned_bindings(), "bindings", "<= 600")
    figure("walk_from_a_target_to_the_table_of_defences", counts.walk(), "modules", "<= 90")


def demos(clone):
    figure("demo", timed(clone, "make", "demo")[0], "s", "<= 240")
    seconds, output = timed(clone, "make", "demo")
    figure("demo_again", seconds, "s", "<= 4")
    figure("demo_again_does_nothing", "Nothing to be done" in output, "yes", "== 1")
    for study, most in LONGEST.items():
        forget(clone)
        figure(f"demo_{study}", timed(clone, "make", "demo", f"STUDY={study}")[0], "s", f"<= {most}")
    forget(clone)


def forget(clone):
    """All that a run has made, what it asked and embedded included."""
    timed(clone, "make", "clean")
    for name in ("ledger", "embeddings"):
        shutil.rmtree(clone / name, ignore_errors=True)


def again(clone):
    figure("setup_again", min(timed(clone, "make", "setup")[0] for _ in range(3)), "s", "< 0.8")
    tiny = ("--configfile", "tests/tiny/config.yaml")
    figure("tiny_pipeline", timed(clone, clone / ".venv/bin/snakemake", *tiny)[0], "s", "< 120")


def tests(clone):
    figure("tests_in_the_clone", timed(clone, "make", "test")[0], "s", "<= 480")


def in_a_clone(part):
    """The part, in a clone with an environment of its own."""

    def run():
        with cloned() as clone:
            timed(clone, "make", "setup")
            part(clone)

    return run


if __name__ == "__main__":
    parts({"counts": house} | {part.__name__: in_a_clone(part) for part in (demos, again, tests)})
