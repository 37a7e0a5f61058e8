"""The whole scope study through Snakemake, every rule of `make demo STUDY=scope`, and the numbers that come of it.

A loopback server plays the one model, answers after 200 ms, and gets 64 requests at once. The limit is all calls
divided by those in flight, times the latency: what a study takes whose calls never wait for a process that starts, an
encoder, statistics, or each other. What the server says means nothing.
"""

import json
import os
import random
import re
import time
import zlib

import yaml

from common.clone import ROOT, cloned, snakemake
from common.figures import figure
from tools.loopback import Loopback

DOCUMENTS, SHARDS, WORDS, SENTENCES = 200, 2, 15, 18
LATENCY, IN_FLIGHT = 0.2, 64
CLAIMS, IN_SCOPE = 6, 5
QUESTION = "Who was it that the people of the harbour town met there on day {} of {}?"
OFF = {"crawl": {"opml": [], "local_site": None}, "question_sets": {"natural": {"used": False}}}


def answer(messages, sampling, index):
    """A reply in the right form for each stage, recognised by the words behind the material. A judge says what a
    question was written to be, and that two responses in three decline."""
    content = messages[-1]["content"]
    task = content.rsplit(">", 1)[-1]
    number = re.search(r"Document (\d+)", content)
    name = number[1] if number else "0"
    if "verdict" in task:
        day = re.search(r"on day (\d+)", content)
        out = zlib.crc32(content.encode()) % 3 if "<response" in content else day and int(day[1]) <= 10
        return f"It is compared.\nVerdict: {'yes' if out else 'no'}"
    if "filled in" in task:
        shown = re.findall(r"^(\d+)\. (.*)$", content, re.MULTILINE)
        seen = zlib.crc32(content.encode())
        return "\n".join(f"{n}. {f'Guess {seen} of {n}.' if text == '(missing)' else text}" for n, text in shown)
    if "not supported" in task:
        return "\n".join(f"{n}. {text}" for n, text in re.findall(r"^(\d+)\. (Guess.*)$", content, re.MULTILINE))
    if "question for each claim" in task:
        numbers = re.findall(r"^(\d+)\. Guess", content, re.MULTILINE)
        return "\n".join(f"{n}. {QUESTION.format(n, name)}" for n in numbers)
    if "questions" in task:
        return "\n".join(f"{n}. {QUESTION.format(10 + n, name)}" for n in range(1, IN_SCOPE + 1))
    return "\n".join(f"{n}. Document {name} tells that {n} boats came to the harbour." for n in range(1, CLAIMS + 1))


def documents():
    """Rows of documents, no two of which share a sentence. Their words are English: an encoder cuts others into
    several times as many tokens.
    """
    articles = (path.read_text() for path in sorted(ROOT.glob("resources/demo/articles/*/*.md")))
    lexicon = sorted({word for text in articles for word in re.findall(r"\b[a-z]{2,}\b", text)})
    chance = random.Random(1)
    for number in range(DOCUMENTS):
        sentences = (" ".join(chance.choices(lexicon, k=WORDS)).capitalize() + "." for _ in range(SENTENCES))
        text = f"Document {number}. " + " ".join(sentences)
        yield {
            "id": f"doc-{number}",
            "text": text,
            "topic": f"topic {number % 10}",
            "url": f"https://a.example/{number}",
        }


def prepare(clone, url):
    """Shards with documents, and the model as an entry of the configuration."""
    rows, lines = list(documents()), ["shard\tdocuments"]
    for shard in range(SHARDS):
        own = "".join(json.dumps(row) + "\n" for row in rows[shard::SHARDS])
        (clone / f"shard-{shard}.jsonl").write_text(own)
        lines.append(f"s{shard}\tshard-{shard}.jsonl")
    (clone / "shards.tsv").write_text("\n".join(lines) + "\n")
    model = {"provider": "openai", "client": "fast", "model": "loopback", "base_url": url, "key_variable": "BENCH_KEY"}
    model |= {"concurrency": IN_FLIGHT, "price": {"input": 0, "output": 0}}
    roles = {role: ["served"] for role in ("generators", "judges", "responders")}
    (clone / "bench.yaml").write_text(
        yaml.safe_dump(OFF | {"shards": "shards.tsv", "models": {"served": model}, "scope": roles})
    )


def whole():
    with cloned() as clone, Loopback(latency=LATENCY, respond="judging.served_study:answer") as server:
        prepare(clone, server.url)
        environment = os.environ | {"BENCH_KEY": server.key, "NO_PROXY": "127.0.0.1"}
        start = time.perf_counter()
        snakemake(clone, "scope", "--configfile", "bench.yaml", env=environment)
        seconds = time.perf_counter() - start
        calls = [line for line in server.log() if line["route"] == "chat" and line["event"] == "asked"]
        most = server.summary()["most_in_flight"]
    limit = LATENCY * len(calls) / IN_FLIGHT
    figure("scope_study_most_in_flight", most, "requests", f"<= {IN_FLIGHT}")
    figure("scope_study_at_200ms", seconds, "s", f"<= {1.5 * limit:.4g}", limit)
