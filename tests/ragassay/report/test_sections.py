"""Sections: descriptions joined with metric rows; nothing that was measured is left out."""

import pytest

from ragassay import tables
from ragassay.config import ConfigError
from ragassay.report.sections import SectionError, load
from ragassay.schemas.metrics import METRICS, metric

DESCRIPTION = """
title: A study
parts:
  - {kind: table, table: scores, title: Scores, caption: All., columns: {model: Model, accuracy: Accuracy}}
"""


@pytest.fixture
def section(tmp_path):
    """A function that loads a section from its description and metric rows."""

    def load_section(rows, description=DESCRIPTION):
        (tmp_path / "study.yaml").write_text(description)
        tables.write(METRICS, tmp_path / "study.parquet", rows)
        return load(tmp_path / "study.yaml", tmp_path / "study.parquet")

    return load_section


def row(table="scores", name="accuracy", value=0.5, **keys):
    return metric("study", table, keys, name, value, 10)


def test_metrics_that_share_their_keys_share_a_row(section):
    parts = section([row(model="a"), row(name="recall", model="a"), row(model="b")]).parts
    assert [part.title for part in parts] == ["Scores"]
    assert [r["model"] for r in parts[0].rows] == ["a", "b"]
    assert parts[0].rows[0]["accuracy"]["value"] == 0.5


def test_rows_come_in_natural_order(section):
    parts = section([row(model=name) for name in ("m100", "m9", "m25-49", "b")]).parts
    assert [r["model"] for r in parts[0].rows] == ["b", "m9", "m25-49", "m100"]


def test_a_table_that_nobody_described_is_shown_all_the_same(section):
    parts = section([row(model="a"), row(table="new_numbers", topic="food")]).parts
    assert (parts[1].title, parts[1].columns) == ("new numbers", {"topic": "topic", "accuracy": "accuracy"})


def test_a_described_table_without_rows_is_shown_empty(section):
    assert section([row(table="other", model="a")]).parts[0].rows == []


def test_a_description_that_asks_for_unknown_numbers_is_refused(section):
    with pytest.raises(SectionError, match=r"study\.yaml: part scores: .* metric accuracy .*: model, recall"):
        section([row(name="recall", model="a")])


def test_a_typo_in_a_description_is_refused(section):
    with pytest.raises(ConfigError, match=r"study\.yaml: titel: found an unknown key.*did you mean title"):
        section([row(model="a")], DESCRIPTION.replace("title: A study", "titel: A study"))


def test_a_metric_named_like_its_key_is_refused(section):
    with pytest.raises(SectionError, match="model of scores is a key and a metric"):
        section([row(name="model", model="a")])
