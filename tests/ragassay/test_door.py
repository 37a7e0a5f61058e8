"""The door for notebooks and services: what it names is there, and nothing is loaded before it is used."""

import inspect
import subprocess
import sys

import pytest

import ragassay
from project import ROOT
from ragassay.base.code_version import modules


@pytest.mark.parametrize("name", ragassay.__all__)
def test_what_the_door_names_is_there_and_has_a_type(name):
    assert getattr(ragassay, name).__name__ == name and name in dir(ragassay)
    types = (ROOT / "workflow/ragassay/__init__.pyi").read_text()
    assert f"from ragassay.{ragassay.DOOR[name]} import {name} as {name}\n" in types


@pytest.mark.parametrize("name", ragassay.__all__)
def test_what_a_user_calls_says_what_it_takes_and_gives(name):
    kind = getattr(ragassay, name)
    for called, method in inspect.getmembers(kind, callable):
        if (called.startswith("_") and called != "__call__") or not inspect.getmodule(method).__name__.startswith(
            "ragassay"
        ):
            continue
        signature = inspect.signature(method)
        parts = [one for one in signature.parameters.values() if one.name != "self"]
        assert all(one.annotation is not inspect.Parameter.empty for one in parts), f"{name}.{called}{signature}"
        assert signature.return_annotation is not inspect.Signature.empty, f"{name}.{called}{signature}"
    if name != "Results":
        assert callable(kind.load)
    assert (ROOT / "workflow/ragassay/py.typed").is_file()


def test_nothing_is_loaded_before_it_is_used():
    script = "import sys, ragassay; print([name for name in sys.modules if name.startswith('ragassay.')])"
    environment = {"PYTHONPATH": str(ROOT / "workflow")}
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert shown.stdout.strip() == "[]"
    assert len(modules(ROOT / "workflow/ragassay/__init__.py")) == 1, "or every rule would run again with any service"


def test_a_name_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(ImportError):
        from ragassay import Gates  # noqa: F401
    with pytest.raises(
        AttributeError, match="has no attribute 'Gates', only Detector, Gate, Guard, Probe, Results, Screen"
    ):
        _ = ragassay.Gates
