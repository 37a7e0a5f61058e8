"""What files of users usually call their columns, by what these hold; case does not count."""

from collections.abc import Iterable

NAMES = {
    "text": "text body content document passage page_content abstract article".split(),
    "id": "id _id doc_id document_id docid key".split(),
    "title": "title headline heading name subject".split(),
    "url": "url link source_url href".split(),
    "date": "date published published_at created created_at time timestamp".split(),
    "topic": "topic category section tag".split(),
    "question": "question query text prompt user_input input message".split(),
    "question_id": "question_id id _id key".split(),
    "doc_id": "doc_id document document_id docid file filename".split(),
    "answer": "answer answers response output reply reference expected".split(),
    "out_of_scope": "out_of_scope unanswerable is_impossible".split(),
    "in_scope": "in_scope answerable is_answerable in_corpus".split(),
    "asked": "date time timestamp created created_at asked_at datetime".split(),
}


def of(what: str, columns: Iterable[str], named: str | None = None) -> str | None:
    """The column that holds this: the one that the user named, or the first usual one; None if there is none."""
    by_form = {column.strip().lower(): column.strip() for column in columns}
    wanted = [named.strip().lower()] if named else NAMES[what]
    return next((by_form[form] for form in wanted if form in by_form), None)
