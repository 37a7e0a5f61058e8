"""What attacks reach and defences promise, miss and cost; the parts stand in benchmarks/poison/.

Costs are ratios of processor time in this process, in turn with what they are compared with. The workflow itself
measures defences, in a clone. benchmarks/published.py has them without attackers who know them.
`python benchmarks/poisoning.py white_box pools` measures only what is named.
"""

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

from common.figures import parts
from poison import adaptive, optimised, overhead, pools

if __name__ == "__main__":
    runs = {"white_box": optimised.white_box, "trigger": optimised.trigger, "overhead": overhead.overhead}
    parts(runs | {"pools": pools.pools, "adaptive": adaptive.adaptive})
