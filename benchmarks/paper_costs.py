"""What `config/paper/scope.yaml` costs at its prices: `make estimate` of the scope study for the demo's articles,
scaled to the documents that the paper's shards ask for. Nothing is asked or paid, and no page is fetched.

Rules answer in the place of models, which may write more. Minutes on two cores.
"""

import csv
import os
import re
import subprocess
import sys
from collections import Counter

import pyarrow.parquet as pq
import yaml

from common.clone import ROOT, cloned
from common.figures import count
from scripts.labels.sample_for_annotation import cochran

VOTES = "judge_scope"
UNITS = {"requests": "requests", "dollars": "dollars", "at most": "dollars"}  # columns of the table that are scaled
COCHRAN = {"confidence": 0.95, "margin": 0.0667}  # the defaults of scope.annotation
OWN = "shards: own_shards.tsv\n"
SHARDS = "shard\tdocuments\ndemo\tresources/demo/articles\n"


def documents_of_the_paper() -> int:
    """Documents of each topic, over all shards."""
    topics = yaml.safe_load((ROOT / "workflow/schemas/news.schema.yaml").read_text())
    each = len(topics["properties"]["crawl"]["properties"]["topics"]["default"])
    with (ROOT / "config/paper/shards.tsv").open(encoding="utf-8") as file:
        return each * sum(int(row["per_topic"]) for row in csv.DictReader(file, delimiter="\t"))


def asked(printed: str) -> dict[tuple, Counter]:
    """(rule, model) -> what is in UNITS, from the table that `make estimate` prints."""
    found, head = {}, []
    for line in printed.splitlines():
        cells = re.split(r" {2,}", line.strip())
        if cells[:2] == ["rule", "model"]:
            head = cells
        elif head and len(cells) == len(head):  # the sum has no model
            row = dict(zip(head, (cell.replace(",", "") for cell in cells), strict=True))
            found[row["rule"], row["model"]] = Counter({name: float(row[name]) for name in UNITS})
    return found


def scaled(found: dict[tuple, Counter], times: float) -> dict[str, Counter]:
    """rule, and `all` -> the same for so many times the documents. Responders vote on a sample of questions,
    which grows by Cochran's formula alone.
    """
    judge = yaml.safe_load((ROOT / "config/paper/scope.yaml").read_text())["scope"]["judges"]
    judged = sum(counts["requests"] for (rule, model), counts in found.items() if (rule, model) == (VOTES, *judge))
    sampled = cochran(round(judged * times), **COCHRAN) / cochran(round(judged), **COCHRAN)
    sums = {}
    for (rule, model), counts in found.items():
        more = sampled if rule == VOTES and model not in judge else times
        for key in (rule, "all"):
            sums.setdefault(key, Counter()).update({name: count * more for name, count in counts.items()})
    return {**{rule: counts for rule, counts in sums.items() if rule != "all"}, "all": sums["all"]}


def main() -> None:
    with cloned() as clone:
        (clone / "own.yaml").write_text(OWN)
        (clone / "own_shards.tsv").write_text(SHARDS)
        command = [sys.executable, "-m", "ragassay.calls.estimate", "scope"]
        command += ["--configfile", "config/paper/scope.yaml", "own.yaml"]
        environment = os.environ | {"PYTHONPATH": "workflow"}
        done = subprocess.run(command, cwd=clone, env=environment, check=True, stdout=subprocess.PIPE, text=True)
        documents = pq.read_metadata(clone / "results/documents/demo.parquet").num_rows
    show(done.stdout, documents)


def show(printed: str, documents: int) -> None:
    wanted = documents_of_the_paper()
    count("paper_documents", wanted, "documents")
    for rule, counts in scaled(asked(printed), wanted / documents).items():
        for name, number in counts.items():
            count(f"paper_{rule}_{name.replace(' ', '_')}", number, UNITS[name])


if __name__ == "__main__":
    main()
