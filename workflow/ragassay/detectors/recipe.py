"""How the head of a detector is trained."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Recipe:
    """The scope paper's, unless told otherwise. With `standardize`, features are brought to mean 0 and variance 1, as
    measured on the training part, which becomes part of the head; the paper does not say that it did.
    """

    hidden: int = 128
    dropout: float = 0.1
    epochs: int = 10
    batch: int = 8
    rate: float = 1e-4
    standardize: bool = False
