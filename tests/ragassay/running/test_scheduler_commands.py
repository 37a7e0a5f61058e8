"""Commands that a run puts before Slurm's own: failures are borne, no job is submitted twice, or waited for in vain."""

import os
import subprocess

import pytest

from ragassay.running import scheduler_commands
from ragassay.running.scheduler_commands import LEAVING, LONGEST, PAUSES, UNCLEAR, failed, main, put_first

ASKING = ("--format=%i|%T", "--states=all", "--noheader", "--name", "run")


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """`slurm(name, script)` sets what a command does; each line of `told` is a call. `slurm.sleep` has the pauses."""
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path / "bin"), os.environ["PATH"]]))
    (tmp_path / "bin").mkdir()
    (tmp_path / "front").mkdir()

    def set_up(name, script):
        command = tmp_path / "bin" / name
        command.write_text(f'#!/bin/bash\necho "{name} $*" >> {tmp_path}/told\n{script}\n')
        command.chmod(0o755)
        return str(command)

    set_up.told = lambda: (tmp_path / "told").read_text().splitlines()
    set_up.front, set_up.pauses, set_up.now = tmp_path / "front", [], 1000.0

    def sleep(seconds):
        set_up.pauses.append(seconds)

    monkeypatch.setattr(scheduler_commands.time, "sleep", sleep)
    monkeypatch.setattr(scheduler_commands.time, "time", lambda: set_up.now)
    return set_up


def submit(slurm, script, listed="true", comment="rule_judge_scope_wildcards_authors_2026-09", *more):
    (slurm.front / "squeue").symlink_to(slurm("squeue", listed))
    about = ("--job-name", "run", "--comment", comment, *more)
    return main(slurm("sbatch", script), str(slurm.front), "--parsable", *about)


def states(slurm, script, capsys):
    assert main(slurm("squeue", script), str(slurm.front), *ASKING) == 0
    return capsys.readouterr().out.split()


@pytest.mark.parametrize("problem", ["Socket timed out", "Resource temporarily unavailable"])
def test_a_submission_is_repeated_until_it_succeeds(slurm, capsys, problem):
    once = f"test -e $0.done && echo 7 && exit; touch $0.done; echo {problem} >&2; exit 1"
    assert submit(slurm, once) == 0
    assert (capsys.readouterr().out, slurm.pauses) == ("7\n", [1])
    assert (slurm.front / "jobs").read_text() == "7\n"


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("rule_questions", "rule_questions 2026-09 2026-10"),
        ("rule_judge_scope_wildcards_authors_2026-09", "rule_judge_scope_wildcards_authors_2026-09 2026-10"),
    ],
)
def test_a_groups_comment_names_its_shards(slurm, comment, expected):
    jobs = "respond:model=a,shard=2026-10 label:shard=2026-09 respond:model=b,shard=2026-10"
    assert submit(slurm, "echo 7", "true", comment, f"--wrap=snakemake --target-jobs {jobs} --cores 1") == 0
    assert f"--comment {expected} " in slurm.told()[-1]


def test_a_job_whose_submission_lost_its_reply_is_found_and_not_submitted_again(slurm, capsys):
    lost = 'echo "9|${*: -1}" > ${0%/*}/listed; exit 1'
    assert submit(slurm, lost, "cat ${0%/*}/../bin/listed") == 0
    assert capsys.readouterr().out == "9\n"
    assert sum(told.startswith("sbatch") for told in slurm.told()) == 1


def test_the_name_of_a_job_begins_with_its_rule_and_all_names_are_asked_for(slurm, capsys):
    for comment in ("rule_judge_scope_wildcards_authors_2026-09", "rule_judge_scope", f"rule_{'r' * 200}_wildcards_a"):
        main(slurm("sbatch", "echo 7"), str(slurm.front), "--job-name", "lab_run", "--comment", comment)
    names = ["judge_scope-lab_run", f"{'r' * LONGEST}-lab_run"]
    assert [told.split()[2] for told in slurm.told()] == [names[0], *names]
    capsys.readouterr()
    assert states(slurm, "echo '7|RUNNING'", capsys) == ["7|RUNNING"]
    assert slurm.told()[-1].endswith(f"--name {','.join(names)}")


@pytest.mark.parametrize(
    "words",
    [
        "Invalid partition name specified",
        "Requested operation is presently disabled",
        "Batch job submission failed: Memory specification can not be satisfied",
        "Batch job submission failed: Requested node configuration is not available",
    ],
)
def test_what_slurm_refuses_for_good_is_not_repeated(slurm, capsys, words):
    assert submit(slurm, f"echo error: {words} >&2; exit 1") == 1
    assert words in capsys.readouterr().err and not slurm.pauses
    assert not (slurm.front / "jobs").exists()


def test_accounting_that_is_not_there_is_asked_once(slurm, capsys):
    (slurm.front / "jobs").write_text("7\n")
    asking = ("-X", "--format=JobIdRaw,State", "--name", "run")
    script = "echo Slurm accounting storage is disabled >&2; exit 1"
    assert main(slurm("sacct", script), str(slurm.front), *asking) == 0
    assert capsys.readouterr().out == "7|RUNNING\n" and not slurm.pauses


def test_the_configuration_is_asked_again_as_other_things_are(slurm, capsys):
    once = "test -e $0.done && echo MinJobAge = 600 && exit; touch $0.done; exit 1"
    assert main(slurm("scontrol", once), str(slurm.front), "show", "config") == 0
    assert (capsys.readouterr().out, slurm.pauses) == ("MinJobAge = 600\n", [1])


def test_a_submission_that_never_succeeds_ends(slurm, capsys):
    assert submit(slurm, "echo Unable to contact slurm controller >&2; exit 1") == 1
    assert slurm.pauses == list(PAUSES) and "Unable to contact" in capsys.readouterr().err


def test_while_nobody_answers_jobs_count_as_running(slurm, capsys):
    (slurm.front / "jobs").write_text("7\n8\n")
    assert states(slurm, "exit 1", capsys) == ["7|RUNNING", "8|RUNNING"]


@pytest.mark.parametrize("told", ["7|UNKNOWN", "7|PREEMPTED", "6|COMPLETED"])
def test_a_job_whose_state_stays_unclear_is_cancelled_and_then_counts_as_failed(slurm, capsys, told):
    (slurm.front / "jobs").write_text("7\n")
    (slurm.front / "scancel").symlink_to(slurm("scancel", "true"))
    assert "7|RUNNING" in states(slurm, f"echo '{told}'", capsys)
    slurm.now += UNCLEAR - 1
    assert "7|RUNNING" in states(slurm, f"echo '{told}'", capsys)
    assert not any(line.startswith("scancel") for line in slurm.told())
    slurm.now += LEAVING
    assert "7|RUNNING" in states(slurm, f"echo '{told}'", capsys)
    assert "scancel 7" in slurm.told()
    slurm.now += 1
    assert "7|ERROR" in states(slurm, f"echo '{told}'", capsys)


def test_a_state_that_becomes_clear_again_counts_anew(slurm, capsys):
    (slurm.front / "jobs").write_text("7\n")
    for state, shown in (("UNKNOWN", "RUNNING"), ("PENDING", "PENDING"), ("UNKNOWN", "RUNNING"), ("FAILED", "FAILED")):
        assert states(slurm, f"echo '7|{state}'", capsys) == [f"7|{shown}"]
        slurm.now += UNCLEAR


def test_jobs_that_failed_are_noted_once(slurm, capsys):
    (slurm.front / "jobs").write_text("7\n8\n9\n")
    script = "echo '7|FAILED'; echo '8|COMPLETED'; echo '9|CANCELLED by 0'; echo '6|FAILED'"
    for _ in range(2):
        assert states(slurm, script, capsys)[2] == "9|CANCELLED"
    assert failed(slurm.front) == ["7"]


def test_other_questions_get_slurms_own_answers(slurm, capsys):
    assert main(slurm("squeue", "echo $*"), str(slurm.front), "--me", "--format=%i") == 0
    assert capsys.readouterr().out == "--me --format=%i\n"


def test_the_commands_stand_first_on_the_path_and_pass_words_as_they_are(slurm, tmp_path, monkeypatch):
    slurm("scancel", 'printf "[%s]" "$@"')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    put_first(tmp_path / "a b")
    shown = subprocess.run(["scancel", "--signal=TERM", "a 'b' \"c\""], capture_output=True, text=True, check=True)
    assert shown.stdout == "[--signal=TERM][a 'b' \"c\"]"
    assert os.environ["PATH"].startswith(f"{tmp_path / 'a b'}:")
