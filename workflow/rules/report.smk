"""From metrics to findings, figures and the pages that people open.

Reads   results/metrics/{section}.parquet, results/examples/{section}.parquet, results/index_recall, workflow/report/
Writes  results/findings/<name>.parquet     what was found, a sentence each
        <report>/figures/{section}/         each figure as SVG (also in Snakemake's own report), PNG and PDF, with its
                                            data (CSV) and its Vega-Lite specification
        <report>/{section}.csv              every number of a section
        <report>/{page}.html                one self-contained page for each study
        <report>/index.html                 the front page: what was found
        <report>/settings.html              the configuration of the report
        <report>/paper/{section}/           figures and tables of a section, for a paper
        <report>/paper/report.tex           all of them in one document
where <report> is results/report and <name> is default, or results/report/<name> for a configuration of that name
"""

from ragassay.plan import retrieval

SHOWN = plan(page.sections, registered=SECTIONS)
PAGE_OF = page.page_of(SHOWN, SECTIONS)
HEADS = [*dict.fromkeys(PAGE_OF.values())]
PAGES = expand("<report>/{page}", page=EXPLORERS.values())
PRODUCTS += [
    "<report>/index.html",
    *expand("<report>/{page}.html", page=HEADS),
    *expand("<report>/{section}.csv", section=SHOWN),
    *PAGES,
]
METRICS = plan(page.all_metrics, sections=SHOWN, registered=SECTIONS)
LAYOUT = {
    "heads": shipped(expand("workflow/report/sections/{page}.yaml", page=HEADS)),
    "templates": shipped(
        expand("workflow/report/{part}.html.j2", part=["layout", "macros", "provenance", "front", "page", "settings"])
    ),
    "style": shipped("workflow/report/page.css"),
    "behaviour": shipped("workflow/report/page.js"),
}
RECALLS = plan(retrieval.recalls, shown=SHOWN, registered=SECTIONS)
ALL_RECALLS = [*dict.fromkeys(path for section in SHOWN for path in RECALLS.get(section, []))]
PAGE_INPUTS = page.page_inputs(PAGE_OF, SECTIONS, RECALLS)

PARTIAL = {
    "folder": plan(page.places, files=CONFIG_FILES)["report"],
    "pages": PAGE_OF,
    "registered": SECTIONS,
    "layout": LAYOUT,
    "recalls": RECALLS,
    "settings": {
        "page": plan(page.render_page, explorers=EXPLORERS, files=CONFIG_FILES, recalls=RECALLS),
        "front": plan(page.render_front, explorers=EXPLORERS, files=CONFIG_FILES, recalls=RECALLS),
        "name": plan(page.places, files=CONFIG_FILES)["name"],
    },
}


wildcard_constraints:
    section=NAME,


localrules:
    write_findings,
    draw_figures,
    render_page,
    render_front,
    typeset_section,
    typeset_paper,


rule figures:
    """Every figure of the report."""
    input:
        expand("<report>/figures/{section}", section=SHOWN),


rule paper:
    """Every figure and table of the report, for a paper."""
    input:
        "<report>/paper/report.tex",


rule explorer:
    """The pages behind the numbers, such as all questions with their documents and votes."""
    input:
        PAGES,


rule draw_figures:
    """Every figure of a section is drawn from its metrics, and every number is written for spreadsheets."""
    input:
        metrics=plan(page.metrics, registered=SECTIONS),
        section=shipped("workflow/report/sections/{section}.yaml"),
        index_recall=lookup("{section}", within=RECALLS, default=[]),
    output:
        figures=report(
            directory("<report>/figures/{section}"),
            patterns=["{figure}.svg"],
            caption="../report/figure.rst",
            category="{section}",
            labels={"figure": "{figure}"},
        ),
        numbers=ensure("<report>/{section}.csv", non_empty=True),
    localrule: True
    conda:
        "../../envs/report.yaml"
    script:
        "../scripts/report/draw_figures.py"


rule write_findings:
    """What was found is put into words, with how certain it is."""
    input:
        metrics=METRICS,
        sections=shipped(expand("workflow/report/sections/{section}.yaml", section=SHOWN)),
        index_recall=ALL_RECALLS,
    output:
        findings=table("results/findings/<name>.parquet"),
    localrule: True
    conda:
        "../../envs/report.yaml"
    params:
        settings={"recalls": RECALLS},
    script:
        "../scripts/report/write_findings.py"


rule render_page:
    """The sections of a study become the page that people open."""
    input:
        **LAYOUT,
        metrics=lookup("{page}/metrics", within=PAGE_INPUTS),
        sections=lookup("{page}/sections", within=PAGE_INPUTS),
        figures=lookup("{page}/figures", within=PAGE_INPUTS),
        examples=lookup("{page}/examples", within=PAGE_INPUTS),
        index_recall=lookup("{page}/index_recall", within=PAGE_INPUTS),
    output:
        page=report(
            ensure("<report>/{page}.html", non_empty=True),
            caption="../report/page.rst",
            category="page",
        ),
    wildcard_constraints:
        page=one_of(HEADS),
    localrule: True
    conda:
        "../../envs/report.yaml"
    params:
        settings=plan(page.render_page, explorers=EXPLORERS, files=CONFIG_FILES, recalls=RECALLS),
    script:
        "../scripts/report/render_page.py"


rule render_front:
    """What was found in all studies becomes the front page."""
    input:
        **LAYOUT,
        metrics=METRICS,
        sections=shipped(expand("workflow/report/sections/{section}.yaml", section=SHOWN)),
        figures=expand("<report>/figures/{section}", section=SHOWN),
        findings="results/findings/<name>.parquet",
        pages=expand("<report>/{page}.html", page=HEADS),
        index_recall=ALL_RECALLS,
    output:
        page=report(
            ensure("<report>/index.html", non_empty=True),
            caption="../report/page.rst",
            category="page",
        ),
        settings=ensure("<report>/settings.html", non_empty=True),
    localrule: True
    conda:
        "../../envs/report.yaml"
    params:
        settings=plan(page.render_front, explorers=EXPLORERS, files=CONFIG_FILES, recalls=RECALLS),
    script:
        "../scripts/report/render_front.py"


rule typeset_section:
    """The figures and tables of a section become files that a paper includes."""
    input:
        metrics=plan(page.metrics, registered=SECTIONS),
        section=shipped("workflow/report/sections/{section}.yaml"),
        index_recall=lookup("{section}", within=RECALLS, default=[]),
    output:
        folder=directory("<report>/paper/{section}"),
    localrule: True
    conda:
        "../../envs/report.yaml"
    params:
        settings={"width": config["report"]["paper_width"]},
    script:
        "../scripts/report/typeset_section.py"


rule typeset_paper:
    """One document holds all figures and tables."""
    input:
        folders=expand("<report>/paper/{section}", section=SHOWN),
        preamble=shipped("workflow/report/preamble.tex"),
    output:
        document="<report>/paper/report.tex",
    localrule: True
    conda:
        "../../envs/report.yaml"
    params:
        settings={"title": config["report"]["title"]},
    script:
        "../scripts/report/typeset_paper.py"
