"""How well defences find what is planted among published targets and passages, and what they cost; the parts stand in
benchmarks/defending/. The workflow itself measures quality, in a clone: 100 questions with Wikipedia passages and 50
news questions with search snippets (../shared/data). `python benchmarks/raguard.py FOLDER` reads what a project with
these has measured. Thresholds of each question come from others, and two fifths of the questions, by which the method
of our own was designed, are not counted where it is compared.
"""

import os
import sys
from pathlib import Path

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "workflow"))

from common.figures import figure, finish
from defending import overhead, published_defences, scoring_cost

if __name__ == "__main__":
    scoring_cost.measure(figure)
    overhead.measure(figure)
    published_defences.measure(figure, *sys.argv[1:])
    finish()
