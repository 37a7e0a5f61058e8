"""Scenarios of runs on a cluster, and what holds after each: tables, calls, the rate limit and jobs."""

import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from clusters.project import A_SECOND, CLAIMS, HERE, SERVER, Project
from clusters.scenarios import BEFORE, TARGETS
from clusters.slurm import Slurm
from tools.loopback import Loopback


class Trial:
    """`with Trial(folder, slurm) as trial`: `trial.of(scenario)` lets it happen to a project of its own on this Slurm,
    which may be exchanged between scenarios. What the same targets need and give without Slurm is found out once.
    """

    def __init__(self, folder: Path, slurm: Slurm | None = None):
        self.folder, self.slurm, self.stack, self.found, self.tried = Path(folder), slurm, ExitStack(), {}, 0

    def __enter__(self):
        self.server = self.stack.enter_context(Loopback(**SERVER))
        return self

    def __exit__(self, *_):
        self.stack.close()

    def of(self, scenario) -> dict[str, tuple]:
        """What was measured -> value, unit, target and limit, as `figure` takes them."""
        targets = TARGETS.get(scenario, CLAIMS)
        prepared, tables, needed = self.found.get(targets) or self._without_slurm(targets)
        self.tried += 1
        server = self.server if needed else None
        project = Project(self.folder / f"{self.tried}/project", self.slurm, server, like=prepared)
        try:
            status = scenario(project)
            left = len(self.slurm.jobs())
        except (AssertionError, OSError, RuntimeError, subprocess.TimeoutExpired) as error:
            sys.stdout.write(f"{scenario.__name__}: {error}\n")
            status, left = -1, len(self.slurm.jobs())
        finally:
            project.end()
        if status:
            sys.stdout.write(f"{project.told[-3000:]}\n")
        figures = {
            "exit_status": (status, "status", "== 0"),
            "tables_that_differ": (differing(tables, project.tables()), f"of_{len(tables)}", "== 0"),
            "jobs_left": (left, "jobs", "== 0"),
        }
        if needed:
            figures["journalled_answers_asked_again"] = (project.asked_again(needed), "calls", "== 0")
            most = project.most_in_a_second()
            figures["most_requests_in_a_second"] = (most, "requests", f"<= {A_SECOND}", A_SECOND)
        return figures

    def _without_slurm(self, targets):
        """A project in which that is there which needs no Slurm; the tables of the targets and what they ask."""
        server = self.server if targets is CLAIMS else None
        project = Project(self.folder / f"here-{len(self.found)}", self.slurm, server)
        prepared = self.folder / f"prepared-{len(self.found)}"
        assert not project.run(*BEFORE[targets], how=HERE), project.told
        shutil.copytree(project.folder, prepared, symlinks=True)
        (prepared / "told.txt").unlink()
        assert not project.run(*targets, how=HERE), project.told
        self.found[targets] = prepared, project.tables(), project.asked() if server else None
        return self.found[targets]


def differing(tables, found):
    names = [name for name, digest in tables.items() if found.get(name) != digest]
    sys.stdout.writelines(f"differs: {name}\n" for name in sorted(names))
    return len(names)
