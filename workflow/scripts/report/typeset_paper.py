"""Write one document with the figures and tables of all sections, which compiles by itself."""

from pathlib import Path

from ragassay.base.atomic import write_text
from ragassay.base.stage import run
from ragassay.report import paper


def typeset_paper(folders, preamble, document, title):
    names = [Path(folder).name for folder in folders]
    write_text(document, paper.document(title, Path(preamble).read_text(), names))


if __name__ == "__main__":
    run(typeset_paper, snakemake)
