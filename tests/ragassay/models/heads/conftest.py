"""Features that tell something of the label, and some that do not, by cluster."""

import numpy as np
import pytest

from ragassay.base.chance import split_of
from ragassay.models.heads.learning import Data

WIDTH, CLUSTERS, PER_CLUSTER = 12, 90, 6


@pytest.fixture
def data():
    """A function that makes them, with labels shuffled or not."""

    def make(shuffled=False, seed=0):
        draw = np.random.default_rng(seed)
        clusters = np.repeat([f"cluster-{number}" for number in range(CLUSTERS)], PER_CLUSTER)
        own = np.repeat(draw.standard_normal((CLUSTERS, WIDTH)), PER_CLUSTER, axis=0)  # what tells a cluster apart
        features = 2 * own + draw.standard_normal((len(clusters), WIDTH))
        labels = draw.random(len(clusters)) < 0.5
        features[:, 0] = np.where(labels, 1.5, -1.5) + draw.standard_normal(len(clusters))
        if shuffled:
            labels = draw.permutation(labels)
        parts = np.array([split_of(name) for name in clusters])
        return Data(features.astype(np.float32), labels, parts, clusters)

    return make
