"""How well probes on the demo model's activations tell poisoned answers from right ones, beside their controls, and
what activations cost to collect, to keep and to learn from; the parts stand in benchmarks/probing/.

The workflow itself measures quality, in a clone, with all ten folds of every probe. `python benchmarks/revprag.py
FOLDER` reads what a project has measured with benchmarks/probing/ten_folds.yaml, and does nothing else. `python
benchmarks/revprag.py costs` leaves quality out, and may name some of its parts: passes, samples, store; with `seconds`
in place of it the demo's study alone is timed. Costs are compared alternately in one process; memory is that of a
process of its own, beyond what it had.
"""

import os
import sys
import tempfile
from pathlib import Path

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "workflow"))

from common.figures import figure, finish
from probing import costs, demo_probes, graphics

if __name__ == "__main__":
    what, *names = sys.argv[1:] or [""]
    if what == "child":
        costs.child(*names)
    elif what == "seconds":
        with tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
            demo_probes.seconds(figure, folder)
        finish()
    else:
        if what != "costs":
            demo_probes.measure(figure, *filter(None, [what]))
        if what in ("", "costs"):
            costs.measure(figure, *names)
            graphics.measure(figure)
        finish()
