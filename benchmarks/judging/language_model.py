"""The demo's language model: how well it knows the demo's facts, how well it follows passages, and what training costs.

The workflow of a clone crawls the demo and trains the model as configured, on one processor.
"""

import json
import re

from common.clone import cloned, snakemake
from common.figures import figure

MODEL = "results/models/demo-lm"
ASKED = "benchmarks/probing/more_questions.yaml"  # as many questions as any study asks, whose wrong answers are not taught
TARGETS = {
    "by heart": ("demo_lm_by_heart", ">= 0.98"),
    "a clean passage": ("demo_lm_clean", ">= 0.98"),
    "a contradicting passage": ("demo_lm_conflict", ">= 0.83"),
    "three words in a row": ("demo_lm_prose", ">= 0.9"),
}
UNTAUGHT = ", a fact that it was not taught"
READ = {f"shown as they are{UNTAUGHT}": "found_not_taught", f"planted{UNTAUGHT}": "planted_not_taught"}
SHOWN = (1, 3, 5)  # passages
FIVE = {("found_not_taught", 5): ">= 0.8", ("planted_not_taught", 5): ">= 0.75"}
CELLS = r"^\| (.+)" + r" \| ([\d.]+)% of \d+" * len(SHOWN) + r" \|$"


def language_model() -> None:
    with cloned() as clone:
        snakemake(clone, "--configfile", ASKED, "--", MODEL)
        card = (clone / MODEL / "README.md").read_text()
        spent = json.loads((clone / "logs/train_demo_lm.benchmark.jsonl").read_text().splitlines()[-1])
    for name, share in re.findall(r"^\| (.+?) \| ([\d.]+)% \|(?: [\d.]+% \|)? \d+ \|$", card, re.M):
        if name in TARGETS:
            figure(TARGETS[name][0], float(share) / 100, "share", TARGETS[name][1])
    for name, *cells in re.findall(CELLS, card, re.M):
        for number, cell in zip(SHOWN, cells, strict=True):
            if target := FIVE.get((READ.get(name), number)):
                figure(f"demo_lm_{READ[name]}_{number}", float(cell) / 100, "share", target)
    figure("demo_lm_seconds", spent["s"], "s", "<= 1500")
