"""Vectors of length 1, whatever they are given as; what is given stays as it was."""

import numpy as np
import pytest

from ragassay.models.encoders.embed import unit


@pytest.mark.parametrize("kind", [np.int64, np.float16, np.float32])
def test_length_is_one_and_nothing_stays_nothing(kind):
    given = np.array([[3, 4], [0, 0]], kind)
    assert unit(given).tolist() == [pytest.approx([0.6, 0.8]), [0, 0]] and unit(given).dtype == np.float32
    assert given.tolist() == [[3, 4], [0, 0]]
