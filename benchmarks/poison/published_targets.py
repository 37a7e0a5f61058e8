"""Published targets and passages through the rules: 100 questions with Wikipedia passages, and 50 news questions with
search snippets. How much of what is planted fills the first five, and how loud it is.
"""

import json

import pyarrow as pa
import pyarrow.parquet as pq

from common import clone

RESULT = "results/metrics/attacks.parquet"
TARGETS = {
    "nq": ("poison_targets/poisonedrag_nq.parquet", "correct_answer", "incorrect_answer"),
    "realtimeqa": ("realtimeqa/queries.parquet", "correct_answers", "incorrect_answer"),
}
PASSAGES = {"nq": "wikipedia_passages/nq.parquet", "realtimeqa": "realtimeqa/passages.parquet"}


def configured(project) -> dict:
    """Tables without the empty texts that the data have, and what is run on them."""
    settings = {"corpora": {}, "datasets": {"demo": {"used": False}}, "query_logs": {"demo": {"used": False}}}
    settings |= {"relevance": {"sets": {"articles": {"used": False}}}}
    for name, (targets, answers, target) in TARGETS.items():
        texts = pq.read_table(clone.DATA / PASSAGES[name], columns=["text"])["text"].to_pylist()
        kept = [text for text in texts if text.strip()]
        pq.write_table(pa.table({"text": kept}), project / f"data/{name}_passages.parquet")
        pq.write_table(pq.read_table(clone.DATA / targets), project / f"data/{name}_targets.parquet")
        settings["corpora"][name] = {"files": [f"data/{name}_passages.parquet"], "columns": {"id": ""}}
        columns = {"answers": answers, "target": target, "texts": "poisoned_texts"}
        columns |= {"id": "query_id"} if name == "realtimeqa" else {}
        settings["datasets"][name] = {"corpus": name, "targets": [f"data/{name}_targets.parquet"], "columns": columns}
    attacks = ["poisonedrag_black", "poisonedrag_bare"]
    settings["under_attack"] = {"cells": [{"datasets": [*TARGETS], "retrievers": ["minilm"], "attacks": attacks}]}
    return settings


def measure(figure, project=None) -> None:
    clone.result(RESULT, configured, lambda path: _figures(figure, path), project)


def _figures(figure, path):
    for row in pq.read_table(path).to_pylist():
        keys = json.loads(row["keys"])
        name = f"{keys['dataset']}_{keys['attack']}"
        if row["table"] == "loudness":
            figure(f"{name}_{row['metric']}", row["value"], "auroc")
        elif row["table"] == "retrieval" and row["metric"] == "precision" and keys["k"] == "5":
            figure(f"{name}_first_five", row["value"], "share", ">= 0.95" if name == "nq_poisonedrag_black" else None)
        elif row["table"] == "texts" and row["metric"] == "precision":
            figure(f"{name}_first_five_of_{keys['texts']}_texts", row["value"], "share")
        elif row["table"] == "planted" and row["metric"] == "words":
            figure(f"{name}_words", row["value"], "words")
    for file in sorted(path.parents[2].glob("logs/poison_corpus/*/*.benchmark.jsonl")):
        name = f"{file.parent.name}_{file.name.partition('.')[0]}"
        figure(f"{name}_planting", json.loads(file.read_text().splitlines()[-1])["s"], "seconds")
