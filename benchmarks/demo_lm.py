"""The demo's language model: how well it knows the demo's facts, how well it follows passages, and what training costs.

The workflow of a clone crawls the demo and trains the model as configured, on one processor. `python
benchmarks/demo_lm.py FOLDER` reads the model of a project that has made it.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from common.figures import figure, finish

ROOT = Path(__file__).resolve().parent.parent
MODEL = "results/models/demo-lm"
ASKED = "benchmarks/probing/ten_folds.yaml"  # as many questions as any study asks, whose wrong answers are not taught
TARGETS = {
    "by heart": ("demo_lm_by_heart", ">= 0.98"),
    "a clean passage": ("demo_lm_clean", ">= 0.98"),
    "a contradicting passage": ("demo_lm_conflict", ">= 0.83"),
    "a clean passage beside 2 others": ("demo_lm_clean_among_3", None),
    "a contradicting passage beside 2 others": ("demo_lm_conflict_among_3", None),
    "a clean passage, a fact that no lesson contradicts": ("demo_lm_clean_spared", None),
    "a contradicting passage, a fact that no lesson contradicts": ("demo_lm_conflict_spared", None),
    "a clean passage, a fact that it was not taught": ("demo_lm_clean_not_taught", None),
    "a contradicting passage, a fact that it was not taught": ("demo_lm_conflict_not_taught", None),
    "three words in a row": ("demo_lm_prose", ">= 0.9"),
}
UNTAUGHT = ", a fact that it was not taught"
READ = {"shown as they are": "found", "the answer exchanged": "exchanged", "planted": "planted"}
READ |= {f"{name}{UNTAUGHT}": f"{key}_not_taught" for name, key in READ.items()}
SHOWN = (1, 3, 5)  # passages
FIVE = {("found_not_taught", 5): ">= 0.8", ("planted_not_taught", 5): ">= 0.75"}
CELLS = r"^\| (.+)" + r" \| ([\d.]+)% of \d+" * len(SHOWN) + r" \|$"


def main():
    with tempfile.TemporaryDirectory() as folder:
        project = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder, "project")
        if not project.exists():
            subprocess.run(["git", "clone", "--quiet", str(ROOT), str(project)], check=True)
            command = [sys.executable, "-m", "snakemake", "--quiet", "rules", "--configfile", ASKED, "--", MODEL]
            subprocess.run(command, cwd=project, check=True)
        card = (project / MODEL / "README.md").read_text()
        rows = re.findall(r"^\| (.+?) \| ([\d.]+)% \|(?: [\d.]+% \|)? (\d+) \|$", card, re.M)
        for name, share, _ in rows:
            key, target = TARGETS[name]
            figure(key, float(share) / 100, "share", target)
        for name, *cells in re.findall(CELLS, card, re.M):
            for number, cell in zip(SHOWN, cells, strict=True):
                figure(f"demo_lm_{READ[name]}_{number}", float(cell) / 100, "share", FIVE.get((READ[name], number)))
        told = json.loads((project / "logs/train_demo_lm.benchmark.jsonl").read_text().splitlines()[-1])
        figure("demo_lm_seconds", told["s"], "s", "<= 1500")
        figure("demo_lm_processor_seconds", told["cpu_time"], "cpu_s")
    finish()


if __name__ == "__main__":
    main()
