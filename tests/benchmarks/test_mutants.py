"""Mutants change one operator each, and the tests that are run for them are those that can see it."""

import ast

import pytest

import mutants
from project import ROOT


@pytest.mark.parametrize(
    ("source", "changed"),
    [
        ("a < b <= c", ["a <= b <= c", "a < b < c"]),
        ("a == b", ["a != b"]),
        ("a not in b", ["a in b"]),
        ("a + b * c", ["a - b * c", "a + b / c"]),
        ("a -= b", ["a += b"]),
        ("-a", ["+a"]),
        ("not a", ["not not a"]),
        ("a and b and c", ["a or b or c"]),
        ("min(a, b)", ["max(a, b)"]),
        ("a[1:]", ["a[2:]"]),
        ("f(a, True)", ["f(a, False)"]),
        ("f(5000, 'x', min)", []),
    ],
)
def test_each_operator_is_changed_once(source, changed):
    assert sorted(mutants.mutant(source, number)[1] for number in range(len(mutants.places(source)))) == sorted(changed)


def test_a_mutant_says_where_it_is_and_leaves_the_rest_as_it_was():
    source = "def f(a):\n    b = a + 2\n    return b > 3\n"
    what, changed = mutants.mutant(source, mutants.places(source).index(3))
    assert what.startswith("3: b > 3 -> b ")
    assert ast.dump(ast.parse(source).body[0].body[0]) == ast.dump(ast.parse(changed).body[0].body[0])


def test_the_tests_of_a_module_begin_with_those_that_name_it():
    module = ROOT / "workflow/ragassay/metrics/paired.py"
    chosen = mutants.tests_of(module, ROOT)
    assert chosen[0].startswith("tests/ragassay/metrics/") and len(chosen) <= mutants.AT_MOST


def test_a_run_of_tests_ends_with_the_first_that_fails_or_when_its_time_is_over(tmp_path):
    (tmp_path / "test_a.py").write_text("def test_right():\n    pass\n")
    (tmp_path / "test_b.py").write_text(
        "def test_wrong():\n    raise ValueError\n\n\ndef test_later():\n    assert 0\n"
    )
    (tmp_path / "test_c.py").write_text("import threading\n\n\ndef test_endless():\n    threading.Event().wait()\n")
    assert mutants.ran(tmp_path, ["test_a.py"], 600) == (0, "")
    assert mutants.ran(tmp_path, ["test_a.py", "test_b.py", "test_c.py"], 600) == (1, "test_b.py::test_wrong")
    of_a_case = "import pytest\n\n\n@pytest.mark.parametrize('a', ['1 - a'])\ndef test_case(a):\n    raise ValueError\n"
    (tmp_path / "test_b.py").write_text(of_a_case)
    assert mutants.ran(tmp_path, ["test_b.py"], 600) == (1, "test_b.py::test_case[1 - a]")
    (tmp_path / "test_b.py").write_text("def test_wrong():\n    pass\n\n\nraise ValueError\n")
    assert mutants.ran(tmp_path, ["test_b.py"], 600)[1] == "test_b.py"
    assert mutants.ran(tmp_path, ["test_c.py"], 3) == (None, "")
