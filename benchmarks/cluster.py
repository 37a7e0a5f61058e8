"""Runs on a real Slurm, which is started on this machine: what is submitted, and what happens to runs there.

    make bench-cluster                                     everything, each scenario once
    make bench-cluster ARGS="--times 3"                    each scenario three times
    .venv/bin/python benchmarks/cluster.py plans           plans of a large collection and of the paper, without Slurm
    .venv/bin/python benchmarks/cluster.py whole           the whole tiny plan, on Slurm and here
    .venv/bin/python benchmarks/cluster.py requeued        one scenario of clusters/scenarios.py, or some
    .venv/bin/python benchmarks/cluster.py accounted_requeued    the same on a Slurm with accounting

It needs Debian's packages slurm-wlm and munge, and `make setup EXTRA=slurm`; for accounting slurmdbd,
mariadb-server-core and mariadb-client-core, too. After each scenario the tables are compared byte for byte with those
of a run without Slurm, and a server counts what was asked. A line says how each scenario ended as soon as it has; the
figures at the end are the worst of all rounds. A run that is interrupted (Ctrl-C, SIGTERM) gives those of the scenarios
that ended, and says how often in a row each held; to go on, name the others.
"""

import argparse
import contextlib
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

from clusters import accounting
from clusters.plans import plans
from clusters.project import AS_USERS_DO, HERE, Project
from clusters.scenarios import ACCOUNTED, SCENARIOS
from clusters.slurm import INSTALL, Slurm, missing
from clusters.trial import Trial, differing
from common.figures import figure, finish, reaches

# name -> what happens, and whether there is accounting
ON = {one.__name__: (one, False) for one in SCENARIOS}
ON |= {f"accounted_{one.__name__}": (one, True) for one in ACCOUNTED}


def scenarios(folder: Path, names: list[str], times: int):
    rounds = {name: [] for name in names}
    try:
        with Trial(folder) as trial:
            for number in range(times):
                for accounted in (False, True):
                    here = [name for name in names if ON[name][1] == accounted]
                    if here:
                        with Slurm(folder / f"daemons-{number}-{accounted}", accounted) as trial.slurm:
                            for name in here:
                                rounds[name].append(tried(trial, name))
    finally:
        for name, ended in rounds.items():
            report(name, ended, times)


def tried(trial: Trial, name: str) -> dict[str, tuple]:
    """What one round of a scenario gave; says at once whether it held."""
    start = time.perf_counter()
    figures = trial.of(ON[name][0])
    ended = "held" if held(figures) else "did not hold"
    sys.stdout.write(f"{name} {ended}, after {time.perf_counter() - start:.0f} s\n")
    sys.stdout.flush()
    return figures


def held(figures):
    return all(reaches(value, target) for value, _, target, *_ in figures.values())


def report(name, ended, times):
    """The worst of each figure, and how often in a row the scenario held in the end."""
    in_a_row = next((since for since, one in enumerate(reversed(ended)) if not held(one)), len(ended))
    figure(f"{name}_held_in_a_row", in_a_row, f"of_{times}", f"== {times}")
    for key in ended[0] if ended else ():
        figure(f"{name}_{key}", *max((one[key] for one in ended), key=lambda measured: abs(measured[0])))


def whole(folder: Path):
    tables = {}
    with Slurm(folder / "daemons") as slurm:
        for name, how in {"local": HERE, "slurm": AS_USERS_DO}.items():
            project = Project(folder / name, slurm)
            assert not project.run(how=how), project.told
            tables[name] = project.tables()
    differ = differing(tables["local"], tables["slurm"])
    figure("tiny_plan_tables_that_differ", differ, f"of_{len(tables['local'])}", "== 0")


def chosen():
    """The names and times of the command line, without what this machine cannot do unless it was asked for by name."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", help=f"of {', '.join(['plans', 'whole', *ON])}; all if none is named")
    parser.add_argument("--times", type=int, default=1, help="how often each scenario is tried")
    words = parser.parse_args()
    if unknown := set(words.names) - {"plans", "whole", *ON}:
        parser.error(f"found {', '.join(sorted(unknown))}, expected {', '.join(['plans', 'whole', *ON])}")
    if words.names != ["plans"] and (lacking := missing()):
        parser.error(f"found no {', '.join(lacking)}, expected Slurm; {INSTALL}")
    if lacking := accounting.missing():
        wish = f"found no {', '.join(lacking)}; install Debian's {accounting.PACKAGES}"
        if any(name.startswith("accounted_") for name in words.names):
            parser.error(wish)
        sys.stdout.write(f"nothing is tried with accounting: {wish}\n")
    able = [name for name, (_, accounted) in ON.items() if not (accounted and lacking)]
    return words.names or ["plans", "whole", *able], words.times


def main():
    names, times = chosen()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # shells have programs in the background ignore it
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if "plans" in names:
        plans()
    with tempfile.TemporaryDirectory(prefix="ragassay-cluster-", dir=os.environ.get("CLUSTER_FOLDER")) as place:
        Path(place).chmod(0o755)
        if "whole" in names:
            whole(Path(place))
        if wanted := [name for name in names if name in ON]:
            with contextlib.suppress(KeyboardInterrupt):  # the figures say what was not tried
                scenarios(Path(place), wanted, times)
    return finish()


if __name__ == "__main__":
    main()
