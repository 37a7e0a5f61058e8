"""Kill stages that ask a model, run them again until they are done, and count what was lost or bought twice.

`calls` kills a thousand times while single requests are sent, `batches` two hundred times in mode batch; the parts
stand in benchmarks/kills/. `python benchmarks/chaos.py calls 20` kills one of them twenty times.
"""

import sys

from common.figures import finish
from kills import batches, calls

KILLS = {"calls": (calls.measure, 1000), "batches": (batches.measure, 200)}

if __name__ == "__main__":
    names, kills = sys.argv[1:2] or KILLS, sys.argv[2:]
    for name in names:
        measure, usual = KILLS[name]
        measure(int(kills[0]) if kills else usual)
    finish()
