"""Items and labels as the JSON that Label Studio takes and gives: a list of tasks with data and annotations.

Who labelled is `completed_by`: an address, for which a name will do, or a number of that tool. An adjudicator's
annotation is one of ground truth. `INTERFACE` is the labelling interface to paste into a project there.
"""

import json

from ragassay.people.exchange.label import SHOWN, ExchangeError, Given, duration, milliseconds, moment
from ragassay.people.tasks import ADJUDICATOR, ANNOTATOR, LABELS

INTERFACE = """<View>
  <Header value="$question"/>
  <Text name="document" value="$document"/>
  <Text name="response" value="$response"/>
  <Choices name="label" toName="document" value="$labels" choice="single-radio" required="true"/>
  <TextArea name="comment" toName="document" placeholder="Comment"/>
</View>
"""


def written(items: list[dict], labels: dict[str, list[Given]]) -> str:
    tasks = []
    for item in items:
        data = {name: "" if item[name] is None else item[name] for name in SHOWN}
        data["labels"] = [{"value": label} for label in LABELS[item["task"]]]
        tasks.append({"data": data, "annotations": [_annotation(given) for given in labels[item["item_id"]]]})
    return json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"


def read(text: str, where: str, annotator: str | None) -> list[Given]:
    """The labels of all annotations that were not cancelled."""
    try:
        tasks = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ExchangeError(f"{where}: not JSON ({error})") from None
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        raise ExchangeError(f"{where}: found no list of tasks, expected an export of Label Studio in its JSON form")
    found = []
    for number, task in enumerate(tasks, 1):
        place = f"{where}: task {number}"
        item = _part(task, "data", dict, place).get("item_id")
        if not isinstance(item, str):
            raise ExchangeError(f"{place}: found no data.item_id, expected that of an item exported from here")
        for annotation in _part(task, "annotations", list, place):
            if not isinstance(annotation, dict):
                raise ExchangeError(f"{place}: found {annotation!r:.40}, expected an annotation with its result")
            if not annotation.get("was_cancelled"):
                found.append(_given(item, annotation, place, annotator))
    return found


def _annotation(given):
    result = [_result("label", "choices", {"choices": [given.label]})]
    if given.comment:
        result.append(_result("comment", "textarea", {"text": [given.comment]}))
    about = {"result": result, "completed_by": {"email": given.annotator}, "was_cancelled": False}
    about |= {"ground_truth": given.role == ADJUDICATOR, "lead_time": given.seconds}
    return about | ({"created_at": moment(given.at)} if given.at else {})


def _result(name, kind, value):
    return {"from_name": name, "to_name": "document", "type": kind, "value": value}


def _given(item, annotation, where, annotator):
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
    return Given(
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
    found = where.get(name)
    if not isinstance(found, kind):
        raise ExchangeError(f"{place}: found no {name}, expected {'a list' if kind is list else 'an object'}")
    return found
