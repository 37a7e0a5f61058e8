"""What was found: sentences that the rules of a section's description make of its metrics, each with how certain it is.

A rule picks one number and compares it with a reference, which is a number of the rule or another row. Where both
intervals lie apart, its sentence for `higher` or `lower` is the finding; where they meet, it is that nobody can tell,
and where a row has too few items, that it takes more. Nothing here knows a study.
"""

import json
import math
import re
from collections.abc import Mapping
from pathlib import Path

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.base.pipeline import typed
from ragassay.report import index_notes
from ragassay.schemas.report import FINDINGS, METRICS

LEAST = 20  # items of a number, below which it says nothing
WEIGHT = 2
FEW = 4  # values of a key that a fact lists
NAME = re.compile("[a-z][a-z0-9_:-]*")  # given in the configuration


class FindingError(AssayError):
    """A rule asks for what its metrics do not have."""


def findings(content: dict, metrics, where: Path, indexes: Mapping[str, str] | None = None) -> list[dict]:
    """The rows of FINDINGS that the rules in `content`, a section's description, make of its metrics. `indexes` are the
    section's remarks on indexes: a sentence whose numbers rest on one ends with it.
    """
    rows = metric_rows(metrics)
    return [_finding(rule, content, rows, where, indexes or {}) for rule in content["findings"]]


def metric_rows(metrics) -> list[dict]:
    """The rows of a file of metrics, their keys as a dict."""
    return [row | {"keys": json.loads(row["keys"])} for row in tables.read(METRICS, metrics).to_pylist()]


def _finding(rule, content, rows, where, indexes):
    blank = dict.fromkeys(FINDINGS.schema.names) | {
        "section": Path(where).stem,
        "finding": rule["name"],
        "kind": rule.get("kind", "finding"),
        "weight": rule.get("weight", WEIGHT),
        "certainty": 0.0,
        "metric_table": rule["table"],
        "metric": rule["metric"],
        "keys": "{}",
        "action": "",
        "reference": rule.get("reference", ""),
        "form": rule.get("form", "score"),
    }
    row = chosen(rows, rule)
    if rule.get("of") == "width":
        row = _width(row)
    against = reference(rule, row, rows)
    if row is None or against is None:
        sentence = rule.get("missing", f"Not measured yet: {rule['question']}.") if blank["kind"] == "finding" else ""
        command = rule.get("command") or content.get("command", "")
        action = f"Run `{command}`." if sentence and command else ""
        return blank | {"verdict": "missing", "sentence": sentence, "action": action}
    numbers = {name: row[name] for name in ("value", "low", "high", "n")}
    compared_with = {"against": against["value"], "against_low": against["low"], "against_high": against["high"]}
    blank |= numbers | compared_with | {"keys": json.dumps(row["keys"], ensure_ascii=False)}
    least = rule.get("least", LEAST)
    if row["n"] < least or against["n"] < least:
        few = min(row["n"], against["n"])
        sentence = f"Too few data to tell {rule['question']} ({few:,} cases)."
        return blank | {"verdict": "too_few", "sentence": sentence if blank["kind"] == "finding" else ""}
    verdict, certainty = compared(row, against)
    names = _names(row, against, blank["form"])
    unclear = f"The data cannot tell {rule['question']}: {{value}} against {{against}}."
    sentence = rule.get(verdict, "" if blank["kind"] == "warning" else unclear)
    sentence = _filled(sentence, names, where, rule)
    action = rule.get("action", {}).get(verdict, "") if sentence else ""
    resting = index_notes.of_number(indexes, row["keys"], against["keys"]) if sentence else []
    return blank | {
        "verdict": verdict,
        "certainty": certainty,
        "sentence": " ".join([sentence, *resting]),
        "action": _filled(typed(action), names, where, rule),
    }


def _width(row):
    """A row with the width of its interval in the place of its value."""
    if row is None or row["low"] is None:
        return None
    return row | {"value": row["high"] - row["low"], "low": None, "high": None}


def chosen(rows: list[dict], rule: dict) -> dict | None:
    """The row that a rule, a card or a fact speaks of: of those that fit, the first, that of the greatest or least
    value or the one farthest from 0, or one that holds the sum of all.
    """
    fitting = [row for row in rows if _fits(row, rule) and row["value"] is not None]
    if not fitting:
        return None
    match rule.get("pick", "first"):
        case "highest":
            return max(fitting, key=lambda row: row["value"])
        case "lowest":
            return min(fitting, key=lambda row: row["value"])
        case "farthest":
            return max(fitting, key=lambda row: abs(row["value"]))
        case "sum":
            total = {name: sum(row[name] for row in fitting) for name in ("value", "n")}
            return fitting[0] | {"low": None, "high": None} | total
        case _:
            return fitting[0]


def _fits(row, rule):
    if row["table"] != rule["table"] or row["metric"] != rule["metric"]:
        return False
    return all(row["keys"].get(key) in _several(values) for key, values in rule.get("where", {}).items())


def _several(values):
    return values if isinstance(values, list) else [values]


def reference(rule: dict, row: dict | None, rows: list[dict]) -> dict | None:
    """What a row is compared with: a number, or a row whose keys in `same` are those of the row."""
    against = rule["against"]
    if not isinstance(against, dict):
        return {"value": float(against), "low": None, "high": None, "n": math.inf, "keys": {}}
    if row is None:
        return None
    asked = {name: against.get(name, rule[name]) for name in ("table", "metric")}
    shared = {key: row["keys"][key] for key in against.get("same", ()) if key in row["keys"]}
    return chosen(rows, against | asked | {"where": shared | against.get("where", {})})


def compared(row: dict, against: dict) -> tuple[str, float]:
    """Whether a value is higher or lower than its reference for certain, and their distance in the half width of both
    intervals together.
    """
    (low, high), (other_low, other_high) = _ends(row), _ends(against)
    distance = row["value"] - against["value"]
    width = math.hypot((high - low) / 2, (other_high - other_low) / 2)
    certainty = 0.0 if width == 0 else abs(distance) / width
    if distance > 0 and low > other_high:
        return "higher", certainty
    if distance < 0 and high < other_low:
        return "lower", certainty
    return "unclear", certainty


def _ends(row):
    """Of its interval: the value twice where there is none."""
    return [row["value"] if row[end] is None else row[end] for end in ("low", "high")]


def _names(row, against, form):
    """What the sentences of a rule may name between braces."""
    return {name: _named(value) for name, value in row["keys"].items()} | {
        "value": formed(row["value"], form),
        "against": formed(against["value"], form),
        "difference": formed(abs(row["value"] - against["value"]), "points" if form == "share" else form),
        "n": f"{row['n']:,}",
        **{f"other_{key}": _named(value) for key, value in against["keys"].items()},
    }


def _filled(sentence, names, where, rule):
    try:
        return sentence.format_map(names)
    except (KeyError, IndexError, ValueError) as error:
        problem = f"found {error} in {sentence!r}, expected one of: {', '.join(sorted(names))}"
        raise FindingError(f"{where}: finding {rule['name']}: {problem}") from None


def _named(value):
    """The value of a key; names of the configuration are set apart from words."""
    return f"`{value}`" if NAME.fullmatch(str(value)) else str(value).replace("_", " ")


def formed(value: float, form: str) -> str:
    """A number for a sentence."""
    match form:
        case "share":
            return f"{value:.0%}" if 0.01 <= abs(value) <= 0.99 or value in (0, 1) else f"{value:.1%}"
        case "points":
            number = f"{value * 100:.{0 if abs(value) >= 0.01 or not value else 1}f}"
            return f"{number} {'point' if number in ('1', '-1') else 'points'}"
        case "dollars":
            return f"${value:,.2f}"
        case "number":
            return f"{value:,.0f}"
        case _:
            return f"{value:.2f}"


def fact(rows: list[dict], asked: dict) -> str | None:
    """What the front page says of a number, or of the values of a key: all if they are few, else how many, of dates
    with both ends.
    """
    if "by" not in asked:
        row = chosen(rows, asked)
        return None if row is None else formed(row["value"], asked.get("form", "number"))
    values = sorted({row["keys"][asked["by"]] for row in rows if _fits(row, asked)})
    if len(values) <= FEW:
        return ", ".join(values) or None
    dated = all(value[:1].isdigit() for value in values)
    return f"{len(values):,}" + (f": {values[0]} to {values[-1]}" if dated else "")


def between(low: float, high: float, form: str) -> str:
    """An interval for a sentence."""
    return f"{formed(low, form).removesuffix(' points')} to {formed(high, form)}"


def ordered(rows: list[dict]) -> list[dict]:
    """Those that say something: first what matters most, then what is most certain."""
    worded = [row for row in rows if row["sentence"]]
    return sorted(worded, key=lambda row: (-row["weight"], -row["certainty"], row["section"], row["finding"]))
