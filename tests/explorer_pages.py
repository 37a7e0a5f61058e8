"""Explorer pages for tests, made by the stage from small tables."""

from large_study import TABLES, write_study

from conftest import ROOT
from ragassay import tables
from ragassay.schemas.defusion_labels import DEFUSION_LABELS
from ragassay.schemas.responses import RESPONSES
from ragassay.schemas.selected_questions import SELECTED_QUESTIONS
from rows import row
from scripts.scope.build_explorer import build_explorer

REPORT = ROOT / "workflow/report"
FILES = {"template": REPORT / "explorer.html.j2", "style": REPORT / "explorer.css"}
FILES["behaviour"] = [REPORT / "dossier.js", REPORT / "explorer.js"]


def build(folder, documents, change=lambda name, row: row, title="A study"):
    """A page about so many documents, after `change` has seen every row of every table. Two responders answered the
    questions out of scope of the first document.
    """
    paths = write_study(folder, documents)
    for name, table in TABLES.items():
        rows = [change(name, row) for row in tables.read(table, folder / f"{name}.parquet").to_pylist()]
        tables.write(table, folder / f"{name}.parquet", rows)
    page = folder / "explorer.html"
    build_explorer(**paths, **responses(folder), **FILES, page=page, title=title)
    return page


def responses(folder):
    """The paths of what two responders said, and of what the judge made of it."""
    questions = tables.read(SELECTED_QUESTIONS, folder / "selected_questions.parquet").to_pylist()
    out = [row for row in questions if row["intended"] == "out_of_scope" and row["doc_id"] == questions[0]["doc_id"]]
    paths = {"responses": [], "defusion_labels": []}
    for responder in ("r2", "r1"):
        said, told = [], []
        for asked in out:
            same = {"question_id": asked["question_id"], "responder": responder, "prompt_name": "basic"}
            said.append(row(RESPONSES, text=f"{responder} says nothing of it.", **same))
            told.append(row(DEFUSION_LABELS, label="defused" if responder == "r1" else "not_defused", **same))
        for name, table, rows in (("responses", RESPONSES, said), ("defusion_labels", DEFUSION_LABELS, told)):
            paths[name].append(folder / name / responder / "basic" / "s.parquet")
            tables.write(table, paths[name][-1], rows)
    return paths
