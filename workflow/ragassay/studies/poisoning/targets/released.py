"""Targets and texts in the files of three projects, which are JSON: a list of targets, or a mapping of ids to them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ragassay.base.chance import content_id
from ragassay.base.errors import AssayError, Unusable, one_item
from ragassay.base.terminal import shown
from ragassay.documents.documents import clean
from ragassay.documents.record import decoded
from ragassay.studies.poisoning.targets.hygiene import Problem

TABLE = "table"  # the format of all other files
TEXT = "context"  # of a text that stands in an object, with its similarity


class Format(NamedTuple):
    """What a project calls the right answers, the wrong one and the texts of a target; the first answer has to be
    there.
    """

    answers: tuple[str, ...]
    target: str
    texts: str


FORMATS = {
    "poisonedrag": Format(("correct answer",), "incorrect answer", "adv_texts"),
    "poisonarena": Format(("answer",), "incorrect_answer", "adv_texts"),
    "robustrag": Format(("correct answer", "expanded answer"), "incorrect answer", "incorrect_context"),
}


class ReleaseError(AssayError):
    """A released file cannot be read at all."""


def released(file: str, name: str) -> Iterator[dict | Problem]:
    """The targets of a file in the format of this name, as the table targets has them, or why one is of no use. An id
    may stand there several times: a file may hold texts of several attackers.
    """
    form = FORMATS[name]
    for number, row in enumerate(_rows(file), 1):
        place = f"{file} row {number}"
        if not isinstance(row, dict):
            yield Problem(place, "bad_row", f"found {shown(row)}, expected an object")
            continue
        try:
            yield _target(row, form) | {"made_by": name}
        except Unusable as error:
            yield Problem(place, error.reason, error.detail)


@one_item()
def _target(row, form):
    values = {key: _strings(row.get(key)) for key in ("question", *form.answers, form.target, form.texts)}
    if missing := [key for key, texts in values.items() if not texts and key not in form.answers[1:]]:
        raise Unusable("empty", f"found nothing in {missing[0]!r}")
    [question, *_], [target, *others] = values["question"], values[form.target]
    return {
        "target_id": next(iter(_strings(row.get("id"))), content_id("text", question)),
        "question": question,
        "answers": [answer for key in form.answers for answer in values[key]],
        "target": target,
        "target_aliases": others,
        "texts": values[form.texts],
    } | dict.fromkeys(("kind", "group", "document"))


def _rows(file):
    text, problem = decoded(Path(file).read_bytes())
    if text is not None:
        try:
            rows = json.loads(text)
        except (ValueError, RecursionError) as error:
            problem = f"not JSON: {error}"
        else:
            if isinstance(rows, dict):
                return [{"id": name} | row if isinstance(row, dict) else row for name, row in rows.items()]
            if isinstance(rows, list):
                return rows
            problem = f"found {shown(rows)}, expected a list of targets, or a mapping of ids to them"
    raise ReleaseError(f"{file}: {problem}; take the file as its project released it, or name another format")


def _strings(value):
    """The texts of a value: one, or a list of them or of objects that hold one."""
    values = value if isinstance(value, list) else [value]
    texts = [item.get(TEXT) if isinstance(item, dict) else item for item in values]
    return [line for text in texts if isinstance(text, str | int | float) and (line := clean(str(text)))]
