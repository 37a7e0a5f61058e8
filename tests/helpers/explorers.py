"""Explorer pages of made-up studies, and what is in them, as the browser unpacks it."""

import base64
import csv
import gzip
import io
import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import attacked
from project import ROOT
from ragassay.base import tables
from ragassay.report import provenance
from ragassay.results import all_tables
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.relevance import GATED_QUESTIONS
from ragassay.schemas.scope_answers import DEFUSION_LABELS, PREDICTIONS, RESPONSES
from ragassay.schemas.scope_questions import QUESTIONS
from rows import place, row, written
from scripts.explorers.list_attacks import list_attacks
from scripts.explorers.list_questions import list_questions
from tools import synthetic_study

REPORT = ROOT / "workflow/report"
FILES = {"templates": [REPORT / "explorer.html.j2", REPORT / "provenance.html.j2"], "style": REPORT / "explorer.css"}
QUESTION_SCRIPTS = [REPORT / "explorer_question.js", REPORT / "explorer.js"]
REMEDIES = dict.fromkeys(
    ["responses", "scope_labels", "defusion_labels", "people", "predictions", "gated_questions"], "Do this."
)
WRITTEN = (*synthetic_study.TABLES, RESPONSES, DEFUSION_LABELS, PREDICTIONS, GATED_QUESTIONS)
WRITTEN = {table.name: table for table in WRITTEN}
ASKED = {"responses": "responder", "defusion_labels": "responder", "predictions": "detector"}
DETECTORS = ("d1", "overlap")
FURTHER = ("gold", "human_labels", "covered_questions")
ATTACK_SCRIPTS = [REPORT / "explorer_attack.js", REPORT / "explorer.js"]
ATTACK_TABLES = ("targets", "poisoned_passages", "passages", "retrieved", "filtered", "answers")
WANTS = {"none": None, "loud": "answer", "mute": "declining"}


def build(folder, documents, change=None, title="A study", responders=("r2", "r1"), detectors=DETECTORS, **more):
    """A page about so many documents, after `change` has seen every row of every table. Responders, detectors and a
    gate were asked about all questions. `more` are files of further tables, or none of one.
    """
    paths = write_study(folder, documents, responders, detectors)
    for name, files in paths.items():
        for file in files if change else ():
            rows = tables.read(WRITTEN[name], file).to_pylist()
            tables.write(WRITTEN[name], file, [change(name, row) for row in rows])
    return listed(folder, {**paths, **dict.fromkeys(FURTHER, ()), **more}, title)


def write_study(folder, documents, responders, detectors):
    """An invented study with its files; each responder answers and each detector predicts something else."""
    synthetic_study.write(documents, folder)
    shards = synthetic_study.shards(documents)
    places = {name: (table, shards if "{shard}" in table.path else [""]) for name, table in WRITTEN.items()}
    paths = {
        name: [synthetic_study.place(folder, table, shard) for shard in names]
        for name, (table, names) in places.items()
    }
    for file in paths["documents"]:
        rows = tables.read(DOCUMENTS, file)
        addresses = [f"https://news.example/{name}" for name in rows["doc_id"].to_pylist()]
        at = rows.schema.get_field_index("url")
        tables.write(DOCUMENTS, file, rows.set_column(at, rows.schema.field(at), pa.array(addresses)))
    for name, others in ASKED.items():
        of_one, paths[name] = paths[name], []
        for number, asked in enumerate({"responder": responders, "detector": detectors}[others]):
            for shard, file in zip(shards, of_one, strict=True):
                rows = _turned(tables.read(WRITTEN[name], file), number, **{others: asked})
                keys = {"generator": "g", "prompt": "basic", "encoder": "e", "asked": "g", others: asked}
                paths[name].append(written(folder, WRITTEN[name], rows, shard=shard, **keys))
        for file in of_one:
            file.unlink()
    paths["gated_questions"] = [write_gate(folder, paths["questions"])]
    return paths


def _turned(rows, number, **names):
    """What another one says: the answers to questions so many places away. Of a detector, one head."""
    if "head" in rows.column_names:
        rows = rows.filter(pc.equal(rows["head"], "mlp"))
    order = pa.array(np.roll(np.arange(rows.num_rows), number))
    for at, column in enumerate(rows.schema):
        if column.name in names:
            rows = rows.set_column(at, column, pa.repeat(names[column.name], rows.num_rows))
        elif column.name not in ("question_id", "doc_id", "intended"):
            rows = rows.set_column(at, column, rows[column.name].take(order))
    return rows


def write_gate(folder, files):
    """What a gate says of each question: rejected, not, or not decided, in turn; the first document is the nearest."""
    path = place(folder, GATED_QUESTIONS)
    asked = tables.read_all(QUESTIONS, files).select(["question_id", "doc_id"]).to_pylist()
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
    settings = {"title": title, "subject": f"About {title}.", "report": "index.html", "remedies": REMEDIES}
    settings |= {"models": {"r1": "a/r1", "r9": "a/r9"}, "command": "make demo"}
    list_questions(**paths, **FILES, behaviour=QUESTION_SCRIPTS, page=page, csv=page.with_suffix(".csv"), **settings)
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


def build_attacks(folder, targets, change=None, title="Attacks", without=(), index_recall=(), **asked):
    """A page about attacks on so many targets, after `change` has seen every row; without files with one of `without`
    in their paths.
    """
    asked = {"attacks": list(WANTS), "defences": ["none", "guard"], "responders": ["r1", "r2"]} | asked
    paths = attacked.write_attacks(folder, targets, **asked)
    declared = all_tables()
    for name, files in paths.items():
        for file in files if change else ():
            rows = tables.read(declared[name], file).to_pylist()
            tables.write(declared[name], file, [change(name, row) for row in rows])
    page = folder / "attacks.html"
    for name in ATTACK_TABLES:
        paths[name] = [file for file in paths.get(name, []) if not any(part in str(file) for part in without)]
    settings = {"title": title, "subject": "Attacks.", "report": "index.html", "corpora": {"d": "c"}}
    settings["wants"] = {name: WANTS.get(name, "answer") for name in asked["attacks"]}
    settings |= {"defences": asked["defences"], "k": attacked.FIRST, "depth": attacked.DEPTH}
    settings["remedies"] = dict.fromkeys(["filtered", "answers", "clean"], "Do this.")
    files = {**FILES, "behaviour": ATTACK_SCRIPTS, "page": page, "csv": page.with_suffix(".csv")}
    settings |= {"models": {"r1": "a/r1", "r9": "a/r9"}, "command": "make demo"}
    list_attacks(**paths, **files, **settings, index_recall=index_recall)
    provenance.mark(folder, {})
    return page
