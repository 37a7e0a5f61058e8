"""Questions of one generator and verdicts on responses to them, for tests of what is counted."""

import numpy as np
import pyarrow as pa

from ragassay.scope.verdicts import Cell, Questions


def questions(owners, topics, out=None, kept=None, published=None, texts=None):
    """`owners` are documents by number, one per question; `topics` one per document; all is kept and out of scope."""
    count = len(owners)
    return Questions(
        "g",
        pa.array([f"q{number}" for number in range(count)]),
        texts or ["What is it?"] * count,
        np.array(owners, int),
        np.array([True] * count if out is None else out, bool),
        np.array([True] * count if kept is None else kept, bool),
        [f"d{number}" for number in range(len(topics))],
        np.array(topics, object),
        published or [None] * len(topics),
    )


def cells(**codes):
    """Cells of the judge j by `prompt__responder`."""
    return {Cell("j", *name.split("__")): np.array(own, np.int8) for name, own in sorted(codes.items())}
