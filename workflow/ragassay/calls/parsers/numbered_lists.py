"""Read the numbered list in a model's answer: "1.", "1)", "(1)", "**1.**", "#1", "Claim 1:", bullets, merged lines.
Numbers are what the model wrote, so a list may be partial; where a text can be read in two ways the parser abstains.
A marker inside a line counts only in the style of its list, behind the end of a sentence or in a row of items without
sentence ends, so that "in 2024. The" starts nothing."""

import re
from dataclasses import dataclass
from itertools import islice, pairwise

from ragassay.calls.parsers.list_markers import Line, inner_markers, rows, without_bold
from ragassay.calls.parsers.result import Abstain, Ok, answer_part, refuses, total

ENDS = tuple(".!?;:…。\uff0e\uff01\uff1f\uff1b\uff1a")
CLOSERS = "\"'\u201d\u2019»)]*_` \t"
BEFORE_NUMBER = re.compile(
    r"(?:^|\W)(?:nos?|figs?|vols?|pp?|ch|secs?|arts?|paras?|ca|approx|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.$",
    re.IGNORECASE,
)
AND = re.compile(r"(?:^|(?<=\s))(?:and|or)$")
HEADING = re.compile(r"#{1,6}\s.*|(?:\*\*|__)[^*_]+(?:\*\*|__):?|.*:[*_]*", re.DOTALL)
MOST = 2_000  # lines in an answer, or markers in a line: beyond that it is a loop, not a list
STUB = re.compile(r"\n[>*_#(\[]{0,4}\d{1,3}[.):\]*_\s]{0,4}\Z")  # the cut fell into the next number


class _Ambiguous(Exception):
    """The text can be read in more than one way."""


@dataclass(slots=True)
class _Item:
    row: Line  # the one that its marker is in
    paragraphs: list[list[Line]]


@total
def parse_numbered(text: str | None, finish_reason: str = "stop", expected: int | None = None) -> Ok | Abstain:
    """`Ok` with the items by their numbers; with `expected` these are exactly 1 to `expected`. Of an answer that was
    cut off the last item is dropped unless something stands behind it; `Ok` then says `truncated`.
    """
    answer = answer_part(text, finish_reason)
    if isinstance(answer, Abstain):
        return answer
    cut = finish_reason == "length"
    stub = STUB.search(answer[-12:]) if cut else None
    if stub:
        answer = answer[: len(answer) - len(stub.group())]
    try:
        preamble, items = _items(rows(answer, MOST + 1))
        closed = _close(items) or bool(stub)
        texts = _texts(items[:-1] if cut and not closed else items)
    except _Ambiguous:
        return Abstain("count_mismatch")
    if refuses(preamble if items else answer, task_only=bool(items)):
        return Abstain("refusal")
    if expected is not None and sorted(texts) != list(range(1, expected + 1)):
        return Abstain("truncated" if cut and max(texts, default=0) <= expected else "count_mismatch")
    if not texts:
        return Abstain("truncated" if cut else "count_mismatch")
    return Ok(texts, truncated=cut)


def _items(lines):
    """The text before the list, and its items with all that stands behind each."""
    if len(lines) > MOST:
        raise _Ambiguous
    starts = _numbered_starts(lines)
    bulleted = [index for index, row in enumerate(lines) if row.bullet]
    if bulleted and starts and bulleted[0] < starts[0] and lines[bulleted[0]].indent < lines[starts[0]].indent:
        starts = []  # the numbers are nested in bullets
    else:
        lines, starts = _with_inner_items(lines, starts)
    if not starts:
        starts = _bullet_starts(lines, bulleted)
    preamble = " ".join(row.line for row in lines[: starts[0] if starts else None])
    items = [_item(lines[start:end]) for start, end in pairwise([*starts, None])]
    for item in items[:-1]:
        _drop_heading(item)
    return preamble, items


def _numbered_starts(lines):
    """Which lines start an item by a number of theirs: not those of a nested list, nor a sentence that runs on."""
    marked = [index for index, row in enumerate(lines) if row.number is not None]
    starts, nested_styles, nested = [], set(), False
    sentences = _end_as_sentences(lines, marked)
    for index in marked:
        row = lines[index]
        if not starts:
            starts.append(index)
            continue
        last = lines[starts[-1]]
        nested = row.indent >= last.indent + 2 and (nested or row.number == 1)
        if row.number == 1 and row.style != lines[starts[0]].style and not lines[index - 1].blank:
            nested_styles.add(row.style)
        if sentences and row.number != last.number + 1 and not _ended(lines[index - 1].line):
            row.number = None
        elif not nested and row.style not in nested_styles:
            starts.append(index)
    return starts


def _end_as_sentences(lines, marked):
    """Whether at least half of the lines before a marker, and the one that ends the last item, end like a sentence."""
    if not marked:
        return False
    final = marked[-1]
    while final + 1 < len(lines) and not lines[final + 1].blank:
        final += 1
    ends = [_ended(lines[index].line) for index in [*(index - 1 for index in marked[1:]), final]]
    return 2 * sum(ends) >= len(ends)


def _bullet_starts(lines, bulleted):
    """Lines with the outermost bullets, which then count as 1, 2, 3."""
    starts = [index for index in bulleted if lines[index].indent < lines[bulleted[0]].indent + 2]
    if len({lines[index].bullet for index in starts}) > 1:
        raise _Ambiguous
    for number, index in enumerate(starts, 1):
        lines[index].number = number
    return starts


def _with_inner_items(lines, starts):
    """The lines, cut where an item begins inside one, and which of them now start an item."""
    first = starts[0] if starts else len(lines)
    coming = lines[first].number if starts else None
    head = _cut(lines[:first], None, coming)
    inner = [row for row, start in head if start]
    if inner and coming is None:
        before = head[[start for _, start in head].index(True) - 1][0]
        linked = len(inner) > 1 or before.line.endswith(":")
    else:
        linked = inner and inner[-1].number + 1 == coming and inner[-1].style == lines[first].style
    pieces = head if linked else [(row, False) for row in lines[:first]]
    for start, end in pairwise([*starts, None]):
        pieces += _cut(lines[start:end], lines[start], lines[end].number if end else None)
    return [row for row, _ in pieces], [index for index, (_, start) in enumerate(pieces) if start]


def _cut(lines, opening, below):
    """The lines of one item (or of the text before the list, with no `opening` row) with inner items split off."""
    pieces, last = [], opening
    for number, row in enumerate(lines):
        cuts, nested = ([], False) if row.blank else _cuts(row.text, last, below)
        text = AND.sub("", row.text[: cuts[0].start].strip()).rstrip(" ,;") if cuts else row.text
        head = Line(text, text, row.indent, row.number, row.style) if cuts else row
        pieces.append((head, number == 0 and opening is not None))
        for cut, after in pairwise([*cuts, None]):
            text = row.text[cut.end : after and after.start].strip()
            text = without_bold(AND.sub("", text).rstrip(" ,;"), cut.bold)
            last = Line(text, text, row.indent, cut.number, cut.style)
            pieces.append((last, True))
        if nested:
            return pieces + [(row, False) for row in lines[number + 1 :]]
    return pieces


def _cuts(text, last, below):
    """The markers inside a text that start an item, and whether a nested list begins there instead."""
    taken, loose = [], []
    style, after, behind = (last.style, last.number, 0) if last else (None, 0, 0)
    markers = list(islice(inner_markers(text), MOST))
    if len(markers) == MOST:
        raise _Ambiguous
    for marker in markers:
        restart = marker.number == 1 and after >= 1
        rises = marker.number >= after and (below is None or marker.number < below)
        if marker.style != (style or marker.style) or not (restart or rises):
            continue
        before = text[max(behind, marker.start - 80) : marker.start].rstrip()
        before = AND.sub("", before).rstrip()
        ended = bool(before) and (_ended(before) or (marker.style == "bracket" and before.endswith(",")))
        if ended and marker.number == after and not before.endswith(":"):
            raise _Ambiguous
        if restart and ended:
            return taken, True
        if restart or marker.number == after:
            continue
        if BEFORE_NUMBER.search(before[-12:]):
            if marker.number == after + 1:
                raise _Ambiguous
        elif ended:
            taken.append(marker)
            style, after, behind = marker.style, marker.number, marker.end
        elif marker.number == after + len(loose) + 1:
            loose.append(marker)
    if taken or not last or not loose:
        return taken, False
    if _ended(text) == (len(loose) > 1):  # "1. Paris 2. London", or a sentence; "1. Paris 2. London 3. Rome.", or three
        raise _Ambiguous
    return [] if _ended(text) else loose, False


def _ended(text):
    """Whether it ends as a sentence does; an empty text runs on into nothing."""
    text = text.rstrip(CLOSERS)
    return not text or text.endswith(ENDS)


def _item(lines):
    paragraphs = [[lines[0]]]
    for row in lines[1:]:
        if row.blank:
            paragraphs.append([])
        elif not row.line.startswith("#"):
            paragraphs[-1].append(row)
    return _Item(lines[0], [paragraphs[0], *filter(None, paragraphs[1:])])


def _drop_heading(item):
    """A heading before the next item belongs to neither."""
    final = item.paragraphs[-1]
    if len(item.paragraphs) > 1 and len(final) == 1 and HEADING.fullmatch(final[0].line):
        item.paragraphs.pop()


def _close(items):
    """Take the closing remark off the last item: what goes beyond the form of the others. Whether there was any."""
    if not items:
        return False
    last, others = items[-1], items[:-1]
    usual = min((len(item.paragraphs) for item in others), default=1)
    if not last.row.text and len(last.paragraphs[0]) == 1:
        usual = max(usual, 2)
    kept = last.paragraphs[:usual]
    for paragraph in last.paragraphs[usual:]:
        if paragraph[0].indent <= last.row.indent:
            break
        kept.append(paragraph)
    closed = len(kept) < len(last.paragraphs)
    if others and all(len(item.paragraphs[0]) == 1 for item in others) and last.row.text:
        lines = kept[0]
        for index, (before, row) in enumerate(pairwise(lines), 1):
            marked = row.bullet or row.number is not None
            if row.indent <= last.row.indent and not marked and _ended(before.line):
                kept, closed = [lines[:index]], True
                break
    last.paragraphs = kept
    return closed


def _texts(items):
    """Texts by number. A number may come again only with the same text."""
    texts = {}
    for item in items:
        text = _text(item)
        if not text:
            continue
        number, highest = item.row.number, next(reversed(texts), 0)
        if texts.get(number, text) != text or (number not in texts and number < highest):
            raise _Ambiguous
        texts[number] = text
    return texts


def _text(item):
    text = item.row.text
    for number, paragraph in enumerate(item.paragraphs):
        for place, row in enumerate(paragraph[1:] if number == 0 else paragraph):
            own_line = row.bullet or row.number is not None or (number and place == 0)
            text += ("\n" if own_line and text else " ") + row.line
    return without_bold(text)
