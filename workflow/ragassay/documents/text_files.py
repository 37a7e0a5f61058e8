"""Read files with one text each: plain texts with an optional YAML header here, and those that need a parser (HTML,
PDF, Word) in a process that can be killed, whatever the file does to it. A file that cannot be used comes back with its
problem. Scans are not recognized: a PDF needs text in it."""

import importlib.util
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ragassay.base import plain_yaml
from ragassay.base.errors import not_installed
from ragassay.base.terminal import shown
from ragassay.documents.readers import Readers
from ragassay.documents.record import Columns, Record, SourceError, decoded, fields_of
from ragassay.text.characters import fit

HEADER = re.compile(r"---[ \t]*\n((?:.*\n)*?)---[ \t]*(?:\n|\Z)")
HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(\S.*)$|^(\S.*)\n(?:={3,}|-{3,})[ \t]*$", re.MULTILINE)
PLAIN = (".txt", ".md", ".markdown")
PARSED = {".html": "html", ".htm": "html", ".pdf": "pdf", ".docx": "docx"}
PARSER = "ragassay.documents.parsed_files"  # a program, which rules with these files name in their version of code
LARGEST = {True: 50_000_000, False: 200_000_000}  # bytes of a plain text, and of others
SECONDS, MEGABYTES = 120, 2048  # for one file
LONGEST_TITLE = 200


def read_plain(file: str, columns: Columns) -> Iterator[Record]:
    content, why = _content(file, plain=True)
    if why:
        yield _refused(file, *why)
        return
    text, problem = decoded(content)
    if problem:
        yield _refused(file, "encoding", problem)
        return
    fields, body = {}, text
    if header := HEADER.match(text):
        body = text[header.end() :]
        try:
            fields = plain_yaml.load(header[1], plain_yaml.Texts) or {}
        except plain_yaml.YamlError as error:
            problem = f"line {error.line + 1}: the header is not plain YAML: {error}"
        if not isinstance(fields, dict):
            problem = f"the header holds {shown(fields)}, expected lines of the form 'title: ...'"
    if problem:
        yield _refused(file, "bad_header", problem)
    else:
        heading = HEADING.search(body) if Path(file).suffix.lower() != ".txt" else None
        title = (heading[1] or heading[2]).rstrip(" \t").rstrip("#") if heading else ""
        yield _record(file, fields_of(fields, columns), body, columns, title)


def read_parsed(files: Iterable[str], columns: Columns) -> Iterator[Record]:
    """All of these files, one after the other, each with its own limits of time and memory."""
    problems = {}

    def contents():
        for file in files:
            content, problems[file] = _content(file, plain=False)
            yield file, content, [PARSED[Path(file).suffix.lower()]]

    with Readers(PARSER, 1, SECONDS, MEGABYTES) as readers:
        for file, reply in readers.read(contents()):
            if problems[file]:
                yield _refused(file, *problems[file])
            elif "read" in reply:
                yield _record(file, {}, reply["read"]["text"], columns, reply["read"]["title"])
            else:
                yield _refused(file, reply["reason"], reply["detail"])


def check_parsers(files: Iterable[str]) -> None:
    """Refuse files whose parser is an extra that is not installed."""
    pdf = next((file for file in files if file.lower().endswith(".pdf")), None)
    if pdf and importlib.util.find_spec("pypdf") is None:
        raise SourceError(f"{pdf}: reading it {not_installed('pypdf')}")


def _record(file, fields, text, columns, title):
    title = " ".join(fit(title).split())[:LONGEST_TITLE] or fit(Path(file).stem).replace("\n", " ")
    return Record(file, 1, fields | {columns.text: text}, is_file=True, title=title)


def _refused(file, reason, detail):
    return Record(file, 1, reason=reason, detail=detail, is_file=True)


def _content(file, plain):
    """The bytes of a file, and nothing or the reason and the detail of what is wrong with it."""
    try:
        if (size := Path(file).stat().st_size) > LARGEST[plain]:
            expected = "expected one document in each file; CSV or JSON lines hold many"
            return b"", ("too_large", f"found a file of {size / 1e6:,.0f} MB, {expected}")
        return Path(file).read_bytes(), None
    except OSError as error:
        return b"", ("unreadable", f"cannot be read ({error.strerror}), expected a file that you may read")
