"""What `ragassay doctor` says, with `--slurm` of a cluster, too. Slurm is played; folder, locks and peaks are real."""

import json
import subprocess
from types import SimpleNamespace

import pytest

from ragassay.command import doctor
from ragassay.running import cluster


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """`slurm.nodes` is what sinfo says, `slurm.settings` what scontrol does; `slurm.job` leaves the record of a job."""
    monkeypatch.chdir(tmp_path)
    played = SimpleNamespace(nodes="short|4:00:00|64000|8|idle\nlong|7-00:00:00|128000|2|mixed\n")
    played.settings = "AccountingStorageType = (null)\nMinJobAge = 300 sec\n"
    monkeypatch.setattr(cluster, "slurm", lambda *words: played.nodes if words[0] == "sinfo" else played.settings)

    def job(rule, peak, mem_mb=4000, runtime=30, inputs=7.5):
        file = tmp_path / f"logs/{rule}/{peak}.benchmark.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        needs = {"mem_mb": mem_mb, "runtime": runtime}
        record = {"rule_name": rule, "max_rss": peak, "resources": needs, "input_size_mb": {"a": inputs, "b": 0.5}}
        file.write_text(json.dumps(record) + '\n{"rule_name": "cut')

    played.job = job
    played.rows = lambda: {name: (value, remark, wrong) for name, value, remark, wrong in doctor.cluster_rows()}
    return played


@pytest.mark.parametrize(
    ("runtime", "longest"),
    [(1500, "1,500 minutes that a rule"), (720, "1,470 minutes that the group questions"), (0, "1,470 minutes that")],
)
def test_partitions_say_what_they_give_and_which_is_too_short(slurm, runtime, longest):
    """For rules that ran here or, before any did, for a group of the profile."""
    if runtime:
        slurm.job("read", 100, runtime=runtime)
    rows = slurm.rows()
    value, remark, wrong = rows["partition short"]
    assert (value, wrong) == ("8 nodes of 64,000 MB, at most 4:00:00 a job", False)
    assert remark.startswith(f"less than the {longest}") and "asks for" in remark
    assert rows["partition long"] == ("2 nodes of 128,000 MB, at most 7-00:00:00 a job", "", False)


def test_the_job_that_came_nearest_to_its_memory_stands_for_its_rule(slurm):
    for peak in (3000, 3500, 200):
        slurm.job("embed", peak)
    slurm.job("count", 90)
    slurm.job("moment", "NA")
    rows = slurm.rows()
    assert rows["memory of embed"] == (
        "3,500 of 4,000 MB, with 8.0 MB of inputs",
        "--set-resources embed:mem_mb=5300",
        False,
    )
    assert rows["memory of count"][1] == "" and "memory of moment" not in rows


def test_a_rule_that_asks_for_more_than_any_node_has_cannot_run(slurm):
    slurm.job("embed", 100, mem_mb=128_001)
    assert slurm.rows()["memory of embed"][1:] == ("no node in use has as much", True)


def test_nodes_that_start_no_job_count_neither_here_nor_in_a_run(slurm):
    """A run is refused by the same reading of sinfo."""
    slurm.nodes = "short|2-00:00:00|64000|8|idle\nshort|2-00:00:00|128000|1|draining\nshort|2-00:00:00|64000|1|down*\n"
    slurm.job("embed", 100, mem_mb=100_000)
    rows = [row for row in doctor.cluster_rows() if row[0] == "partition short"]
    assert [row[1:3] for row in rows] == [
        ("9 nodes of 64,000 MB, at most 2-00:00:00 a job", "1 of them drained or down"),
        ("1 node of 128,000 MB, at most 2-00:00:00 a job", "1 of them drained or down"),
    ]
    assert slurm.rows()["memory of embed"][2]
    assert cluster.most_memory(cluster.partitions()["short"]) == 64_000
    slurm.nodes = slurm.nodes.replace("draining", "idle")
    assert not slurm.rows()["memory of embed"][2]


def test_only_rules_that_come_nearest_are_shown(slurm):
    for number in range(9):
        slurm.job(f"rule{number}", 100 + number)
    shown = [name for name in slurm.rows() if name.startswith("memory of")]
    assert shown == [f"memory of rule{number}" for number in (8, 7, 6, 5, 4)]


def test_without_records_nothing_is_claimed(slurm):
    assert slurm.rows()["memory"][0] == "not measured"


@pytest.mark.parametrize(
    ("accounting", "age", "command", "wrong"),
    [("(null)", 300, "squeue", False), ("(null)", 5, "no command", True), ("slurmdbd", 5, "sacct", False)],
)
def test_a_slurm_that_forgets_jobs_cannot_be_used(slurm, accounting, age, command, wrong):
    slurm.settings = f"AccountingStorageType = {accounting}\nMinJobAge = {age} sec\n"
    expected = f"{command} says how they ended; MinJobAge is {age} sec"
    assert slurm.rows()["ended jobs"][::2] == (expected, wrong)


def test_locks_are_tried_by_two_processes(slurm, monkeypatch):
    assert slurm.rows()["locks"] == ("hold between processes of this node", "", False)
    monkeypatch.setattr(doctor.fcntl, "flock", lambda *_: None)  # as where a file system ignores them
    value, remark, wrong = slurm.rows()["locks"]
    assert (value, wrong) == ("do not hold", True) and "paid twice" in remark

    def refuse(*_):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(doctor.fcntl, "flock", refuse)
    value, remark, wrong = slurm.rows()["locks"]
    assert (value, wrong) == ("do not hold", True) and "Function not implemented" in remark


def test_a_slurm_that_does_not_answer_takes_no_other_line_away(slurm, monkeypatch, capsys):
    def refuse(*words):
        raise cluster.ClusterError("sinfo: Unable to contact slurm controller")

    monkeypatch.setattr(cluster, "slurm", refuse)
    monkeypatch.setattr(doctor.shutil, "which", {"sbatch": "/usr/bin/sbatch", "sinfo": "/usr/bin/sinfo"}.get)
    assert doctor.report(slurm=True) == 1
    output = capsys.readouterr().out
    assert "Unable to contact slurm controller" in output and "snakemake" in output


@pytest.mark.parametrize(("kind", "alone"), [("nfs", False), ("xfs", True)])
def test_a_folder_on_a_disk_of_one_machine_is_remarked(slurm, monkeypatch, kind, alone):
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(stdout=f"{kind}\n", returncode=1))
    assert ("nodes elsewhere do not see it" in slurm.rows()["folder"][1]) == alone


def test_without_slurm_the_doctor_sends_to_a_login_node(slurm, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "/nowhere")
    assert doctor.report(slurm=True) == 1
    assert "go to a login node of the cluster" in capsys.readouterr().out


def test_doctor_says_what_is_missing(monkeypatch, capsys):
    assert doctor.report() == 0
    assert "snakemake" in capsys.readouterr().out
    monkeypatch.setattr(doctor, "version", lambda name: None if name == "torch" else "1")
    assert doctor.report() == 1
    output = capsys.readouterr().out
    assert 'pip install "ragassay[local]"' in output
    assert output.splitlines()[-1].startswith("doctor: a run needs torch;")


def test_without_snakemake_the_doctor_says_so_and_the_rest(monkeypatch, capsys):
    def missing():
        raise ModuleNotFoundError("No module named 'snakemake'")

    monkeypatch.setattr(doctor, "cluster_rows", missing)
    monkeypatch.setattr(doctor.shutil, "which", lambda name: name if name.startswith("s") else None)
    assert doctor.report(slurm=True) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(
        line.split() == ["Slurm's", "state", "unknown", *"No module named 'snakemake'".split()] for line in lines
    )
    assert lines[-1].startswith("doctor: a run needs") and "Slurm's state" in lines[-1]
