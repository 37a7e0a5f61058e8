"""Ten thousand mutated inputs at all doors together, what was found before, and that the harness can find something."""

import itertools
import math
import os
from collections import Counter

import pytest

import fuzz
from fuzzing import inputs
from fuzzing.door import Door, LetIn, entered
from fuzzing.doors import DOORS
from fuzzing.mutations import _places
from ragassay.base import fitted_files
from ragassay.base.errors import AssayError

EACH = 190  # inputs of a door
KEPT = sorted(path for path in fuzz.SEEDS.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", DOORS)
def test_nothing_that_comes_in_raises_what_nobody_foresaw(name, monkeypatch):
    monkeypatch.setattr(fuzz, "SECONDS", 60.0)  # of a busy machine
    for content in itertools.islice(fuzz.inputs_of(name, seed=1), EACH):
        error = fuzz.problem(name, content)
        assert error is None, f"{content[:300]!r}: {error!r}"


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_was_found_once_is_never_found_again(path, monkeypatch):
    monkeypatch.setattr(fuzz, "SECONDS", 60.0)
    assert fuzz.problem(path.parent.name.replace("_", " "), path.read_bytes()) is None


def test_there_are_at_least_twenty_doors_and_all_inputs_are_different_and_repeatable():
    assert len(DOORS) >= 20 and KEPT
    for name in DOORS:
        first, again, other = ([*itertools.islice(fuzz.inputs_of(name, seed), 30)] for seed in (1, 1, 2))
        assert first == again != other and max(Counter(first).values()) < 20, name


@pytest.mark.parametrize(
    ("enter", "problem"),
    [
        (lambda content, folder: {}[content], KeyError),
        (lambda content, folder: content.decode("ascii", "strict") + 1, TypeError),
        (lambda content, folder: [sum(range(1000)) for _ in iter(int, 1)], fuzz.TooLong),
    ],
)
def test_a_careless_reader_is_found_out(enter, problem, monkeypatch):
    monkeypatch.setitem(DOORS, "careless", Door(lambda draw: b"a", enter))
    monkeypatch.setattr(fuzz, "SECONDS", 0.2)
    assert isinstance(fuzz.problem("careless", b"a"), problem)


def test_an_input_that_ends_the_process_is_kept(monkeypatch, tmp_path, capsys):
    """No exception tells of it: a library in C may abort."""
    monkeypatch.setitem(DOORS, "careless", Door(None, lambda content, folder: content == b"end" and os._exit(3)))
    monkeypatch.setattr(fuzz, "SEEDS", tmp_path)
    monkeypatch.setattr(fuzz, "inputs_of", lambda name, seed: itertools.repeat(b"end"))
    with pytest.raises(SystemExit):
        fuzz.runs([(["careless"], 2, 0, math.inf), (["robots"], 10**9, 0, math.inf)])
    [kept] = (tmp_path / "careless").iterdir()
    assert kept.read_bytes() == b"end" and "ended the process" in capsys.readouterr().err


@pytest.mark.parametrize("bug", [NameError, AssertionError, NotImplementedError])
def test_a_bug_of_ours_is_not_taken_for_a_damaged_file(bug, tmp_path):
    """Whatever a fitted file raises is one line; only what a few bytes out of place raise is foreseen."""

    def read(error):
        with fitted_files.reading(AssayError):
            raise error

    entered(Door(None, lambda content, folder: read(ValueError("damaged"))), b"", tmp_path)
    with pytest.raises(bug):
        entered(Door(None, lambda content, folder: read(bug())), b"", tmp_path)


def test_every_part_of_a_span_is_changed_once():
    """However deep it lies: a list of messages in which each is a list of typed values."""
    places = [holder[key] for holder, key in _places(inputs.SPANS[1], ())]
    assert "How old?" in places and "Why?" in places


def test_what_may_not_be_stored_is_found_out(monkeypatch, tmp_path):
    """A door of documents whose cleaning is gone lets characters in that steer a terminal."""
    from ragassay.documents import documents

    content = b'{"text": "a \\u001b[2J b."}'
    entered(DOORS["JSON lines"], content, tmp_path)
    monkeypatch.setattr(documents, "clean", lambda text: text)
    with pytest.raises(LetIn):
        entered(DOORS["JSON lines"], content, tmp_path)
