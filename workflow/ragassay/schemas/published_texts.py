"""The table published_texts."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

PUBLISHED_TEXTS = Table(
    "published_texts",
    "One row per column with texts of a release and what became of its cells; file `published_texts` of a release.",
    key=("table", "column", "state"),
    columns=(
        Column("table", pa.string(), "the table"),
        Column("column", pa.string(), "its column"),
        Column(
            "state",
            pa.string(),
            "`published`; `repeats_published` and `repeats` if it repeats a long run of a text that may not be"
            " published, `no_licence`, `poison`, or `empty`",
        ),
        Column("cells", pa.int64(), "how many cells"),
    ),
)
