"""What runs cost, before they are paid.

`paper`: `config/paper/scope.yaml` at its prices, by `make estimate` of the scope study for the demo's articles, scaled
to the documents that the paper's shards ask for. Nothing is asked or paid, and no page is fetched. Rules answer in the
place of models, which may write more. Minutes on two cores.

`asked`: an estimate that asks about some documents for real, against what a run then asks of a server whose documents
have unlike numbers of claims, in three configurations.
"""

import csv
import json
import os
import re
import subprocess
import sys
import zlib
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import yaml

from common.clone import ROOT, cloned, snakemake
from common.figures import count, figure, parts
from judging import served_study
from scripts.people.sample_for_annotation import cochran
from tools.loopback import Loopback

VOTES = "judge_scope"
UNITS = {"requests": "requests", "dollars": "dollars", "at most": "dollars"}  # columns of the table that are scaled
COCHRAN = {"confidence": 0.95, "margin": 0.0667}  # the defaults of scope.annotation
OWN = "shards: own_shards.tsv\n"
ESTIMATE = "from ragassay.command.app import main; main()"
ASKED, INTERVAL = 8, re.compile(r"takes ([\d,]+) to ([\d,]+) requests")
CONFIGURATIONS = {  # name -> settings of scope, the server
    "default": ({}, {}),
    "two_judges": (
        {"judges": ["served", "second"], "responding": {"prompts": ["basic"]}, "closed_book": {"used": False}},
        {"models": []},  # it knows any
    ),
    "single_samples": ({"judging": {"votes": 3}}, {"most_samples": 1}),
}
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


def paper() -> None:
    with cloned() as clone:
        (clone / "own.yaml").write_text(OWN)
        (clone / "own_shards.tsv").write_text(SHARDS)
        printed = estimated(clone, "scope", "--configfile", "config/paper/scope.yaml", "own.yaml")
        documents = pq.read_metadata(clone / "results/documents/demo.parquet").num_rows
    show(printed, documents)


def estimated(clone: Path, *words: str, **environment: str) -> str:
    """What `ragassay estimate` prints there."""
    command = [sys.executable, "-c", ESTIMATE, "estimate", *words]
    environment = os.environ | environment | {"PYTHONPATH": "workflow"}
    return subprocess.run(command, cwd=clone, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def asked_for_real(names=tuple(CONFIGURATIONS)) -> None:
    """How far the predicted number of requests is from the number that a run sends."""
    for name in names:
        settings, server = CONFIGURATIONS[name]
        with cloned() as clone, Loopback(respond="paper_costs:varied", **server) as served:
            served_study.prepare(clone, served.url)
            bench = yaml.safe_load((clone / "bench.yaml").read_text())
            bench["models"]["second"] = bench["models"]["served"] | {"model": "loopback-second"}
            (clone / "bench.yaml").write_text(json.dumps(bench | {"scope": bench["scope"] | settings}))
            words, access = ("scope", "--configfile", "bench.yaml"), {"BENCH_KEY": served.key, "NO_PROXY": "127.0.0.1"}
            printed = estimated(clone, *words, "--ask", str(ASKED), **access)
            predicted = sum(counts["requests"] for counts in asked(printed).values())
            low, high = (int(end.replace(",", "")) for end in INTERVAL.search(printed).groups())
            snakemake(clone, *words, env=os.environ | access)
            counted = served.summary()["requests"]
        figure(f"predicted_{name}_off_by", abs(predicted / counted - 1), "share", "<= 0.15")
        count(f"predicted_{name}_interval_holds_it", int(low <= counted <= high), "share")


def varied(messages, sampling, index):
    """What the scope study's server answers, with more claims of some documents than of others."""
    text, content = served_study.answer(messages, sampling, index), messages[-1]["content"]
    lines, number = text.split("\n"), re.search(r"Document (\d+)", content)
    drawn = zlib.crc32(number[1].encode()) if number else 0
    if "tells that" in text:
        lines = lines[: 4 + drawn % 3]
    elif "not supported" in content.rsplit(">", 1)[-1]:
        lines = [line for at, line in enumerate(lines) if not at or (drawn >> at) % 4]
    return "\n".join(lines)


def show(printed: str, documents: int) -> None:
    wanted = documents_of_the_paper()
    count("paper_documents", wanted, "documents")
    for rule, counts in scaled(asked(printed), wanted / documents).items():
        for name, number in counts.items():
            count(f"paper_{rule}_{name.replace(' ', '_')}", number, UNITS[name])


if __name__ == "__main__":
    parts({"paper": paper, "asked": asked_for_real})
