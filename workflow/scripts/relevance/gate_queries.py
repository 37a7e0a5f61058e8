"""Ask the gate of each corpus about each query of the sets that it is compared on. In-knowledge queries are among those
that calibrated it, so that a gate knows them a little; the report's tables hold them apart.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.corpora import QUERIES
from ragassay.schemas.relevance import QUERY_VERDICTS
from ragassay.services.gate import Gate
from ragassay.studies.relevance.gated import decisions


def gate_queries(gates, queries, query_verdicts):
    """`query_verdicts` are a file for each corpus and query set."""
    opened = {Path(gate).parts[-2:]: Gate.load(gate) for gate in gates}
    asked = {tables.keys(QUERIES, path)["query_set"]: path for path in queries}
    for output in query_verdicts:
        keys = tables.keys(QUERY_VERDICTS, output)
        rows = tables.read(QUERIES, asked[keys["query_set"]], ["query_id", "text"])
        columns = decisions(opened[keys["corpus"], keys["retriever"]], rows["text"])
        tables.write(QUERY_VERDICTS, output, pa.table({"query_id": rows["query_id"]} | columns))
        counts = int(np.sum(columns["rejected"])), len(rows)
        log.info("%s in %s: %d of %d queries out of knowledge", keys["query_set"], keys["corpus"], *counts)


if __name__ == "__main__":
    run(gate_queries, snakemake)
