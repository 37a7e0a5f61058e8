"""What each configuration plans: its files below results, and which of its pages have to be drawn again.

Snakemake knows both while a run lasts. The run's process writes them down when the first job starts and when the run
ends, a file for each configuration and its targets. So a run, and `make prune`, can tell a file that nobody plans any
more from one that another configuration plans.

A run that makes tables of another configuration, or only some of its own, leaves pages behind that may no longer fit.
Such a plan is made again at the end, by a Snakemake that only plans, so that Snakemake alone decides which pages would
be drawn again. Plans that a run has no bearing on cost it nothing.
"""

import atexit
import contextlib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ragassay.base import pipeline
from ragassay.base.atomic import write_text
from ragassay.base.errors import AssayError
from ragassay.calls.estimate import key_variables
from ragassay.report import provenance
from ragassay.report.provenance import FITS, OUTDATED, UNFINISHED
from ragassay.running import leftovers

PLANS = Path(".snakemake/plans")
RESULTS = "results/"
PAGES = "results/report/"
DRAWN = (PAGES, "results/findings/")  # what is made of metrics alone
UNDRAWN = "undrawn"  # of a page behind which there is no table that is older than its settings or inputs
WANTED = "RAGASSAY_PLAN"  # in the environment of a Snakemake that only plans: where to write the plan
_followed = {}  # what this process plans by


class PlanError(AssayError):
    """Snakemake cannot plan a configuration."""


@dataclass
class Plan:
    """Of one configuration and some targets. Without targets, it is the whole of the configuration."""

    configfiles: list[str]  # laid over the default
    overrides: dict  # what the command line sets beside them
    targets: list[str]
    fingerprint: str  # of the settings and shards
    goals: list[str]  # rules that make nothing themselves, which people name as targets
    files: dict[str, list[str]]  # rule -> its outputs
    patterns: dict[str, dict[str, bool]]  # rule -> forms of its outputs, and whether they are folders
    pages: dict[str, str]  # page -> what is wrong with it
    pending: bool = False  # whether a run is making files of it

    @property
    def whole(self) -> bool:
        return not self.targets

    @property
    def path(self) -> Path:
        names = "+".join(Path(file).stem for file in self.configfiles) or "default"
        identity = json.dumps([self.configfiles, self.overrides, self.targets], sort_keys=True)
        return PLANS / f"{names[:80]}-{hashlib.sha256(identity.encode()).hexdigest()[:12]}.json"

    @property
    def command(self) -> str:
        """What draws its pages and makes its tables."""
        files = ["--configfile", *self.configfiles] if self.configfiles else []
        overrides = [f"{name}={value}" for name, value in self.overrides.items()]
        if not (files or overrides or self.targets):
            return pipeline.study_command()
        return pipeline.run_command(*self.targets, *files, *(["--config", *overrides] if overrides else []))

    def outputs(self) -> set[str]:
        return {path for paths in self.files.values() for path in paths}

    def has_configuration_of(self, other: "Plan") -> bool:
        return (self.configfiles, self.overrides) == (other.configfiles, other.overrides)

    def write(self) -> None:
        text = json.dumps(asdict(self), sort_keys=True)
        if not self.path.exists() or self.path.read_text() != text:
            write_text(self.path, text)


def written() -> list[Plan]:
    """Every plan that runs have written down. One that cannot be read is none: another version's, or a torn disk's."""
    plans = []
    for path in sorted(PLANS.glob("*.json")):
        try:
            plans.append(Plan(**json.loads(path.read_text())))
        except (OSError, ValueError, TypeError):
            continue
    return plans


def follow(workflow, settings: dict, report: str) -> None:
    """While the Snakefile is read. `settings` are all that decide about results, `report` is the folder of the report.
    What is to be said at the end of a run is also said where nothing was to be done, which Snakemake tells nobody.
    """
    if workflow.is_main_process:
        fingerprint = hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode()).hexdigest()
        _followed.update(fingerprint=fingerprint, report=report, since=time.time())
        atexit.register(_end, workflow)


def begin(workflow) -> None:
    """When the first job is about to start. Pages that are to be drawn again say so until the run has ended well, also
    if it is killed.
    """
    plan = _plan(workflow)
    made = {os.path.normpath(path) for job in workflow.dag.needrun_jobs() for path in job.output}
    if plan is not None:
        plan.pages = {page: UNFINISHED if state else FITS for page, state in plan.pages.items()}
        plan.pending = True
        plan.write()
    others = _others(plan, made)
    mark([*filter(None, [plan]), *others], leftovers.noted())


def _others(plan, made=frozenset()):
    """The plans of other runs, as this one leaves them: those of which it makes files, or whose settings have changed,
    have to be made again.
    """
    others = [other for other in written() if plan is None or other.path != plan.path]
    for other in others:
        changed = plan is not None and other.has_configuration_of(plan) and other.fingerprint != plan.fingerprint
        if other.pages and (changed or not made.isdisjoint(other.outputs())):
            other.pending = True
            other.pages = dict.fromkeys(other.pages, UNFINISHED)
        if plan is not None:
            other.pages |= {page: state for page, state in plan.pages.items() if page in other.pages}
            other.pending &= not other.pages.keys() <= plan.pages.keys()
        other.write()
    return others


def _end(workflow):
    if workflow._dag is None:
        return
    if wanted := os.environ.get(WANTED):
        Path(wanted).write_text(json.dumps(asdict(_plan(workflow))))
    elif workflow.scheduler is not None and not workflow.dryrun and not workflow.touch:
        try:
            sys.stderr.writelines(f"{line}\n" for line in end(workflow))
        except OSError as error:
            sys.stderr.write(f"what this run left behind could not be written down: {error}\n")


def end(workflow) -> list[str]:
    """When all jobs have ended, or none was to be run: what to say about pages and files that no longer fit."""
    plan = _drawn(_plan(workflow))
    if plan is not None:
        plan.write()
    plans = [_settled(other) if other.pending else other for other in _others(plan)]
    plans = [*filter(None, [plan]), *plans]
    if plan is not None and not _whole(plan, plans) and _is_now(Path(_followed["report"], "index.html")):
        with contextlib.suppress(AssayError):
            plans.append(_drawn(again(replace(plan, targets=[]))))
            plans[-1].write()
    base = _base(plan, plans)
    left = leftovers.left_over(base, [other for other in plans if other is not base]) if base else leftovers.noted()
    leftovers.note(left)
    mark(plans, left)
    return [*_outdated(plans), *([leftovers.line(left)] if left else [])]


def _drawn(plan):
    """A plan whose pages fit that this run has drawn beside its jobs (see `ragassay.running.partial_report`)."""
    for page in [page for page in plan.pages if plan.pages[page] == UNDRAWN] if plan else ():
        plan.pages[page] = FITS if _is_now(Path(page)) else OUTDATED
    return plan


def _is_now(page):
    """Whether this run has drawn a page."""
    return page.exists() and page.stat().st_mtime >= _followed["since"]


def _whole(plan, plans):
    """The plans of this configuration as a whole, which is at most one."""
    return [other for other in plans if other.whole and other.has_configuration_of(plan)]


def remember(plan: Plan, before: Plan | None) -> None:
    """Of pages that a run drew beside its jobs, only the plan of that time knows whether they fit."""
    states = before.pages if before and before.fingerprint == plan.fingerprint else {}
    for page in [page for page in plan.pages if plan.pages[page] == UNDRAWN]:
        plan.pages[page] = states.get(page, OUTDATED)


def _base(plan, plans):
    """The plan by which files are judged: the whole of this configuration as it is now, or what there is of it."""
    if plan is None or plan.whole:
        return plan
    whole = _whole(plan, plans)
    return next((other for other in whole if other.fingerprint == plan.fingerprint), None) if whole else plan


def _settled(plan):
    """A plan that was made again, since a run has made files of it or its settings have changed."""
    try:
        plan = _drawn(again(plan))
    except AssayError:
        plan.pages = dict.fromkeys(plan.pages, OUTDATED)
    plan.write()
    return plan


def again(plan: Plan) -> Plan:
    """What Snakemake plans now for this configuration and these targets; runs nothing."""
    with tempfile.TemporaryDirectory(prefix="plan-") as folder:
        wanted, files = Path(folder, "plan.json"), [*plan.configfiles]
        if plan.overrides:
            files.append(str(Path(folder, "overrides.json")))
            Path(files[-1]).write_text(json.dumps(plan.overrides))
        given = ["--configfile", *files] if files else []
        command = pipeline.snakemake("--summary", *given, "--", *plan.targets)
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        keys = dict.fromkeys(key_variables(plan.configfiles), "not needed to plan")
        environment = keys | environment | {WANTED: str(wanted)}
        together = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
        done = subprocess.run(command, env=environment, **together)
        if done.returncode or not wanted.exists():  # there is half a plan where an input is missing
            lines = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("Building DAG")]
            raise PlanError(f"{plan.command}: Snakemake cannot plan this: {' '.join(lines[-3:])[:500]}")
        return replace(Plan(**json.loads(wanted.read_text())), configfiles=plan.configfiles, overrides=plan.overrides)


def _plan(workflow):
    """What this process has planned and not made; None if it was asked for some of its jobs only."""
    asked = workflow.dag_settings
    if asked.until or asked.omit_from or asked.batch:
        return None
    files, pages, dag = defaultdict(list), {}, workflow.dag
    made = {job: [os.path.normpath(path) for path in job.output] for job in dag.jobs}
    waiting = {job for job in made if not dag.noneedrun_finished(job)}
    old = {job for job in waiting if any(not path.startswith(DRAWN) and Path(path).exists() for path in made[job])}
    for job, outputs in made.items():
        files[job.rule.name] += [path for path in outputs if path.startswith(RESULTS)]
        drawn = [path for path in outputs if path.startswith(PAGES) and path.endswith(".html")]
        if drawn and job in waiting:
            behind = old.intersection(dag.bfs(dag.dependencies, job))
            pages |= dict.fromkeys(drawn, OUTDATED if behind else UNDRAWN)
        else:
            pages |= dict.fromkeys(drawn, FITS)
    targets = sorted(asked.targets)
    given = workflow.config_settings
    return Plan(
        configfiles=[os.path.relpath(file) for file in given.configfiles],
        overrides=json.loads(json.dumps(dict(given.config), default=str)),
        targets=[] if targets == [workflow.default_target] else targets,
        fingerprint=_followed["fingerprint"],
        goals=[rule.name for rule in workflow.rules if not rule.output and not rule.wildcard_names],
        files={rule: sorted(paths) for rule, paths in sorted(files.items()) if paths},
        patterns=leftovers.patterns(workflow.rules, _followed["report"]),
        pages=dict(sorted(pages.items())),
    )


def mark(plans: Iterable[Plan], left: Iterable[str]) -> None:
    """Write beside the pages which of them do not fit; of plans that have the same page, the first one knows."""
    states = {}
    for plan in plans:
        states = plan.pages | states
    removed = [path for path in left if path.startswith(PAGES) and path.endswith(".html")]
    provenance.mark(PAGES, states, removed)


def _outdated(plans):
    """A line for each configuration whose pages have to be drawn again, with the command that does it."""
    seen = set()
    for plan in plans:
        pages = [page for page, state in plan.pages.items() if state and page not in seen and Path(page).exists()]
        seen |= {*plan.pages}
        if pages:
            count = f"{len(pages)} pages no longer fit" if len(pages) > 1 else "1 page no longer fits"
            yield f"{count} the tables and settings: {leftovers.few(pages)}; to draw them again: {plan.command}"
