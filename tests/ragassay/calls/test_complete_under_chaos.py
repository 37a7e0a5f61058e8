"""A model as jobs see it, and kills at every point of a run."""

import contextlib
import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

from project import snakemake
from ragassay.calls.ledger.records import Ledger

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"


def python(*arguments):
    """What a process of its own prints: a stage is forked from it, which a process with threads had better not do."""
    done = subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_kills_at_each_point_and_out_of_the_blue():
    """`make bench-chaos` does a thousand."""
    printed = python(BENCHMARKS / "chaos.py", "calls", 4)
    assert len(re.findall(r"^figure .* ok ", printed, re.MULTILINE)) == 9


# With one request at a time it is known what the kill meets: (samples that the ledger reports, requests that the
# server got in vain).
ONE_AT_A_TIME = {
    **dict.fromkeys(("before intent", "half intent"), (0, 0)),
    **dict.fromkeys(("after intent", "before send"), (2, 0)),  # the ledger cannot know that it was never sent
    **dict.fromkeys(("after send", "before reply", "half reply"), (2, 1)),
    **dict.fromkeys(("after reply", "before cost", "half cost", "after cost", "before output", "after output"), (0, 0)),
    **dict.fromkeys(("before rename", "after rename", "before lease", "after lease"), (0, 0)),
}
STORY = """
import sys, tempfile; from pathlib import Path; sys.path.insert(0, {folder!r})
from kills.calls import Ledger, Loopback, Story
with tempfile.TemporaryDirectory() as scratch, Loopback() as server:
    for point in {points!r}:
        story = Story(server, Path(scratch) / point, concurrency=1, rows=6)
        killed, done = story.run(point), story.run()
        ledger = Ledger(story.ledger)
        counts = story.count()
        print(point, killed, done, ledger.possibly_billed_twice, counts["repeats"], counts["untold"], sep=",")
        server.control()
"""


def test_a_kill_at_each_point_costs_what_the_ledger_says():
    lines = python("-c", STORY.format(folder=str(BENCHMARKS), points=list(ONE_AT_A_TIME))).splitlines()
    assert lines == [f"{point},-9,0,{billed},{repeats},0" for point, (billed, repeats) in ONE_AT_A_TIME.items()]


CONFIG = """
shards: shards.tsv
documents: {{min_words: 5}}
models:
  m:
    {{provider: openai, model: loopback, base_url: "{url}", key_variable: LOOPBACK_KEY, concurrency: 8,
      price: {{input: 0, output: 0}}}}
scope: {{generators: [m], judges: [m], responders: [m]}}
"""
SHARDS = {"a": "a.jsonl", "b": "b.jsonl"}
CLAIMS = [f"results/claims/m/{shard}.parquet" for shard in SHARDS]


def small_study(project, url):
    """Two shards of sixty documents each, whose claims a server is asked for."""
    (project / "config.yaml").write_text(CONFIG.format(url=url))
    rows = ["shard\tdocuments\ttopics\tfirst_day\tlast_day\tper_topic"]
    for shard, file in SHARDS.items():
        rows.append(f"{shard}\t{file}\t\t\t\t")
        texts = (" ".join(f"{shard}{number}word{k}" for k in range(30)) for number in range(60))
        lines = (json.dumps({"id": f"{shard}{number}", "text": f"{text}."}) for number, text in enumerate(texts))
        (project / file).write_text("\n".join(lines))
    (project / "shards.tsv").write_text("\n".join([*rows, ""]))


class Terminal:
    """A program in a terminal of its own, and what it shows there."""

    def __init__(self, command, folder):
        self.end, theirs = pty.openpty()
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        place = {"cwd": folder, "env": environment, "start_new_session": True}
        place |= dict.fromkeys(("stdin", "stdout", "stderr"), theirs)
        self.process = subprocess.Popen(command, preexec_fn=lambda: self._take(theirs), **place)
        os.close(theirs)

    @staticmethod
    def _take(terminal):
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # whatever it is for the tests

    def interrupt(self):
        os.write(self.end, b"\x03")

    def shown(self):
        """All that it shows until it ends."""
        pieces = []
        with contextlib.suppress(OSError):  # nobody has the terminal open any more
            while piece := os.read(self.end, 65_536):
                pieces.append(piece)
        self.process.wait()
        os.close(self.end)
        return b"".join(pieces).decode().replace("\r\n", "\n")


def journals(project):
    return list(project.glob("ledger/extract_claims/m/*/*.jsonl"))


def test_ctrl_c_ends_a_run_in_clear_lines_and_keeps_all_that_was_asked(project, serve):
    server = serve(latency=2.0, respond="answers:listed")
    small_study(project, server.url)
    command = [sys.executable, "-m", "snakemake", *CLAIMS, "--configfile", "config.yaml", "--cores", "2"]
    terminal = Terminal(command, project)
    while len(journals(project)) < 2 or server.summary()["in_flight"] < 6:
        assert terminal.process.poll() is None, terminal.shown()
        time.sleep(0.05)
    terminal.interrupt()
    shown = terminal.shown()
    assert terminal.process.returncode != 0
    assert "Traceback" not in shown and "KeyboardInterrupt" not in shown, shown
    assert re.search(r"extract_claims .*: asked to end: waiting for \d requests in flight, 25 s at most\n", shown)
    for shard in SHARDS:
        sentence = "asked to end: what was in flight is in the ledger"
        assert f"% extract_claims m {shard}: {sentence}" in shown
    assert re.search(r"Interrupted; the same command goes on from here, with \d+ of \d+ jobs done\.\n", shown)
    ledgers = [Ledger(journal.parent) for journal in journals(project)]
    assert sum(ledger.counts["replies"] for ledger in ledgers) == server.summary()["billed"] < 120
    assert not any(ledger.possibly_billed_twice for ledger in ledgers)
    server.control(latency=0.0)
    snakemake(project, *command[3:])
    assert server.summary()["billed"] == 120
