"""The generated parts of the documentation are what they are generated from."""

from conftest import ROOT
from ragassay import docs


def test_everything_generated_is_current():
    stale = [str(path.relative_to(ROOT)) for path, text in docs.documentation().items() if path.read_text() != text]
    assert not stale, f"run `make docs`: {stale}"


def test_every_setting_and_column_is_in_the_documents():
    settings, tables = (ROOT / "config/README.md").read_text(), docs.tables()
    assert "`documents.cut_after_words` | `300`" in settings
    dictionary = docs.data_dictionary(tables)
    assert {table.name for table in tables} >= {"documents", "metrics", "rejects"}
    assert all(f"`{column.name}`" in dictionary for table in tables for column in table.columns)


def test_the_picture_groups_rules_by_stage_and_leaves_targets_out():
    picture = docs.stages({("a", "b"), ("b", "all")}, {"a": "first", "b": "second"})
    assert 'subgraph first_stage["first"]\n    a\n' in picture and "a --> b" in picture and "all" not in picture
