"""Time responders and their judge against a loopback server, and the numbers that come of it.

2,000 questions, half of them out of scope, under three prompts, and a judge with nine votes, at 200 ms and 64 requests
in flight: as the jobs of the workflow run it but in one process, one cell (responder and prompt) after the other; what
Snakemake needs to start a job is not in it. The limit is all calls divided by those in flight, times the latency. Two
responders are measured; six take three times as long, since cells know nothing of each other.

The second part puts 20,000 questions of 2,000 documents, with labels in 18 cells, through measure_responses with 2,000
draws for the intervals and 9,999 for the tests. The third is what all this takes on the demo corpus with the embedded
model, once there are questions. `python benchmarks/responses.py counted` measures only what is named.
"""

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common.figures import figure, finish
from loopback import Loopback

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "workflow"))

QUESTIONS, PER_DOCUMENT, MEASURED = 2_000, 10, 2
LATENCY, IN_FLIGHT, VOTES = 0.2, 64, 9
RESPONDERS = tuple(f"responder-{number}" for number in range(6))
PROMPTS = ("basic", "two_shot", "cot")
COUNTED, DRAWS, FLIPS = 20_000, 2_000, 9_999
FREE = {"input": 0, "output": 0}


def answer(messages, sampling, index):
    """A response, or a verdict for a judge; what they say means nothing."""
    if "verdict" in messages[-1]["content"].rsplit(">", 1)[-1]:
        return f"The response says so.\nVerdict: {'yes' if index % 4 else 'no'}"
    return "The document does not say who was met at the harbour."


def table(declared, path, rows):
    from ragassay.base import tables

    blank = dict.fromkeys(declared.schema.names)
    tables.write(declared, path, (blank | row for row in rows))
    return str(path)


def asked(count, out_of_scope):
    """Rows of questions; every so manieth is out of scope."""
    for number in range(count):
        row = {"question_id": f"question-{number:05}", "doc_id": f"doc-{number // PER_DOCUMENT:04}", "shard": "bench"}
        meant = "in_scope" if number % out_of_scope else "out_of_scope"
        text = f"Who was it that the people met there on day {number}?"
        row |= {"intended": meant, "slot": number % PER_DOCUMENT, "text": text, "n_words": 11}
        yield row | {"generator": "g", "prompt": "p"}


def documents(count):
    text = " ".join(["The boats came to the harbour one by one and lay there until the evening."] * 20)
    for number in range(count // PER_DOCUMENT):
        row = {"doc_id": f"doc-{number:04}", "shard": "bench", "text": f"Document {number}. {text}", "n_words": 302}
        row |= {"content_hash": f"{number:064}", "article_id": f"article-{number}", "cluster_id": f"cluster-{number}"}
        yield row | {"topic": f"topic {number % 10}"}


def all_cells(url, folder):
    """Every cell asked and judged; seconds by stage."""
    from ragassay.schemas.documents import DOCUMENTS
    from ragassay.schemas.scope_questions import QUESTIONS as TABLE
    from scripts.responses.judge_defusion import judge_defusion
    from scripts.responses.label_defusion import label_defusion
    from scripts.responses.respond import respond

    given = {"documents": table(DOCUMENTS, folder / "documents.parquet", documents(QUESTIONS))}
    given |= {"questions": table(TABLE, folder / "questions.parquet", asked(QUESTIONS, 2))}
    seconds = {}

    def timed(stage, **own):
        start = time.perf_counter()
        stage(**own)
        seconds[stage.__name__] = seconds.get(stage.__name__, 0) + time.perf_counter() - start

    def asking(stage, name, cell):
        model = {"name": name, "provider": "openai", "model": name, "base_url": url, "key_variable": "KEY"}
        model |= {"concurrency": IN_FLIGHT, "price": FREE}
        own = {"model": model, "ledger": str(folder / "ledger" / stage / cell), "calls": str(folder / "calls.parquet")}
        return own | {"sampling": {"temperature": 0.7, "max_tokens": 300}}

    for responder in RESPONDERS[:MEASURED]:
        for prompt in PROMPTS:
            cell, names = f"{responder}-{prompt}", ("responses", "defusion_votes", "defusion_labels")
            files = {name: str(folder / f"{name}-{cell}.parquet") for name in names}
            responses = {"responses": files["responses"]}
            own = {"prompt": ROOT / f"resources/prompts/respond_{prompt}.yaml", "prompt_name": prompt}
            timed(respond, **given, **responses, **own, **asking("respond", responder, cell))
            own = {"prompt": ROOT / "resources/prompts/judge_defusion.yaml", "votes": VOTES}
            votes = {"defusion_votes": files["defusion_votes"]}
            timed(judge_defusion, **given, **responses, **votes, **own, **asking("judge", "judge", cell))
            timed(label_defusion, **votes, defusion_labels=files["defusion_labels"], least_share=0.5)
    return seconds


def figure_served():
    import openai  # to load it is not part of the study

    import ragassay.calls.providers.openai

    assert openai and ragassay
    os.environ["KEY"] = "test-key"
    serving = Loopback(latency=LATENCY, respond="responses:answer", models=[])
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder, serving as server:
        seconds = all_cells(server.url, Path(folder))
        log = [line for line in server.log() if line["event"] == "asked"]
    calls, judged = len(log), sum(line["n"] == VOTES for line in log)
    cells = MEASURED * len(PROMPTS)
    assert (calls, judged) == (cells * QUESTIONS * 3 // 2, cells * QUESTIONS // 2), (calls, judged)
    for stage, spent in seconds.items():
        sys.stdout.write(f"stage {stage} {spent:.2f} s\n")
    spent, limit = sum(seconds.values()), calls * LATENCY / IN_FLIGHT
    figure(f"responses_{cells}_cells_of_2000_questions_at_200ms", spent, "s", f"<= {1.15 * limit:.4g}", limit)
    spent, limit = (len(RESPONDERS) / MEASURED * seconds for seconds in (spent, limit))
    figure("responses_18_cells_of_2000_extrapolated", spent, "s", f"<= {1.15 * limit:.4g}", limit)
    figure("responses_requests_saved", 1 - calls / (calls + (VOTES - 1) * judged), "share", "> 0")


def counted_files(folder):
    """All files that measure_responses reads, as the workflow would have written them."""
    from ragassay.schemas.documents import DOCUMENTS
    from ragassay.schemas.scope_answers import CLOSED_BOOK_ANSWERS, DEFUSION_LABELS, DEFUSION_VOTES, RESPONSES
    from ragassay.schemas.scope_questions import HARDNESS_SCORES, SCOPE_LABELS, SELECTED_QUESTIONS

    rows, dice = list(asked(COUNTED, 1)), random.Random(0)
    ids = [{name: row[name] for name in ("question_id", "doc_id")} for row in rows]
    same = {"label": "out_of_scope", "margin": 1.0, "status": "kept", "split": "train", "judge": "j"}
    paths = {"documents": [table(DOCUMENTS, folder / "documents/s.parquet", documents(COUNTED))]}
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


def figure_counted():
    from scripts.hardness.measure_responses import measure_responses

    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        paths = counted_files(Path(folder))
        start = time.perf_counter()
        settings = {"generator": "g", "judge": "j", "prompt": "basic", "cutoffs": {}, "least_share": 0.5, "seed": 0}
        settings |= {"resamples": DRAWS, "flips": FLIPS, "gold": [], "metrics": str(Path(folder, "metrics.parquet"))}
        measure_responses(**paths, **settings)
        figure("responses_20000_questions_in_18_cells_2000_draws", time.perf_counter() - start, "s", "< 60")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figure("responses_counted_peak_memory", memory, "MB", "< 8000")


def figure_demo():
    """All about responses on the demo corpus, in a clone, with the embedded model."""
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        clone = Path(folder, "clone")
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        for study in ("scope", "responses"):
            start = time.perf_counter()
            command = [sys.executable, "-m", "snakemake", f"results/metrics/{study}.parquet", "--quiet", "rules"]
            subprocess.run(command, cwd=clone, check=True)
        figure("responses_demo", time.perf_counter() - start, "s", "< 60")


def main(*names):
    all_figures = {"served": figure_served, "counted": figure_counted, "demo": figure_demo}
    for name in names or all_figures:
        all_figures[name]()
    finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
