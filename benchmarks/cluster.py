"""Runs on a real Slurm, which is started on this machine: what is submitted, and what happens to runs there.

    make bench-cluster                                 all scenarios
    .venv/bin/python benchmarks/cluster.py whole       the whole tiny plan, on Slurm and here
    .venv/bin/python benchmarks/cluster.py plans       plans of a large collection and of the paper, without Slurm
    .venv/bin/python benchmarks/cluster.py requeued    one scenario of clusters/scenarios.py, or some

It needs Debian's packages slurm-wlm and munge, and `make setup EXTRA=slurm`. After each scenario the tables are
compared byte for byte with those of a run without Slurm, and a server counts what was asked.
"""

import os
import re
import sys
import tempfile
import time
from pathlib import Path

from clusters.plans import plans
from clusters.project import HERE, ON_SLURM, Project
from clusters.scenarios import SCENARIOS
from clusters.slurm import Slurm, missing
from clusters.trial import Trial, differing
from common.figures import figure, finish


def scenarios(folder: Path, slurm: Slurm, wanted=SCENARIOS):
    with Trial(folder, slurm) as trial:
        for scenario in wanted:
            start = time.perf_counter()
            for name, measured in trial.of(scenario).items():
                figure(f"{scenario.__name__}_{name}", *measured)
            figure(f"{scenario.__name__}_seconds", time.perf_counter() - start, "s")


def whole(folder: Path, slurm: Slurm):
    seconds, tables = {}, {}
    for name, how in {"local": HERE, "slurm": ON_SLURM}.items():
        project = Project(folder / name, slurm)
        start = time.perf_counter()
        assert not project.run(how=how), project.told
        seconds[name], tables[name] = time.perf_counter() - start, project.tables()
    submissions = len(set(re.findall(r"submitted with SLURM jobid (\d+)", project.told)))
    differ = differing(tables["local"], tables["slurm"])
    figure("tiny_plan_tables_that_differ", differ, f"of_{len(tables['local'])}", "== 0")
    figure("tiny_plan_submissions", submissions, "submissions")
    figure("tiny_plan_on_slurm", seconds["slurm"], "s", limit=seconds["local"])
    figure("overhead_of_a_submission", (seconds["slurm"] - seconds["local"]) / submissions, "s")


def main(*names):
    if names in ((), ("plans",)):
        plans()
    if names == ("plans",):
        return finish()
    if lacking := missing():
        sys.exit(f"found no {', '.join(lacking)}, expected Slurm; install Debian's slurm-wlm and munge")
    with tempfile.TemporaryDirectory(prefix="ragassay-cluster-", dir=os.environ.get("CLUSTER_FOLDER")) as place:
        Path(place).chmod(0o755)
        with Slurm(Path(place, "daemons")) as slurm:
            if names in ((), ("whole",)):
                whole(Path(place), slurm)
            if names != ("whole",):
                wanted = [one for one in SCENARIOS if not names or one.__name__ in names]
                scenarios(Path(place), slurm, wanted)
    return finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
