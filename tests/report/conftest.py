"""The description of a section with one figure and one table."""

import pytest

SECTION = """
title: Study
parts:
  - {kind: bars, table: lengths, title: Lengths, caption: C, label: words, metric: documents, x: Words, y: Documents}
  - {kind: table, table: lengths, title: Lengths, caption: C, columns: {words: Words}}
"""


@pytest.fixture
def description():
    return SECTION
