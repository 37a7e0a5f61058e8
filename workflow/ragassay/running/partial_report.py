"""The report of a run that does not measure all of it: a study ran alone, or a stage failed. What is measured is drawn,
and the pages say what is missing and which command fills it.

These pages are no outputs of a job. Snakemake takes them for incomplete, so that a whole run makes them again.
"""

from pathlib import Path

from ragassay.base.pipeline import shipped


def draw(
    folder: str, pages: dict[str, str], registered: dict, layout: dict, recalls: dict[str, list[str]], settings: dict
) -> None:
    """Whatever was measured since the front page of this report was made. `pages` says on which page a section stands,
    `recalls` names the tables of indexes that the numbers of a section rest on; `layout` and `settings` are what the
    rules `render_page` and `render_front` get.
    """
    report, metrics = Path(folder), {name: _metrics(name, registered) for name in pages}
    measured = [name for name in pages if metrics[name].exists()]
    if not any(_newer(metrics[name], report / "index.html") for name in measured):
        return
    # These load all libraries for drawing, which no plan needs.
    from scripts.report.draw_figures import draw_figures
    from scripts.report.render_front import render_front
    from scripts.report.render_page import render_page
    from scripts.report.write_findings import write_findings

    def shown(names):
        figures = [report / "figures" / name for name in names]
        return {"metrics": [metrics[name] for name in names], "sections": _descriptions(names), "figures": figures}

    for name in measured:
        numbers = report / f"{name}.csv"
        if _newer(metrics[name], numbers) or _newer(Path(_description(name)), numbers):
            of_indexes = _there(recalls, [name])
            draw_figures(metrics[name], _description(name), report / "figures" / name, numbers, of_indexes)
    heads = [head for head in dict.fromkeys(pages.values()) if any(pages[name] == head for name in measured)]
    layout = layout | {"heads": _descriptions(heads)}
    missing = [name for name in pages if name not in measured]
    for head in heads:
        names = sorted((name for name in measured if pages[name] == head), key=lambda name: name != head)
        examples = [registered[name]["examples"] for name in names if "examples" in registered[name]]
        render_page(
            **shown(names),
            examples=[path for path in examples if Path(path).exists()],
            index_recall=_there(recalls, [name for name in pages if pages[name] == head]),
            page=report / f"{head}.html",
            **layout,
            **settings["page"] | {"missing": _descriptions(name for name in missing if pages[name] == head)},
        )
    drawn, of_indexes = [report / f"{head}.html" for head in heads], _there(recalls, measured)
    findings = Path(f"results/findings/{settings['name']}.parquet")
    write_findings(shown(measured)["metrics"], _descriptions(measured), of_indexes, findings, recalls)
    render_front(
        **shown(measured),
        findings=findings,
        index_recall=of_indexes,
        pages=drawn,
        page=report / "index.html",
        settings=report / "settings.html",
        **layout,
        **settings["front"] | {"missing": _descriptions(missing)},
    )
    _mark([*drawn, report / "index.html", report / "settings.html", findings])


def _metrics(name, registered):
    return Path(f"results/metrics/{registered[name].get('metrics', name)}.parquet")


def _description(name):
    return shipped(f"workflow/report/sections/{name}.yaml")


def _descriptions(names):
    return [_description(name) for name in names]


def _there(recalls, sections):
    paths = dict.fromkeys(path for section in sections for path in recalls.get(section, ()))
    return [path for path in paths if Path(path).exists()]


def _newer(source, made):
    return not made.exists() or source.stat().st_mtime > made.stat().st_mtime


def _mark(files):
    from snakemake.persistence.file import FilePersistence

    records = FilePersistence(nolock=True)
    for file in files:
        records._mark_incomplete(str(file), None)
