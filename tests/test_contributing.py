"""CONTRIBUTING.md does what it says: its table, rules and report section are added as written, and run."""

import os
import re
import subprocess
import sys

from project import ROOT, TINY, planned, snakemake
from ragassay.studies.poisoning.defences.thresholds import Null

PLACES = {
    '"""The table readings."""': "workflow/ragassay/schemas/readings.py",
    '"""Measure how hard': "workflow/scripts/documents/read_documents.py",
    '"""Turn readings into': "workflow/scripts/documents/measure_readings.py",
    "rule read_documents:": "workflow/rules/documents.smk",
    'SECTIONS["readings"]': "workflow/rules/documents.smk",
    "title: Readings": "workflow/report/sections/readings.yaml",
    '"""A program on this machine': "workflow/ragassay/calls/providers/program.py",
    '"""Removes passages that have': "workflow/ragassay/studies/poisoning/defences/kinds/length.py",
}


def code(guide="CONTRIBUTING.md"):
    """The blocks of code of the guide."""
    return re.findall(r"```(?:python|yaml)\n(.*?)```", (ROOT / guide).read_text(), re.DOTALL)


def follow(project):
    """Put every block of code where the text says."""
    assert len(code()) == len(PLACES)
    for block in code():
        place = next(path for start, path in PLACES.items() if block.startswith(start))
        with (project / place).open("a") as file:
            file.write(("\n\n" if place.endswith(".smk") else "") + block)


def test_a_stranger_can_add_a_table_a_rule_and_a_section(done):
    follow(done)
    assert snakemake(done, "--lint").returncode == 0
    gathers = ("measure_readings", "draw_figures", "write_findings", "render_front")
    new = {"read_documents": 3, "render_page": 6, **dict.fromkeys(gathers, 1)}
    assert planned(done, *TINY) == new, "of what was there before only the navigation of pages changes"
    snakemake(done, *TINY)
    page = (done / "results/report/readings.html").read_text()
    assert "Words per sentence" in page and "hardest" in page
    assert planned(done, *TINY) == {}


ASK = """
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request

model = Model("echo", "program", {program!r}, price={{"input": 0, "output": 0}})
requests = [Request([{{"role": "user", "content": f"question {{n}}"}}], samples=2) for n in range(3)]
for answers in complete(requests, model, "ledger"):
    print([answer.text for answer in answers])
"""


def test_a_stranger_can_add_a_provider(project):
    follow(project)
    program = project / "answer"
    program.write_text(
        "#!/bin/sh\necho run >> runs\nsed 's/.*content\": \"\\([a-z0-9 ]*\\).*/about \\1/' | tr -d '\\n'\n"
    )
    program.chmod(0o755)
    command = [sys.executable, "-c", ASK.format(program=str(program))]
    environment = {**os.environ, "PYTHONPATH": str(project / "workflow")}
    for _ in range(2):
        done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines() == [str([f"about question {n}"] * 2) for n in range(3)]
    assert (project / "runs").read_text().count("run") == 6, "what the ledger knows is not asked again"


def test_a_stranger_can_add_a_defence():
    names = {}
    exec(next(block for block in code() if block.startswith('"""Removes passages')), names)
    found = {f"q{at}": [{"text": "word " * (at + rank)} for rank in range(1, 6)] for at in range(40)}
    defence = names["Kind"]({"alpha": 0.05}).fit(Null([], found))
    judgements = defence.judge([{"text": "word " * 5}, {"text": "word " * 90}])
    assert [judgement.reason for judgement in judgements] == [None, "length"] and not defence.damage()
