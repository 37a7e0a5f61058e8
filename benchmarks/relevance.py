"""What recognising out-of-knowledge queries costs, and how often it is wrong; the parts stand in benchmarks/knowledge/.

Speed is the processor time of one thread beside numpy's sort of the same scores, both in this process and in turn.
benchmarks/published.py has the quality on published questions. `python benchmarks/relevance.py gate` measures only what
is named.
"""

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

from common.figures import parts
from knowledge.divisions import divisions
from knowledge.false_alarms import false_alarms
from knowledge.gate_cost import gate
from knowledge.seven_statistics import statistics_of_many
from knowledge.synthetic_gates import synthetic_gates

if __name__ == "__main__":
    runs = {"statistics": statistics_of_many, "gate": gate, "false_alarms": false_alarms}
    parts(runs | {"synthetic_gates": synthetic_gates, "divisions": divisions})
