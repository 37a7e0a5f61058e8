"""Time what models on this machine do beside what is usual and what is possible, one thread each, by processor time.

`embedding` compares with SentenceTransformer.encode; `shared` and `head` are hidden states and the heads on them,
`collecting` the activations that probes read. The parts stand in benchmarks/local/.
`python benchmarks/models.py shared head` measures only what is named.
"""

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

from common.figures import parts
from local import embedding, states

if __name__ == "__main__":
    runs = {"embedding": embedding.embedding, "shared": states.shared, "head": states.head}
    parts(runs | {"collecting": states.collecting}, embedding.TASKS | states.TASKS)
