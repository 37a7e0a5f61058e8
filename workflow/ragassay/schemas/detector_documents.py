"""The table detector_documents."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

DETECTOR_DOCUMENTS = Table(
    "detector_documents",
    "One row per document that a detector was trained or validated on, or tested on.",
    path="detectors/{detector}/{encoder}/{generator}/{judge}/documents",
    key=("doc_id",),
    columns=(
        Column("doc_id", pa.string(), "the document"),
        Column("cluster_id", pa.string(), "the near-duplicates that it stands for; all of them are in one part"),
        Column("part", pa.string(), "`train`, `validation` or `test`"),
        Column("signature", pa.binary(), "512 bytes by which near-duplicates are found, as in the table clusters"),
    ),
)
