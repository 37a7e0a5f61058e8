"""Jobs that wait for a model run beside those that compute, also when every core is taken."""

from project import ROOT, snakemake

SNAKEFILE = f"""
import sys
sys.path.insert(0, {str(ROOT / "workflow")!r})
from ragassay.running import machine
machine.prepare(workflow)
onstart: machine.begin(workflow)

rule all:
    input: "a", "b", "asked"

rule question:
    output: "question"
    threads: 0
    shell: "touch {{output}}"

rule ask:  # ready when the jobs that compute have begun
    input: "question"
    output: "asked"
    threads: 0
    shell: "touch {{output}}"

rule compute:  # alone, and not before the question was asked
    output: "{{name,[ab]}}"
    shell:
        "mkdir alone && for try in $(seq 600); do test -e asked && break; sleep 0.1; done; test -e asked"
        " && rmdir alone && touch {{output}}"
"""
PROFILE = ("--profile", "none", "--default-resources", "computing=threads", "asking=max(0,1-threads)")


def test_a_job_that_waits_for_a_model_starts_while_the_only_core_computes_one_job_at_a_time(tmp_path):
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    shown = snakemake(tmp_path, "--cores", "1", "--scheduler", "greedy", *PROFILE).stdout
    assert "Provided cores: 1" in shown and (tmp_path / "a").exists() and (tmp_path / "b").exists()
