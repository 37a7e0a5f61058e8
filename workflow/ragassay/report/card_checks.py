"""What a pipeline does with an assay card: bounds that it has to keep, JUnit XML, and a badge as SVG.

A bound is only broken if the interval's end on the safe side lies beyond it. A number without an interval may be
anything from 0 to 1, and one that is not measured breaks nothing; both are reported.
"""

import operator
import re
from html import escape
from typing import NamedTuple
from xml.etree import ElementTree

from ragassay.base.errors import unknown
from ragassay.report.assay_card import TITLES, CardError
from ragassay.report.findings import formed

FORM = re.compile(r"\s*(\w+)\s*([<>]=?)\s*(\d*\.?\d+)\s*(%?)\s*")
BEYOND = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
PASSED, FAILED, SKIPPED = "passed", "failed", "not measured"
COLOURS = {PASSED: "#1f6b3a", FAILED: "#a3211c", SKIPPED: "#4a5360"}
LETTER, HEIGHT, PADDING = 6.6, 20, 8  # of a badge, in pixels


class Bound(NamedTuple):
    text: str
    number: str
    sign: str
    limit: float


class CardCase(NamedTuple):
    """Of a bound, or of a number without one, which passes when it is measured."""

    name: str
    outcome: str
    words: str


def bound(text: str) -> Bound:
    """What `--fail-if` means, such as "answered_out_of_scope > 0.1" or "supported < 90 %"."""
    parts = FORM.fullmatch(text)
    if not parts:
        raise CardError(f"--fail-if: found {text!r}, expected a number of the card, > or <, and a bound, such as"
                        ' "answered_out_of_scope > 0.1"')  # fmt: skip
    name, sign, limit, percent = parts.groups()
    if name not in TITLES:
        raise CardError(f"--fail-if: {unknown('number', name, TITLES)}")
    value = float(limit) / (100 if percent else 1)
    if value > 1:
        raise CardError(f"--fail-if: found the bound {limit} in {text!r}, expected a share from 0 to 1, or with %")
    return Bound(" ".join([name, sign, limit + percent]), name, sign, value)


def judge(limits: list[Bound], numbers: list[dict]) -> list[CardCase]:
    """Each bound for each number of a service that it is about."""
    judgements = []
    for limit in limits:
        entries = [entry for entry in numbers if entry["number"] == limit.number]
        judgements += [_judged(limit, entry) for entry in entries] or [CardCase(limit.text, SKIPPED, "not measured")]
    return judgements


def _judged(limit, entry):
    name = f"{limit.text}{described(entry)}"
    if entry["value"] is None:
        return CardCase(name, SKIPPED, entry["sentence"])
    low, high = (0.0, 1.0) if entry["low"] is None else (entry["low"], entry["high"])
    is_broken = BEYOND[limit.sign](low if limit.sign[0] == ">" else high, limit.limit)
    words = f"{amount(entry)}: {'the whole interval lies beyond the bound' if is_broken else 'not beyond the bound'}"
    return CardCase(name, FAILED if is_broken else PASSED, words)


def measured(numbers: list[dict]) -> list[CardCase]:
    """The numbers themselves."""
    cases = []
    for entry in numbers:
        outcome = (SKIPPED, entry["sentence"]) if entry["value"] is None else (PASSED, amount(entry))
        cases.append(CardCase(f"{entry['number']}{described(entry)}", *outcome))
    return cases


def described(entry: dict) -> str:
    """What a number is about, in brackets."""
    return f" ({', '.join(entry['of'].values())})" if entry["of"] else ""


def amount(entry: dict) -> str:
    """A number with its interval and its n."""
    return f"{share(entry['value'])} {interval(entry)}"


def share(value: float) -> str:
    return formed(value, "share")


def interval(entry: dict) -> str:
    if entry["low"] is None:
        return f"(no interval, n = {entry['n']:,})"
    return f"[{share(entry['low'])} to {share(entry['high'])}], n = {entry['n']:,}"


def junit(service: str, numbers: list[CardCase], limits: list[CardCase]) -> bytes:
    """A test case for each number and for each bound, as JUnit's Ant task writes them."""
    cases = [*numbers, *limits]
    counts = {
        "tests": len(cases),
        "failures": sum(case.outcome == FAILED for case in cases),
        "errors": 0,
        "skipped": sum(case.outcome == SKIPPED for case in cases),
    }
    counts = {name: str(count) for name, count in counts.items()}
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": f"ragassay assay {service}"} | counts)
    for kind, judgements in (("numbers", numbers), ("bounds", limits)):
        for case in judgements:
            named = {"classname": f"{service}.{kind}", "name": case.name}
            element = ElementTree.SubElement(suite, "testcase", named)
            tags = {FAILED: "failure", SKIPPED: "skipped", PASSED: "system-out"}
            tag = ElementTree.SubElement(element, tags[case.outcome])
            if case.outcome == PASSED:
                tag.text = case.words
            else:
                tag.set("message", case.words)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def badge(service: str, numbers: list[dict], limits: list[CardCase]) -> str:
    """An SVG that says whether the bounds hold or, without any, how many unanswerable questions were answered."""
    if limits:
        outcomes = [limit.outcome for limit in limits]
        outcome = next((name for name in (FAILED, SKIPPED) if name in outcomes), PASSED)
        words = f"{outcome}: {outcomes.count(outcome)} of {len(outcomes)}" if outcome != PASSED else outcome
    else:
        first = next((entry for entry in numbers if entry["value"] is not None), None)
        outcome = SKIPPED
        words = outcome if first is None else f"{first['number']} {share(first['value'])}"
    left, right = f"assay {service}", words.replace("_", " ")
    widths = [round(len(text) * LETTER) + 2 * PADDING for text in (left, right)]
    total, spoken = sum(widths), escape(f"{left}: {right}")
    places = [widths[0] / 2, widths[0] + widths[1] / 2]
    texts = "".join(
        f'<text x="{place:g}" y="14" textLength="{width - 2 * PADDING}">{escape(text)}</text>'
        for place, width, text in zip(places, widths, (left, right), strict=True)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{HEIGHT}" role="img" aria-label="{spoken}">'
        f'<title>{spoken}</title><rect width="{total}" height="{HEIGHT}" rx="3" fill="#2b333d"/>'
        f'<path d="M{widths[0]} 0H{total - 3}a3 3 0 0 1 3 3V{HEIGHT - 3}a3 3 0 0 1 -3 3H{widths[0]}z"'
        f' fill="{COLOURS[outcome]}"/><g fill="#ffffff" text-anchor="middle"'
        f' font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">{texts}</g></svg>\n'
    )
