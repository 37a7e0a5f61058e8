"""Numbers of gathers over a small invented study, and the same from its tables by pandas, scikit-learn and a bootstrap
that draws whole documents with equal chances.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from common.figures import figure
from scaling.gathers import Gathers
from tools import synthetic_study

DOCUMENTS, DRAWS = 2_000, 1_000
METHODS = {"mlp": "probe (encoder)", "logistic": "probe (encoder), regression"}
FIRST = {"detectors": {"questions": "all"}}  # keys of the row that is meant, where metrics repeat a number


def plain() -> None:
    """How far values, and half widths of intervals, are from the plain ones."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        synthetic_study.write(DOCUMENTS, folder)
        gathers = Gathers(folder, DOCUMENTS, folder, DRAWS)
        rows = []
        for name in ("scope", "responses", "detectors", "months"):
            getattr(gathers, f"measure_{name}")()
            rows += _rows(pd.read_parquet(gathers.to(name)), FIRST.get(name, {}))
        expected = _plainly(gathers)
    off, widths = [], []
    for name, (value, low, high) in expected.items():
        row = next(row for row in rows if name in ((row["table"], row["metric"]), (row["table"], row["method"])))
        off.append(abs(row["value"] - value))
        if not np.isnan(row["low"]):
            widths.append(abs((row["high"] - row["low"]) / (high - low) - 1))
    figure("plain_numbers_of_2000_documents", len(off), "numbers", f">= {len(expected)}")
    figure("plain_numbers_of_2000_documents_differ", max(off), "most", "<= 1e-9")
    figure("plain_intervals_of_2000_documents_differ", max(widths), "of_their_width", "<= 0.1")


def _rows(metrics, wanted):
    for row in metrics.to_dict("records"):
        keys = json.loads(row["keys"])
        if all(keys.get(name, value) == value for name, value in wanted.items()):
            area = row["metric"] == "auroc"
            method = keys.get("intended") or (keys.get("method") if area else None)
            yield row | {"method": method}


def _plainly(gathers):
    """(table, metric or method) -> value, low, high."""
    files = gathers.of("selected_questions hardness_scores defusion_labels predictions")
    asked, hard, answers, predictions = (pd.concat(map(pd.read_parquet, paths)) for paths in files)
    asked["hard"] = asked["question_id"].isin(hard[hard["hard"]]["question_id"])
    settled = asked[asked["label"].isin(["in_scope", "out_of_scope"])]
    agreed = settled.assign(value=settled["label"] == settled["intended"])
    kept = asked[asked["status"] == "kept"]
    out = kept[kept["intended"] == "out_of_scope"]
    answers = answers[answers["label"].isin(["defused", "not_defused"])].merge(out[["question_id", "hard"]])
    answers["value"] = answers["label"] == "defused"
    means = {
        ("agreement", "in scope"): agreed[agreed["intended"] == "in_scope"],
        ("agreement", "out of scope"): agreed[agreed["intended"] == "out_of_scope"],
        ("detection", "meant"): agreed,
        ("cells", "accuracy"): answers,
        ("cells", "hard"): answers[answers["hard"]],
        ("trend", "kept_share"): asked.assign(value=asked["status"] == "kept"),
        ("trend", "hard_share"): out.assign(value=out["hard"]),
    }
    numbers = {name: _mean(rows) for name, rows in means.items()}
    predictions = predictions[predictions["part"] == "test"].merge(kept[["question_id"]])
    for head, method in METHODS.items():
        numbers["figure_1", method] = _area(predictions[predictions["head"] == head])
    return numbers


def _mean(rows):
    of_documents = rows.groupby("doc_id")["value"].agg(["sum", "count"]).to_numpy(float)
    drawn = _weights(len(of_documents)) @ of_documents
    return rows["value"].mean(), *np.quantile(drawn[:, 0] / drawn[:, 1], [0.025, 0.975])


def _area(rows):
    owners, out, scores = pd.factorize(rows["doc_id"])[0], rows["intended"] == "out_of_scope", rows["score"]
    drawn = [roc_auc_score(out, scores, sample_weight=weights[owners]) for weights in _weights(owners.max() + 1)]
    return roc_auc_score(out, scores), *np.quantile(drawn, [0.025, 0.975])


def _weights(documents):
    return np.random.default_rng(1).multinomial(documents, np.full(documents, 1 / documents), DRAWS)
