"""Train detectors on the demo's own questions and ask them about human-checked ones (../shared/data/scopeqa_gold).

Nothing is chosen by what comes out: the detectors are those of config/config.yaml, made by the workflow in a clone.
Beside them stand the embedded judge, asked directly, and the overlap control. Accuracy is over all questions of both
annotation groups, and the mean over seeds. `python benchmarks/detectors.py FOLDER` takes a project that has made them.
"""

import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import pyarrow.parquet as pq
from figures import figure, finish

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "workflow"))
GOLD = ROOT / "../shared/data/scopeqa_gold"
METHODS = ("sbert_nli/minilm", "similarity/minilm", "overlap/minilm")
TARGETS = [f"results/detectors/{method}/embedded/embedded/card.json" for method in METHODS]


def write_gold(folder: Path) -> None:
    """Gold as the tables that a detector is applied to."""
    from ragassay import tables
    from ragassay.schemas.documents import DOCUMENTS
    from ragassay.schemas.questions import QUESTIONS

    documents, questions = [], []
    for group in (1, 2):
        for row in pq.read_table(GOLD / f"documents_{group}.parquet").to_pylist():
            own = {"doc_id": row["doc_id"], "text": row["text"], "n_words": len(row["text"].split())}
            own |= dict.fromkeys(("article_id", "cluster_id", "content_hash"), row["doc_id"])
            documents.append(dict.fromkeys(DOCUMENTS.schema.names) | own | {"shard": "gold"})
        for number, row in enumerate(pq.read_table(GOLD / f"questions_{group}.parquet").to_pylist()):
            own = {"question_id": f"{group}-{number}", "doc_id": row["doc_id"], "text": row["question"]}
            own |= {"intended": "out_of_scope" if row["out_of_scope"] else "in_scope", "slot": 100 * group + number}
            own |= {"shard": "gold", "n_words": len(row["question"].split()), "generator": "gold", "prompt": ""}
            questions.append(dict.fromkeys(QUESTIONS.schema.names) | own)
    tables.write(DOCUMENTS, folder / "documents.parquet", documents)
    tables.write(QUESTIONS, folder / "questions.parquet", questions)


def judged(folder: Path) -> list:
    """What the embedded judge says by the majority of nine votes, as the study asks it."""
    from ragassay.embedded.reader import respond
    from ragassay.llm.prompts import Prompt

    prompt = Prompt.load(ROOT / "resources/prompts/judge_scope.yaml")
    texts = {row["doc_id"]: row["text"] for row in pq.read_table(folder / "documents.parquet").to_pylist()}
    found = []
    for row in pq.read_table(folder / "questions.parquet").to_pylist():
        messages = prompt.messages(document=texts[row["doc_id"]], question=row["text"])
        votes = [respond(messages, {"temperature": 0.7}, index).endswith("yes") for index in range(9)]
        found.append((sum(votes) > 4, row["intended"] == "out_of_scope"))
    return found


def applied(project: Path, folder: Path, method: str) -> dict:
    """(decision, truth, score) of each head and question."""
    import yaml

    from ragassay import tables
    from ragassay.config import checked
    from ragassay.schemas.predictions import PREDICTIONS
    from ragassay.settings import detector
    from scripts.detectors.apply_detector import apply_detector

    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    config = checked(config, [ROOT / "config/config.yaml"], ROOT / "workflow/schemas/config.schema.yaml")
    place = project / "results/detectors" / method / "embedded/embedded"
    apply_detector(
        heads=place / "heads.safetensors",
        card=place / "card.json",
        known_documents=place / "documents.parquet",
        documents=[folder / "documents.parquet"],
        questions=[folder / "questions.parquet"],
        prompt=ROOT / "resources/prompts/detect_scope.yaml",
        weights=[],
        predictions=folder / "predictions.parquet",
        asked="gold",
        **detector(config, *method.split("/")) | {"embeddings": str(folder / "embeddings")},
    )
    found = defaultdict(list)
    for row in tables.read(PREDICTIONS, folder / "predictions.parquet").to_pylist():
        found[row["head"]].append((row["out_of_scope"], row["intended"] == "out_of_scope", row["score"]))
    return found


def measure(project: Path) -> None:
    from ragassay.metrics.auroc import auroc

    with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as name:
        folder = Path(name)
        write_gold(folder)
        pairs = judged(folder)
        judge = sum(said == truth for said, truth in pairs) / len(pairs)
        figure("gold_embedded_judge", judge, "share", ">= 0.86")
        for method in METHODS:
            for head, rows in applied(project, folder, method).items():
                label = f"gold_{method.split('/')[0]}_{head}"
                right = sum(said == truth for said, truth, _ in rows) / len(rows)
                figure(f"{label}_accuracy", right, "share", ">= 0", judge)  # told, not aimed at: nothing is tuned on it
                figure(f"{label}_auroc", auroc([row[2] for row in rows], [row[1] for row in rows]), "auroc", ">= 0")


def main(project=None):
    if project:
        measure(Path(project))
    else:
        with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
            clone = Path(folder, "clone")
            subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
            run = [sys.executable, "-m", "snakemake", *TARGETS]
            subprocess.run(run, cwd=clone, check=True, capture_output=True)
            measure(clone)
    finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
