"""The terminal of a run: a line a job, a bar only on a terminal, failures last; Snakemake's own words on demand."""

import fcntl
import logging
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
from types import SimpleNamespace

import pytest

from clocks import until
from project import NOTHING, ROOT, snakemake
from ragassay.running.console import Console
from ragassay.running.running_jobs import Failures, RunningJob, TimeLeft

SNAKEFILE = f"""
import os, sys
sys.path.insert(0, {str(ROOT / "workflow")!r})
os.environ["PYTHONPATH"] = {str(ROOT / "workflow")!r}
from ragassay.running import console

terminal = console.take_over(workflow, "results/report", "default", [])

onsuccess:
    terminal.end(well=True, asked={{"requests": 1200, "dollars": 0.5}})

onerror:
    terminal.end(well=False, asked={{}})

rule report:
    input:
        expand("sung/{{voice}}/{{tune}}", voice=config.get("voices", ["alto"]), tune=["hymn", "carol"]),

rule sing:
    '''A voice sings a tune. It does not listen.'''
    output: "sung/{{voice}}/{{tune}}"
    log: "logs/sing/{{voice}}/{{tune}}.log"
    params: settings={{}}
    script: "sing.py"
"""
SING = """
import os, signal, sys, time
from pathlib import Path
from ragassay.base.errors import AssayError
from ragassay.base.stage import log, run

def sing(song):
    Path(song).parent.mkdir(parents=True, exist_ok=True)
    voice, tune = Path(song).parts[-2:]
    if voice == "mute":
        return Path(song).touch()
    log.info("warming up")
    if voice == "hoarse":
        raise AssayError(f"{tune}.txt:3: found a cold, expected a voice; drink tea")
    if voice == "broken":
        raise KeyError("note")
    if voice == "shot":
        os.kill(os.getpid(), signal.SIGKILL)
    if voice == "patient":
        Path(f"{tune}.begun").touch()
        while not Path("go").exists():
            time.sleep(0.05)
    if voice == "lazy":
        return
    if voice == "flat":
        log.warning("a quarter tone too low")
    log.info("%s sang %s in %d bars", voice, tune, 16)
    Path(song).touch()

if __name__ == "__main__":
    snakemake.output = {"song": snakemake.output[0]}
    run(sing, snakemake)
"""
PLAIN = ("--cores", "2", "--profile", "none")


@pytest.fixture
def choir(tmp_path):
    """Runs with these voices; gives status and text."""
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    (tmp_path / "sing.py").write_text(SING)

    def sing(*voices, words=()):
        done = snakemake(tmp_path, *PLAIN, *words, "--config", f"voices={[*voices]}", check=False)
        return done.returncode, done.stdout

    return sing


def lines(text):
    """Those of jobs."""
    return re.findall(r"^ *\d+% .+$", text, re.MULTILINE)


def test_a_job_is_a_line_in_the_last_words_of_its_log_and_snakemakes_blocks_are_in_its_own_log(choir, tmp_path):
    status, text = choir("alto", "mute")
    assert status == 0 and "\033" not in text and "\r" not in text
    words = {line.split(maxsplit=1)[1] for line in lines(text)}
    sung = {f"sing alto {tune}: alto sang {tune} in 16 bars" for tune in ("hymn", "carol")}
    assert words == sung | {f"sing mute {tune}: A voice sings a tune" for tune in ("hymn", "carol")}
    assert [line.split("%")[0].strip() for line in lines(text)] == ["20", "40", "60", "80"]  # the last job collects
    assert "5 jobs done in 0:00:0" in text and "warming up" not in text
    for block in ("Select jobs", "rule sing:", "Finished jobid", "Building DAG", "SNAKEMAKE"):
        assert block not in text
    [log] = (tmp_path / ".snakemake/log").glob("*.log")
    assert "rule sing:" in log.read_text() and "Finished jobid" in log.read_text()
    assert f"5 jobs; Snakemake's own words go to {log.relative_to(tmp_path)}" in text


def test_what_a_job_warns_of_is_shown_at_once(choir):
    _, text = choir("flat")
    warned, ended = (
        text.index(words) for words in ("sing (voice=flat, tune=hymn): a quarter tone", "% sing flat hymn: ")
    )
    assert warned < ended


def test_failures_come_last_each_in_its_own_sentence_with_its_log_and_without_a_traceback(choir, tmp_path):
    status, text = choir("hoarse", "alto", "broken", "shot", "lazy", words=["--keep-going", "--latency-wait", "0"])
    assert status == 1 and "Traceback" not in text and "CalledProcessError" not in text
    before, _, end = text.partition("\n8 jobs failed:\n")
    assert len(re.findall(r"% failed: sing hoarse \w+$", before, re.MULTILINE)) == 2
    assert len(re.findall(r"% failed: sing (?:broken|shot) \w+$", before, re.MULTILINE)) == 2, "one of each cause"
    assert "found a cold" not in before and "% sing alto hymn: alto sang" in before
    assert (
        "  sing (voice=hoarse, tune=hymn): hymn.txt:3: found a cold, expected a voice; drink tea\n"
        "    log: logs/sing/hoarse/hymn.log\n"
    ) in end
    broken = r"  sing \(voice=broken, tune=(\w+)\): KeyError: 'note' \(a fault of the code, not of yours\)\n"
    [first] = re.findall(broken, end)
    assert f"    log: logs/sing/broken/{first}.log\n    so did sing broken" in end
    assert len(re.findall("SIGKILL ended it, as on a machine that has no memory left; its last words: ", end)) == 1
    assert before.rstrip().endswith("cost: $0, no model was asked") and "findings" not in text
    assert "sung/lazy/hymn" in end  # an output that the job did not write
    last = "Correct the cause, then run the same command again: it goes on from here, with 2 of 11 jobs done."
    assert end.rstrip().splitlines()[-1] == last
    assert "Traceback" in (tmp_path / "logs/sing/broken/hymn.log").read_text()


def test_many_failures_of_one_cause_are_few_lines():
    failures, texts = Failures(), []
    for number in range(90):
        failing = RunningJob("respond", {"shard": f"s{number}"}, [], True, 0.0)
        texts.append(failing.failure("SLURM-job '7' failed, SLURM status is: 'CANCELLED'. Detailed failure reason"))
        assert failures.add(number, failing, *texts[-1]) == (number == 0)
    [entry] = failures.lines()
    assert entry.splitlines() == [
        "  respond (shard=s0): Slurm ended it, CANCELLED",
        "    so did respond s1, respond s2, respond s3, respond s4 and 85 more",
    ]
    failures.forget(0)
    assert len(failures) == 89


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        (
            "SLURM sbatch failed. The error message was 'sbatch: error: Memory specification can not be satisfied\n"
            "sbatch: error: Requested node configuration is not available'.\n    sbatch call:\n        sbatch -p x\n",
            "Slurm refuses it: sbatch: error: Memory specification can not be satisfied sbatch: error: Requested node"
            " configuration is not available",
        ),
        (
            "failed, SLURM status is: 'OUT_OF_MEMORY'.",
            "Slurm ended it, OUT_OF_MEMORY; it may get more: --set-resources",
        ),
        ("failed, SLURM status is: 'TIMEOUT'.", "respond:runtime=...; its last words: 3 of 7 answered"),
        ("SLURM-job '7' failed, SLURM status is: 'FAILED'.", "respond: 3 of 7 answered"),
    ],
)
def test_what_slurm_says_of_a_job_is_one_line_beside_its_own_words(tmp_path, reason, sentence):
    log = tmp_path / "job.log"
    log.write_text("3 of 7 answered\n")
    _, lines = RunningJob("respond", {}, [str(log)], True, 0.0).failure(reason)
    named = [] if "refuses" in sentence else [f"    log: {log}"]  # else it is that of an earlier run
    assert sentence in lines and lines.splitlines()[1:] == named


def test_a_plan_lists_its_jobs_as_ever_and_asks_for_no_findings(choir):
    _, plan = choir("alto", words=["-n"])
    assert "rule sing:\n" in plan and "Job stats:" in plan and "cost:" not in plan and not lines(plan)


@pytest.mark.parametrize("word", ["--verbose", "--printshellcmds"])
def test_snakemakes_own_words_are_there_for_those_who_ask_for_them(choir, word):
    _, text = choir("alto", words=[word])
    assert "rule sing:\n" in text and "sing (voice=alto, tune=hymn): warming up" in text and not lines(text)
    assert text.index("Finished jobid") < text.index("cost: $0.5000 for 1,200 requests")


def test_a_quiet_run_says_nothing_but_what_failed(choir):
    quiet = choir("alto", words=["--quiet"])
    assert quiet[0] == 0 and "sing" not in quiet[1] and "cost" not in quiet[1]
    failed = choir("hoarse", words=["--quiet"])
    assert failed[0] == 1 and "sing (voice=hoarse, tune=hymn): hymn.txt:3: found a cold" in failed[1]
    assert not lines(failed[1])


def test_a_run_that_has_nothing_to_do_ends_in_the_same_words(choir):
    assert "cost: $0.5000 for 1,200 requests" in choir("alto")[1]
    status, text = choir("alto")
    assert status == 0 and NOTHING in text and text.rstrip().endswith("cost: $0, no model was asked")
    assert "cost" not in choir("alto", words=["-n"])[1]


def test_a_plan_that_cannot_be_made_is_snakemakes_error(choir):
    status, text = choir("alto", words=["sung/nobody"])
    assert status == 1 and "MissingRuleException" in text and "failed:" not in text


def started(folder, *words, **more):
    command = [sys.executable, "-m", "snakemake", *PLAIN, *words]
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"}
    heeding = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), "start_new_session": True}
    more = more or {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.Popen(command, cwd=folder, env=environment | more.pop("env", {}), **heeding, **more)


def test_an_interrupted_run_says_that_it_goes_on_from_there(choir, tmp_path):
    choir("alto", words=["-n"])
    with started(tmp_path, "--config", "voices=['patient']") as head:
        until(lambda: len(list(tmp_path.glob("*.begun"))) == 2)
        os.killpg(head.pid, signal.SIGINT)  # as Ctrl-C does
        text, _ = head.communicate()
    assert head.returncode == 1 and "Traceback" not in text and "failed" not in text
    assert text.endswith("Interrupted; the same command goes on from here, with 0 of 3 jobs done.\n")


def test_an_interrupted_head_says_that_it_waits_for_jobs_that_nobody_interrupted(choir, tmp_path):
    choir("alto", words=["-n"])
    with started(tmp_path, "--config", "voices=['patient', 'alto']") as head:
        until(lambda: len(list(tmp_path.glob("*.begun"))) == 2)
        os.kill(head.pid, signal.SIGINT)
        until(lambda: "no job is started any more, and those that run may end." in head.stdout.readline())
        (tmp_path / "go").touch()
        text = head.stdout.read()
    assert head.returncode == 1 and "failed" not in text
    assert re.search(r"Interrupted; the same command goes on from here, with \d of 5 jobs done\.\n$", text)


def on_a_terminal(folder, *words, columns=80, once=None, **environment):
    """All that a run writes to a terminal of its own; patient voices go on when it has written `once`."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with started(folder, *words, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as head:
        os.close(theirs)
        pieces = []
        try:
            while piece := os.read(ours, 65_536):
                pieces.append(piece)
                if once and re.search(once, b"".join(pieces).decode(errors="replace")):
                    (folder / "go").touch()
        except OSError:  # the terminal has no other side any more
            pass
        head.wait()
    os.close(ours)
    return b"".join(pieces).decode()


def screen(text):
    """What is left of it to be read."""
    shown, line, at = [], "", 0
    for piece in re.findall(r"\033\[K|\033\[\d*m|[\r\n]|[^\033\r\n]+", text):
        if piece == "\r":
            at = 0
        elif piece == "\n":
            shown.append(line)
            line, at = "", 0
        elif piece == "\033[K":
            line = line[:at]
        elif not piece.startswith("\033"):
            line = line[:at].ljust(at) + piece + line[at + len(piece) :]
            at += len(piece)
    return [*shown, line]


def test_a_terminal_has_a_bar_below_the_lines_that_is_gone_in_the_end(choir, tmp_path):
    choir("alto", words=["-n"])
    (tmp_path / ".snakemake/seconds.json").write_text('{"sing": 5, "report": 0}')  # of earlier runs
    waiting = r"\d of 7 jobs, [^\r]*\d:\d\d:\d\d left; sing patient \w+ 0:"  # in the end only these are running
    words = ("--config", "voices=['patient', 'flat', 'hoarse']", "--keep-going", "--cores", "6")
    text = on_a_terminal(tmp_path, *words, columns=100, once=waiting)
    bars = re.findall(r"\[(#*)(-*)\] (\d+) of 7 jobs", text)
    assert bars and all(len(full) + len(rest) == 20 for full, rest, _ in bars)
    assert int(bars[-1][2]) == 4 and len(bars[-1][0]) == 20 * 4 // 7
    assert " of 7 jobs, 1 failed" in text and re.search(waiting, text)
    shown = screen(text)
    assert not [line for line in shown if "[#" in line or "[-" in line]
    ended = [line for line in shown if re.match(r" *\d+% ", line)]
    assert len(ended) == 6 and max(map(len, ended)) < 100
    assert "sing (voice=flat, tune=hymn): a quarter tone too low" in shown
    assert "\033[31m" in text and "2 jobs failed:" in shown


def test_without_colours_there_is_still_a_bar_and_on_a_dumb_terminal_neither(choir, tmp_path):
    choir("alto", words=["-n"])
    plain = on_a_terminal(tmp_path, "--config", "voices=['hoarse']", NO_COLOR="1")
    assert "\033[31m" not in plain and "[----" in plain
    dumb = on_a_terminal(tmp_path, "--config", "voices=['hoarse']", TERM="dumb")
    assert "\033" not in dumb and "[----" not in dumb and "% failed: sing hoarse" in dumb


def test_jobs_on_other_machines_write_as_ever_and_draw_no_bar(choir, tmp_path):
    """As an executor starts one of them there: a Snakemake of its own for a single job."""
    choir("alto", words=["-n"])
    child = on_a_terminal(tmp_path, "--mode", "remote", "--no-hooks", "--nolock", "sung/alto/hymn")
    assert "sing (voice=alto, tune=hymn): warming up" in child and " of 1 jobs" not in child and "cost" not in child


def job(rule, since):
    return RunningJob(rule, {}, [], True, since)


def test_the_time_left_goes_by_what_jobs_of_each_rule_took_and_how_many_run_at_a_time():
    """The last of these is smoothed by ten seconds with one job."""
    left = TimeLeft({"short": 3, "long": 2}, {}, now=100.0)
    assert left.seconds(110.0, []) is None
    left.ended("short", 2.0)
    left.ended("long", 18.0)  # 20 seconds of work in 10
    assert left.seconds(110.0, []) == pytest.approx((2 * 2.0 + 18.0) / (30 / 20))
    running = [job("long", 105.0)]  # 5 of its 18 seconds are over; 25 seconds of work in 10
    assert left.seconds(110.0, running) == pytest.approx((2 * 2.0 + 18.0 - 5.0) / (35 / 20))
    assert left.seconds(110.0, [job("long", 10.0)]) >= 0  # one that takes longer than usual


def test_a_rule_that_has_not_ended_yet_goes_by_earlier_runs_else_by_the_others():
    left = TimeLeft({"short": 1, "long": 1, "new": 1}, {"long": 50.0}, now=0.0)
    assert left.seconds(0.001, []) == pytest.approx(150.0, rel=0.01)  # no job has begun
    assert left.seconds(10.0, [job("short", 0.0)]) == pytest.approx(50.0 + 50.0 + 50.0 - 10.0)
    left.ended("short", 10.0)
    assert left.seconds(10.0, []) == pytest.approx(50.0 + 30.0)


def test_what_rules_took_is_kept_for_the_next_run(choir, tmp_path):
    choir("alto")
    assert '"sing": ' in (tmp_path / ".snakemake/seconds.json").read_text()
    (tmp_path / ".snakemake/seconds.json").write_text("{half")
    assert choir("alto", words=["--forceall"])[0] == 0


def test_after_a_minute_of_silence_a_line_says_what_is_running(monkeypatch, capsys):
    """Where there is no bar."""
    settings = SimpleNamespace(quiet=None, dryrun=False, verbose=False, printshellcmds=False, debug_dag=False)
    console = Console(
        SimpleNamespace(output_settings=settings, is_main_process=True), logging.StreamHandler(sys.stderr), None
    )
    console.begun, console.total, console.done = True, 4, 1
    console.time_left = TimeLeft({"sing": 3}, {"sing": 100.0}, now=time.time() - 60)
    console.running = {1: job("sing", time.time() - 60)}
    console.written = time.time() - 61
    rounds = iter([False, True])
    monkeypatch.setattr(console.over, "wait", lambda seconds: next(rounds))
    console._tick()
    assert re.fullmatch(r" 25% done, 0:04:00 left; sing 0:01:00\n", capsys.readouterr().err)
