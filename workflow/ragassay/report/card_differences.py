"""How two services of an assay card differ, and what changed since an earlier card. Where the same questions were
asked, they are paired, with an interval and a p from documents; else rates are compared as independent ones, and the
difference says so.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations

import numpy as np

from ragassay.config.services import SERVICE
from ragassay.metrics.panel import Panel
from ragassay.metrics.resampling import LEVEL, difference_interval
from ragassay.report import assay_card
from ragassay.report.assay_card import GUARDS, POISON, CardError


def between_services(rows: Iterable[dict], content: dict, draws: dict, flips: int) -> list[dict]:
    """Of metric rows as `assay_card.build` takes them, and the card that came of them."""
    return [*_measured(rows), *_others(content, draws, flips)]


def _measured(rows):
    """Of services that were asked the same questions."""
    numbers = {(*row["keys"].items(), row["metric"]): row for row in rows if row["table"] == "differences"}
    for (*keys, name), row in numbers.items():
        if name in assay_card.TITLES and row["value"] is not None:
            pair = {key: row["keys"][key].removeprefix(SERVICE) for key in ("first", "second")}
            shared = {"number": name, "of": {"asked": row["keys"]["asked"]}, "paired": True}
            p = numbers.get((*keys, f"{name}_p"), {"value": None})["value"]
            yield pair | shared | {key: row[key] for key in ("value", "low", "high", "n")} | {"p": p}


def _others(content, draws, flips):
    """Of what attacks and guards did, which metrics hold for each service alone."""
    for (first, one), (second, other) in combinations(sorted(content["services"].items()), 2):
        for entry in one["numbers"]:
            match = _match(other["numbers"], entry)
            if match and entry["number"] in (POISON, GUARDS):
                parts = [_part(content, name, entry) for name in (first, second)]
                yield {"first": first, "second": second} | _difference(entry, match, *parts, draws, flips)


def _part(content, service, entry):
    """The outcomes that a number of a card rests on, question by question."""
    of = entry["of"]
    asked = of.get("asked") or next((f"{key} {of[key]}" for key in ("attack", "guard") if key in of), "")
    return content["outcomes"].get(service, {}).get(asked, {})


def _match(entries, wanted):
    """The entry for the same number of the same questions, if both are measured."""
    same = [entry for entry in entries if all(entry[key] == wanted[key] for key in ("number", "of"))]
    return same[0] if same and None not in (same[0]["value"], wanted["value"]) else None


def against(now: dict, earlier: dict, times: int, seed: int, flips: int) -> dict:
    """What became of the services that an earlier card holds, too."""
    shared = [name for name in now["services"] if name in earlier["services"]]
    if not shared:
        names = ", ".join(earlier["services"]) or "none"
        raise CardError(f"the earlier card: found the services {names}, expected one of: {', '.join(now['services'])}")
    versions = {name: earlier["services"][name]["version"] for name in shared}
    draws = {"times": times, "seed": seed}
    return {"versions": versions, "differences": list(_changes(now, earlier, shared, draws, flips))}


def _changes(now: dict, earlier: dict, shared: list[str], draws: dict, flips: int) -> Iterator[dict]:
    for name in shared:
        for entry in now["services"][name]["numbers"]:
            before = _match(earlier["services"][name]["numbers"], entry)
            if before:
                parts = [_part(whole, name, entry) for whole in (now, earlier)]
                values = {"service": name, "now": entry["value"], "before": before["value"]}
                yield values | _difference(entry, before, *parts, draws, flips)


def _difference(entry, other, now, earlier, draws, flips):
    """On the same questions, if these are at least half of those of one card, else of independent rates."""
    pairs = _pairs(entry["number"], now, earlier)
    if pairs:
        owners, values = zip(*pairs, strict=True)
        panel, values = Panel(owners, **draws), np.array(values, float)
        row = panel.difference(values).row(0) | {"p": float(panel.p(values, flips)[0])}
    else:
        low, high = difference_interval(entry, other)
        row = {"value": entry["value"] - other["value"], "low": low, "high": high, "p": None}
        row["n"] = entry["n"] + other["n"]
    numbers = {key: row[key] for key in ("value", "low", "high", "n", "p")}
    return {"number": entry["number"], "of": entry["of"], "paired": bool(pairs)} | numbers


def _pairs(name, now, earlier):
    if name not in now or name not in earlier:
        return []
    before = {question: sign for question, sign in zip(earlier["questions"], earlier[name], strict=True) if sign != "-"}
    counted = len(now[name]) - now[name].count("-")
    questions = zip(now["questions"], now["documents"], now[name], strict=True)
    pairs = [(owner, int(sign) - int(before[q])) for q, owner, sign in questions if sign != "-" and q in before]
    return pairs if 2 * len(pairs) >= min(counted, len(before)) else []


def words(difference: dict) -> str:
    """A difference in a line, with how it was compared."""
    value, low, high = (_points(difference[end]) for end in ("value", "low", "high"))
    interval = f"[{low} to {high}]" if low else "(no interval)"
    p = "" if difference["p"] is None else f", p = {difference['p']:.2g}"
    how = f"the same {difference['n']:,} questions, paired" if difference["paired"] else "unpaired"
    return f"{value} points {interval}{p} ({how}): {verdict(difference)}"


def _points(value):
    if value is None:
        return ""
    number = round(100 * value, 0 if abs(value) >= 0.01 else 1)
    return f"{number:+g}" if number else "0"


def verdict(difference: dict) -> str:
    """Higher or lower only where neither the interval nor a test leaves a doubt."""
    low, high, p = difference["low"], difference["high"], difference["p"]
    if low is None or low <= 0 <= high or (p is not None and p >= 1 - LEVEL):
        return "no clear difference"
    return "higher" if low > 0 else "lower"
