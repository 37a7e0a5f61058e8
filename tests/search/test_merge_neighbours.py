"""merge_neighbours: parts that were searched apart give what one search of all of them gives."""

import pytest

from passages import TEXTS, found_by, write_passages
from scripts.search.merge_neighbours import RepeatedId, merge_neighbours
from scripts.search.search_dense import search_dense
from study import MINILM


def test_parts_that_were_searched_apart_are_one_search(searched, corpus, tmp_path, loaded_once):
    own = {"encoder": MINILM, "query_encoder": MINILM, "embeddings": str(tmp_path / "store"), "titles": "none"}
    own |= {"similarity": "cosine", "count": 3}
    whole, parts, found = searched(search_dense, **own), [], []
    for number, names in enumerate((["p1", "p4"], ["p2"], ["p3"])):
        parts.append(write_passages(tmp_path / f"part{number}.parquet", {name: TEXTS[name] for name in names}))
        found.append(tmp_path / f"found{number}.parquet")
        search_dense(parts[-1], corpus["queries"], found[-1], **own)
    merge_neighbours(parts, found, tmp_path / "merged.parquet", count=3)
    assert found_by(tmp_path / "merged.parquet") == whole
    with pytest.raises(RepeatedId, match=r"found the id 'p[14]' in two parts of a corpus, expected each id once"):
        merge_neighbours([*parts, parts[0]], found, tmp_path / "merged.parquet", count=3)
