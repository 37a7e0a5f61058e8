"""The whole scope study through Snakemake, every rule of `make demo STUDY=scope`, and the numbers that come of it.

`whole`: a loopback server plays the one model, answers after 200 ms, and gets 64 requests at once. The limit is all
calls divided by those in flight, times the latency: what a study takes whose calls never wait for a process that
starts, an encoder, statistics, or each other. The usual way waits for each reply before it asks again; its time for
the same calls is measured on some and multiplied. What all votes in one request save is compared with one vote a
request, in requests and in prompt tokens. What the server says means nothing.

`counted`: 20,000 questions of 2,000 documents, with labels in 18 cells (responder and prompt), through
measure_responses with 2,000 draws for the intervals and 9,999 for the tests."""

import json
import os
import random
import re
import resource
import sys
import tempfile
import time
import zlib
from pathlib import Path

import yaml

from common.clone import ROOT, cloned, snakemake
from common.figures import figure, parts
from tools.loopback import Loopback

DOCUMENTS, SHARDS, WORDS, SENTENCES = 200, 2, 15, 18
LATENCY, IN_FLIGHT = 0.2, 64
CLAIMS, IN_SCOPE = 6, 5
SAMPLE = 20  # calls by which the usual way is timed
QUESTION = "Who was it that the people of the harbour town met there on day {} of {}?"
OFF = {"crawl": {"opml": [], "local_site": None}, "question_sets": {"natural": {"used": False}}}
PER_DOCUMENT, VOTES = 10, 9
RESPONDERS = tuple(f"responder-{number}" for number in range(6))
PROMPTS = ("basic", "two_shot", "cot")
COUNTED, DRAWS, FLIPS = 20_000, 2_000, 9_999


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


def tell_stages(clone):
    """Seconds of wall and of processor of all jobs of each rule that asks, embeds or reads much, by Snakemake."""
    sums = {}
    for file in sorted((clone / "logs").rglob("*.benchmark.jsonl")):
        row, rule = json.loads(file.read_text()), file.relative_to(clone / "logs").parts[0]
        jobs, wall, processor = sums.get(rule, (0, 0.0, 0.0))
        sums[rule] = jobs + 1, wall + row["s"], processor + (row["cpu_time"] or 0.0)
    for rule, (jobs, wall, processor) in sums.items():
        sys.stdout.write(f"stage {rule}: {jobs} jobs, {wall:.1f} s, {processor:.1f} s of processor\n")


def one_at_a_time(server):
    """Seconds per call of the plain client that waits for each reply."""
    import openai

    with openai.OpenAI(base_url=server.url, api_key=server.key, max_retries=0) as client:
        message = [{"role": "user", "content": "Is the harbour open? One verdict, yes or no."}]
        start = time.perf_counter()
        for _ in range(SAMPLE):
            client.chat.completions.create(model="loopback", messages=message)
        return (time.perf_counter() - start) / SAMPLE


def whole():
    with cloned() as clone, Loopback(latency=LATENCY, respond="scope_study:answer") as server:
        prepare(clone, server.url)
        environment = os.environ | {"BENCH_KEY": server.key, "NO_PROXY": "127.0.0.1"}
        start = time.perf_counter()
        snakemake(clone, "scope", "--configfile", "bench.yaml", env=environment)
        seconds = time.perf_counter() - start
        tell_stages(clone)
        calls = [line for line in server.log() if line["route"] == "chat" and line["event"] == "asked"]
        most = server.summary()["most_in_flight"]
        single = one_at_a_time(server)
    limit = LATENCY * len(calls) / IN_FLIGHT
    votes = [line for line in calls if line["n"] > 1]
    saved = sum(line["n"] - 1 for line in votes)
    tokens = sum(line["prompt_tokens"] for line in calls)
    tokens_saved = sum((line["n"] - 1) * line["prompt_tokens"] for line in votes)
    figure("scope_study_most_in_flight", most, "requests", f"<= {IN_FLIGHT}")
    figure("scope_study_at_200ms", seconds, "s", f"<= {1.5 * limit:.4g}", limit)
    figure("scope_faster_than_one_call_at_a_time", len(calls) * single / seconds, "x", ">= 40", IN_FLIGHT)
    figure("scope_requests_saved", saved / (len(calls) + saved), "share", "> 0")
    figure("scope_prompt_tokens_saved", tokens_saved / (tokens + tokens_saved), "share", "> 0")


def table(declared, path, rows):
    from ragassay.base import tables

    blank = dict.fromkeys(declared.schema.names)
    tables.write(declared, path, (blank | row for row in rows))
    return str(path)


def asked(count):
    """Rows of out-of-scope questions."""
    for number in range(count):
        row = {"question_id": f"question-{number:05}", "doc_id": f"doc-{number // PER_DOCUMENT:04}", "shard": "bench"}
        text = f"Who was it that the people met there on day {number}?"
        row |= {"intended": "out_of_scope", "slot": number % PER_DOCUMENT, "text": text, "n_words": 11}
        yield row | {"generator": "g", "prompt": "p"}


def counted_documents(count):
    text = " ".join(["The boats came to the harbour one by one and lay there until the evening."] * 20)
    for number in range(count // PER_DOCUMENT):
        row = {"doc_id": f"doc-{number:04}", "shard": "bench", "text": f"Document {number}. {text}", "n_words": 302}
        row |= {"content_hash": f"{number:064}", "article_id": f"article-{number}", "cluster_id": f"cluster-{number}"}
        yield row | {"topic": f"topic {number % 10}"}


def counted_files(folder):
    """All files that measure_responses reads, as the workflow would have written them."""
    from ragassay.schemas.documents import DOCUMENTS
    from ragassay.schemas.hardness import HARDNESS_SCORES
    from ragassay.schemas.scope_answers import CLOSED_BOOK_ANSWERS, DEFUSION_LABELS, DEFUSION_VOTES, RESPONSES
    from ragassay.schemas.scope_questions import SCOPE_LABELS, SELECTED_QUESTIONS

    rows, dice = list(asked(COUNTED)), random.Random(0)
    ids = [{name: row[name] for name in ("question_id", "doc_id")} for row in rows]
    same = {"label": "out_of_scope", "margin": 1.0, "status": "kept", "split": "train", "judge": "j"}
    paths = {"documents": [table(DOCUMENTS, folder / "documents/s.parquet", counted_documents(COUNTED))]}
    selected = table(SELECTED_QUESTIONS, folder / "selected_questions/g/j/s.parquet", (row | same for row in rows))
    paths |= {"selected_questions": [selected], "responses": [], "defusion_labels": [], "defusion_votes": []}
    hard = {"shard": "s", "intended": "out_of_scope", "stratum": "x", "fold": 0, "score": 0.5, "hard": True}
    paths["hardness_scores"] = [table(HARDNESS_SCORES, folder / "hardness_scores/g/j.parquet", (i | hard for i in ids))]
    said = {"text": "It is not told.", "finish_reason": "stop", "truncated": False, "prompt": "p"}
    votes = {"margin": 0.0, "defused_votes": 5, "not_defused_votes": 4, "abstained": 0, "judge": "j", "prompt": "p"}
    for responder in RESPONDERS:
        for prompt in PROMPTS:
            cell = {"responder": responder, "prompt_name": prompt}
            where, bar = f"g/{responder}/{prompt}", dice.uniform(0.1, 0.9)
            own = (row | said | cell for row in ids)
            paths["responses"].append(table(RESPONSES, folder / f"responses/{where}/s.parquet", own))
            own = (row | votes | cell | {"label": label(dice, bar)} for row in ids)
            paths["defusion_labels"].append(
                table(DEFUSION_LABELS, folder / f"defusion_labels/{where}/j/s.parquet", own)
            )
    for way in ("", "_plain"):
        cell = {"responder": RESPONDERS[0], "prompt_name": "basic", "judge": "j", "prompt": "p"}
        own = (
            row | cell | {"vote": vote, "verdict": dice.random() < 0.5} for row in ids for vote in range(1, VOTES + 1)
        )
        where = folder / f"defusion_votes{way}/g/{RESPONDERS[0]}/basic/j/s.parquet"
        paths["defusion_votes"].append(table(DEFUSION_VOTES, where, own))
    sides = {"margin": 1.0, "out_votes": 9, "in_votes": 0, "abstained": 0, "prompt": "p"}
    for argument, declared, more in (
        ("scope_labels", SCOPE_LABELS, sides | {"label": "out_of_scope"}),
        ("closed_book_answers", CLOSED_BOOK_ANSWERS, said),
    ):
        role = "judge" if declared is SCOPE_LABELS else "responder"
        paths[argument] = [
            table(declared, folder / f"{argument}/g/{name}/s.parquet", (row | more | {role: name} for row in ids))
            for name in RESPONDERS
        ]
    return paths


def label(dice, bar):
    return dice.choices(["defused", "not_defused", "tie"], [bar, 1 - bar, 0.02])[0]


def counted():
    from scripts.hardness.measure_responses import measure_responses

    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        paths = counted_files(Path(folder))
        start = time.perf_counter()
        settings = {"generator": "g", "judge": "j", "prompt": "basic", "cutoffs": {}, "least_share": 0.5, "seed": 0}
        settings |= {
            "resamples": DRAWS,
            "flips": FLIPS,
            "by_rules": False,
            "gold": [],
            "metrics": str(Path(folder, "metrics.parquet")),
        }
        measure_responses(**paths, **settings)
        figure("responses_20000_questions_in_18_cells_2000_draws", time.perf_counter() - start, "s", "< 60")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figure("responses_counted_peak_memory", memory, "MB", "< 8000")


if __name__ == "__main__":
    parts({"whole": whole, "counted": counted})
