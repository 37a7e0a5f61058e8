"""The whole scope study through Snakemake, every rule of `make demo STUDY=scope`: a loopback server plays the one
model, answers after 200 ms, and gets 64 requests at once.

The limit is all calls divided by those in flight, times the latency: what a study takes whose calls never wait for a
process that starts, an encoder, statistics, or each other. Told beside it: how long nothing was in flight though
calls were still to come, and processor seconds of all jobs, which a machine with other work to do stretches.
`python benchmarks/scope_study.py 30` takes so many documents instead of 200.
"""

import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

import yaml

import scope
from common.figures import figure, finish
from loopback import Loopback

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS, SHARDS, WORDS, SENTENCES = 200, 2, 15, 18
OFF = {"crawl": {"opml": [], "local_site": None}, "question_sets": {"natural": {"used": False}}}


def answer(messages, sampling, index):
    """As `scope.answer`; a judge says what a question was written to be, and that two responses in three decline."""
    content = messages[-1]["content"]
    if "verdict" not in content.rsplit(">", 1)[-1]:
        return scope.answer(messages, sampling, index)
    day = re.search(r"on day (\d+)", content)
    out = zlib.crc32(content.encode()) % 3 if "<response" in content else day and int(day[1]) <= 10
    return f"It is compared.\nVerdict: {'yes' if out else 'no'}"


def documents(count):
    """Rows of so many documents, no two of which share a sentence. Their words are English: an encoder cuts others into
    several times as many tokens.
    """
    articles = (path.read_text() for path in sorted(ROOT.glob("resources/demo/articles/*/*.md")))
    lexicon = sorted({word for text in articles for word in re.findall(r"\b[a-z]{2,}\b", text)})
    chance = random.Random(1)
    for number in range(count):
        sentences = (" ".join(chance.choices(lexicon, k=WORDS)).capitalize() + "." for _ in range(SENTENCES))
        text = f"Document {number}. " + " ".join(sentences)
        yield {
            "id": f"doc-{number}",
            "text": text,
            "topic": f"topic {number % 10}",
            "url": f"https://a.example/{number}",
        }


def prepare(clone, url, count):
    """Shards with documents, and the model as an entry of the configuration."""
    rows, lines = list(documents(count)), ["shard\tdocuments"]
    for shard in range(SHARDS):
        own = "".join(json.dumps(row) + "\n" for row in rows[shard::SHARDS])
        (clone / f"shard-{shard}.jsonl").write_text(own)
        lines.append(f"s{shard}\tshard-{shard}.jsonl")
    (clone / "shards.tsv").write_text("\n".join(lines) + "\n")
    model = {"provider": "openai", "client": "fast", "model": "loopback", "base_url": url, "key_variable": "BENCH_KEY"}
    model |= {"concurrency": scope.IN_FLIGHT, "price": {"input": 0, "output": 0}}
    roles = {role: ["served"] for role in ("generators", "judges", "responders")}
    (clone / "bench.yaml").write_text(
        yaml.safe_dump(OFF | {"shards": "shards.tsv", "models": {"served": model}, "scope": roles})
    )


def idle(log):
    """Seconds between the first and the last request in which nothing was in flight."""
    waiting, since, total = 0, None, 0.0
    for line in sorted(log, key=lambda line: line["time"]):
        if line["event"] == "asked":
            total += line["time"] - since if since and not waiting else 0.0
            waiting += 1
        else:
            waiting, since = waiting - 1, line["time"]
    return total


def tell_stages(clone):
    """Seconds of wall and of processor of all jobs of each rule that asks, embeds or reads much, by Snakemake."""
    sums = {}
    for file in sorted((clone / "logs").rglob("*.benchmark.jsonl")):
        row, rule = json.loads(file.read_text()), file.relative_to(clone / "logs").parts[0]
        jobs, wall, processor = sums.get(rule, (0, 0.0, 0.0))
        sums[rule] = jobs + 1, wall + row["s"], processor + (row["cpu_time"] or 0.0)
    for rule, (jobs, wall, processor) in sums.items():
        sys.stdout.write(f"stage {rule}: {jobs} jobs, {wall:.1f} s, {processor:.1f} s of processor\n")


def main(count=DOCUMENTS):
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        clone = Path(folder, "clone")
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        with Loopback(latency=scope.LATENCY, respond="scope_study:answer") as server:
            prepare(clone, server.url, count)
            command = [sys.executable, "-m", "snakemake", "scope", "--configfile", "bench.yaml", "--quiet", "rules"]
            environment = os.environ | {"BENCH_KEY": server.key, "NO_PROXY": "127.0.0.1"}
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
            subprocess.run(command, cwd=clone, check=True, env=environment)
            seconds, after = time.time() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
            tell_stages(clone)
            log, summary = [line for line in server.log() if line["route"] == "chat"], server.summary()
    asked = [line for line in log if line["event"] == "asked"]
    limit = scope.LATENCY * len(asked) / scope.IN_FLIGHT
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    figure("scope_study_documents", count, "documents")
    figure("scope_study_requests", len(asked), "requests")
    figure("scope_study_most_in_flight", summary["most_in_flight"], "requests", f"<= {scope.IN_FLIGHT}")
    figure("scope_study_at_200ms", seconds, "s", f"<= {1.5 * limit:.4g}", limit)
    figure("scope_study_before_the_first_request", min(line["time"] for line in asked) - start, "s")
    figure("scope_study_nothing_in_flight", idle(log), "s")
    figure("scope_study_processor", processor, "s")
    figure("scope_study_server_processor", summary["cpu_seconds"], "s")
    finish()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
