"""The table probe_transfers."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

PROBE_TRANSFERS = Table(
    "probe_transfers",
    "One row per answer and probe that was fitted on other documents and, but for the comparison, elsewhere.",
    path="probe_transfers/{generalisation}",
    key=(
        "tested_on",
        "dataset",
        "retriever",
        "attack",
        "responder",
        "target_id",
        "condition",
        "side",
        "fitted_on",
        "probe",
    ),
    columns=(
        Column("tested_on", pa.string(), "the data set, retriever, attack, responder or kind of question"),
        Column("dataset", pa.string(), "the data set"),
        Column("retriever", pa.string(), "the retriever"),
        Column("attack", pa.string(), "the attack"),
        Column("responder", pa.string(), "the model that answers"),
        Column("target_id", pa.string(), "the target"),
        Column("condition", pa.string(), "the condition, on which the probe was fitted, too"),
        Column("side", pa.string(), "`clean` or `attacked`"),
        Column("fitted_on", pa.string(), "`others` than the one that is tested, or `all`"),
        Column("probe", pa.string(), "an entry of `revprag.probes`, or `control`"),
        Column("cluster", pa.string(), "near-duplicates of its document"),
        Column("label", pa.string(), "as in the table prompt_answers"),
        Column("score", pa.float64(), "higher = more probably poisoned"),
        Column(
            "flagged", pa.bool_(), "whether the score is above the threshold that validation documents gave", null=True
        ),
    ),
)
