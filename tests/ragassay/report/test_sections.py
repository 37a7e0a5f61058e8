"""Sections: descriptions joined with metric rows; what nobody described is not drawn."""

import json

import pytest

from project import ROOT
from ragassay.base import tables
from ragassay.config.settings import ConfigError
from ragassay.report.explorers import attacks, questions
from ragassay.report.sections import SectionError, described, load, rows_address
from ragassay.schemas.report import EXAMPLES, METRICS, metric

DESCRIPTION = """
title: A study
parts:
  - {kind: table, table: scores, title: Scores, caption: All., columns: {model: Model, accuracy: Accuracy}}
"""


@pytest.fixture
def section(tmp_path):
    """A function that loads a section from its description and metric rows."""

    def load_section(rows, description=DESCRIPTION, examples=None, notes=None):
        (tmp_path / "study.yaml").write_text(description)
        tables.write(METRICS, tmp_path / "study.parquet", rows)
        if examples is not None:
            tables.write(EXAMPLES, tmp_path / "examples.parquet", examples)
        path = None if examples is None else tmp_path / "examples.parquet"
        return load(tmp_path / "study.yaml", tmp_path / "study.parquet", path, notes)

    return load_section


def row(table="scores", name="accuracy", value=0.5, **keys):
    return metric("study", table, keys, name, value, 10)


def test_a_section_says_what_has_to_be_known_of_the_models_that_it_names(section):
    notes = {"toy": "toy is small.", "toy-2": "toy-2 is large."}
    rows = [row(model="gpt"), row(model="unused_token (toy)")]
    assert section(rows, notes=notes).notes == ["toy is small."]
    assert section(rows[:1], notes=notes).notes == []
    assert section([row(model="gpt, toy-2")], notes=notes).notes == ["toy-2 is large."]


def test_metrics_that_share_their_keys_share_a_row(section):
    parts = section([row(model="a"), row(name="recall", model="a"), row(model="b")]).parts
    assert [part.title for part in parts] == ["Scores"]
    assert [r["model"] for r in parts[0].rows] == ["a", "b"]
    assert parts[0].rows[0]["accuracy"]["value"] == 0.5


def test_rows_come_in_natural_order(section):
    parts = section([row(model=name) for name in ("m100", "m9", "m25-49", "b")]).parts
    assert [r["model"] for r in parts[0].rows] == ["b", "m9", "m25-49", "m100"]


def test_a_table_that_nobody_described_is_not_drawn(section):
    assert len(section([row(model="a"), row(table="new_numbers", topic="food")]).parts) == 1


def test_parts_of_one_table_have_anchors_of_their_own(section):
    scores = DESCRIPTION.partition("parts:\n")[2]
    loaded = section([row(model="a")], DESCRIPTION + scores + "details:\n" + scores)
    anchors = [part.anchor for part in [*loaded.parts, *loaded.details]]
    assert anchors == ["study-scores", "study-scores-2", "study-scores-3"]


def test_a_described_table_without_rows_is_shown_empty(section):
    assert section([row(table="other", model="a")]).parts[0].rows == []


BARS = "\n  - {kind: bars, table: scores, title: S, caption: C, label: model, x: X, y: Y, "


@pytest.mark.parametrize("metrics", ["metric: accuracy", "metrics: {accuracy: Right, recall: Found}"])
def test_bars_have_one_metric_or_several(section, metrics):
    rows = [row(model="a"), row(name="recall", model="a")]
    part = section(rows, DESCRIPTION.rstrip() + BARS + metrics + "}").parts[1]
    assert [mark["series"] for mark in part.rows] == ([""] if "metric:" in metrics else ["Right", "Found"])
    assert part.axes == {"x": "X", "y": "Y"}


def test_examples_come_with_their_passages_in_order(section):
    description = DESCRIPTION.rstrip() + "\n  - {kind: examples, title: Examples, caption: C}"
    passages = [(2, 1, "Claim", "c"), (1, 2, "Question", "b"), (1, 1, "Document", "a")]
    rows = [
        {"study": "study", "example": number, "position": at, "title": f"t{number}", "part": part, "text": text}
        for number, at, part, text in passages
    ]
    part = section([row(model="a")], description, rows).parts[1]
    shown = [(one["title"], [(own["part"], own["text"]) for own in one["passages"]]) for one in part.rows]
    assert shown == [("t1", [("Document", "a"), ("Question", "b")]), ("t2", [("Claim", "c")])]
    assert section([row(model="a")], description).parts[1].rows == []


SPREAD = DESCRIPTION.replace("}}", "}, spread: {by: topic, metric: accuracy}}").replace(
    "accuracy: Accuracy", "mean: Mean"
)


def test_a_key_may_spread_over_columns_and_other_rows_give_the_rest(section):
    by_topic = [row(model=model, topic=topic, value=0.1) for model in "ab" for topic in ("t10", "t9")]
    [part] = section([*by_topic[1:], row(name="mean", model="a"), row(name="mean", model="b")], SPREAD).parts
    assert part.columns == {"model": "Model", "mean": "Mean", "topic t9": "t9", "topic t10": "t10"}
    assert [one["model"] for one in part.rows] == ["a", "b"] and "topic t10" not in part.rows[0]
    assert part.rows[0]["mean"]["value"] == 0.5 and part.rows[1]["topic t10"]["value"] == 0.1


def test_columns_of_some_values_may_come_first(section):
    description = SPREAD.replace("metric: accuracy}", "metric: accuracy, first: [t9, t7, t3]}")
    numbers = [row(model="a", topic=topic) for topic in ("t1", "t3", "t9")]
    [part] = section([*numbers, row(name="mean", model="a")], description).parts
    assert list(part.columns.values())[2:] == ["t9", "t3", "t1"]


def test_a_key_that_all_rows_share_needs_no_column(section):
    description = DESCRIPTION.replace("{model: Model", "{judge: Judge, model: Model")
    part = section([row(judge="j", model="a"), row(judge="j", model="b")], description).parts[0]
    assert (part.same, list(part.columns)) == ({"Judge": "j"}, ["model", "accuracy"])
    part = section([row(judge="j", model="a"), row(judge="k", model="b")], description).parts[0]
    assert (part.same, list(part.columns)) == ({}, ["judge", "model", "accuracy"])


def test_rows_keep_a_name_when_all_their_keys_are_shared(section):
    part = section([row(model="a")]).parts[0]
    assert (part.same, list(part.columns)) == ({}, ["model", "accuracy"])


PLOT = """
title: A study
parts:
  - {kind: KIND, table: scores, title: Scores, caption: All., label: [judge, prompt, model], metric: accuracy, x: X}
"""


def test_a_figure_has_its_marks_as_rows_and_its_axes(section):
    rows = [row(judge="j", prompt=prompt, model="a") for prompt in ("q", "p")]
    part = section(rows, PLOT.replace("KIND", "dots").replace("x: X", "x: X, line: 1")).parts[0]
    assert part.drawn and part.axes == {"x": "X", "line": 1}
    assert [(mark["label"], mark["value"]) for mark in part.rows] == [("p", 0.5), ("q", 0.5)]


TWICE = PLOT.replace("KIND", "dots") + PLOT.splitlines()[-1].replace("KIND", "dots") + "\n"


def test_figures_of_one_table_need_names_of_their_own(section):
    named = section([row(judge="j", prompt="p", model="a")], TWICE.replace("title: Scores", "name: again, title: S", 1))
    assert [part.name for part in named.parts] == ["again", "scores"]


WITH_BARS, NAMED = DESCRIPTION.rstrip() + BARS, row(judge="j", prompt="p", model="a")
CURVES = PLOT.replace("KIND", "lines").replace("prompt, ", "").replace("x: X", "at: documents, x: X, y: Y")


@pytest.mark.parametrize(
    ("rows", "description", "problem"),
    [
        ([row(name="recall", model="a")], DESCRIPTION, r"study\.yaml: part scores: .* accuracy .*: model, recall"),
        ([row(name="model", model="a")], DESCRIPTION, "model of scores is a key and a metric"),
        ([NAMED], DESCRIPTION.replace("title:", "titel:", 1), r"study\.yaml: titel: found an.*did you mean title"),
        ([NAMED], WITH_BARS + "line: 1}", r"parts\.1"),
        ([NAMED], WITH_BARS + "metric: accuracy, metrics: {accuracy: A, recall: B}}", r"parts\.1"),
        ([NAMED], TWICE, r"study\.yaml: found 2 figures scores, expected one; give the others a name"),
        ([row(judge="j", model="a")], PLOT.replace("KIND", "dots"), "found no key or metric prompt"),
        ([NAMED], CURVES, "found no key or metric documents"),
    ],
)
def test_a_description_that_does_not_fit_its_numbers_is_refused(section, rows, description, problem):
    with pytest.raises((SectionError, ConfigError), match=problem):
        section(rows, description)


SECTION_FILES = sorted((ROOT / "workflow/report/sections").glob("*.yaml"))
PAGES = ["explorer/g/j.html", "explorer/attacks.html"]


@pytest.mark.parametrize(
    ("shown", "keys", "address"),
    [
        (
            {"list": "questions", "finding": "refused_in_scope"},
            {"generator": "g", "judge": "j", "prompt": "two shots", "at": 1},
            "explorer/g/j.html#finding=refused_in_scope&prompt=two+shots",
        ),
        ({"list": "questions", "finding": "missed"}, {"generator": "g", "judge": "else"}, None),
        ({"list": "questions", "finding": "missed"}, {"judge": "j"}, None),
        (
            {"list": "attacks", "finding": "reached"},
            {"defence": "a&b", "attack": "x"},
            "explorer/attacks.html#finding=reached&attack=x&defence=a%26b",
        ),
        ({"list": "attacks", "finding": "reached"}, {}, None),
        (None, {"attack": "x"}, None),
    ],
)
def test_a_finding_leads_to_the_rows_that_it_is_about(shown, keys, address):
    content = {"findings": [{"name": "f"} | ({"shows": shown} if shown else {})]}
    finding = {"finding": "f", "keys": json.dumps(keys)}
    assert rows_address(content, finding, PAGES) == address
    assert rows_address(content, finding, []) is None


def test_lists_have_the_findings_that_sections_lead_to():
    kinds = {"questions": questions.KIND, "attacks": attacks.KIND}
    rules = [rule for file in SECTION_FILES for rule in described(file)["findings"] if "shows" in rule]
    assert len(rules) >= 5
    for rule in rules:
        assert rule["shows"]["finding"] in kinds[rule["shows"]["list"]].findings, rule["name"]


@pytest.mark.parametrize("file", SECTION_FILES, ids=lambda file: file.stem)
def test_a_description_fits_the_schema_and_is_short(file):
    assert described(file)["title"] and len(file.read_text().splitlines()) <= 60
