"""YAML of others: what it says, or one line that says why not and where."""

import subprocess

import pytest

from project import ROOT
from ragassay.base.plain_yaml import Texts, YamlError, load, read


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
        ("a: 1\nb: 2\na: 3", 3, "found the key a twice, expected it once"),
        ("a:\n  - {b: 1, c: 2}\n  - {b: 1,\n     b: 1}", 4, "found the key b twice"),
        ('{"a": 1,\n "a": 1}', 2, "found the key a twice"),
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


def test_a_key_may_come_again_elsewhere():
    expected = {"a": {"b": 1}, "b": [{"a": 1}, {"a": 2}], 1: "x", "1": "y"}
    assert load("a: {b: 1}\nb: [{a: 1}, {a: 2}]\n1: x\n'1': y") == expected


def test_a_file_is_named_with_its_line(tmp_path):
    (tmp_path / "x.yaml").write_text("a: 1\na: 2\n")
    with pytest.raises(YamlError, match=r"^/.*x\.yaml:2: found the key a twice") as caught:
        read(tmp_path / "x.yaml")
    assert caught.value.line == 2


def test_all_files_of_the_project_are_plain():
    command = ["git", "ls-files", "*.yaml", "*.cff"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert "config/config.yaml" in names and "profiles/slurm/profile.yaml" in names
    names.remove("workflow/ragassay/people/guidelines.schema.yaml")  # has an alias
    for name in names:
        read(ROOT / name)
