"""Assaying RAG services and guarding them: how long 500 questions take beside the limit of a slow service, what the
guard server adds to its computation and bears of hostile clients, whether kills of a poisoning run leave anything
behind, and how fast collections are read. Services, fits and databases are those of the tests; the parts stand in
benchmarks/rag/.

`python benchmarks/services.py assaying guarding` measures only what is named.
"""

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

from common.figures import parts
from rag.assaying import assaying
from rag.besieging import besieging
from rag.guarding import guarding
from rag.reading import TASKS, reading
from rag.staging import staging

if __name__ == "__main__":
    works = {"assaying": assaying, "guarding": guarding, "besieging": besieging, "staging": staging}
    parts(works | {"reading": reading}, TASKS)
