"""A corpus of two documents and two query sets."""

import pytest

from query_corpus import READER, TEXTS, write_corpus


@pytest.fixture
def reader():
    return READER


@pytest.fixture
def texts():
    return TEXTS


@pytest.fixture
def files(tmp_path):
    return write_corpus(tmp_path)
