"""Items and labels as files of other tools. A spreadsheet is CSV with one row per label; an apostrophe stands before
cells that look like formulas, since the texts come from strangers. Label Studio takes and gives JSON; an
adjudicator's annotation is one of ground truth, and `INTERFACE` is the interface to paste into a project there."""

import csv
import io
import json
from dataclasses import dataclass
from datetime import UTC, datetime

from ragassay.base.errors import AssayError
from ragassay.people.labelling import ADJUDICATOR, ANNOTATOR, LABELS
from ragassay.text.characters import FORMULA, csv_cell

CENTURY_END = 4_102_444_800_000  # 2100 in milliseconds since 1970
SHOWN = ("item_id", "task", "group", "position", "title", "document", "question", "response")
LABEL = ("annotator", "role", "label", "comment", "labelled_at", "seconds")
NEEDED = ("item_id", "label")
INTERFACE = """<View>
  <Header value="$question"/>
  <Text name="document" value="$document"/>
  <Text name="response" value="$response"/>
  <Choices name="label" toName="document" value="$labels" choice="single-radio" required="true"/>
  <TextArea name="comment" toName="document" placeholder="Comment"/>
</View>
"""


class ExchangeError(AssayError):
    """A file of labels cannot be written or used; the message says where in it."""


@dataclass(frozen=True)
class GivenLabel:
    item: str
    annotator: str
    role: str
    label: str
    comment: str
    at: int  # milliseconds since 1970
    seconds: float | None
    where: str  # in the file, for messages


def csv_text(items: list[dict], labels: dict[str, list[GivenLabel]]) -> str:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\r\n")
    rows.writerow([*SHOWN, *LABEL])
    for item in items:
        shown = [item[name] for name in SHOWN]
        for given in labels[item["item_id"]] or [None]:
            rows.writerow([csv_cell(value) for value in [*shown, *_cells(given)]])
    return text.getvalue()


def read_csv(text: str, where: str, annotator: str | None) -> list[GivenLabel]:
    """The labels. Rows without one are skipped."""
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        missing = [name for name in NEEDED if name not in (rows.fieldnames or [])]
        if missing:
            expected = f"expected at least {', '.join(NEEDED)}"
            raise ExchangeError(f"{where}:1: found no column {', '.join(missing)}, {expected}")
        labels = [_given_in_row(row, f"{where}:{rows.line_num}", annotator) for row in rows]
    except csv.Error as error:
        raise ExchangeError(f"{where}:{rows.line_num}: not CSV with commas ({error})") from None
    return [given for given in labels if given]


def _given_in_row(row, where, annotator):
    cells = {name: _bare(row.get(name) or "") for name in (*NEEDED, *LABEL)}
    if not cells["label"].strip():
        return None
    return GivenLabel(
        item=cells["item_id"].strip(),
        annotator=cells["annotator"].strip() or annotator or "",
        role=cells["role"].strip() or ANNOTATOR,
        label=cells["label"].strip(),
        comment=cells["comment"].strip(),
        at=milliseconds(cells["labelled_at"].strip(), where),
        seconds=duration(cells["seconds"].strip(), where),
        where=where,
    )


def _cells(given):
    if given is None:
        return [""] * len(LABEL)
    seconds = "" if given.seconds is None else given.seconds
    return [given.annotator, given.role, given.label, given.comment, moment(given.at) if given.at else "", seconds]


def _bare(text):
    return text[1:] if text.startswith("'") and text[1:2] in FORMULA else text


def label_studio_json(items: list[dict], labels: dict[str, list[GivenLabel]]) -> str:
    tasks = []
    for item in items:
        data = {name: "" if item[name] is None else item[name] for name in SHOWN}
        data["labels"] = [{"value": label} for label in LABELS[item["task"]]]
        tasks.append({"data": data, "annotations": [_annotation(given) for given in labels[item["item_id"]]]})
    return json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"


def read_label_studio(text: str, where: str, annotator: str | None) -> list[GivenLabel]:
    """The labels of all annotations that were not cancelled."""
    try:
        tasks = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ExchangeError(f"{where}: not JSON ({error})") from None
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        raise ExchangeError(f"{where}: found no list of tasks, expected an export of Label Studio in its JSON form")
    labels = []
    for number, task in enumerate(tasks, 1):
        place = f"{where}: task {number}"
        item = _part(task, "data", dict, place).get("item_id")
        if not isinstance(item, str):
            raise ExchangeError(f"{place}: found no data.item_id, expected that of an item exported from here")
        for annotation in _part(task, "annotations", list, place):
            if not isinstance(annotation, dict):
                raise ExchangeError(f"{place}: found {annotation!r:.40}, expected an annotation with its result")
            if not annotation.get("was_cancelled"):
                labels.append(_given_in_annotation(item, annotation, place, annotator))
    return labels


def _annotation(given):
    result = [_result("label", "choices", {"choices": [given.label]})]
    if given.comment:
        result.append(_result("comment", "textarea", {"text": [given.comment]}))
    annotation = {"result": result, "completed_by": {"email": given.annotator}, "was_cancelled": False}
    annotation |= {"ground_truth": given.role == ADJUDICATOR, "lead_time": given.seconds}
    return annotation | ({"created_at": moment(given.at)} if given.at else {})


def _result(name, kind, value):
    return {"from_name": name, "to_name": "document", "type": kind, "value": value}


def _given_in_annotation(item, annotation, where, annotator):
    values = {}
    for result in _part(annotation, "result", list, where):
        if isinstance(result, dict) and isinstance(result.get("value"), dict):
            values.setdefault(str(result.get("from_name")), result["value"])
    choices = values.get("label", {}).get("choices")
    if not isinstance(choices, list) or len(choices) != 1:
        raise ExchangeError(f"{where}: found no choice named label, or several; expected one of the labels")
    texts = values.get("comment", {}).get("text") or []
    texts = [texts] if isinstance(texts, str) else texts
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ExchangeError(f"{where}: found the comment {texts!r:.40}, expected text or a list of texts")
    return GivenLabel(
        item=item,
        annotator=_person(annotation.get("completed_by"), annotator),
        role=ADJUDICATOR if annotation.get("ground_truth") else ANNOTATOR,
        label=str(choices[0]),
        comment="\n".join(texts).strip(),
        at=milliseconds(annotation.get("created_at"), where),
        seconds=duration(annotation.get("lead_time"), where),
        where=where,
    )


def _person(completed_by, annotator):
    if isinstance(completed_by, dict):
        completed_by = completed_by.get("email") or completed_by.get("id")
    if isinstance(completed_by, int):
        completed_by = f"label-studio-{completed_by}"
    return str(completed_by or annotator or "")


def _part(where, name, kind, place):
    part = where.get(name)
    if not isinstance(part, kind):
        raise ExchangeError(f"{place}: found no {name}, expected {'a list' if kind is list else 'an object'}")
    return part


def moment(at: int) -> str:
    """As ISO 8601, to the millisecond."""
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def milliseconds(text, where: str) -> int:
    """The moment that a text names; 0, for unknown, if it is empty."""
    if not text:
        return 0
    try:
        parsed = datetime.fromisoformat(text)
    except (ValueError, TypeError):
        expected = "expected one such as 2026-11-21T09:30:00Z"
        raise ExchangeError(f"{where}: found the time {text!r:.40}, {expected}") from None
    at = round((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp() * 1000)
    if not 0 <= at < CENTURY_END:
        raise ExchangeError(f"{where}: found the time {text!r:.40}, expected one between 1970 and 2100")
    return at


def duration(value, where: str) -> float | None:
    """Seconds as a number; None if the text is empty."""
    if value in (None, ""):
        return None
    try:
        seconds = float(value)
    except (ValueError, TypeError, OverflowError):
        seconds = -1.0
    if not 0 <= seconds < 1e7:
        raise ExchangeError(f"{where}: found {value!r:.40} seconds, expected a number")
    return seconds
