import json

import pytest

from ragassay.base import card
from ragassay.base.errors import AssayError


class SpoonError(AssayError):
    pass


FORM = card.Form(
    "spoon",
    2,
    {"size": card.between(0, 10), "names": list, "scores": card.ascending, "made_by": dict | None},
    "carve it again",
    SpoonError,
)
ABOUT = {"size": 3, "names": ["a"], "scores": [0.5, 1], "made_by": None}


@pytest.fixture
def path(tmp_path):
    (tmp_path / "handle.bin").write_bytes(b"wood")
    card.write(tmp_path / "spoon.json", FORM, ABOUT, ["handle.bin"])
    return tmp_path / "spoon.json"


def test_a_card_is_read_as_it_was_written(path):
    found = card.read(path, FORM)
    assert {name: found[name] for name in ABOUT} == ABOUT
    assert card.checked(path, found, FORM, "handle.bin").read_bytes() == b"wood"
    before = path.read_bytes()
    card.write(path, FORM, ABOUT, ["handle.bin"])
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 1}, "found a spoon of format 1, expected 2, as this version of ragassay writes it; carve it again"),
        ({"size": 10}, "size: found 10, expected a number between 0 and 10"),
        ({"size": True}, "size: found True, expected a number"),
        ({"size": None}, "size: found None"),
        ({"names": "a"}, "names: found 'a', expected list"),
        ({"scores": []}, "scores: expected a list of numbers"),
        ({"scores": [1, 0.5]}, "scores: found numbers out of order"),
        ({"scores": [1, "2"]}, "scores: expected a list of numbers"),
        ({"made_by": 1}, "made_by: found 1, expected dict | None"),
        ({"files": {"../elsewhere": {"bytes": 1, "sha256": "ab" * 32}}}, "files: expected names with sizes"),
        ({"files": {"\ud800.npy": {"bytes": 1, "sha256": "ab" * 32}}}, "files: expected names with sizes"),
        ({"files": {"n" * 256: {"bytes": 1, "sha256": "ab" * 32}}}, "files: expected names with sizes"),
        ({"files": [1]}, "files: expected names"),
    ],
)
def test_a_damaged_card_is_refused_in_one_line(path, changes, message):
    path.write_text(json.dumps(card.signed(json.loads(path.read_text()) | changes)))
    with pytest.raises(SpoonError) as refused:
        card.read(path, FORM)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"[1]", b"7", b"null", b"\xff\xfe", b"{" * 100_000, b"[" * 100_000, b'{"format": 2, "size": NaN}'),
        *(
            b'{"format": 2, "size": 1e999}',
            b'{"format": 2, "size": -Infinity}',
            b'{"format": 2, "size": 1' + b"0" * 5000,
        ),
    ],
)
def test_what_is_no_card_is_refused_in_one_line(path, content):
    path.write_bytes(content)
    with pytest.raises(SpoonError, match="carve it again"):
        card.read(path, FORM)


def test_a_part_that_is_missing_is_named(path):
    whole = json.loads(path.read_text())
    path.write_text(json.dumps(card.signed({name: value for name, value in whole.items() if name != "names"})))
    with pytest.raises(SpoonError, match="a spoon without 'names', so it is damaged"):
        card.read(path, FORM)


def test_whatever_changed_since_it_was_written_is_refused(path):
    whole = json.loads(path.read_text())
    path.write_text(json.dumps(whole))
    assert card.read(path, FORM) == whole, "however it is laid out"
    for changes in ({"size": 4}, {"note": "new"}, {"digest": "0" * 64}, {"digest": None}):
        path.write_text(json.dumps(whole | changes))
        with pytest.raises(SpoonError, match="found other content than when the spoon was fitted; carve it again"):
            card.read(path, FORM)


def test_no_number_that_is_not_finite_is_written(tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        card.write(tmp_path / "spoon.json", FORM, ABOUT | {"size": float("nan")})


def test_files_beside_a_card_are_those_of_the_fitting(path):
    found, handle = card.read(path, FORM), path.parent / "handle.bin"
    handle.write_bytes(b"iron")
    assert card.read(path, FORM) == found
    with pytest.raises(SpoonError, match="found other content than when the spoon was fitted"):
        card.checked(path, found, FORM, "handle.bin")
    with pytest.raises(SpoonError, match=r"files: found no bowl\.bin, so the spoon is damaged"):
        card.checked(path, found, FORM, "bowl.bin")
    handle.write_bytes(b"gold!")
    with pytest.raises(SpoonError, match="found 5 bytes, expected 4"):
        card.read(path, FORM)
    handle.unlink()
    with pytest.raises(SpoonError, match="no such file"):
        card.read(path, FORM)
    with pytest.raises(SpoonError, match="cannot read it"):
        card.read(path.parent / "other.json", FORM)


def test_the_identity_of_what_it_was_fitted_with_is_compared():
    fitted = {"files": "a", "dtype": "float32", "revision": "1"}
    card.check_identity("spoon.json", FORM, "tree oak", fitted | {"revision": "2"}, fitted)
    with pytest.raises(SpoonError, match="found the tree oak with dtype 'float16', but it was fitted with 'float32'"):
        card.check_identity("spoon.json", FORM, "tree oak", fitted | {"dtype": "float16"}, fitted)
    with pytest.raises(SpoonError, match="with size 3, but it was fitted with None"):
        card.check_identity("spoon.json", FORM, "tree oak", fitted | {"size": 3}, fitted)
