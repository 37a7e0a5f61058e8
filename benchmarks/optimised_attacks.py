"""What attacks that optimise reach, and what a step of them costs; the parts stand in benchmarks/poison/. Published
targets come from ../shared/data; triggers are tried on the demo by the workflow itself, in a clone.
"""

import os
import sys
from pathlib import Path

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "workflow"))

from common.figures import figure, finish
from poison import step_cost, triggered_questions, white_box

if __name__ == "__main__":
    step_cost.measure(figure)
    white_box.measure(figure)
    triggered_questions.measure(figure, *sys.argv[1:])
    finish()
