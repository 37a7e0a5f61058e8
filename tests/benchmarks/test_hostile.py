"""A tenth of the hostile suite, with a shorter time for each fetch, and that the suite can fail."""

import subprocess
import sys

import pytest

from small_project import ROOT


def run(*words):
    command = [sys.executable, "-W", "error", *words]
    done = subprocess.run(command, cwd=ROOT / "benchmarks", capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.clock
def test_a_tenth_of_the_hostile_suite():
    code, said, errors = run("hostile.py", "100", "10")
    assert (code, errors) == (0, ""), said + errors
    assert "figure hostile_private_connections 0 connections" in said


def test_a_fetcher_that_takes_all_addresses_for_public_is_found_out():
    careless = """
import hostile
from ragassay.news import addresses
addresses.public = lambda address: True
hostile.main(80, 3.0)
"""
    code, said, errors = run("-c", careless)
    assert code == 1
    assert "figure hostile_private_connections 0 " not in said
    assert "hostile_private_connections" in said
    assert "not refused_address" in errors
