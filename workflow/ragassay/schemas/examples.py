"""The table examples."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

EXAMPLES = Table(
    "examples",
    "One row per passage of an example that the report shows with its whole lineage.",
    path="examples/{section}",
    key=("study", "example", "position"),
    columns=(
        Column("study", pa.string(), "the study, which is also the section of the report"),
        Column("example", pa.int32(), "the number of the example, from 1"),
        Column("position", pa.int32(), "the number of the passage, from 1"),
        Column("title", pa.string(), "the kind of example, in our words"),
        Column("part", pa.string(), "the kind of passage, in our words"),
        Column("text", pa.string(), "the passage as it is in the tables"),
    ),
)
