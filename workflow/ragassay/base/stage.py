"""Run a stage as the job of a rule: its log file, and errors that a person can act on in one line."""

import contextlib
import errno
import gc
import logging
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from ragassay.base.errors import AssayError
from ragassay.base.terminal import CONSOLE, job_name, masked, printable, wiped

log = logging.getLogger("ragassay")

LAST = {"last": True}  # of a line that ends a job
INTERRUPTED = 128 + signal.SIGINT  # the exit status, as shells have it
FULL = errno.ENOSPC, errno.EDQUOT


def _mask(record):
    """What is logged may quote a server, and that a key, or codes that steer a terminal."""
    record.msg, record.args = printable(masked(record.getMessage())), ()
    return True


log.addFilter(_mask)


def _is_for_the_terminal(record):
    """Whether a line belongs on the terminal. What `ragassay.running.console` shows in its own way does not, nor what
    `ragassay.calls.progress` adds up.
    """
    if CONSOLE in os.environ:
        return record.levelno >= logging.WARNING and not getattr(record, "last", False)
    return "RAGASSAY_RUN" not in os.environ or not getattr(record, "in_the_runs_line", False)


def _show(*error):
    """What Python shows of an error that nobody caught, without keys and codes that steer a terminal; where a console
    names the log, nothing.
    """
    if CONSOLE not in os.environ:
        sys.stderr.write(printable(masked("".join(traceback.format_exception(*error)))))


def run(stage: Callable, snakemake) -> None:
    """Call `stage` with the rule's named inputs, outputs and settings; what it logs goes to the rule's log and to the
    terminal. Ctrl-C, which a terminal sends to every job, ends it in one line.
    """
    Path(snakemake.log[0]).parent.mkdir(parents=True, exist_ok=True)
    file, terminal = (_LogFile(snakemake.log[0], mode="w", encoding="utf-8"), logging.StreamHandler(sys.stderr))
    _leave_pandas_out()
    terminal.addFilter(_is_for_the_terminal)
    terminal.setFormatter(logging.Formatter(f"{wiped()}{job_name(snakemake.rule, snakemake.wildcards)}: %(message)s"))
    log.setLevel(logging.INFO)
    log.handlers = [file, terminal]
    gc.freeze()  # what was imported stays; to look for garbage there takes a tenth of the time of a call
    try:
        with _interruptible():
            stage(**snakemake.input, **snakemake.output, **_settings(snakemake.params))
    except KeyboardInterrupt:
        _say_last("interrupted; run the same command to redo this job")
        sys.exit(INTERRUPTED)
    except AssayError as error:
        _say_last(error)
        sys.exit(error.exit_code)
    except Exception as error:  # to be written down, not to be swallowed
        if getattr(error, "errno", None) in FULL:
            problem = f"{os.strerror(error.errno)} ({Path.cwd()} or {tempfile.gettempdir()})"
            _say_last(f"{problem}; free some space and run again, what is done stays done")
            sys.exit(1)
        file.stream.write(printable(masked(traceback.format_exc())))
        sys.excepthook = _show  # on the terminal
        raise
    finally:
        log.handlers = []
        with contextlib.suppress(OSError):  # the disk is full, which is said by now
            file.close()


class _LogFile(logging.FileHandler):
    """A log whose disk is full ends the job, instead of a traceback for each line."""

    def handleError(self, record):
        if isinstance(sys.exc_info()[1], OSError):
            raise
        super().handleError(record)


def _say_last(words):
    """What ends a job; on the terminal, too, if the log takes no more."""
    try:
        log.error("%s", words, extra=LAST)
    except OSError:
        sys.stderr.write(f"{printable(masked(str(words)))}\n")


@contextlib.contextmanager
def _interruptible():
    """SIGINT raises KeyboardInterrupt, once, and kills outright before and after; one that is ignored stays so."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _settings(params):
    """The rule's settings. How a model is called is a param of its own, so that changing it re-runs nothing."""
    access = getattr(params, "access", None)
    return params.settings | ({"model": params.settings["model"] | access} if access else {})


class _WithoutPandas:
    """An import path on which no pandas is."""

    @staticmethod
    def find_spec(name, _path=None, _target=None):
        if name == "pandas":
            raise ModuleNotFoundError("pandas is not for pyarrow", name=name)


def _leave_pandas_out():
    """With the first list that it is given pyarrow imports pandas, which takes longer than most jobs; if it finds none
    then, it never asks again. Every other import of pandas gets it.
    """
    sys.meta_path.insert(0, _WithoutPandas)
    try:
        pa.array([])
    finally:
        sys.meta_path.remove(_WithoutPandas)
