"""Ask the gate of a corpus about each query of a log. A text that comes again is asked about once."""

import pyarrow as pa
import pyarrow.compute as compute

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.corpora import QUERY_LOG
from ragassay.schemas.relevance import GATED_QUERIES
from ragassay.services.gate import Gate
from ragassay.studies.relevance.outside import decisions


def gate_query_log(gate, query_log, gated_queries):
    rows = tables.read(QUERY_LOG, query_log, ["entry", "date", "query_id", "text"])
    columns = decisions(Gate.load(gate), rows["text"])
    counts = [len(rows), compute.count_distinct(rows["text"]).as_py(), 100 * columns["rejected"].mean()]
    tables.write(GATED_QUERIES, gated_queries, pa.table({name: rows[name] for name in rows.column_names[:3]} | columns))
    log.info("%d queries, %d of them different, %.1f %% out of knowledge", *counts)


if __name__ == "__main__":
    run(gate_query_log, snakemake)
