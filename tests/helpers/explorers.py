"""Explorer pages of made-up studies, and what is in them, as the browser unpacks it."""

import base64
import csv
import gzip
import io
import json
import re

from corpora import large_attacks, large_study
from project import ROOT
from ragassay.base import tables
from ragassay.report import provenance
from ragassay.results import all_tables
from ragassay.schemas.relevance import GATED_QUESTIONS
from ragassay.schemas.scope_answers import DEFUSION_LABELS, PREDICTIONS, RESPONSES
from ragassay.schemas.scope_questions import QUESTIONS
from rows import place, row
from scripts.explorers.list_attacks import list_attacks
from scripts.explorers.list_questions import list_questions

REPORT = ROOT / "workflow/report"
FILES = {"templates": [REPORT / "explorer.html.j2", REPORT / "provenance.html.j2"], "style": REPORT / "explorer.css"}
QUESTION_SCRIPTS = [REPORT / "explorer_question.js", REPORT / "explorer.js"]
REMEDIES = dict.fromkeys(
    ["responses", "scope_labels", "defusion_labels", "people", "predictions", "gated_questions"], "Do this."
)
WRITTEN = {**large_study.TABLES, "responses": RESPONSES, "defusion_labels": DEFUSION_LABELS, "predictions": PREDICTIONS}
WRITTEN |= {"gated_questions": GATED_QUESTIONS}
FURTHER = ("gold", "human_labels", "covered_questions")
ATTACK_SCRIPTS = [REPORT / "explorer_attack.js", REPORT / "explorer.js"]
ATTACK_TABLES = ("targets", "poisoned_passages", "passages", "retrieved", "filtered", "answers")
WANTS = {"none": None, "loud": "answer", "mute": "declining"}


def build(folder, documents, change=lambda name, row: row, title="A study", responders=("r2", "r1"), **more):
    """A page about so many documents, after `change` has seen every row of every table. Responders, two detectors and
    a gate were asked about all questions. `more` are files of further tables, or none of one.
    """
    paths = large_study.write_study(folder, documents)
    paths |= large_study.write_answers(folder, paths["questions"][0], responders, ["d1", "overlap"])
    paths["gated_questions"] = [write_gate(folder, paths["questions"][0])]
    for name, files in paths.items():
        for file in files:
            rows = tables.read(WRITTEN[name], file).to_pylist()
            tables.write(WRITTEN[name], file, [change(name, row) for row in rows])
    return listed(folder, {**paths, **dict.fromkeys(FURTHER, ()), **more}, title)


def write_gate(folder, questions):
    """What a gate says of each question: rejected, not, or not decided, in turn; the first document is the nearest."""
    path = place(folder, GATED_QUESTIONS)
    asked = tables.read(QUESTIONS, questions, ["question_id", "doc_id"]).to_pylist()
    rows = [
        row(
            GATED_QUESTIONS,
            question_id=question["question_id"],
            p_value=(0.01, 0.5, None)[at % 3],
            rejected=(True, False, None)[at % 3],
            nearest_doc_id=asked[0]["doc_id"] if at % 4 else None,
        )
        for at, question in enumerate(asked)
    ]
    tables.write(GATED_QUESTIONS, path, rows)
    return path


def listed(folder, paths, title="A study"):
    """The page of these tables."""
    page = folder / "explorer.html"
    inputs = {name: files for name, files in paths.items() if name != "selected_questions"}
    settings = {"title": title, "subject": f"About {title}.", "report": "index.html", "remedies": REMEDIES}
    settings |= {"models": {"r1": "a/r1", "r9": "a/r9"}, "command": "make demo"}
    list_questions(**inputs, **FILES, behaviour=QUESTION_SCRIPTS, page=page, csv=page.with_suffix(".csv"), **settings)
    provenance.mark(folder, {})
    return page


def content(page):
    """The index and the dossiers, as the browser unpacks them."""
    packed = re.findall(r'<script type="application/octet-stream" id="[\w-]+">([^<]*)</script>', page.read_text())
    index, *pieces = [json.loads(gzip.decompress(base64.b64decode(text))) for text in packed]
    return index, [dossier for piece in pieces for dossier in piece]


def facet(index, name):
    """Its value of each row."""
    values = next(facet for facet in index["facets"] if facet["name"] == name)
    return [values["values"][code] for code in values["codes"]]


def outcomes(index, column):
    """The outcomes in a column, row by row; None where there is no cell."""
    at = [entry["name"] for entry in index["columns"]].index(column)
    return [None if code == "-" else index["outcomes"][ord(code) - ord("a")] for code in index["codes"][at]]


def rows_of(page):
    """The rows of the file beside the page."""
    return list(csv.DictReader(io.StringIO(page.with_suffix(".csv").read_text(), newline="")))


def build_attacks(folder, targets, change=lambda name, row: row, title="Attacks", without=(), index_recall=(), **asked):
    """A page about attacks on so many targets, after `change` has seen every row; without files with one of `without`
    in their paths.
    """
    asked = {"attacks": list(WANTS), "defences": ["none", "guard"], "responders": ["r1", "r2"]} | asked
    paths = large_attacks.write_attacks(folder, targets, **asked)
    declared = all_tables()
    for name, files in paths.items():
        for file in files:
            rows = tables.read(declared[name], file).to_pylist()
            tables.write(declared[name], file, [change(name, row) for row in rows])
    page = folder / "attacks.html"
    for name in ATTACK_TABLES:
        paths[name] = [file for file in paths.get(name, []) if not any(part in str(file) for part in without)]
    settings = {"title": title, "subject": "Attacks.", "report": "index.html", "wants": WANTS, "corpora": {"d": "c"}}
    settings |= {"defences": asked["defences"], "k": large_attacks.FIRST, "depth": large_attacks.DEPTH}
    settings["remedies"] = dict.fromkeys(["filtered", "answers", "clean"], "Do this.")
    files = {**FILES, "behaviour": ATTACK_SCRIPTS, "page": page, "csv": page.with_suffix(".csv")}
    settings |= {"models": {"r1": "a/r1", "r9": "a/r9"}, "command": "make demo"}
    list_attacks(**paths, **files, **settings, index_recall=index_recall)
    provenance.mark(folder, {})
    return page
