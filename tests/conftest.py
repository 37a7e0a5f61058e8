"""Fixtures for tests that run the whole workflow: a copy of the project in a folder of its own."""

import fcntl
import gc
import os
import shutil
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

from project import ONE_THREAD, ROOT, TINY, copy_project, snakemake

os.environ["PYTHONPATH"] = str(ROOT / "workflow")  # processes that tests start import the library as jobs do
# Whatever a user's environment says, compiled code is kept: else hundreds of processes compile all that they import.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"  # else a client of Milvus starts threads in all that a worker forks later
os.environ.update(ONE_THREAD)  # before libraries are imported: there are more workers than processors
# The same examples each time, and no verdict on how fast the machine is.
settings.register_profile(
    "tests", deadline=None, derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tests")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection():
    """Nothing of what is imported and collected is garbage; to look for some there takes half a second each time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True)
def usual_umask():
    """What runs in a test's own process may restrict the rights of files for the rest of that process."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def pytest_collection_modifyitems(items):
    """Tests of the finished tiny pipeline come first, so that one worker runs it while the others have something to do.
    Where real waits run, a busy machine may put things into another order, so such a test may be tried again.
    """
    items.sort(key=lambda item: "tiny" not in item.fixturenames)
    for item in items:
        if item.get_closest_marker("clock"):
            item.add_marker(pytest.mark.flaky(reruns=2))


def pytest_xdist_auto_num_workers():
    """One more than processors, since many tests wait for something."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session):
    """The last lines say what was skipped and why, in one process or several."""
    result = yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and not hasattr(
        session.config, "workerinput"
    ):  # a worker of xdist tells its reports to the first process
        for line in skipped_lines(reporter.stats.get("skipped", [])):
            reporter.write_line(line)
    return result


def skipped_lines(reports):
    """A line for each reason for which tests were skipped, the most frequent one first."""
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in reports)
    return [f"{count} skipped: {reason}" for reason, count in reasons.most_common()] or ["0 skipped"]


@pytest.fixture
def project(tmp_path):
    """A copy of the project; what a test does to it stays there."""
    return copy_project(tmp_path / "project")


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """A copy whose tiny pipeline has run, to be copied and looked at, never changed. One worker runs it for all."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "tiny"
    folder.mkdir(exist_ok=True)
    project, finished = folder / "project", folder / "finished"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not finished.exists():
            shutil.rmtree(project, ignore_errors=True)  # of a worker that failed: this one fails in its own words
            snakemake(copy_project(project), *TINY)
            finished.touch()
    return project


@pytest.fixture
def done(tiny, tmp_path):
    """A project of the test's own whose tiny pipeline has run."""
    subprocess.run(["cp", "-a", tiny, tmp_path / "project"], check=True)  # a third of what shutil takes
    return tmp_path / "project"
