"""The table raguard_sweeps."""

from ragassay.base.tables import Table
from ragassay.schemas import metrics

RAGUARD_SWEEPS = Table(
    "raguard_sweeps",
    "One row per number of RAGuard under other settings; measure_raguard takes these into the report's section.",
    path="raguard_sweeps/{dataset}/{retriever}",
    key=metrics.METRICS.key,
    columns=metrics.METRICS.columns,
)
