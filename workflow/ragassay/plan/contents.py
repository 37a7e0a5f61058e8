"""What the files that the configuration names hold, as far as a glance tells: their columns, a first row that can be
used, and the documents that questions are about. Each is a job's error, too, but one that comes before all jobs.

Of large files only the beginning is read; jobs read the rest.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ragassay.base.errors import AssayError, Unusable
from ragassay.base.tally import FEWEST
from ragassay.config.shards import read_shards
from ragassay.corpora.user_files import texts
from ragassay.documents.documents import article
from ragassay.documents.sources import Columns, SourceError, document_files, records
from ragassay.plan.documents import columns
from ragassay.plan.targets import FILES
from ragassay.queries.query_log import entries
from ragassay.studies.scope import question_sets

WHOLE = 2_000_000  # bytes up to which a question set is read to its end
MOST_FILES = 20  # of a folder
TEXT_COLUMNS = ("target_id", "text")  # of an attack's own texts


def check(config: dict) -> Iterator[tuple]:
    """(key, what is wrong with the files there). Missing files are no matter of this, nor those of a release that is
    replayed, in whose place empty ones stand.
    """
    if any(entry["mode"] == "replay" for entry in config["models"].values()):
        return
    for section, most in {"corpora": config["most_rejected"], "query_sets": None}.items():
        for name, entry in config[section].items():
            yield from _problem((section, name, "files"), _texts, entry.get("files"), entry["columns"], most)
    for name, entry in config["datasets"].items():
        yield from _problem(("datasets", name, FILES), _texts, entry.get(FILES), entry.get("columns"))
    for name, entry in config["query_logs"].items():
        form = entry["columns"], entry["date_format"]
        yield from _problem(("query_logs", name, "files"), _query_log, entry.get("files"), *form)
    for name, entry in config["attacks"].items():
        yield from _problem(("attacks", name, "files"), _header, entry.get("files"), TEXT_COLUMNS)
    for name, entry in config["question_sets"].items():
        yield from _question_set(name, entry)
    yield from _shards(config)


def _problem(key, look, paths, *more):
    """What `look` finds to be wrong with the files of these paths."""
    if paths and (files := _files(paths)):
        try:
            look(files, *more)
        except AssayError as error:
            yield key, str(error)
        except OSError as error:
            yield key, f"{error.filename}: cannot be read ({error.strerror}), expected a file that you may read"


def _files(paths):
    """All files; none if any is missing or of an unknown kind, which is said elsewhere."""
    try:
        files = [file for path in paths for file in document_files(path)]
    except SourceError:
        return []
    return files if all(Path(file).is_file() for file in files) else []


def _texts(files, columns, most_rejected=None):
    _header(files, [columns[name] for name in ("id", "text") if columns[name]])
    next(texts(files, columns, (), unopened=True, most_rejected=most_rejected))


def _query_log(files, columns, date_format):
    """Whether any of the first rows can be used."""
    wrong = {}
    for place, entry in islice(entries(files, columns, date_format), FEWEST):
        if not isinstance(entry, Unusable):
            return
        wrong.setdefault(place, entry)
    for place, why in wrong.items():
        raise SourceError(f"{place}: {why} ({len(wrong)} of the first {len(wrong)} rows, and none can be used)")
    raise SourceError(f"{', '.join(files[:3])}: found no row, expected at least one query with its date")


def _question_set(name, entry):
    """The first of its files that is wrong: what documents have is needed to read the questions."""
    columns, place, roles = entry["columns"], ("question_sets", name), ("annotators", "judges")
    more = [column for role in roles for column in entry[role].values()]
    more += [] if entry["responses"] else entry["responders"].values()
    ids, asked = {}, []

    def documents(files):
        if "nearest" in entry:
            _header(files, [columns["documents"]["text"]])
        else:
            ids.update(question_sets.documents(files, columns["documents"], name, entry["documents"], True)[1])

    def questions(files):
        if "nearest" in entry:
            ids.update(dict.fromkeys(question_sets.texts(files, columns["questions"]), ""))
        names = tuple(dict.fromkeys(more))
        asked.extend(question_sets.questions(files, columns["questions"], ids, name, names, "nearest" in entry))
        for question in asked:
            for column in (column for role in roles for column in entry[role].values()):
                question_sets.scope_vote(question, column, columns["questions"])

    def votes(files):
        question_sets.votes(files, columns["human_votes"], asked)

    def responses(files):
        for name in entry["responders"].values():
            question_sets.responses(files, columns["responses"], asked, name)

    looks = {"documents": documents, "questions": questions, "human_votes": votes, "responses": responses}
    files = {key: _files(entry[key]) for key in looks}
    if not files["documents"] or not files["questions"]:
        return
    if sum(Path(file).stat().st_size for listed in files.values() for file in listed) > WHOLE:
        needed = {"documents": ("doc_id", "text"), "questions": ("doc_id", "question")}
        needed = {key: [column for column in names if columns[key][column]] for key, names in needed.items()}
        for key, names in needed.items():
            yield from _problem((*place, key), _header, entry[key], [columns[key][column] for column in names], True)
        return
    for key, look in looks.items():
        if problems := list(_problem((*place, key), look, entry[key])):
            yield from problems
            return


def _header(files, needed, filled=False):
    """The columns of each file, and its first row, which has a value in each if it has to be `filled`."""
    names = tuple(name.strip().lower() for name in needed)
    for file in files[:MOST_FILES]:
        for record in islice(records([file], Columns(names, names), unopened=True), 1):
            if record.is_file:
                continue
            empty = [name for name in names if name not in record.fields or record.fields[name] == ""]
            if filled and (record.reason or empty):
                problem = record.detail or f"found nothing in {empty[0]!r}, expected a value"
                raise SourceError(f"{file} row {record.row}: {problem}")


def _shards(config):
    """Shards that no job has read yet and of whose first rows none can be an article."""
    try:
        rows = read_shards(config["shards"], config["question_sets"]).values()
    except AssayError:  # said by `ragassay.config.shards`
        return
    for row in rows:
        if row["documents"] and not Path(f"results/articles/{row['shard']}.parquet").exists():
            look = (_articles, [row["documents"]], row["shard"], columns(config), config)
            for _, problem in _problem(("shards",), *look):
                yield ("shards",), f"shard {row['shard']}: {problem}"


def _articles(files, shard, names, config):
    reasons, example = Counter(), {}
    date_format, most_rejected = config["documents"]["date_format"], config["most_rejected"]
    for record in islice(records(files, Columns.of_documents(names), unopened=True), FEWEST):
        try:
            if record.reason:
                raise Unusable(record.reason, record.detail)
            article(record.named(names), shard, date_format=date_format)
            return
        except Unusable as why:
            reasons[why.reason] += 1
            example.setdefault(why.reason, f"{record.place}: {why}")
    if not reasons:
        raise SourceError(f"{', '.join(files[:3])}: found no record, expected at least one")
    if most_rejected < 1:
        [(reason, count)] = reasons.most_common(1)
        raise SourceError(f"{example[reason]} ({count} of the first {reasons.total()} rows, and none can be used)")
