"""Features that tell something of the label, and some that do not, by document."""

import numpy as np
import pytest

from ragassay.detectors.learning import Data
from ragassay.splits import split_of

WIDTH, DOCUMENTS, PER_DOCUMENT = 12, 90, 6


@pytest.fixture
def data():
    """A function that makes them, with labels of documents' questions shuffled or not."""

    def make(shuffled=False, seed=0):
        draw = np.random.default_rng(seed)
        clusters = np.repeat([f"cluster-{number}" for number in range(DOCUMENTS)], PER_DOCUMENT)
        own = np.repeat(draw.standard_normal((DOCUMENTS, WIDTH)), PER_DOCUMENT, axis=0)  # what tells a document apart
        features = 2 * own + draw.standard_normal((len(clusters), WIDTH))
        out_of_scope = draw.random(len(clusters)) < 0.5
        features[:, 0] = np.where(out_of_scope, 1.5, -1.5) + draw.standard_normal(len(clusters))
        if shuffled:
            out_of_scope = draw.permutation(out_of_scope)
        parts = np.array([split_of(name) for name in clusters])
        return Data(features.astype(np.float32), out_of_scope, parts, clusters)

    return make
