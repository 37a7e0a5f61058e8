"""The table calls."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

CALLS = Table(
    "calls",
    "One row per job that asked a model: what was asked and paid, in all runs together; file `calls/{rule}/{keys}`.",
    key=("model",),
    columns=(
        Column("model", pa.string(), "the model's name in the configuration"),
        Column("requests", pa.int64(), "requests sent, including retries"),
        Column("retries", pa.int64(), "of these, retries after a failure"),
        Column("replies", pa.int64(), "replies that came"),
        Column("failures", pa.int64(), "requests without a readable reply"),
        Column("samples", pa.int64(), "answers in all replies"),
        Column("prompt_tokens", pa.int64(), "tokens of all prompts"),
        Column("cached_tokens", pa.int64(), "of these, read from the provider's cache"),
        Column("completion_tokens", pa.int64(), "tokens of all answers"),
        Column("dollars", pa.float64(), "the price of these tokens"),
        Column("possibly_billed_twice", pa.int64(), "samples whose reply was lost on its way or by a killed process"),
        Column(
            "served_as",
            pa.string(),
            "answers by the name that replies give the model, as JSON: a second name says that its provider renamed or"
            " exchanged it in between; empty where replies name none",
            null=True,
        ),
    ),
)
