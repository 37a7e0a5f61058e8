"""Time the scope study, stage by stage, against a loopback server, beside what is possible and what is usual.

200 documents at 200 ms and 64 requests in flight. The limit is the longer of two: the calls on the longest chain (one
after the other for each document: claims, every recovery, removal, questions, judgement) and all calls divided by those
in flight, each times the latency. The server answers at once and in the right form; what it says means nothing.

The usual way waits for each reply before it asks again; its time for the same calls is measured on some and multiplied.
What all votes in one request save is told against one vote a request, in requests and in prompt tokens. The demo
figures are those of the embedded model, from documents to status.
`python benchmarks/scope.py served` measures only what is named.
"""

import collections
import os
import re
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

from common.figures import figure, finish
from loopback import Loopback

ROOT = Path(__file__).resolve().parent.parent
WORKFLOW = ROOT / "workflow"
sys.path.insert(0, str(WORKFLOW))

DOCUMENTS, LATENCY, IN_FLIGHT = 200, 0.2, 64
ROUNDS = SUBSETS = 3
VOTES, CLAIMS, IN_SCOPE = 9, 6, 5
SAMPLE = 20  # calls by which the usual way is timed
QUESTION = "Who was it that the people of the harbour town met there on day {} of {}?"


def answer(messages, sampling, index):
    """A reply in the right form for each stage, told from the words behind the material."""
    content = messages[-1]["content"]
    task = content.rsplit(">", 1)[-1]
    number = re.search(r"Document (\d+)", content)
    name = number[1] if number else "0"
    if "verdict" in task:
        return f"It is compared.\nVerdict: {'yes' if 'harbour' in content and index % 9 else 'no'}"
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


def documents(path):
    from ragassay.base import tables
    from ragassay.schemas.documents import DOCUMENTS as TABLE

    filler = " ".join(["The boats came to the harbour one by one and lay there until the evening."] * 20)
    rows = [
        dict.fromkeys(TABLE.schema.names)
        | {"doc_id": f"doc-{n:04}", "shard": "bench", "text": f"Document {n}. {filler}", "n_words": 282}
        | {"content_hash": f"{n:064}", "article_id": f"article-{n}", "cluster_id": f"cluster-{n}"}
        for n in range(DOCUMENTS)
    ]
    tables.write(TABLE, path, rows)


def study(url, folder):
    """All stages as jobs run them, in this process; the seconds of each."""
    from scripts.labels.judge_scope import judge_scope
    from scripts.labels.label_scope import label_scope
    from scripts.labels.select_questions import select_questions
    from scripts.questions.extract_claims import extract_claims
    from scripts.questions.recover_claims import recover_claims
    from scripts.questions.remove_supported_claims import remove_supported_claims
    from scripts.questions.write_questions import write_questions

    def table(*names):
        return {name: str(folder / f"{name}.parquet") for name in names}

    def prompt(name, argument="prompt"):
        return {argument: str(ROOT / f"resources/prompts/{name}.yaml")}

    def asking(stage):
        model = {
            "name": "m",
            "provider": "openai",
            "client": "fast",
            "model": "loopback",
            "base_url": url,
            "key_variable": "KEY",
        }
        model |= {"client": "fast", "concurrency": IN_FLIGHT, "price": {"input": 0, "output": 0}}
        extra = {name: str(folder / f"{stage}-{name}.parquet") for name in ("calls", "rejects")}
        return extra | {"model": model, "ledger": str(folder / "ledger" / stage), "sampling": {"max_tokens": 800}}

    seconds = {}

    def timed(stage, **given):
        start = time.perf_counter()
        stage(**given)
        seconds[stage.__name__] = time.perf_counter() - start

    timed(
        extract_claims,
        **table("documents", "claims"),
        **prompt("extract_claims"),
        **asking("extract"),
        claims_per_document=CLAIMS,
        fewest_claims=4,
    )
    timed(
        recover_claims,
        **table("claims", "recovered_claims"),
        **prompt("recover_claims"),
        **asking("recover"),
        rounds=ROUNDS,
        subsets=SUBSETS,
    )
    timed(
        remove_supported_claims,
        **table("documents", "claims", "recovered_claims", "novel_claims"),
        **prompt("remove_supported_claims"),
        **asking("remove"),
    )
    timed(
        write_questions,
        **table("documents", "novel_claims", "questions"),
        **prompt("write_out_of_scope_questions", "out_of_scope_prompt"),
        **prompt("write_in_scope_questions", "in_scope_prompt"),
        **asking("write"),
        in_scope_per_document=IN_SCOPE,
        fewest_words=13,
        most_words=18,
    )
    judging = asking("judge")
    judging.pop("rejects")
    timed(
        judge_scope, **table("documents", "questions", "scope_votes"), **prompt("judge_scope"), **judging, votes=VOTES
    )
    timed(label_scope, **table("scope_votes", "scope_labels"), least_share=0.5)
    timed(select_questions, **table("documents", "questions", "scope_labels", "selected_questions"))
    return seconds


def one_at_a_time(server):
    """Seconds per call of the plain client that waits for each reply."""
    import openai

    with openai.OpenAI(base_url=server.url, api_key=server.key, max_retries=0) as client:
        message = [{"role": "user", "content": "Is the harbour open? One verdict, yes or no."}]
        start = time.perf_counter()
        for _ in range(SAMPLE):
            client.chat.completions.create(model="loopback", messages=message)
        return (time.perf_counter() - start) / SAMPLE


def figure_served():
    import openai  # to load it is not part of the study

    import ragassay.calls.providers.openai

    assert openai and ragassay
    os.environ["KEY"] = "test-key"
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        documents(Path(folder, "documents.parquet"))
        with Loopback(latency=LATENCY, respond="scope:answer") as server:
            seconds = study(server.url, Path(folder))
            log = [line for line in server.log() if line["event"] == "asked"]
            single = one_at_a_time(server)
    calls, votes = len(log), [line for line in log if line["n"] == VOTES]
    wanted = DOCUMENTS * (3 + ROUNDS * SUBSETS + 1) + DOCUMENTS * (IN_SCOPE + CLAIMS)
    assert calls == wanted, (calls, wanted)
    chain = 4 + ROUNDS * SUBSETS
    limit = LATENCY * max(chain, calls / IN_FLIGHT)
    tokens, saved = sum(line["prompt_tokens"] for line in log), (VOTES - 1) * sum(v["prompt_tokens"] for v in votes)
    for stage, spent in seconds.items():
        sys.stdout.write(f"stage {stage} {spent:.2f} s\n")
    sys.stdout.write(
        f"limit longest chain {chain * LATENCY:.2f} s, calls / in flight {calls / IN_FLIGHT * LATENCY:.2f} s\n"
    )
    figure("scope_200_documents_at_200ms", sum(seconds.values()), "s", f"<= {1.15 * limit:.4g}", limit)
    faster = calls * single / sum(seconds.values())
    figure("scope_faster_than_one_call_at_a_time", faster, "x", ">= 40", IN_FLIGHT)
    figure("scope_requests_saved", 1 - calls / (calls + (VOTES - 1) * len(votes)), "share", "> 0")
    figure("scope_prompt_tokens_saved", saved / (saved + tokens), "share", "> 0")


def figure_demo():
    """The study on the demo corpus up to its questions, in a clone, with the embedded model."""
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        clone = Path(folder, "clone")
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        start = time.perf_counter()
        command = [sys.executable, "-m", "snakemake", "scope", "--until", "select_questions", "--quiet", "rules"]
        subprocess.run(command, cwd=clone, check=True)
        figure("scope_demo_to_selected_questions", time.perf_counter() - start, "s", "< 60")
        kept = collections.Counter(
            row["intended"]
            for file in (clone / "results/selected_questions").rglob("*.parquet")
            for row in pq.read_table(file).to_pylist()
            if row["status"] == "kept"
        )
    for intended in ("out_of_scope", "in_scope"):
        figure(f"scope_demo_kept_{intended}", kept[intended], "questions", ">= 150")


def main(*names):
    all_figures = {"served": figure_served, "demo": figure_demo}
    for name in names or all_figures:
        all_figures[name]()
    finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
