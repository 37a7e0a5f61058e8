"""What the terminal shows of a run: a line for each job that has ended, in the last words of its log; on a terminal, a
bar with the time left below these lines; failures at the end, each in the job's own sentence.

A handler of log records in the place of Snakemake's own, whose blocks of a dozen lines go to .snakemake/log alone.
Plans (`-n`) and everything else that is no run stay Snakemake's, and so do runs with `--verbose`, `--printshellcmds` or
`--debug-dag`. With `--quiet` only failures are shown. Jobs on this machine find in their environment that the lines of
their logs do not belong on the terminal (`ragassay.base.stage`); those on other machines write as ever.
"""

import contextlib
import json
import logging
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragassay.base.errors import AssayError
from ragassay.base.terminal import BAR, CONSOLE, LINES, WIPE, clock
from ragassay.running.running_jobs import Failures, RunningJob, TimeLeft
from ragassay.running.summary import Summary

# Beginnings of what Snakemake says beside its blocks and what nobody needs on this terminal. Anything else is shown.
NOISE = (
    "Assuming unrestricted shared",
    "Building DAG of jobs",
    "Complete log(s): ",
    "Conda environments: ignored",
    "Elapsed time: ",
    "Exiting because a job execution failed",
    "Removing output files of failed job",
    "Removing temporary output",
    "Select jobs to execute",
    "Shutting down, this might take",
    "Terminating processes on user request",
    "Touching output file",
    "Using shell: ",
)
UNSHOWN = {"workflow_started", "shellcmd", "job_started", "group_info", "resources_info", "rulegraph"}
SUBMITTED = " has been submitted with SLURM"  # a line a job
NOTHING, INTERRUPTED, FAILED = "Nothing to be done", "Terminating processes on user request", "At least one job did not"
SECONDS = Path(".snakemake/seconds.json")  # what a job of each rule took in earlier runs
CELLS, NAMED = 20, 2  # of the bar; jobs that it names
DRAWN_EVERY, SILENCE = 1.0, 60.0  # seconds between bars, and until a line says what is running where there is no bar
LONG = 10  # seconds from which on a line says how long its job took


class Console(logging.Handler):
    """`snakemakes` is Snakemake's handler, which writes what is passed on to it; None if a plugin writes instead."""

    def __init__(self, workflow, snakemakes: logging.StreamHandler | None, summary: Summary):
        super().__init__()
        self.workflow, self.snakemakes, self.summary = workflow, snakemakes or logging.StreamHandler(), summary
        settings, self.stream = workflow.output_settings, self.snakemakes.stream
        quiet = {kind.name for kind in settings.quiet or ()}
        self.theirs = not snakemakes or any(
            (settings.dryrun, settings.verbose, settings.printshellcmds, settings.debug_dag)
        )
        self.silent = not workflow.is_main_process or settings.dryrun or bool(quiet & {"RULES", "ALL"})
        terminal = self.stream.isatty() and os.environ.get("TERM") != "dumb"
        self.bar = terminal and not self.silent and "PROGRESS" not in quiet
        self.colour = terminal and not settings.nocolor and not os.environ.get("NO_COLOR")
        self.begun = self.ended = self.interrupted = False
        self.time_left, self.total, self.done, self.written = None, 0, 0, time.time()
        self.running, self.failures, self.errors = {}, Failures(), {}  # by number of the job; errors by thread
        self.over = threading.Event()

    def emit(self, record: logging.LogRecord) -> None:
        try:
            event, text = getattr(record, "event", None), str(record.msg or "")
            if event is None and text.startswith(NOTHING):
                self.snakemakes.handle(record)
                self.end(well=True, asked={})
            elif self.theirs:
                self.snakemakes.handle(record)
            elif handle := getattr(self, f"_on_{event}", None):
                handle(record)
            elif event is None and (text.startswith(NOISE) or SUBMITTED in text):
                self._interrupt(text)
            elif event not in UNSHOWN:
                self._write(lambda: self.snakemakes.handle(record))
        except Exception:  # noqa: BLE001  as any handler does: what cannot be shown stops no run
            self.handleError(record)

    def _interrupt(self, text):
        """Ctrl-C ends jobs, too; a signal to this process alone waits for them."""
        if text.startswith(INTERRUPTED):
            self.interrupted = True
            if self.running and not self.silent:
                self._say("Interrupted; no job is started any more, and those that run may end.")

    def _on_run_info(self, record):
        """How many jobs of each rule there are; the first is about to start."""
        if self.begun:
            return
        self.begun, self.total = True, record.stats["total"]
        planned = {rule: count for rule, count in record.stats.items() if rule != "total"}
        self.time_left = TimeLeft(planned, _read(SECONDS), record.created)
        if self.workflow.local_exec:
            os.environ[CONSOLE] = BAR if self.bar else LINES
        if not self.silent:
            logs = [os.path.relpath(path) for path in self.workflow.logger_manager.get_logfile()]
            self._say(f"{_counted(self.total, 'job')}; Snakemake's own words go to {', '.join(logs) or 'no log'}")
            threading.Thread(target=self._tick, daemon=True).start()

    def _on_job_info(self, record):
        self.failures.forget(record.jobid)
        self.running[record.jobid] = RunningJob.of(record)
        self._draw()

    def _on_job_finished(self, record):
        self.done += 1
        if job := self.running.pop(record.job_id, None):
            seconds = record.created - job.since
            self.time_left.ended(job.rule, seconds)
            if job.makes and not self.silent:
                words = job.last_words() or _purpose(self.workflow.get_rule(job.rule))
                took = f" ({clock(seconds)})" if seconds >= LONG else ""
                self._say(f"{self._share()} {job}: {words}{took}")

    def _on_progress(self, record):
        self.done, self.total = record.done, record.total

    def _on_error(self, record):
        """What stops the run, or why a job failed: Snakemake says so before it names the job, in the same thread."""
        if self.begun and not self.ended:
            self.errors.setdefault(record.thread, []).append(str(record.msg))
        elif FAILED not in str(record.msg):
            self._write(lambda: self.snakemakes.handle(record))

    def _on_group_error(self, record):
        for job in record.job_error_info:  # those that end with their group; the one that failed says so itself
            self.running.pop(job["jobid"], None)

    def _on_job_error(self, record):
        job = self.running.pop(record.jobid, None) or RunningJob.of(record)
        job.logs = [os.path.relpath(log) for log in record.log]  # with that of a cluster
        reasons = [*self.errors.pop(record.thread, []), record.rule_msg or ""]
        failure = job.failure("\n".join(reasons).strip())
        if not failure:
            self.interrupted = True
            if not self.silent:
                self._say(f"{self._share()} {job}: {job.last_words() or 'interrupted'}")
            return
        if self.failures.add(record.jobid, job, *failure) and not self.silent:
            self._say(f"{self._share()} {self._red('failed:')} {job}")

    def end(self, well: bool, asked: dict | None = None) -> None:
        """Say how the run ended. `asked` is what it asked of models; None if nobody knows."""
        with self.lock:
            if self.ended:
                return
            self.ended = True
            self.over.set()
            for timer in threading.enumerate():
                if isinstance(timer, threading.Timer):  # Snakemake's, to wake its scheduler: the end waits for them
                    timer.cancel()
            if self.begun:
                _keep(SECONDS, self.time_left.means())
                took = clock(time.time() - self.time_left.since)
                over = f"{_counted(self.done, 'job')} done in {took}\n" if well and not self.silent else ""
                self._write(lambda: self.stream.write(over))
        if asked is not None and not self.silent:
            self.summary.tell(asked, well)
        if self.begun and not well:
            self._write(lambda: self.stream.write(self._failed()))

    def close(self) -> None:
        """Snakemake is about to end, and may never have said that the run did."""
        if self.begun:
            self.end(well=False)
        self.snakemakes.close()
        super().close()

    def _failed(self):
        errors = [f"  {text}\n" for texts in self.errors.values() for text in texts]
        failures = [*self.failures.lines(), *errors]
        what = _counted(len(self.failures) + len(errors), "job") if self.failures else "The run"
        lines = ["\n", self._red(f"{what} failed:"), "\n", *failures] if failures else []
        if not failures and not self.interrupted:
            return ""
        if failures:
            lines.append("Correct the cause, then run the same command again: it")
        else:
            lines.append("Interrupted; the same command")
        return "".join([*lines, f" goes on from here, with {self.done:,} of {self.total:,} jobs done.\n"])

    def _say(self, line):
        """A line above the bar, on a terminal no longer than one is wide."""
        self._write(lambda: self.stream.write(f"{_cut(line, self._columns()) if self.bar else line}\n"))

    def _write(self, write):
        if self.bar:
            self.stream.write(WIPE)
        write()
        self.written = time.time()
        self._draw()

    def _draw(self):
        """The bar; the cursor goes back to where the line begins, so that what others write takes its place."""
        if self.bar and self.begun and not self.ended:
            self.stream.write(f"{WIPE}{_cut(self._bar(time.time()), self._columns())}\r")
        self.stream.flush()

    def _bar(self, now):
        full = CELLS * self.done // max(1, self.total)
        failed = f", {len(self.failures)} failed" if self.failures else ""
        bar = f"[{'#' * full}{'-' * (CELLS - full)}] {self.done:,} of {self.total:,} jobs{failed}"
        return f"{self._share()} {bar}{self._left(now)}{self._now_running(now)}"

    def _share(self):
        return f"{100 * self.done // max(1, self.total):3}%"

    def _left(self, now):
        left = self.time_left.seconds(now, [*self.running.values()])
        return "" if left is None else f", {clock(left)} left"

    def _now_running(self, now):
        oldest = sorted(self.running.values(), key=lambda job: job.since)
        named = [f"{job} {clock(now - job.since)}" for job in oldest[:NAMED]]
        more = [f"and {len(oldest) - NAMED} more"] if len(oldest) > NAMED else []
        return "; " + ", ".join([*named, *more]) if named else ""

    def _tick(self):
        """Draw the bar, or say after a silence what is running."""
        while not self.over.wait(DRAWN_EVERY):
            with self.lock:
                now = time.time()
                if self.bar:
                    self._draw()
                elif now - self.written >= SILENCE and self.running and not self.ended:
                    self._say(f"{self._share()} done{self._left(now)}{self._now_running(now)}")

    def _columns(self):
        with contextlib.suppress(OSError):
            return os.get_terminal_size(self.stream.fileno()).columns or 80
        return 80

    def _red(self, text):
        return f"\033[31m{text}\033[0m" if self.colour else text


def take_over(workflow, report: str, name: str, pages: list[str]) -> Console:
    """While the Snakefile is read: a console in the place of Snakemake's handler, if this process is the head of a run
    and no plugin of the user's writes to the terminal. The rest is for the summary.
    """
    from snakemake.logging import logger

    handlers = [handler for handler in logger.handlers if handler.name == "DefaultStreamHandler"]
    theirs = handlers[0] if handlers and workflow.is_main_process else None
    console = Console(workflow, theirs, Summary(report, name, pages))
    if theirs:
        logger.removeHandler(theirs)
        logger.addHandler(console)
    return console


def in_one_line(function: Callable, *arguments, **more) -> Any:
    """What `function` returns. Of an error that a user can mend Snakemake shows the sentence, not our files."""
    from snakemake.exceptions import WorkflowError
    from snakemake.logging import logger

    try:
        return function(*arguments, **more)
    except AssayError as error:
        sentence = f"ragassay: {error}"

    def replace(record):
        if getattr(record, "event", None) == "error":
            record.msg = sentence
        return True

    logger.addFilter(replace)
    raise WorkflowError(sentence)


def _purpose(rule):
    """The first sentence of what a rule says of itself, for jobs that log nothing."""
    return " ".join((rule.docstring or "done").split()).split(". ")[0].rstrip(".")


def _cut(line, columns):
    return line if len(line) < columns else f"{line[: columns - 4]}..."


def _counted(number, what):
    return f"{number:,} {what}" + "s" * (number != 1)


def _read(path):
    with contextlib.suppress(OSError, ValueError):
        return {str(rule): float(seconds) for rule, seconds in json.loads(path.read_text()).items()}
    return {}


def _keep(path, seconds):
    with contextlib.suppress(OSError):
        path.write_text(json.dumps({rule: round(value, 2) for rule, value in sorted(seconds.items())}))
