"""Passages, queries and what is relevant to these, from a user's files. Rows without text are left out and counted; the
first row that cannot be used otherwise is an error with file and row, or one of few that are left out, too."""

import re
from collections.abc import Iterator
from dataclasses import replace

from ragassay.base import chance
from ragassay.base.chance import content_id
from ragassay.base.errors import AssayError, Unusable, json_of, one_item
from ragassay.base.stage import log
from ragassay.base.tally import Tally
from ragassay.documents.documents import clean
from ragassay.documents.sources import Columns, records, warn_of_empty, warn_of_unusable

PASSAGE_FIELDS = ("document_id", "title", "source")  # of a text of a corpus, if it has them
QRELS = Columns(*[("query-id", "corpus-id", "score")] * 2)  # the columns of BEIR's


class TextError(AssayError):
    """A file of passages or queries cannot be used; the message names file and row."""


def texts(
    files: list[str],
    columns: dict[str, str],
    optional: tuple[str, ...],
    lists: tuple[str, ...] = (),
    stand_in: str = "",
    empty: list[str] | None = None,
    below: tuple[str, ...] = (),
    unopened: bool = False,
    share: tuple[int, int] = (0, 1),
    most_rejected: float | None = None,
) -> Iterator[dict]:
    """One dict per row with `id`, `text`, the optional fields and lists of strings, None where there is nothing.
    `columns` are the names of all of them in the files; an id is given once. Where there is no column with ids, texts
    that are the same are one, and its hash is the id. A row without text may have another field that stands in for it,
    or else is left out, and its place stands in `empty`. A file with one text is called by its path in the folder of
    `below`, if it does not say another id; one that cannot be read is left out, too. Of several parts, `share` says
    which one is wanted and how many there are: a text is in one of them by a hash of its id. With `most_rejected`, rows
    that cannot be used are left out as well, up to this share of all.
    """
    needed = ("id", "text") if columns["id"] else ("text",)
    names = {field: columns[field].strip().lower() for field in (*needed, *optional, *lists)}
    wanted = Columns(tuple(dict.fromkeys(names.values())), tuple(names[field] for field in needed), names["text"])
    places, refused, empty, elsewhere = {}, [], [] if empty is None else empty, 0

    tally = None if most_rejected is None else Tally(", ".join(files), "rows", most_rejected, "The log names each")

    def foreign(name):
        return share[1] > 1 and chance.number("part of a corpus", name) % share[1] != share[0]

    def refuse(record, why, is_ours=True):
        nonlocal elsewhere
        if not is_ours and tally and foreign(record.place):  # so that one part counts it
            elsewhere += 1
        elif record.is_file:
            refused.append(replace(record, reason=why.reason, detail=why.detail))
        elif tally is None:
            raise TextError(f"{record.place}: {why}") from why
        else:
            log.info("left out %s: %s: %s", record.place, why.reason, why.detail)
            tally.reject(record.place, why.reason, why.detail)

    for record in records(files, wanted, below, unopened):
        place, tells = record.place, "id" in needed and not record.is_file  # which part it is in, before it is read
        is_ours = record.is_file
        try:
            if record.reason:
                raise Unusable(record.reason, record.detail)
            with one_item():
                if tells and foreign(_value(record.fields.get(names["id"], ""), False) or place):
                    elsewhere += 1
                    continue
                is_ours = is_ours or tells
                row = {field: _value(record.fields.get(name, ""), field in lists) for field, name in names.items()}
        except Unusable as why:
            refuse(record, why, is_ours)
            continue
        if record.is_file:
            of_file = {"id": record.source_id, "title": record.title, "source": record.source_id}
            row |= {field: row[field] or value for field, value in of_file.items() if field in row}
        row["text"] = row["text"] or (None if record.is_file else row.get(stand_in))
        if row["text"] is None:
            if tells or share[0] == 0:
                empty.append(place)
            else:  # the first part says it
                elsewhere += 1
            continue
        if "id" in needed and row["id"] is None:
            refuse(record, Unusable("no_id", f"found nothing in {names['id']!r}, expected a value"))
            continue
        if "id" not in needed:
            row["id"] = record.source_id if record.is_file else content_id("text", row["text"])
            row |= {"source": row["source"] or record.source_id} if "source" in row else {}
            if row["id"] in places:
                continue
        if foreign(row["id"]):
            elsewhere += 1
            continue
        if row["id"] in places:
            raise TextError(f"{place}: found the id {row['id']!r} of {places[row['id']]}, expected each once")
        places[row["id"]] = place
        yield row
    if tally:
        tally.keep(len(places))
        tally.check()
        if tally.rejected:
            counts = tally.rejected, tally.rejected + tally.kept, next(iter(tally.examples.values()))
            log.warning("%d of %d rows cannot be used and are left out, such as %s", *counts)
    if share[0] == 0 or not (places or elsewhere):
        warn_of_unusable(refused, len(places) + elsewhere)
    warn_of_empty(empty, names["text"], len(places) + elsewhere)
    if elsewhere and not places:
        parts = f"found {elsewhere} rows, none of them in part {share[0] + 1} of {share[1]}"
        raise TextError(f"{', '.join(files)}: {parts}, expected at least one; cut it into fewer `parts`")
    if not places:
        usable = " that can be used" if tally and tally.rejected else ""
        raise TextError(f"{', '.join(files)}: found no row{usable}, expected at least one")


def _value(value, is_list):
    """A line of text, or a list of them: from a list, a mapping (such as of letters to options), the same as JSON in a
    cell, or a single value.
    """
    if not is_list:
        return clean(str(value)) or None
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        value = json_of(value, value)
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
    return [text for item in values if item is not None and (text := clean(str(item)))] or None


def qrels(file: str, queries: dict[str, str]) -> dict[str, dict[str, int]]:
    """query -> what is relevant to it -> its grade, from a file of BEIR's; `queries` are those that there are."""
    relevant = {}
    for record in records([file], QRELS):
        place = f"{file} row {record.row}"
        if record.reason:
            raise TextError(f"{place}: {record.detail}")
        query, item, grade = (str(record.fields.get(name, "")).strip() for name in QRELS.needed)
        if query not in queries:
            raise TextError(f"{place}: found the query {query!r}, expected one of the {len(queries)} in the set's file")
        if not item or not re.fullmatch(r"-?[0-9]{1,9}", grade):
            raise TextError(f"{place}: found {item!r} with the grade {grade!r}, expected an id and a whole number")
        if item in relevant.setdefault(query, {}):
            raise TextError(f"{place}: found {query!r} and {item!r} twice, expected one grade")
        relevant[query][item] = int(grade)
    if not relevant:
        raise TextError(f"{file}: found no row, expected at least one; name another split")
    return relevant
