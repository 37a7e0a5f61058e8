"""Ask the gate of a corpus about each query of a log. A text that comes again is asked about once."""

import numpy as np
import pyarrow as pa

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.corpora import QUERY_LOG
from ragassay.schemas.relevance import GATED_QUERIES
from ragassay.services.gate import Gate

TOGETHER = 4096  # texts that are searched for at once


def gate_query_log(gate, query_log, gated_queries):
    rows = tables.read(QUERY_LOG, query_log, ["entry", "date", "query_id", "text"])
    coded = rows["text"].combine_chunks().dictionary_encode()
    texts, at, opened = coded.dictionary.to_pylist(), coded.indices.to_numpy(), Gate.load(gate)
    parts = [opened.measure(texts[start : start + TOGETHER]) for start in range(0, len(texts), TOGETHER)]
    columns = {
        "value": np.concatenate([part.values for part in parts]),
        "p_value": np.concatenate([part.p_values for part in parts]),
        "rejected": np.concatenate([part.rejected for part in parts]),
    }
    nearest = pa.array([passages[0] if passages else None for part in parts for passages in part.passages], pa.string())
    columns = {name: values[at] for name, values in columns.items()} | {"passage_id": nearest.take(coded.indices)}
    counts = [len(rows), len(texts), 100 * columns["rejected"].mean()]
    tables.write(GATED_QUERIES, gated_queries, pa.table({name: rows[name] for name in rows.column_names[:3]} | columns))
    log.info("%d queries, %d of them different, %.1f %% out of knowledge", *counts)


if __name__ == "__main__":
    run(gate_query_log, snakemake)
