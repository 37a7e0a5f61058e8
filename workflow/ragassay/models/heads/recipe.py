"""The kinds of heads, and how the one with two layers is trained."""

from dataclasses import dataclass

KINDS = MLP, LOGISTIC = "mlp", "logistic"


@dataclass(frozen=True)
class Recipe:
    """With `standardize`, features are brought to mean 0 and variance 1, as measured on the training part; that becomes
    part of the head.
    """

    hidden: int = 128
    dropout: float = 0.1
    epochs: int = 10
    batch: int = 8
    rate: float = 1e-4
    standardize: bool = False
