"""The table detector_training."""

import pyarrow as pa

from ragassay.base.tables import Column, Table

DETECTOR_TRAINING = Table(
    "detector_training",
    "One row per epoch of each head of a detector.",
    path="detectors/{detector}/{encoder}/{generator}/{judge}/training",
    key=("head", "percent", "seed", "epoch"),
    columns=(
        Column("head", pa.string(), "`mlp`, two layers, or `logistic`, a regression, which has one epoch"),
        Column("percent", pa.int32(), "of the training documents that were used"),
        Column("seed", pa.int32(), "of the initial weights, the order and the dropout; 0 for a regression"),
        Column("epoch", pa.int32(), "0 is before the first step"),
        Column("documents", pa.int32(), "clusters of near-duplicate documents that were used"),
        Column("questions", pa.int32(), "their questions"),
        Column("loss", pa.float64(), "mean loss of the epoch's steps, with dropout", null=True),
        Column("validation_loss", pa.float64(), "log loss on the validation part; empty without one", null=True),
        Column("validation_accuracy", pa.float64(), "share of the validation part that is right", null=True),
        Column("kept", pa.bool_(), "whether the head is that of this epoch"),
        Column("test_accuracy", pa.float64(), "share of the test part that is right, of the kept head", null=True),
        Column("test_auroc", pa.float64(), "area under its ROC curve on the test part", null=True),
    ),
)
