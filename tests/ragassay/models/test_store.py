"""The store of vectors: parts that are added and never change."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from ragassay.models import store as module
from ragassay.models.store import GROUP_BYTES, Store, StoreError, key


def filled(folder, start, stop, dimensions=8):
    store = Store(folder)
    numbers = np.arange(start, stop)
    store.add([key(str(number)) for number in numbers], np.repeat(numbers[:, None], dimensions, 1).astype(np.float16))
    return store


def test_vectors_come_back_in_any_order_from_any_part(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "GROUP_BYTES", 1024 * 8 * 2)
    filled(tmp_path, 0, 1124)
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


def group_sizes(folder):
    """Rows of each group of the first part, and the bytes of the largest group."""
    with pq.ParquetFile(folder / "00000000.parquet") as part:
        groups = [part.metadata.row_group(number) for number in range(part.num_row_groups)]
    return [group.num_rows for group in groups], max(group.total_byte_size for group in groups)


@pytest.mark.parametrize(("dimensions", "count", "rows"), [(384, 2040, 1024), (4096, 300, 96), (48 * 6400, 3, 1)])
def test_groups_are_cut_by_bytes_so_that_one_long_vector_is_read_alone(tmp_path, dimensions, count, rows):
    filled(tmp_path, 0, count, dimensions)
    sizes, largest = group_sizes(tmp_path)
    assert max(sizes) == rows and sum(sizes) == count and len(sizes) == -(-count // rows)
    assert largest < GROUP_BYTES + 16 * rows + 4096  # keys and page headers
    wanted = [count - 1, 0, count // 2]
    assert Store(tmp_path).vectors([key(str(number)) for number in wanted])[:, -1].tolist() == wanted


def test_to_read_a_vector_reads_its_group_alone(tmp_path, monkeypatch):
    store, read = filled(tmp_path, 0, 40, GROUP_BYTES // 2 // 10), []  # ten rows in a group
    own = pq.ParquetFile.read_row_group
    monkeypatch.setattr(pq.ParquetFile, "read_row_group", lambda part, *which: read.append(which) or own(part, *which))
    store.vectors([key("25"), key("3"), key("29")])
    assert read == [(0, ["vector"]), (2, ["vector"])]


def computing(asked):
    """Compute vectors of numbers, two at a time, the last first; `asked` keeps the positions."""

    def compute(positions):
        asked.append(positions)
        for start in range(0, len(positions), 2):
            own = positions[::-1][start : start + 2]
            yield own, np.array([[at] * 4 for at in own], np.float32)

    return compute


def test_filling_computes_what_has_no_vector_and_each_key_once(tmp_path):
    keys, asked = [key(str(number)) for number in range(7)], []
    store = Store(tmp_path)
    store.add(keys[:1], np.full((1, 4), 9))
    assert store.fill([*keys, keys[3]], computing(asked)) == 6
    assert asked == [[1, 2, 7, 4, 5, 6]] and store.vectors(keys)[:, 0].tolist() == [9, 1, 2, 7, 4, 5, 6]
    assert store.fill(keys, computing(asked)) == 0 and len(asked) == 1
    late = Store(tmp_path / "other")
    Store(tmp_path / "other").add(keys, np.ones((7, 4)))
    assert late.fill(keys, computing(asked)) == 0 and len(asked) == 1  # another job came before


@pytest.mark.parametrize(("name", "value"), [("HELD_BYTES", 4 * 2 * 4), ("SECONDS", -1.0)])
def test_what_is_held_back_is_limited_by_bytes_and_by_time(tmp_path, monkeypatch, name, value):
    """A process that is killed behind four vectors has stored them."""
    monkeypatch.setattr(module, name, value)
    compute = computing([])

    def killed(positions):
        for number, found in enumerate(compute(positions)):
            if number == 3:
                raise KeyboardInterrupt
            yield found

    with pytest.raises(KeyboardInterrupt):
        Store(tmp_path).fill([key(str(number)) for number in range(20)], killed)
    assert len(Store(tmp_path)) == (4 if name == "HELD_BYTES" else 6)


def test_rows_in_any_order_of_memory_are_stored_as_they_are(tmp_path):
    keys, rows = [key(str(number)) for number in range(6)], np.arange(24, dtype=np.float32).reshape(6, 4)

    def computed(missing):
        yield missing[:3], np.asfortranarray(rows[:3])
        yield missing[3:], rows[3:]

    assert Store(tmp_path).fill(keys, computed) == 6
    assert Store(tmp_path).vectors(keys).tolist() == rows.tolist()


def test_numbers_that_float16_cannot_hold_are_refused(tmp_path):
    with pytest.raises(StoreError, match="not finite in float16"):
        Store(tmp_path).fill([key("a")], lambda positions: [(positions, np.full((1, 4), 1e6, np.float32))])
