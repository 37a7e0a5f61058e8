"""Explorer pages for tests, made by the stage from small tables."""

from large_study import TABLES, write_study

from conftest import ROOT
from ragassay import tables
from scripts.scope.build_explorer import build_explorer

REPORT = ROOT / "workflow/report"
FILES = {"template": REPORT / "explorer.html.j2", "style": REPORT / "explorer.css"}
FILES["behaviour"] = [REPORT / "dossier.js", REPORT / "explorer.js"]


def build(folder, documents, change=lambda name, row: row, title="A study"):
    """A page about so many documents, after `change` has seen every row of every table."""
    paths = write_study(folder, documents)
    for name, table in TABLES.items():
        rows = [change(name, row) for row in tables.read(table, folder / f"{name}.parquet").to_pylist()]
        tables.write(table, folder / f"{name}.parquet", rows)
    page = folder / "explorer.html"
    build_explorer(**paths, **FILES, page=page, title=title)
    return page
