"""What the descriptions of a page's sections make of metrics: their parts, and their findings."""

import re
import string

import pytest

from project import ROOT
from ragassay.base import tables
from ragassay.report.findings import LEAST, findings
from ragassay.report.sections import described, load
from ragassay.schemas.report import METRICS, metric

SECTIONS = ROOT / "workflow/report/sections"
FILLED = {"value", "against", "difference", "n"}
APART = {"value": 0.3, "half": 0.01, "n": 400}  # how far a toy number is from its reference, its interval, its items


def shown(name: str, metrics, examples=None):
    """The section of that name, drawn from metrics: all its parts have captions, and its rules find their rows."""
    path = SECTIONS / f"{name}.yaml"
    section = load(path, metrics, examples)
    assert [part for part in [*section.parts, *section.details] if not part.caption] == []
    missing = [row["finding"] for row in findings(described(path), metrics, path) if row["verdict"] == "missing"]
    return section, missing


def rules(*names: str):
    """Test parameters: each rule of these sections, with the name of its section."""
    return [
        pytest.param(name, rule, id=f"{name}-{rule['name']}")
        for name in names
        for rule in described(SECTIONS / f"{name}.yaml")["findings"]
    ]


def found(folder, name: str, rule: dict, step: float, n: int | None = None) -> dict:
    """The finding that a rule makes of a toy number that lies `step` above its reference."""
    compared = rule["against"] if isinstance(rule["against"], dict) else None
    reference = 0.5 if compared is not None else rule["against"]
    scale, keys, count = max(abs(reference), 1), _keys(rule), n or APART["n"]
    half = APART["half"] * scale
    value = reference + step * APART["value"] * (reference if rule.get("of") == "width" else scale)
    ends = (value - half, value + half) if rule.get("of") != "width" else (0.0, value)
    rows = [metric("toy", rule["table"], keys, rule["metric"], value, count, *ends)]
    if compared is not None:
        theirs = {key.removeprefix("other_"): "another" for key in _named(rule) if key.startswith("other_")}
        theirs |= {key: keys[key] for key in compared.get("same", ())} | _first(compared.get("where", {}))
        place = compared.get("table", rule["table"]), theirs, compared.get("metric", rule["metric"])
        rows.append(metric("toy", *place, reference, count, reference - half, reference + half))
    path = folder / "metrics.parquet"
    tables.write(METRICS, path, rows)
    return findings({"findings": [rule]}, path, SECTIONS / f"{name}.yaml")[0]


def _keys(rule):
    named = {key: f"toy {key}" for key in _named(rule) - FILLED if not key.startswith("other_")}
    same = rule["against"].get("same", ()) if isinstance(rule["against"], dict) else ()
    return {key: f"toy {key}" for key in same} | named | _first(rule.get("where", {}))


def _first(where):
    return {key: values if isinstance(values, str) else values[0] for key, values in where.items()}


def _named(rule):
    """What the sentences and actions of a rule name between braces."""
    texts = [rule.get(verdict, "") for verdict in ("higher", "lower", "unclear")] + [*rule.get("action", {}).values()]
    return {name for text in texts for _, name, _, _ in string.Formatter().parse(text) if name}


def nothing(folder, name: str) -> None:
    """Of metrics without rows a section shows its parts empty, and its findings say what makes them."""
    tables.write(METRICS, folder / "metrics.parquet", [])
    section, missing = shown(name, folder / "metrics.parquet")
    assert not any(part.rows for part in [*section.parts, *section.details] if part.kind != "examples")
    content = described(SECTIONS / f"{name}.yaml")
    assert missing == [rule["name"] for rule in content["findings"]]
    for row in findings(content, folder / "metrics.parquet", SECTIONS / f"{name}.yaml"):
        assert (row["sentence"], row["action"]) == ("", "") if row["kind"] == "warning" else row["action"]


def first_parts(*names: str) -> list[str]:
    """The kinds of what stands above the details."""
    return [part["kind"] for name in names for part in described(SECTIONS / f"{name}.yaml")["parts"]]


def holds(folder, name: str, rule: dict) -> None:
    """A reversed effect reverses a rule's sentence, an effect within its interval is open, five items tell nothing."""
    higher, lower, equal = (found(folder, name, rule, step) for step in (1, -1, 0))
    assert [own["verdict"] for own in (higher, lower, equal)] == ["higher", "lower", "unclear"]
    for own in (higher, lower, equal):
        assert not re.search("[{}]", own["sentence"] + own["action"])
        assert len(own["sentence"].split()) <= 30, own["sentence"]
    kind = rule.get("kind", "finding")
    few = found(folder, name, rule, 1, n=5)
    if rule.get("least", LEAST) > 5:
        assert few["verdict"] == "too_few"
        assert few["sentence"].startswith("Too few data to tell whether ") == (kind == "finding")
    if kind == "warning":
        assert sum(bool(own["sentence"]) for own in (higher, lower)) == 1 and not equal["sentence"]
        return
    assert higher["sentence"] and lower["sentence"] and equal["sentence"]
    assert len({own["sentence"] for own in (higher, lower, equal)}) == 3
