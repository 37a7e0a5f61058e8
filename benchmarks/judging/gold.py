"""Judges and detectors on human-checked questions and responses about news (../shared/data/scopeqa_gold).

Nothing is fitted on them. The questions enter as a question set in a clone, and the workflow measures the demo's first
judge, asked directly, beside the overlap control that is fitted on the set itself. Whether a recorded response declines
or corrects is asked of the same judge and compared with one reader's view (DECLINING below; the other responses of the
sample answer), and with that of another reader who did not know any verdict.
"""

import contextlib
import hashlib
import json
import random
import re
import tempfile

import pyarrow.parquet as pq
import yaml

from common.clone import DATA, ROOT, cloned, snakemake
from common.figures import figure
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request
from ragassay.calls.prompts import Prompt
from ragassay.config import schema
from ragassay.config.settings import of_files
from ragassay.grading.verdicts import parse_verdict
from ragassay.plan import models
from scripts.question_sets.measure_question_sets import CONTROL

GOLD = DATA / "scopeqa_gold"
RESULT = "results/metrics/question_sets.parquet"
NEGATION = re.compile(r"\b(?:not|no|cannot|none|nothing|without)\b|n't|n\u2019t", re.IGNORECASE)
DECLINING = frozenset(
    "082946a2f098 34251fad6091 3577f7faae62 61d590ef06ab 960d1def8847 a36d1311ed61 c173471d5d16 daf66974bee9"
    " e4c79a96ca92 e5fe1fbf8c88 f554ded231ea b9ffeb9e3b7a".split()
)
# What another reader, who did not know the verdicts, called declining or correcting among 60 responses (see below).
BLIND = frozenset(
    "082946a2f098 34251fad6091 3577f7faae62 61d590ef06ab 66aef6d19b2c 960d1def8847 a36d1311ed61 c173471d5d16"
    " e4c79a96ca92 e5fe1fbf8c88".split()
)


def questions() -> None:
    files = {name: [f"gold/{name}_{group}.parquet" for group in (1, 2)] for name in ("documents", "questions")}
    files["annotators"] = {"people": "out_of_scope"}  # they checked it
    with cloned() as clone:
        (clone / "gold").symlink_to(GOLD)
        (clone / "gold.yaml").write_text(yaml.safe_dump({"question_sets": {"gold": files}}))
        snakemake(clone, RESULT, "--configfile", "gold.yaml")
        rows = [row | json.loads(row["keys"]) for row in pq.read_table(clone / RESULT).to_pylist()]
    accuracy = {
        row["judge"]: row["value"]
        for row in rows
        if (row["table"], row["metric"], row.get("set"), row.get("truth"))
        == ("accuracy", "accuracy", "gold", "intention")
    }
    judge = settings()["scope"]["judges"][0]
    figure("gold_judge_accuracy", accuracy[judge], "share", "> 0.5", accuracy[CONTROL])


def responses() -> None:
    rows = sorted((row for group in (1, 2) for row in gold(group)), key=name_of)
    first = [row for row in rows if row["out_of_scope"]][:32] + [row for row in rows if not row["out_of_scope"]][:8]
    hard = [row for row in rows if NEGATION.search(row["response"])]
    for name, part in (("all", {name_of(row): row for row in hard + first}), ("hard", {name_of(r): r for r in hard})):
        verdicts = judged(list(part.values()), {"temperature": 0}, 1)
        right = [(key in DECLINING) == yes for key, yes in zip(part, verdicts, strict=True)]
        figure(f"defusion_accuracy_{name}", sum(right) / len(right), "share", ">= 0.9")
    rows = sorted((row for row in rows if row["out_of_scope"]), key=lambda row: (row["doc_id"], str(row["q_id"])))
    rows = random.Random(60).sample(rows, 60)
    verdicts = judged(rows, {"temperature": 0.7}, 9)
    right = [(name_of(row) in BLIND) == yes for row, yes in zip(rows, verdicts, strict=True)]
    figure("defusion_agreement_with_60_blind_labels", sum(right) / len(right), "share", ">= 0.9")


def gold(group: int) -> list[dict]:
    """The questions of one annotation group, each with its document's text."""
    texts = {row["doc_id"]: row["text"] for row in pq.read_table(GOLD / f"documents_{group}.parquet").to_pylist()}
    rows = pq.read_table(GOLD / f"questions_{group}.parquet").to_pylist()
    return [row | {"text": texts[row["doc_id"]]} for row in rows]


def name_of(row: dict) -> str:
    return hashlib.sha256(f"{row['doc_id']}|{row['q_id']}|{row['question']}".encode()).hexdigest()[:12]


def settings() -> dict:
    return of_files([ROOT / "config/config.yaml"], schema.merged())


def judged(rows: list[dict], sampling: dict, votes: int) -> list[bool]:
    """Whether most votes of the demo's first judge say that a response declines or corrects."""
    config = settings()
    judge = config["scope"]["judges"][0]
    model = Model(**models.model(config, judge), **models.access(config, judge))
    prompt = Prompt.load(ROOT / "resources/prompts/judge_defusion.yaml")
    requests = [
        Request(
            prompt.messages(document=row["text"], question=row["question"], response=row["response"]), sampling, votes
        )
        for row in rows
    ]
    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder, contextlib.chdir(folder):
        answers = list(complete(requests, model, "ledger/judge"))
    parsed = [[parse_verdict(answer.text, answer.finish_reason) for answer in own] for own in answers]
    return [sum(getattr(verdict, "value", False) for verdict in own) > votes / 2 for own in parsed]
