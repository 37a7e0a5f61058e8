"""Read a question set: documents and questions from elsewhere, with their labels, responses and votes. A set's name
stands in for generator and shard, so that the stages of the scope study run on it unchanged. Nothing is dropped: the
first row that cannot be used is an error that names its file and row."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from ragassay.base import tables
from ragassay.base.chance import content_id
from ragassay.base.errors import AssayError, Unusable, closest
from ragassay.base.stage import log
from ragassay.documents.documents import article, clean, count_words
from ragassay.documents.sources import Columns, records, warn_of_unusable
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.studies.scope.votes import IN, KINDS, OUT, UNLABELLED

SIDES = {"true": True, "yes": True, "1": True, "1.0": True, "false": False, "no": False, "0": False, "0.0": False}
TASKS = {"scope": (OUT, IN), "defusion": ("defused", "not_defused")}  # task -> what true and false mean
TYPE_LENGTH = 60  # of a type of question, at most
LABELS = {"out_of_scope": (OUT, IN), "in_scope": (IN, OUT)}  # column of questions -> the same


class QuestionSetError(AssayError):
    """A question set cannot be used as it is; the message names file, row and column."""


class Question(NamedTuple):
    """A row of the table questions, the id that the files give it, and where it stands."""

    row: dict
    own_id: str | None
    cells: dict[str, str]  # more columns that were asked for, as text
    place: str


def documents(
    files: list[str], columns: dict[str, str], name: str, below: Iterable[str] = (), unopened: bool = False
) -> tuple[list[dict], dict[str, str]]:
    """Rows of the table documents, and the id in them of each id in the files. Texts that are the same are one. A file
    with one text is called by its path in the folder of `below`, if it does not say another id.
    """
    rows, ids, places = {}, {}, {}
    more = {"below": below, "unopened": unopened}
    for fields, place in _rows(files, columns, ("doc_id", "text"), ("title", "url", "date", "topic"), **more):
        own_id = _once(_text(fields, "doc_id"), places, place, columns["doc_id"])
        try:
            row = _document({**fields, "id": own_id}, name)
        except Unusable as error:
            raise QuestionSetError(f"{place}: {error}") from error
        ids[own_id] = row["doc_id"]
        rows.setdefault(row["doc_id"], row)
    return list(rows.values()), ids


def texts(files: list[str], columns: dict[str, str]) -> list[str]:
    """The different questions of a set, whatever they are about."""
    rows = _rows(files, columns, ("question",), ())
    return list(dict.fromkeys(" ".join(_text(fields, "question").split()) for fields, _ in rows))


def document_ids(files: list[str], placed: list[str], columns: dict, name: str, below: Iterable[str]) -> dict[str, str]:
    """What questions name their documents by, with its id in the tables: an id in the files or, where they were placed,
    as a table of questions says, their own text.
    """
    if not placed:
        return documents(files, columns["documents"], name, below)[1]
    rows = tables.read(QUESTIONS, placed[0], ["text", "doc_id"]).to_pydict()
    return dict(zip(rows["text"], rows["doc_id"], strict=True))


def questions(
    files: list[str], columns: dict[str, str], ids: dict[str, str], name: str, more=(), placed=False
) -> list[Question]:
    """All questions; `ids` are those of the documents, `more` are columns to be read beside. Where questions were
    `placed`, those that are the same are one.
    """
    result, places, own_ids, slots = [], {}, {}, Counter()
    by = "question" if placed else "doc_id"
    label = "in_scope" if columns.get("in_scope") else "out_of_scope"
    named = (columns[label],) if columns[label] else ()  # a column that the configuration names has to be there
    columns = columns | {label: columns[label] or label, "question_type": columns.get("question_type", "question_type")}
    needed = tuple(dict.fromkeys((by, "question")))
    for fields, place in _rows(files, columns, needed, ("question_id", "question_type", label), (*more, *named)):
        text = " ".join(_text(fields, "question").split())
        doc_id = ids.get(text if placed else _text(fields, "doc_id"))
        if doc_id is None:
            name = _text(fields, "doc_id")
            problem = f"{place}: found document {name!r}, expected one of the documents' files"
            raise QuestionSetError(problem + closest(name, ids))
        question_id = content_id("question", "" if placed else doc_id, name, text)
        if placed and question_id in places:
            log.info("%s: found the same question as in %s; it counts once", place, places[question_id])
            continue
        _once(question_id, places, place, "question")
        own_id = _text(fields, "question_id") or None
        if own_id is not None:
            _once(own_id, own_ids, place, columns["question_id"])
        intended = verdict(_text(fields, label), LABELS[label], place) or UNLABELLED
        slots[doc_id, intended] += 1
        row = dict.fromkeys(QUESTIONS.schema.names) | {"question_id": question_id, "doc_id": doc_id, "shard": name}
        row |= {"intended": intended, "slot": slots[doc_id, intended], "text": text, "n_words": count_words(text)}
        row |= {"generator": name, "prompt": "", "question_type": _text(fields, "question_type")[:TYPE_LENGTH] or None}
        result.append(Question(row, own_id, {column: _text(fields, column) for column in more}, place))
    if not result:
        raise QuestionSetError(f"question set {name}: found no question in {', '.join(files)}, expected at least one")
    return result


def joined(passages: list[dict], name: str) -> dict:
    """The row of the table documents for the passages that are nearest to a question: it is called like the nearest."""
    first = passages[0]
    fields = {key: first[key] for key in ("title", "topic", "url") if first[key]}
    text = "\n\n".join(passage["text"] for passage in passages)
    return _document({**fields, "id": first["source"] or first["id"], "text": text}, name)


def _document(fields, name):
    """Its row of the table documents: a text that is the same is the same document."""
    row = article(fields, name)
    digest = row["content_hash"][:16]
    row |= {"doc_id": f"doc-{digest}", "cluster_id": f"cluster-{digest}"}
    return {column: row[column] for column in DOCUMENTS.schema.names}


def annotated(asked: list[Question], annotators: dict[str, str], columns: dict[str, str]) -> list[dict]:
    """Rows of the table human_labels from columns with one person's votes each."""
    votes = [
        (question, annotator, scope_vote(question, column, columns))
        for annotator, column in annotators.items()
        for question in asked
    ]
    return [human_label(question, annotator, label) for question, annotator, label in votes if label is not None]


def votes(files: list[str], columns: dict[str, str], asked: list[Question]) -> list[dict]:
    """Rows of the table human_labels from files with one vote a row."""
    by_id = {question.own_id: question for question in asked if question.own_id}
    rows, places = [], {}
    for fields, place in _rows(files, columns, ("question_id", "label"), ("annotator", "task", "responder")):
        question = _known(by_id, fields, place)
        task = _text(fields, "task") or "scope"
        if task not in TASKS:
            raise QuestionSetError(f"{place}: found the task {task!r}, expected one of: {', '.join(TASKS)}")
        label = verdict(_text(fields, "label"), TASKS[task], place)
        if label is None:
            raise QuestionSetError(f"{place}: found no label, expected one of: {', '.join(TASKS[task])}")
        row = human_label(question, _text(fields, "annotator"), label, task, _text(fields, "responder"))
        _once(tuple(row[name] for name in ("question_id", "task", "responder", "annotator")), places, place, "vote")
        rows.append(row)
    return rows


def responses(files: list[str], columns: dict[str, str], asked: list[Question], responder: str) -> list[tuple]:
    """(question, response) of one responder, from files with one response a row; what is empty was not asked. Files
    without ids of questions have their texts.
    """
    key = "question_id" if columns["question_id"] else "question"
    by_key = {question.own_id if columns["question_id"] else question.row["text"]: question for question in asked}
    places, result, others, strange = {}, [], set(), []
    needed = (key, "responder") if columns["responder"] else (key,)
    for fields, place in _rows(files, columns, needed, ("response",)):
        answering = _text(fields, "responder") if columns["responder"] else responder
        name = " ".join(_text(fields, key).split())
        if key == "question" and name not in by_key:
            strange.append(place)
            continue
        question = _known(by_key, fields, place) if key == "question_id" else by_key[name]
        _once((name, answering), places, place, "response")
        if answering != responder:
            others.add(answering)
        elif text := _text(fields, "response"):
            result.append((question, text))
    if strange:
        log.info("%d responses to questions that are not in the set, such as in %s", len(strange), strange[0])
    if not result:
        listed = ", ".join(sorted(others)[:10]) or "none at all"
        raise QuestionSetError(f"{', '.join(files)}: found no response of {responder!r}, but of these: {listed}")
    return result


def human_label(question: Question, annotator: str, label: str, task="scope", responder="") -> dict:
    row = {"question_id": question.row["question_id"], "doc_id": question.row["doc_id"], "task": task}
    return row | {"responder": responder, "annotator": annotator, "label": label}


def scope_vote(question: Question, column: str, columns: dict[str, str]) -> str | None:
    """What a person or a judge says in a column of the questions, read as in_scope or as out_of_scope."""
    sides = LABELS["in_scope" if column == columns.get("in_scope") else "out_of_scope"]
    return verdict(question.cells[column], sides, question.place)


def verdict(cell: str, sides: tuple[str, str], place: str) -> str | None:
    """The label in a cell, in any of its forms; None if the cell is empty. `sides` are what true and false mean."""
    if not cell:
        return None
    yes, no = sides
    if cell in (yes, no):
        return cell
    if cell.lower() not in SIDES:
        raise QuestionSetError(f"{place}: found the label {cell!r:.60}, expected {yes} or {no}, true or false")
    return yes if SIDES[cell.lower()] else no


def settled(labels: list[dict]) -> dict[tuple[str, str], str | None]:
    """(question, responder) -> people's label of the response or, without a responder, of the question's scope: the
    label they agreed on together, otherwise the majority; None for a tie.
    """
    votes = defaultdict(dict)
    for row in labels:
        votes[row["question_id"], row["responder"]][row["annotator"]] = row["label"]
    agreed = {}
    for item, by_annotator in votes.items():
        ranked = Counter(by_annotator.values()).most_common()
        tie = len(ranked) > 1 and ranked[0][1] == ranked[1][1]
        agreed[item] = by_annotator.get("") or (None if tie else ranked[0][0])
    return agreed


def report_labels(name: str, asked: list[Question], labels: list[dict]) -> None:
    """Tell the log how many questions have which label, and warn where people say the opposite."""
    intended = {question.row["question_id"]: question.row["intended"] for question in asked}
    counts = Counter(intended.values())
    sizes = (len(asked), counts[OUT], counts[IN], counts[UNLABELLED])
    log.info("%d questions: %d out of scope, %d in scope, %d without a label", *sizes)
    people = {question: label for (question, responder), label in settled(labels).items() if not responder}
    warn_of_contradictions(name, [(intended[question], label) for question, label in people.items()])


def warn_of_contradictions(name: str, pairs: list[tuple]) -> int:
    """Of how many questions of a set people say the opposite of the label; `pairs` are the label and what people say.
    If that is most of them, the column of labels may say which questions are in scope, and be read the wrong way round.
    """
    sided = [pair for pair in pairs if set(pair) <= KINDS.keys()]
    opposite = sum(label != people for label, people in sided)
    if 2 * opposite > len(sided):
        log.warning(
            "question set %s: people say the opposite of %d of the %d labels that they voted on; a column that says"
            " which questions are in scope is named as question_sets.%s.columns.questions.in_scope",
            *(name, opposite, len(sided), name),
        )
    return opposite


def _rows(files, columns, needed, optional, more=(), **sources):
    """(fields by their names here, "file row n") of all rows; needed ones are not empty. Files with one text that
    cannot be read are left out.
    """
    names = {field: columns[field].strip().lower() for field in (*needed, *optional)}
    wanted = {**names, **{column: column.strip().lower() for column in more}}
    must = tuple(dict.fromkeys([*(names[field] for field in needed), *(wanted[column] for column in more)]))
    text, kept, refused = names.get("text", ""), 0, []
    for record in records(files, Columns(tuple(dict.fromkeys(wanted.values())), must, text), **sources):
        place = record.place
        if record.is_file and text and not record.fields.get(text, "").strip():
            refused.append(record)
            continue
        if record.reason:
            raise QuestionSetError(f"{place}: {record.detail}")
        fields = record.named(wanted)
        if record.is_file and text:
            fields = {"doc_id": record.source_id, "title": record.title} | fields
        for field in needed:
            if not str(fields.get(field, "")).strip():
                raise QuestionSetError(f"{place}: found nothing in {names[field]!r}, expected a value")
        kept += 1
        yield fields, place
    warn_of_unusable(refused, kept)


def _known(by_id, fields, place):
    """The question that a row of another file is about."""
    question = by_id.get(name := _text(fields, "question_id"))
    if question is None:
        expected = "expected one of the column question_id of the questions' files"
        raise QuestionSetError(f"{place}: found question {name!r}, {expected}")
    return question


def _text(fields, name):
    try:
        return clean(str(fields.get(name, "")))
    except Unusable as error:
        raise QuestionSetError(f"column {name}: {error}") from error


def _once(key, places, place, what):
    if key in places:
        shown = key if isinstance(key, str) else " ".join(filter(None, key))
        raise QuestionSetError(f"{place}: found the same {what} as in {places[key]} ({shown}), expected each once")
    places[key] = place
    return key
