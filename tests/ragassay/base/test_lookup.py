"""Lookups of rows by id: what a dictionary would give."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from ragassay.base.lookup import Lookup

IDS = st.lists(st.text("aé0-", min_size=1, max_size=3), unique=True, max_size=12)


@given(IDS, IDS, st.integers(1, 5))
def test_ids_have_their_rows_and_others_none(ids, wanted, size):
    rows = {name: {"number": at, "odd": None if at % 3 == 0 else at % 2 == 1} for at, name in enumerate(ids)}
    columns = {"question_id": pa.array(ids, pa.string()), "number": pa.array(range(len(ids)), pa.int32())}
    table = pa.table(columns | {"odd": pa.array([row["odd"] for row in rows.values()], pa.bool_())})
    lookup = Lookup(table.slice(start, size) for start in range(0, len(ids), size))
    assert lookup.of(wanted) == {name: rows[name] for name in wanted if name in rows}
    assert lookup.of(ids) == rows


def test_nothing_has_no_rows():
    assert Lookup([]).of(["a"]) == {}
