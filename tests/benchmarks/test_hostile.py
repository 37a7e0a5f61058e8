"""A tenth of the hostile suite, with a shorter time for each fetch, and that the suite can fail."""

import datetime
import subprocess
import sys

import pytest

from attackers.cases import Case
from attackers.reading import EXPECTED, Reading
from project import ROOT
from ragassay.news.fetching.fetcher import Fetched

pytestmark = pytest.mark.clock


def run(*words):
    command = [sys.executable, "-W", "error", *words]
    done = subprocess.run(command, cwd=ROOT / "benchmarks", capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_a_tenth_of_the_hostile_suite():
    code, said, errors = run("hostile.py", "100", "10")
    assert (code, errors) == (0, ""), said + errors
    assert "figure hostile_private_connections 0 connections" in said


def test_a_fetcher_that_takes_all_addresses_for_public_is_found_out():
    careless = """
import hostile
from ragassay.news.fetching import addresses
addresses.public = lambda address: True
hostile.main(50, 2.0)
"""
    code, said, errors = run("-c", careless)
    assert code == 1
    assert "figure hostile_private_connections 0 " not in said
    assert "hostile_private_connections" in said
    assert "not refused_address" in errors


def test_a_body_in_the_wrong_class_is_found_out(tmp_path):
    reading, now = Reading(tmp_path), datetime.datetime.now(datetime.UTC)
    for number, kind in enumerate([*EXPECTED, "page"]):
        case = Case(kind, number, "http://a.example/", "ok")
        feed = b'<?xml version="1.0"?><rss version="2.0"><channel><item><link>/1</link></item></channel></rss>'
        reading.keep(case, Fetched(case.url, case.url, 200, {}, feed, now, "ok"), 0.1)
    reading.read()
    others = [kind for kind, (health, _) in EXPECTED.items() if health != {"live"}]
    assert len(reading.wrong) == len(others) > 5 and "deep_xml-0.test was read as live" in reading.wrong[0]
    assert reading.megabytes > 10 and reading.longest > 0.1
