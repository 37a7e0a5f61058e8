"""How fast and how good the recognition of out-of-knowledge queries is; the parts stand in benchmarks/knowledge/.

Speed is the processor time of one thread beside numpy's sort of the same scores, both in this process and in turn.
Quality is measured by the workflow itself on published questions (../shared/data/relevance), in a clone: nothing is
chosen by what comes out. `python benchmarks/relevance.py FOLDER` reads what a project has measured with these.
"""

import os
import sys
from pathlib import Path

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "workflow"))

from common.figures import figure, finish
from knowledge import false_alarms, gate_cost, published_questions, seven_statistics, synthetic_gates

if __name__ == "__main__":
    seven_statistics.measure(figure)
    gate_cost.measure(figure)
    false_alarms.measure(figure)
    synthetic_gates.measure(figure)
    published_questions.measure(figure, *sys.argv[1:])
    finish()
