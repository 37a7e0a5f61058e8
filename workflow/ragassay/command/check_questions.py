"""`ragassay check-questions`: which of these questions do these documents answer, and what did a bot make of them? It
writes the settings of such a check into checks/, names columns by their usual names, and runs it.
"""

import os
import re
from pathlib import Path

from ragassay.base import pipeline, plain_yaml
from ragassay.base.address import stays_inside
from ragassay.base.atomic import write_text
from ragassay.base.errors import AssayError, closest
from ragassay.command.check import configuration
from ragassay.command.run import run_pipeline
from ragassay.config import usual_columns
from ragassay.config.new_project import columns_of, is_table, likely
from ragassay.config.settings import read
from ragassay.documents import table_files
from ragassay.documents.sources import document_files
from ragassay.running.summary import LAST

FOLDER = Path("checks")
# What --column may name, and what that is among the usual columns.
NAMED = {name: name for name in ("question", "answer", "question_id", "out_of_scope", "in_scope")} | {"date": "asked"}
PASSAGES = {"words": 120, "overlap": 20}
SENTENCES = 300  # of the documents, which calibrate the gate
ALPHA = 0.1  # of such sentences, which lie farther from the rest of the documents than most questions
FEW = 20  # documents, of which some cannot fit a statistic and others calibrate it
MEASURED_WHOLE = ("query_logs", "coverage")
SPANS = "resourceSpans"


class CheckError(AssayError):
    """The files cannot be checked as they are."""


def run_check(
    questions: Path, documents: Path, log: Path | None, answers: Path | None, columns: list[str], date_format, words
) -> None:
    """`columns` are pairs `what=name`; `words` go on to Snakemake."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", questions.stem).strip("-._")[:40] or "questions"
    folder = FOLDER / name
    names = _pairs(columns)
    paths = {"questions": questions, "documents": documents, "log": log, "answers": answers}
    paths = {key: _reachable(path, folder / key) for key, path in paths.items() if path is not None}
    laid_over, others = pipeline.split_configfiles(words)
    file = folder / f"{name}.yaml"
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "shards.tsv", f"shard\tdocuments\n{name}\t{paths['documents']}\n")
    title = f"{questions.name} against {documents.resolve().name}"
    written = settings(name, title, paths, names, date_format)
    if not pipeline.settings_files():
        written["documents"]["kind"] = "document"
    for section, present in _others([*pipeline.settings_files(), *laid_over]).items():
        written[section] = {key: {"used": False} for key in present} | written[section]
    write_text(file, plain_yaml.dump(written))
    config = configuration([str(file), *laid_over])
    report = Path("results/report", config["report"]["name"])
    rows = report / f"explorer/{name}-questions/{config['scope']['judges'][0]}"
    page, listed = (path.resolve().as_uri() for path in (report / "coverage.html", rows.with_suffix(".html")))
    last = f"page: {page}, each question: {listed}, CSV: {rows.with_suffix('.csv')}"
    run_pipeline(["coverage", "--configfile", str(file), *laid_over, *others], **{LAST: last})


def _others(files):
    """What a project has already of the sections that are measured as a whole: it stays out of a check."""
    projects = [read(file) for file in files]
    return {section: [name for entry in projects for name in entry.get(section) or ()] for section in MEASURED_WHOLE}


def settings(name: str, title: str, paths: dict[str, str], names: dict[str, str], date_format: str | None) -> dict:
    """The configuration of a check; `names` are columns that the user named."""
    sentences, asked, log = f"{name}-sentences", f"{name}-questions", f"{name}-log" if "log" in paths else None
    files = document_files(paths["documents"])
    table = next((file for file in files if is_table(file)), None)
    is_small = len(files) < FEW and not table
    text, text_id = _text_columns(table, names.get("document")), "" if table else "id"  # of a file, its path
    return {
        "shards": f"{FOLDER}/{name}/shards.tsv",
        "documents": {"columns": text},
        "report": {
            "name": f"check-{name}",
            "title": re.sub(r"[^ -~]|<", "?", title),
            "sections": ["coverage", *(["drift"] if log else [])],
        },
        "corpora": {name: {"files": [paths["documents"]], "passages": PASSAGES, "columns": {"id": text_id, **text}}},
        "synthetic_queries": {sentences: {"corpus": name, "taken": "sentences", "count": SENTENCES}},
        "question_sets": {asked: _question_set(paths, names, {"doc_id": text_id, **text})},
        "query_logs": {log: _log(name, paths["log"], names, date_format)} if log else {},
        "relevance": {
            "sets": {name: {"corpus": name, "in_knowledge": sentences}},
            "held_out": 0,
            "alpha": ALPHA,
            "k": 1,
            "ks": [1],
            "gate": {"statistic": "mss" if is_small else "fused"},
            "drift": {"window": "week"},
        },
        "coverage": {name: {"corpus": name, "question_set": asked, "query_log": log}},
    }


def _text_columns(table, text):
    if text or not table:
        return {"text": text or "text"}
    return columns_of(table, ("text",), ("title",), "date", "--documents")[0]


def _question_set(paths, names, of_documents):
    header = _header(paths["questions"])
    labels = {side: _column(header, side, names) for side in ("out_of_scope", "in_scope")}
    columns = {"doc_id": None, "question": _needed(paths["questions"], header, "question", names)}
    labels = {side: column for side, column in labels.items() if column}
    columns |= labels
    own_id = _column(header, "question_id", names)
    columns |= {"question_id": own_id} if own_id else {}
    entry = {"documents": [paths["documents"]], "questions": [paths["questions"]], "nearest": PASSAGES}
    entry |= {"detectors": False, "retrieval": False, "columns": {"questions": columns}}
    entry["columns"]["documents"] = of_documents
    if labels:  # they take precedence over the judge
        entry["annotators"] = {"labels": next(iter(labels.values()))}
    if "answers" in paths:
        entry |= {"responses": [paths["answers"]], "responders": {"bot": "bot"}}
        entry["columns"]["responses"] = _responses(paths["answers"], names, own_id)
    return entry


def _responses(file, names, own_id):
    """By id where both files have one, else by the text of the question."""
    header = _header(file)
    columns = {"responder": None, "response": _needed(file, header, "answer", names), "question_id": None}
    if own_id and (theirs := _column(header, "question_id", names)):
        return columns | {"question_id": theirs}
    return columns | {"question": _needed(file, header, "question", names)}


def _log(corpus, file, names, date_format):
    header = _header(file)
    entry = {"corpus": corpus, "files": [file], "date_format": date_format}
    if SPANS in header:
        return entry
    pairs = {"date": "date", "text": "question"}
    return entry | {"columns": {key: _needed(file, header, what, names) for key, what in pairs.items()}}


def _pairs(columns):
    names = {}
    for pair in columns:
        what, _, column = pair.partition("=")
        if what not in (*NAMED, "document") or not column:
            expected = f"expected what=name with one of {', '.join((*NAMED, 'document'))}{closest(what, NAMED)}"
            raise CheckError(f"--column: found {pair!r}, {expected}")
        names[what] = column
    return names


def _needed(file, header, what, names):
    column = _column(header, what, names)
    if column is None:
        asked, listed = names.get(what), ", ".join(name for name in header[:20] if name.isprintable()) or "none"
        expected = (
            repr(asked) if asked else f"one of {', '.join(usual_columns.NAMES[NAMED[what]])}, or --column {what}=NAME"
        )
        raise CheckError(f"{file}: found the columns {listed}, expected {expected}{closest(asked, header)}")
    return column


def _column(header, what, names):
    """The file's name of a column: the user's, or the first of the usual ones; None if it has none of them."""
    return usual_columns.of(NAMED[what], header, names.get(what))


def _header(file):
    """The names of a file's columns."""
    if not is_table(file):
        kinds, ending = ".csv, .tsv, .jsonl, .parquet, .arrow", Path(file).suffix.lower()
        raise CheckError(f"{file}: found {ending or 'no ending'!r}, expected a table: one of {kinds}")
    return table_files.header(file)


def _reachable(path, link):
    """The path as this folder reaches it: paths outside of it through a link beside the settings."""
    if not path.exists():
        raise CheckError(f"{path}: no such file or folder{likely(path)}")
    if path.is_dir() and path.resolve() in (Path.cwd(), *Path.cwd().parents):
        expected = "expected a folder with documents alone; results would lie among them"
        raise CheckError(f"{path}: found the folder in which this runs, {expected}")
    relative = os.path.relpath(path)
    if stays_inside(relative):
        return Path(relative).as_posix()
    link = link.with_suffix(path.suffix if path.is_file() else "")
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(path.resolve())
    return link.as_posix()
