"""What plain attacks reach on published targets, and what it costs to join them to stored neighbours; the parts
stand in benchmarks/poison/. Targets and passages (../shared/data) are attacked by the workflow itself, in a clone.
"""

import os
import sys
from pathlib import Path

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "workflow"))

from common.figures import figure, finish
from poison import joining_cost, published_targets

if __name__ == "__main__":
    joining_cost.measure(figure)
    published_targets.measure(figure, *sys.argv[1:])
    finish()
