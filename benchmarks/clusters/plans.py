"""Plans that are made and not run: how many submissions a large collection needs, what it takes to plan it, and what
each submission takes before its first rule begins.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from common.clone import ROOT, cloned
from common.figures import count, figure

BARE = """
rule all:
    input: [f"out/{{n}}" for n in range({n})]
rule one:
    output: "out/{{n}}"
    shell: "touch {{output}}"
"""
SHARDS, MANY, DOCUMENTS = 50, 500, 2_000  # of each
JOB = re.compile(r"^ *(local)?rule (\w+):\n((?:    .+\n)+?)(?= *\[|\n| *(?:local)?rule )", re.MULTILINE)
RUNS = 3  # of which the fastest counts
SUBMITTED = ("--mode", "remote", "--force", "--nolock", "--no-hooks", "--ignore-incomplete", "--cores", "1")
OF_SHARD = ("--target-jobs", "extract_claims:generator=careful,shard=s00", "--allowed-rules", "extract_claims")


def plans():
    with cloned() as clone:
        bare = clone.parent / "bare"
        bare.mkdir()
        collection(clone)
        seconds, memory, plan = planned(clone, "scope", "--profile", "profiles/slurm", "--configfile", "mine.yaml")
        jobs, submissions = counted(plan)
        (bare / "Snakefile").write_text(BARE.format(n=jobs))
        limit, least, _ = planned(bare, "--cores", "2")
        name = f"plan_of_{SHARDS * DOCUMENTS}_documents"
        figure(f"{name}_submissions", submissions, "submissions", "<= 500", jobs)
        figure(f"{name}_against_a_bare_snakefile", seconds / limit, "x", "<= 3")
        figure(f"{name}_memory", memory, "MB", "< 2000", least)
        documents = clone / "results/documents/s00.parquet"
        documents.parent.mkdir(parents=True)
        documents.touch()
        seconds, _, plan = planned(clone, *SUBMITTED, *OF_SHARD, "--configfiles", "mine.yaml")
        assert "rule extract_claims:" in plan, plan
        figure(f"submission_of_{SHARDS * DOCUMENTS}_documents_start", seconds, "processor_s", "<= 3")
        _, memory, _ = planned(clone, "--profile", "profiles/slurm", "--configfile", "config/paper/scope.yaml")
        figure("plan_of_the_paper_memory", memory, "MB", "< 2000")
    with cloned() as clone:
        collection(clone, MANY)
        how = ("scope", "--profile", "profiles/slurm", "--configfile", "mine.yaml")
        seconds, memory, plan = planned(clone, *how, runs=1)
        name = f"plan_of_{MANY * DOCUMENTS}_documents"
        count(f"{name}_jobs", counted(plan)[0], "jobs")
        figure(name, seconds, "processor_s", "<= 60")
        figure(f"{name}_memory", memory, "MB", "< 2000")


def collection(clone: Path, shards: int = SHARDS) -> None:
    """Files of texts, a table of shards and a configuration with one responder and one prompt."""
    (clone / "data").mkdir()
    rows = ["shard\tdocuments"]
    for shard in range(shards):
        texts = ({"title": f"{shard}-{number}", "text": "A text."} for number in range(DOCUMENTS))
        (clone / f"data/{shard}.jsonl").write_text("".join(json.dumps(text) + "\n" for text in texts))
        rows.append(f"s{shard:02}\tdata/{shard}.jsonl")
    (clone / "data/shards.tsv").write_text("\n".join(rows) + "\n")
    settings = {
        "shards": "data/shards.tsv",
        "scope": {"responders": ["careful"], "responding": {"prompts": ["basic"]}},
    }
    (clone / "mine.yaml").write_text(yaml.safe_dump(settings))


def planned(folder: Path, *words, runs: int = RUNS) -> tuple[float, float, str]:
    """Seconds of a processor and megabytes that a dry run takes, and what it prints."""
    best, most, keys = float("inf"), 0.0, {"OPENAI_API_KEY": "none", "TOGETHER_API_KEY": "none"}
    if "--mode" in words:  # as the head has it
        keys["PYTHONPATH"] = os.pathsep.join([str(folder / "workflow"), str(folder / "workflow/startup")])
    for _ in range(runs):
        with tempfile.TemporaryFile("w+") as output:
            command = [sys.executable, "-m", "snakemake", "--dry-run", *words]
            process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output, env=os.environ | keys)
            _, status, usage = os.wait4(process.pid, 0)
            best, most = min(best, usage.ru_utime + usage.ru_stime), max(most, usage.ru_maxrss / 1000)
            output.seek(0)
            text = output.read()
        if status:
            sys.exit(f"{' '.join(command)} failed:\n{text[-3000:]}")
    return best, most, text


def counted(plan: str) -> tuple[int, int]:
    """Jobs and submissions of a dry run. Jobs of one group of the profile that need each other are one submission;
    those of local rules are none.
    """
    groups = yaml.safe_load((ROOT / "profiles/slurm/profile.yaml").read_text())["groups"]
    group = dict(pair.split("=") for pair in groups)
    jobs = [(rule, not local, files(body, "input"), files(body, "output")) for local, rule, body in JOB.findall(plan)]
    maker = {path: number for number, (*_, outputs) in enumerate(jobs) for path in outputs}
    submission = list(range(len(jobs)))

    def top(number):
        while submission[number] != number:
            number = submission[number]
        return number

    for number, (rule, _, inputs, _) in enumerate(jobs):
        for other in {maker[path] for path in inputs if path in maker}:
            if rule in group and group[rule] == group.get(jobs[other][0]):
                submission[top(number)] = top(other)
    return len(jobs), len({top(number) for number, (_, remote, *_) in enumerate(jobs) if remote})


def files(body: str, kind: str) -> list[str]:
    found = re.search(rf"^ +{kind}: (.+)$", body, re.MULTILINE)
    return found[1].split(", ") if found else []
