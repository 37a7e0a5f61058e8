"""Train detectors on the demo's own questions and ask them about human-checked ones (../shared/data/scopeqa_gold).

Nothing is chosen by what comes out: the gold questions enter as a question set in a clone, and the workflow measures
every detector of the configuration on it, those on hidden states of the demo's language model among them, beside the
embedded judge, asked directly, and the overlap control that is fitted on the set itself. The embedded judge is no
fair rival: its weights were fitted on these very questions (see `ragassay.embedded.tasks.scope`). A detector counts
with the mean over its seeds. `python benchmarks/detectors.py FOLDER` reads what a project has measured with a set
named gold.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
import yaml

from common.figures import figure, finish

ROOT = Path(__file__).resolve().parent.parent
GOLD = (ROOT / "../shared/data/scopeqa_gold").resolve()
RESULT = "results/metrics/question_sets.parquet"


def run(project: Path) -> None:
    files = {name: [f"gold/{name}_{group}.parquet" for group in (1, 2)] for name in ("documents", "questions")}
    files["annotators"] = {"people": "out_of_scope"}  # they checked it
    (project / "gold").symlink_to(GOLD)
    (project / "gold.yaml").write_text(yaml.safe_dump({"question_sets": {"gold": files}}))
    command = [sys.executable, "-m", "snakemake", RESULT, "--quiet", "rules", "--configfile", "gold.yaml"]
    subprocess.run(command, cwd=project, check=True)


def measure(project: Path) -> None:
    rows = [row | {"keys": json.loads(row["keys"])} for row in pq.read_table(project / RESULT).to_pylist()]
    found = {}
    for row in rows:
        if row["table"] == "accuracy" and row["keys"]["set"] == "gold" and row["keys"]["truth"] == "intention":
            found.setdefault(row["keys"]["judge"], {})[row["metric"]] = row["value"]
    judge = found.pop("embedded")
    figure("gold_embedded_judge_which_was_fitted_on_it", judge["accuracy"], "share", ">= 0.86")
    for name, own in sorted(found.items()):  # without targets: nothing is tuned on it
        label = "_".join(["gold", *re.findall("[a-z0-9]+", name)])
        figure(f"{label}_accuracy", own["accuracy"], "share", limit=judge["accuracy"])
        figure(f"{label}_auroc", own["auroc"], "auroc", limit=judge["auroc"])


def main(project=None):
    if project:
        measure(Path(project))
    else:
        with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
            clone = Path(folder, "clone")
            subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
            run(clone)
            measure(clone)
    finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
