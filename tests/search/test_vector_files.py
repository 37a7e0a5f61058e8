"""Vectors from elsewhere: the same by their ids whatever the kind of file, and what is wrong with files in one line."""

import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import save_file

from ragassay.release.verification import digests
from scripts.search import search_vectors
from scripts.search.search_vectors import VectorError, VectorFiles

IDS = [f"p{number}" for number in range(40)]
VECTORS = np.random.default_rng(0).standard_normal((40, 6)).astype(np.float32)


def saved(path, ids=IDS, vectors=VECTORS):
    if path.suffix == ".parquet":
        kind = pa.list_(pa.float32())
        pq.write_table(pa.table({"id": ids, "vector": pa.array([*map(list, vectors)], kind)}), path, row_group_size=7)
    else:
        path.with_suffix(".ids").write_text("".join(f"{name}\n" for name in ids))
        np.save(path, vectors) if path.suffix == ".npy" else save_file({"x": VECTORS, "vectors": vectors}, path)
    return path


def read(files, ids):
    return np.concatenate(list(VectorFiles(files).blocks(pa.chunked_array([ids[:3], ids[3:]]))))


@pytest.mark.parametrize("suffix", [".parquet", ".npy", ".safetensors"])
@pytest.mark.parametrize("kind", [np.float16, np.float64])
def test_vectors_come_by_their_ids_in_any_order_from_files_in_any_order(tmp_path, monkeypatch, suffix, kind):
    monkeypatch.setattr(search_vectors, "BLOCK", 7)
    shuffled = np.random.default_rng(1).permutation(40)
    parts = [shuffled[:25], shuffled[25:]]
    files = [
        saved(tmp_path / f"{number}{suffix}", [IDS[at] for at in part], VECTORS[part].astype(kind))
        for number, part in enumerate(parts)
    ]
    found = read(files, IDS[5:35])
    assert found.dtype == np.float32 and np.allclose(found, VECTORS[5:35], atol=2e-3)


def test_whole_numbers_are_ids_too(tmp_path):
    pq.write_table(pa.table({"id": [3, 1], "vector": [[3.0], [1.0]]}), tmp_path / "x.parquet")
    assert read([tmp_path / "x.parquet"], ["1", "3"]).tolist() == [[1], [3]]


def test_a_file_that_unfolds_to_far_more_than_its_size_is_refused_before_it_does(tmp_path, monkeypatch):
    """A list of 5 million zeros is a row of 1 kB; of a billion, one of 4 GB."""
    zeros = pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(5_000_000, np.float32)), 5_000_000)
    pq.write_table(pa.table({"id": ["a"], "vector": zeros}), tmp_path / "x.parquet")
    monkeypatch.setattr(digests, "LEAST_UNFOLDED", 10_000_000)
    assert 200 * (tmp_path / "x.parquet").stat().st_size < 20_000_000
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", lambda *_, **__: pytest.fail("it is unfolded"))
    with pytest.raises(VectorError, match="its values would take more than"):
        VectorFiles([tmp_path / "x.parquet"])


@pytest.mark.parametrize(("forged", "written"), [(1, b"\x82\0"), (-1, b"\x81\0")])
def test_a_footer_that_names_fewer_values_than_rows_is_refused(tmp_path, forged, written):
    path, count = tmp_path / "x.parquet", b"\x80\x40"  # 4096 as footers have it
    pq.write_table(pa.table({"x": list(range(4096))}), path)
    content = path.read_bytes()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    place = content.index(count, content.index(count, footer) + 1)  # the values of the column, behind the rows of all
    path.write_bytes(content[:place] + written + content[place + 2 :])
    group = pq.read_metadata(path).row_group(0)
    assert (group.column(0).num_values, group.num_rows) == (forged, 4096)
    with pytest.raises(pa.ArrowInvalid, match="fewer values than rows"):
        next(digests.batches(path))


@pytest.mark.parametrize("suffix", [".parquet", ".npy", ".safetensors"])
@pytest.mark.parametrize(
    ("ids", "vectors", "told"),
    [
        (["a", "b", "a"], np.ones((3, 2)), "found the id 'a' twice, expected each once"),
        (["a", "b"], np.ones((2, 2)), "found no vector of 'c' (1 of 3 are missing), expected one of each"),
        (["a", "b", "c"], np.diag([1, np.nan, 1]), "found a number that is none in the vector of 'b'"),
        (["a", "b", "c"], np.diag([1, 1, np.inf]), "found a number that is none in the vector of 'c'"),
        (["a", "b", "c"], np.empty((3, 0)), "found"),
    ],
)
def test_what_is_wrong_is_told_with_the_file(tmp_path, suffix, ids, vectors, told):
    path = saved(tmp_path / f"x{suffix}", ids, vectors)
    with pytest.raises(VectorError, match=re.escape(f"{path}: {told}")):
        read([path], ["a", "b", "c"])


def test_files_that_do_not_fit_are_told(tmp_path):
    first, second = saved(tmp_path / "1.npy"), saved(tmp_path / "2.npy", ["x"], np.ones((1, 5)))
    with pytest.raises(VectorError, match=r"2\.npy: found vectors of 5 numbers, expected 6 as in .*1\.npy"):
        VectorFiles([first, second])
    with pytest.raises(VectorError, match=r"3\.npy: found 2 ids of 1 vectors, expected as many"):
        VectorFiles([saved(tmp_path / "3.npy", ["x", "y"], np.ones((1, 5)))])
    (tmp_path / "1.ids").unlink()
    with pytest.raises(VectorError, match=r"1\.npy: found no file .*1\.ids, expected one with the id of each row"):
        VectorFiles([first])
    pq.write_table(pa.table({"id": ["a", "b"], "vector": [[1.0], [1.0, 2.0]]}), tmp_path / "x.parquet")
    with pytest.raises(VectorError, match=r"as many numbers in each row, found lists of \[1, 2\]"):
        VectorFiles([tmp_path / "x.parquet"])
    pq.write_table(pa.table({"id": ["a"], "vec": [[1.0]]}), tmp_path / "x.parquet")
    with pytest.raises(VectorError, match=r"cannot read it .*expected a column id and a column vector"):
        VectorFiles([tmp_path / "x.parquet"])


@pytest.mark.parametrize("suffix", [".parquet", ".npy", ".safetensors"])
def test_a_damaged_file_is_told(tmp_path, suffix):
    path = saved(tmp_path / f"x{suffix}")
    path.write_bytes(path.read_bytes()[1:50])
    with pytest.raises(VectorError, match=rf"x\{suffix}: (cannot read it|found a header of)"):
        VectorFiles([path])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.safetensors", (2).to_bytes(8, "little") + b"[]"),
        ("x.safetensors", (200_000).to_bytes(8, "little") + b"[" * 200_000),
        ("x.safetensors", (2_000_000_000).to_bytes(8, "little") + b"{"),
        ("x.npy", b"\x93NUMPY\x02\x00" + (2_000_000_000).to_bytes(4, "little") + b"{"),
        ("x.npy", b"\x93NUMPY\x01\x00" + (300).to_bytes(2, "little") + b"[" * 300),
    ],
)
def test_a_header_is_no_trap(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    path.with_suffix(".ids").write_text("a\n")
    with pytest.raises(VectorError, match=rf"{re.escape(name)}: "):
        VectorFiles([path])


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\x93NUMPY\x02\x00" + (1_500_000_000).to_bytes(4, "little"), "found a header of 1500000000 bytes"),
        (b"\x93NUMPY\xff\x00" + (1_500_000_000).to_bytes(4, "little"), "found a header of 1500000000 bytes"),
        (b"PK\3\4", "found no array"),
        (b"", "found no array"),
    ],
)
def test_numpy_reads_no_header_that_takes_a_gigabyte(tmp_path, monkeypatch, content, problem):
    """As numpy itself does of a file without content that says so, and of an archive."""
    (tmp_path / "x.npy").write_bytes(content)
    (tmp_path / "x.ids").write_text("a\n")
    monkeypatch.setattr(np, "load", None)
    with pytest.raises(VectorError, match=rf"x\.npy: .*{problem}"):
        VectorFiles([tmp_path / "x.npy"])


def test_vectors_are_numbers(tmp_path):
    with pytest.raises(VectorError, match="found an array of <U1 of shape"):
        VectorFiles([saved(tmp_path / "x.npy", ["a"], np.array([["a", "b"]]))])
