"""Questions about 1,000 abstracts against questions from elsewhere, through the rules: AUROC, FPR and the fused
statistic.
"""

import json

import pyarrow.parquet as pq

from common import clone

RESULT = "results/metrics/relevance.parquet"
KNOWN = {  # AUROC by MSS, KNN and Energy of a plain implementation
    "bioasq_yn": (0.984, 0.801, 0.866), "mmlu_med": (0.985, 0.767, 0.833), "truthfulqa": (0.996, 0.987, 0.991),
}  # fmt: skip
FUSED = {"held out": 0.97, "bioasq_yn": 0.985, "mmlu_med": 0.985}


def configured(project) -> dict:
    for file in (clone.DATA / "relevance").glob("*.parquet"):
        (project / "data" / file.name).symlink_to(file)
    queries = {name: {"files": [f"data/queries_{name}.parquet"]} for name in ("pubmedqa", *KNOWN)}
    queries["pubmedqa"]["columns"] = {"passage_id": "id"}  # a question has the id of its abstract
    entry = {"corpus": "pubmed", "in_knowledge": "pubmedqa", "near": ["bioasq_yn", "mmlu_med"], "far": ["truthfulqa"]}
    settings = {"corpora": {"pubmed": {"files": ["data/corpus_pubmed.parquet"]}}, "query_sets": queries}
    settings |= {"query_logs": {"demo": {"used": False}}}  # its corpus is not one of these
    return settings | {"relevance": {"sets": {"articles": {"used": False}, "pubmed": entry}}}


def measure(figure, project=None) -> None:
    clone.result(RESULT, configured, lambda path: _figures(figure, path), project)


def _figures(figure, path):
    rows = [row | {"keys": json.loads(row["keys"])} for row in pq.read_table(path).to_pylist()]

    def values(table, metric, *keys):
        own = [row for row in rows if (row["table"], row["metric"]) == (table, metric)]
        return {tuple(row["keys"].get(key) for key in keys): row["value"] for row in own}

    areas = values("table_1", "auroc", "set", "statistic")
    for name, areas_of in KNOWN.items():
        for statistic, known in zip(("MSS", "KNN", "Energy"), areas_of, strict=True):
            away = abs(areas[name, statistic] - known)
            label = f"{name}_{statistic}".lower()
            figure(f"{label}_auroc", areas[name, statistic], "auroc", limit=known)
            figure(f"{label}_from_the_known_figure", away, "auroc", "<= 0.01" if statistic == "MSS" else "<= 0.04")
    shares = values("table_8", "share", "set", "statistic", "measure")
    wrong = [share for (name, _, measured), share in shares.items() if measured == "FPR" and name != "held out"]
    figure("wrongly_rejected_least", min(wrong), "share", ">= 0.04")
    figure("wrongly_rejected_most", max(wrong), "share", "<= 0.065")
    found, p = (values("methods", metric, "set", "method") for metric in ("auroc", "p_against_mss"))
    for name, target in FUSED.items():
        figure(
            f"fused_{name.replace(' ', '_')}_auroc",
            found[name, "Fused MSS"],
            "auroc",
            f">= {target}",
            found[name, "MSS"],
        )
    figure("fused_held_out_p_against_mss", p["held out", "Fused MSS"], "p", "<= 0.05")
