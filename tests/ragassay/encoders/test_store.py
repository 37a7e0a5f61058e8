"""The store of vectors: parts that are added and never change."""

import numpy as np
import pytest

from ragassay.encoders import store as module
from ragassay.encoders.store import ROW_GROUP, Store, StoreError, key


def filled(folder, start, stop, dimensions=8):
    store = Store(folder)
    numbers = np.arange(start, stop)
    store.add([key(str(number)) for number in numbers], np.repeat(numbers[:, None], dimensions, 1).astype(np.float16))
    return store


def test_vectors_come_back_in_any_order_from_any_part(tmp_path):
    filled(tmp_path, 0, ROW_GROUP + 100)
    store = filled(tmp_path, 500, 1800)
    wanted = np.random.default_rng(0).permutation(1800)
    assert np.array_equal(store.vectors([key(str(number)) for number in wanted])[:, 3], wanted)
    assert len(store) == 1800 and sorted(path.name for path in tmp_path.iterdir()) == [
        "00000000.parquet",
        "00000001.parquet",
    ]
    assert key("7") in store and key("1800") not in store


def test_the_first_vector_of_a_text_stays(tmp_path):
    early, late = Store(tmp_path), Store(tmp_path)
    early.add([key("a")], np.ones((1, 4)))
    late.add([key("a"), key("b")], np.full((2, 4), 2))  # it had not seen the other's part
    assert late.vectors([key("a"), key("b")])[:, 0].tolist() == [1, 2]
    early.refresh()
    assert len(early) == 2


def test_what_lies_unfinished_is_no_part(tmp_path):
    filled(tmp_path, 0, 3)
    (tmp_path / ".00000001.parquet.host.1.tmp").write_bytes(b"half")
    assert len(Store(tmp_path)) == 3


def test_nothing_new_adds_no_part(tmp_path):
    filled(tmp_path, 0, 3)
    filled(tmp_path, 1, 3)
    assert len(list(tmp_path.iterdir())) == 1


def test_no_flipped_byte_goes_unnoticed(tmp_path):
    filled(tmp_path, 1, 4)
    part, keys = tmp_path / "00000000.parquet", [key("1"), key("2"), key("3")]
    content, refused = part.read_bytes(), 0
    for at in range(len(content)):
        part.write_bytes(content[:at] + bytes([content[at] ^ 255]) + content[at + 1 :])
        try:
            assert Store(tmp_path).vectors(keys)[:, 0].tolist() == [1, 2, 3]  # in what nobody reads
        except StoreError as error:
            assert str(part) in str(error)
            refused += 1
    assert refused > 150  # keys and vectors alone are 96 bytes


def test_vectors_of_another_length_are_told(tmp_path):
    filled(tmp_path, 0, 3, dimensions=8)
    with pytest.raises(StoreError, match="found vectors of 4 numbers, expected 8"):
        filled(tmp_path, 3, 6, dimensions=4)


def test_an_unknown_text_has_no_vector(tmp_path):
    with pytest.raises(KeyError):
        filled(tmp_path, 0, 3).vectors([key("5")])


@pytest.mark.parametrize("deleted", [[0], [1], [2], [0, 1], [0, 1, 2]])
@pytest.mark.parametrize("seen", [True, False])
def test_parts_may_be_deleted_and_what_comes_after_is_found(tmp_path, deleted, seen):
    for number in range(3):
        store = filled(tmp_path, number, number + 1)
    for number in deleted:
        (tmp_path / f"{number:08d}.parquet").unlink()
    store = store if seen else Store(tmp_path)  # a job that runs meanwhile, or one that begins then
    for number in (10, 11):
        store.add([key(str(number))], np.full((1, 8), number))
        assert store.vectors([key(str(number))])[0, 0] == number
    kept = sorted({0, 1, 2, 10, 11} - set(deleted))
    fresh = Store(tmp_path)
    assert fresh.vectors([key(str(number)) for number in kept])[:, 0].tolist() == kept
    assert not fresh.known([key(str(number)) for number in deleted]).any()
    fresh.add([key(str(number)) for number in deleted], np.array([[number] * 8 for number in deleted]))
    assert fresh.vectors([key(str(number)) for number in deleted])[:, 0].tolist() == deleted


def test_a_part_that_the_folder_never_lists_is_told(tmp_path, monkeypatch):
    late = Store(tmp_path)
    filled(tmp_path, 0, 3)
    monkeypatch.setattr(module, "UNSEEN", 0.1)
    monkeypatch.setattr(late, "refresh", lambda: None)
    with pytest.raises(StoreError, match=r"part 00000000 is there, but the folder did not list it"):
        late.add([key("x")], np.ones((1, 8)))


def test_a_part_that_is_listed_late_is_found(tmp_path):
    for number in range(2):
        filled(tmp_path, number, number + 1)
    first = (tmp_path / "00000000.parquet").rename(tmp_path / "hidden")
    store = Store(tmp_path)
    first.rename(tmp_path / "00000000.parquet")
    store.add([key("2")], np.full((1, 8), 2))
    assert store.vectors([key("2"), key("0"), key("1")])[:, 0].tolist() == [2, 0, 1]
    assert sorted(path.stem for path in tmp_path.iterdir()) == [f"{number:08d}" for number in range(3)]
