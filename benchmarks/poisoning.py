"""What attacks and defences cost and reach; the parts stand in benchmarks/poison/.

Costs are ratios of processor time in this process, in turn with what they are compared with. Triggers are
measured on the demo by the workflow itself, in a clone. benchmarks/published.py has the quality on published data.
`python benchmarks/poisoning.py hotflip scoring` measures only what is named.
"""

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

from common.figures import parts
from poison import adaptive, hotflip, joining, overhead, pools, scoring, triggers

if __name__ == "__main__":
    runs = {"joining": joining.joining, "hotflip": hotflip.step, "white_box": hotflip.white_box}
    runs |= {"triggers": triggers.triggers, "scoring": scoring.scoring, "overhead": overhead.overhead}
    parts(runs | {"pools": pools.pools, "adaptive": adaptive.adaptive})
