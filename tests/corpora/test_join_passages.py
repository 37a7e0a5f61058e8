"""join_passages: all parts in one table, sorted, each id once."""

import pytest

from passages import write_passages
from ragassay.base import tables
from ragassay.base.tables import TableError
from ragassay.schemas.corpora import PASSAGES
from scripts.corpora.join_passages import join_passages


def test_parts_become_one_table_and_an_id_is_in_one_of_them(tmp_path):
    parts = [write_passages(tmp_path / "1.parquet", {"b": "B."}), write_passages(tmp_path / "2.parquet", {"a": "A."})]
    join_passages(parts, tmp_path / "all.parquet")
    assert tables.read(PASSAGES, tmp_path / "all.parquet")["passage_id"].to_pylist() == ["a", "b"]
    with pytest.raises(TableError, match=r"two rows of table passages have the same key .*'b'"):
        join_passages([*parts, parts[0]], tmp_path / "all.parquet")
