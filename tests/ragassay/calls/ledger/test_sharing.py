"""Two people with one ledger, and a ledger that may only be read. Jobs are processes of two users of this machine."""

import errno
import multiprocessing
import os

import pytest

from ragassay.calls import model as models
from ragassay.calls.complete import complete
from ragassay.calls.ledger.journal import LedgerError
from ragassay.calls.ledger.sharing import NotShared, explained, problem
from ragassay.calls.model import Answer, Model, Request, Usage

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to work as two users")
ALICE, BOB, GROUP = 64001, 64002, 64100


class Echo(models.Provider):
    async def send(self, messages, sampling, samples):
        return messages[0]["content"], {}

    def read(self, body):
        return [Answer(body, "stop")], Usage(1, 0, 1)


def work(outcome, user, umask, folder, questions, budget):
    os.setgroups([GROUP])
    os.setgid(user)
    os.setuid(user)
    os.umask(umask)
    access = {"price": {"input": 1.0, "output": 1.0}, "register": f"{folder}/ledger/models/m", "budget_usd": budget}
    model = Model("m", "x", "x", concurrency=4, **access)
    requests = [Request([{"role": "user", "content": text}], {"max_tokens": 50}) for text in questions]
    try:
        outcome.put(len(list(complete(requests, model, f"{folder}/ledger/respond/one"))))
    except (NotShared, LedgerError) as error:
        outcome.put(str(error))
    except BaseException as error:
        outcome.put(repr(error))
        raise


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder of Alice's that others reach, and a function that lets somebody ask there and returns how many answers
    came, or what was told.
    """
    monkeypatch.setattr("ragassay.calls.complete.provider_for", Echo)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_mode & 0o055 != 0o055 and folder.stat().st_uid == os.geteuid():
            folder.chmod(0o755)
    folder = tmp_path / "project"
    folder.mkdir()
    os.chown(folder, ALICE, GROUP)

    def ask(user, umask, *questions, budget=5.0):
        fork = multiprocessing.get_context("fork")
        outcome = fork.SimpleQueue()
        process = fork.Process(target=work, args=(outcome, user, umask, folder, questions, budget))
        process.start()
        process.join()
        assert process.exitcode == 0
        return outcome.get()

    return folder, ask


def files(folder):
    return sorted((str(path), path.stat().st_mtime_ns, path.stat().st_mode) for path in folder.rglob("*"))


@pytest.mark.parametrize(("umask", "questions"), [(0o022, "abc"), (0o077, "ab")])  # the latter closes it to others
def test_the_second_of_two_people_gets_one_line_that_says_whose_files_they_are(project, umask, questions):
    _, ask = project
    assert ask(ALICE, umask, "a", "b") == 2
    told = ask(BOB, 0o022, *questions)
    assert "Permission denied" in told and "\n" not in told
    assert f"belongs to user {ALICE}; to share a project, form one group" in told


def test_what_may_not_be_written_is_named_with_its_owner(tmp_path):
    error = PermissionError(errno.EACCES, "Permission denied")
    os.chown(tmp_path, ALICE, GROUP)
    assert f"denied, it belongs to user {ALICE}; to share" in problem(tmp_path, error)
    assert f"denied, {tmp_path} belongs to user {ALICE}; to share" in problem(tmp_path / "a/b", error)
    full = OSError(errno.EROFS, "Read-only file system")
    assert problem(tmp_path, full) == "Read-only file system"
    with pytest.raises(NotShared, match=f"^{tmp_path}: Read-only file system$"), explained(tmp_path):
        raise full
    with pytest.raises(OSError, match="No space"), explained(tmp_path):
        raise OSError(errno.ENOSPC, "No space left")


def test_a_group_shares_a_folder_whatever_umask_its_people_have(project):
    folder, ask = project
    folder.chmod(0o2775)
    assert ask(ALICE, 0o022, "a", "b") == 2
    assert ask(BOB, 0o022, "a", "b", "c") == 3
    assert ask(ALICE, 0o077, "a", "b", "c", "d") == 4
    for path in folder.rglob("*"):
        wanted = 0o2775 if path.is_dir() else 0o664
        assert (path.stat().st_gid, path.stat().st_mode & 0o7777) == (GROUP, wanted), path


@pytest.mark.parametrize("budget", [None, 5.0])
def test_a_ledger_that_may_only_be_read_answers_and_is_not_written(project, budget):
    folder, ask = project
    assert ask(ALICE, 0o022, "a", "b") == 2
    before = files(folder)
    assert ask(BOB, 0o022, "a", "b", budget=budget) == 2
    assert "Permission denied" in ask(BOB, 0o022, "a", "b", "c", budget=budget)
    assert files(folder) == before
