"""Write the figures and tables of a section as files for a paper: figures in its width as PDF, SVG, PNG and Vega-Lite,
tables as LaTeX, Markdown and CSV, each with its caption.
"""

from pathlib import Path

from ragassay.base.atomic import replacing
from ragassay.base.stage import run
from ragassay.report import charts, index_notes, paper, theme
from ragassay.report.sections import load


def typeset_section(metrics, section, index_recall, folder, width):
    content, folder = load(section, metrics, indexes=index_notes.remarks(index_recall)), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    with theme.drawn_for(theme.paper(width)):
        for part in [*content.parts, *content.details]:
            if part.kind == "examples" or not part.rows:
                continue
            name = paper.file_name(part, content.name)
            names.append(name)
            if part.drawn:
                drawing = getattr(charts, part.kind)(part.rows, part.title, **part.axes)
                files = theme.printed(drawing, width) | paper.figure_files(part, name, content.name)
            else:
                files = paper.table_files(part, name, content.name)
            for ending, written in files.items():
                with replacing(folder / f"{name}.{ending}") as target:
                    target.write(written)
    with replacing(folder / "all.tex") as target:
        target.write(paper.all_of(content, names).encode())


if __name__ == "__main__":
    run(typeset_section, snakemake)
