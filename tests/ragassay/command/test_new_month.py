"""docs/new_month.md, command by command as written, from an installation."""

import re
import shlex
import signal
import subprocess
import urllib.request

import pytest

from installation import HANDBOOK, LABELS, environment
from project import ROOT

PAGE = (ROOT / "docs/new_month.md").read_text()
COMMANDS = [shlex.split(line, comments=True) for line in re.search("```\n(.*?)```", PAGE, re.DOTALL)[1].splitlines()]
RELEASING = next(text for text in re.findall("```yaml\n(.*?)```", PAGE, re.DOTALL) if "release:" in text)
TOGETHER = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
TRAINING = re.compile(r"^(?:train|fit)_", re.MULTILINE)


@pytest.fixture
def december(ours):
    """A project with a month in it, and the documents of the next one."""
    (ours / "december").mkdir()
    (ours / "december/Razorbill.md").write_text(HANDBOOK.format("Razorbill", "Her cook is Per Lind."))
    settings = (ours / "ragassay.yaml").read_text().replace("sections: [documents], ", "")
    (ours / "ragassay.yaml").write_text(settings + RELEASING)
    return ours


def annotate(installation, folder):
    """The page of the annotators is there until Ctrl-C; nobody labels anything."""
    command = [installation.command, "annotate", "--port", "0"]
    with subprocess.Popen(command, cwd=folder, env=environment(), text=True, **TOGETHER) as process:
        address = next(filter(None, (re.search(r"http://\S+", line) for line in process.stdout)))[0]
        page = urllib.request.urlopen(address).read().decode()
        process.send_signal(signal.SIGINT)
        process.communicate()
    return page


def test_each_command_of_the_page_does_its_part(december, installation):
    before = {path: path.stat().st_mtime_ns for path in december.glob("results/*/**/2026-11.parquet")}
    assert before and [words[1] for words in COMMANDS] == "init estimate run annotate run export release".split()
    output = {}
    for number, (program, *words) in enumerate(COMMANDS):
        assert program == "ragassay"
        if words[0] == "annotate":
            assert "<html" in annotate(installation, december)
            continue
        answers = ["--yes"] if words[0] == "release" else []
        output[number, words[0]] = installation.run(*words, *answers, folder=december).stdout
    assert "added shard 2026-12 of december" in output[0, "init"]
    assert re.search(r"^extract_claims +careful +1 ", output[1, "estimate"], re.MULTILINE), output[1, "estimate"]
    assert not TRAINING.search(output[2, "run"]) and (december / LABELS.replace("2026-11", "2026-12")).is_file()
    assert {path: path.stat().st_mtime_ns for path in before} == before, "nothing of the older month was made anew"
    assert (december / "results/export").is_dir() and (december / "releases/2026-12/SHA256SUMS").is_file()
