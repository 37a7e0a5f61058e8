"""What a file calls its columns is found whatever the case, and the user's name comes before usual ones."""

import pytest

from ragassay.config import usual_columns


@pytest.mark.parametrize(
    ("what", "columns", "named", "found"),
    [
        ("question", ["ID", " Query "], None, "Query"),
        ("question", ["text", "question"], None, "question"),  # the most usual of them
        ("question", ["question", "Frage"], "frage", "Frage"),
        ("question", ["question"], "Frage", None),
        ("answer", ["question"], None, None),
        ("question_id", ["key"], None, "key"),
    ],
)
def test_the_column_that_holds_something(what, columns, named, found):
    assert usual_columns.of(what, columns, named) == found
