"""What probes see on the demo with its own small model, beside the log-probability of the first token.

`probes` reads the metrics of the study with more questions: the probe is `certainty`, which was chosen on these
questions. `exam` asks questions that neither the model nor the probe was chosen on. `acceptance` and `released` judge
the paper's network. Lower ends of intervals stand beside the values. The settings are in benchmarks/probing/, and
`python benchmarks/revprag.py exam` measures only what is named.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from common.clone import cloned, snakemake
from common.figures import figure, parts
from ragassay.metrics.panel import Panel, auroc
from ragassay.models.activations.state_store import Decoder
from ragassay.models.heads import heads_file
from ragassay.services.probe import Probe
from ragassay.studies.poisoning.probes.folds import Contestant, scored
from ragassay.studies.poisoning.probes.kinds.triplet import Kind
from ragassay.studies.poisoning.probes.labels import CORRECT, MATCHED, POISONED, RELEASED
from ragassay.studies.poisoning.probes.reading import Collection
from ragassay.studies.poisoning.probes.rows import ALL, KNOWN, Rows
from ragassay.studies.poisoning.probes.samples import Layers, Part, Stored

PLACE = "minilm/planted_3/demo-lm"
FROZEN = ("74fdfe9b4e414e56", "f6d941445cc389e4")  # digests of weights and probe when the exam was written
RESULT, SETTINGS = "results/metrics/revprag.parquet", "benchmarks/probing/more_questions.yaml"


def probes() -> None:
    with cloned() as clone:
        snakemake(clone, RESULT, "--cores", "2", "--configfile", SETTINGS)
        rows = [row | json.loads(row["keys"]) for row in pq.read_table(clone / RESULT).to_pylist()]
    certainty = {}
    for row in rows:
        if row["table"] == "conditions" and (row["condition"], row["facts"]) == ("matched", "known"):
            certainty.setdefault(row["probe"], {})[row["metric"]] = row
    certainty = certainty["certainty"]
    figure("matched_known_control", certainty["control"]["value"], "auroc", "<= 0.65")
    lower_end("matched_known_over_first_token", certainty["over_first_token"], "> 0")
    figure("matched_known_shuffled_from_half", abs(certainty["shuffled"]["value"] - 0.5), "auroc", "<= 0.05")


def lower_end(name: str, row: dict, target: str) -> None:
    figure(f"{name}_lower_end", row["low"], "auroc", target, row["value"])


def exam() -> None:
    """The demo's probe `certainty` as it is saved, on questions about forty documents that were written when the
    model's weights and the probe were frozen. Of 74 questions, 17 asked for facts that the probe was fitted on; these
    were taken out after a first measurement, so that this is the second. A change of weights or probe takes a new exam.
    """
    with cloned() as clone:
        targets = [f"results/activations/exam/{PLACE}.parquet", f"results/probes/demo_facts/{PLACE}/card.json"]
        snakemake(clone, *targets, "--cores", "2", "--configfile", "benchmarks/probing/exam.yaml")
        sit(clone)
        foldings(clone)


def sit(folder: Path) -> None:
    """Figures of the exam, from the results of a run; it stops where weights or probe are others than those frozen."""
    probe = Probe.load(folder / f"results/probes/demo_facts/{PLACE}", "certainty")
    digests = probe.about["identity"]["files"][:16], heads_file.rounded_digest(probe.arrays)
    if digests != FROZEN:
        sys.exit(f"revprag: found weights and a probe {digests}, expected {FROZEN}, which the exam was written after")
    rows, states = _samples(folder, "exam")
    scores = np.stack([probe.scores(states[np.arange(len(states))]), rows.surprises[:, 0, 0]], axis=1)
    for facts in (ALL, KNOWN):
        inside = rows.of(MATCHED, facts) & np.isin(rows.labels, (CORRECT, POISONED))
        panel = Panel(rows.clusters, 2000, 0)  # both from the same draws
        probed, beside = (panel.auroc(column, rows.labels == POISONED, inside) for column in scores.T)
        lower_end(f"exam_{facts}_certainty", probed.row(), "> 0.5")
        lower_end(f"exam_{facts}_over_first_token", probed.minus(beside).row(), "> 0")


def foldings(folder: Path) -> None:
    """The mean of ten foldings of the demo's own questions, since one may be lucky."""
    rows, states = _samples(folder, "demo_facts")
    output = Decoder(
        "demo-lm", {"name": "demo-lm", "model": str(folder / "resources/demo/demo-lm"), "options": {}}
    ).output()
    layers, chosen = Layers(states, list(range(states.shape[1])), output), rows.of(MATCHED, KNOWN)
    decided, areas = chosen & np.isin(rows.labels, (CORRECT, POISONED)), []
    for number in range(10):
        scores = np.full(len(rows.labels), np.nan)
        clusters = np.char.add(f"{number} ", rows.clusters)
        for part in scored(
            Contestant("certainty", "certainty", {}, layers, [0]), rows.labels, clusters, chosen, chosen, 0.05
        ):
            scores[part.rows] = part.scores
        areas.append(auroc(scores[decided], rows.labels[decided] == POISONED))
    beside = auroc(rows.surprises[decided, 0, 0], rows.labels[decided] == POISONED)
    figure("matched_known_mean_of_ten_foldings", np.mean(areas), "auroc", ">= 0.8")
    figure("matched_known_mean_over_first_token", np.mean(areas) - beside, "auroc", "> 0")


def _samples(folder, dataset):
    """The answers of a cell and their states."""
    paths = (
        f"results/prompt_pairs/{dataset}/minilm/planted_3.parquet",
        f"results/prompt_answers/{dataset}/{PLACE}.parquet",
        f"results/activations/{dataset}/{PLACE}.parquet",
    )
    rows = Rows(*(folder / path for path in paths))
    collection = Collection.load(folder / f"results/activations/{dataset}/{PLACE}.json")
    return rows, Stored(collection, folder / "embeddings", rows.keys)


def released() -> None:
    """The paper's network with the paper's settings, on the condition and the activations that its paper measures, less
    logistic regression on the same answers. Two folds of ten, since each takes minutes.
    """
    path = f"results/probe_scores/demo_facts/{PLACE}.parquet"
    with cloned() as clone:
        snakemake(clone, path, "--cores", "2", "--configfile", "benchmarks/probing/paper_network.yaml")
        scores = pq.read_table(clone / path).to_pandas()
    inside = (scores["condition"] == RELEASED) & (scores["trained_on"] == RELEASED) & (scores["facts"] == ALL)
    decided = scores[inside & scores["label"].isin((CORRECT, POISONED))]
    wide = decided.pivot(index=["target_id", "side", "label"], columns="probe", values="score").dropna(subset="triplet")
    poisoned = wide.index.get_level_values("label") == POISONED
    areas = {probe: auroc(wide[probe].to_numpy(), poisoned) for probe in ("triplet", "paper_logistic")}
    figure("triplet_over_logistic_on_released", areas["triplet"] - areas["paper_logistic"], "auroc", ">= -0.05")


def acceptance() -> None:
    """Whether the paper's network learns on images of the paper's size, 48 layers x 1,600 numbers: of every second one
    a patch of some layers and neighbouring numbers is higher by one deviation. Epochs are few, and the one that does
    best on the validation part counts, so that the paper's sixty could only be chosen over these.
    """
    dice, labels = np.random.default_rng(0), np.arange(260) % 2 == 1
    images = dice.normal(size=(len(labels), 48, 1600)).astype(np.float32)
    images[labels, 16:32, 400:800] += 1
    rows = np.split(np.arange(len(labels)), [120, 160])
    training, validation, test = (Part(images, part, labels[part]) for part in rows)
    probe = Kind({"epochs": 3, "support": 40, "batch": 16}).fit(training, validation)
    figure("triplet_on_planted_images", auroc(probe.score(test), test.labels), "auroc", ">= 0.9")


if __name__ == "__main__":
    parts({"probes": probes, "exam": exam, "acceptance": acceptance, "released": released})
