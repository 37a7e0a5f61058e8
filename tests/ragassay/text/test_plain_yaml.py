"""YAML of others: what it says, or one line that says why not and where."""

import pytest

from ragassay.text.plain_yaml import Texts, YamlError, load


@pytest.mark.parametrize(
    ("content", "kind", "expected"),
    [
        (b"\xef\xbb\xbfa: 1\nb: [yes, 2026-11-21x]\n", {}, {"a": 1, "b": [True, "2026-11-21x"]}),
        ("a: 007\nb: No", {"kind": Texts}, {"a": "007", "b": "No"}),
        ("a: &anchor 1", {}, {"a": 1}),
        (b"", {}, None),
    ],
)
def test_plain_values_are_read(content, kind, expected):
    assert load(content, **kind) == expected


@pytest.mark.parametrize("kind", [{}, {"kind": Texts}])
@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        ("a: &x [1]\nb: *x", 2, "found an alias, *x, expected what it stands for; write that out"),
        ("a: &x {c: 1}\nb:\n  <<: *x", 3, "found an alias, *x"),
        ("a: 1\nb: [1\nc: 2", 3, "while parsing a flow sequence, expected ',' or ']', but got ':'"),
        ("a: 1\nb: c: d", 2, "mapping values are not allowed here"),
        (b"a: 1\nb: m\xe9", 2, "found byte 0xe9, which is not UTF-8; save the file as UTF-8"),
        ("a: 1\nb: \0", 2, "found the character U+0000"),
        ("a:\n  - " + "[" * 20_000, 2, "nested deeper than can be read"),
        ('a: 1\nb: "\\UFFFFFFFF"', 2, "int"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(kind, content, line, says):
    with pytest.raises(YamlError, match=r"^[^\n]*$") as caught:
        load(content, **kind)
    assert says in str(caught.value)
    assert caught.value.line == line


@pytest.mark.parametrize("value", ["1" * 5000, "2026-13-45", "!!python/name:os.system"])
def test_a_value_that_cannot_be_held_is_told_with_its_line(value):
    with pytest.raises(YamlError) as caught:
        load(f"a: 1\nb: {value}")
    assert caught.value.line == 2
