"""Poisoned passages in three real databases: into a collection for tests and nowhere else, and out of it again,
whenever staging or cleaning was killed.
"""

import contextlib
import hashlib
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ragassay.base.errors import AssayError
from ragassay.services import staging
from staging_moments import passages

TEXTS = [(number, f"Clean text {number}.") for number in range(1, 41)]
COUNT, VECTORS = 8, [[1.0, 2.0, 3.0, 4.0]] * 8
DRIVER = Path(__file__).parents[2] / "helpers/staging_moments.py"


@pytest.fixture
def entry(database, tmp_path, monkeypatch):
    """The entry of a collection for tests, which holds clean texts, beside another one."""
    monkeypatch.chdir(tmp_path)
    database.make("articles", TEXTS)
    database.make("others", TEXTS[:5])
    return database.entry | {"staging": True}


def digest(database):
    return hashlib.sha256(json.dumps(database.everything()).encode()).hexdigest()


def planted(database):
    return sum("Planted text" in row for row in database.everything()["articles"])


def test_passages_go_in_and_out_and_nothing_else_changes(database, entry):
    before = database.everything()
    assert staging.stage("mine", entry, passages(COUNT), VECTORS) == COUNT
    during = database.everything()
    assert planted(database) == COUNT and set(during["articles"]) > set(before["articles"])
    assert during["others"] == before["others"] and staging.staged() == ["mine"]
    assert staging.clean("mine", entry) == COUNT
    assert database.everything() == before and staging.staged() == []
    assert staging.clean("mine", entry) == 0


@contextlib.contextmanager
def killing(database, entry):
    """A function that stages or cleans in a process of its own, killed before a step: whether it came to that step."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    with subprocess.Popen([sys.executable, DRIVER, json.dumps(entry)], **pipes) as driver:

        def killed(what, step):
            database.release()
            driver.stdin.write(f"{what} {step} {COUNT}\n")
            status = int(driver.stdout.readline())
            assert status in (0, -signal.SIGKILL)
            return status != 0

        yield killed


@pytest.mark.parametrize("what", ["stage", "clean"])
def test_cleaning_leaves_nothing_whenever_it_was_killed(database, entry, what):
    before, step, counts, was_killed = digest(database), 0, set(), True
    with killing(database, entry) as killed:
        while was_killed:
            if what == "clean":
                staging.stage("mine", entry, passages(COUNT), VECTORS)
            was_killed = killed(what, step := step + 1)
            counts.add(planted(database))
            staging.clean("mine", entry)
            assert digest(database) == before, f"before step {step}"
            assert staging.staged() == []
    assert step > 5 and {0, COUNT} < counts  # and some of it was there, too


def refusals(entry):
    wrong = [{"passage_id": "p1", "text": "a"}]
    return {
        "no staging: true": lambda: staging.stage("mine", entry | {"staging": False}, passages(2), VECTORS[:2]),
        "found the passage 'p1', expected the id of a poisoned one": lambda: staging.stage(
            "mine", entry, wrong, VECTORS
        ),
        "found no passage to put there": lambda: staging.stage("mine", entry, [], []),
        "found the collection 'elsewhere'": lambda: staging.stage(
            "mine", entry | {"collection": "elsewhere"}, passages(2), VECTORS[:2]
        ),
    }


def test_whatever_else_is_refused_in_one_line_and_nothing_is_written(database, entry):
    before = digest(database)
    for reason, attempt in refusals(entry).items():
        with pytest.raises(AssayError, match=reason) as error:
            attempt()
        assert "\n" not in str(error.value)
        assert digest(database) == before and staging.staged() == []


def test_a_second_attack_waits_until_the_first_is_out(database, entry):
    staging.stage("mine", entry, passages(2), VECTORS[:2])
    before = digest(database)
    with pytest.raises(AssayError, match="found 2 of 3 keys in the collection already"):
        staging.stage("mine", entry, passages(3), VECTORS[:3])
    with pytest.raises(AssayError, match="first: ragassay clean-staging mine"):
        staging.stage("mine", entry, passages(5)[2:], VECTORS[:3])
    assert digest(database) == before


def test_cleaning_removes_nothing_that_it_did_not_put_there(database, entry):
    staging.stage("mine", entry, passages(2), VECTORS[:2])
    before, manifest = digest(database), staging.FOLDER / "mine.json"
    written = json.loads(manifest.read_text())
    spoilt = {
        "expected the id of a poisoned one": written | {"passages": ["1", "2"]},
        "expected others at": written | {"collection": "others"},
        "found no manifest": {"passages": written["passages"]},
    }
    for reason, content in spoilt.items():
        manifest.write_text(json.dumps(content))
        with pytest.raises(AssayError, match=reason):
            staging.clean("mine", entry)
        assert digest(database) == before
    manifest.write_text(json.dumps(written))
    with pytest.raises(AssayError, match="no staging: true"):
        staging.clean("mine", entry | {"staging": False})
    assert digest(database) == before
    assert staging.clean("mine", entry) == 2
