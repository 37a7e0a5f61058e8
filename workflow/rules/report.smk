"""From metrics to figures and the page that people open.

Reads   results/metrics/{section}.parquet, results/examples/{section}.parquet, workflow/report/
Writes  results/figures/{section}/          each figure as SVG (also in Snakemake's own report), PNG and PDF, with its
                                            data (CSV) and its Vega-Lite specification
        results/report/{section}.csv        every number of a section
        results/report/index.html           one self-contained page
"""

from ragassay.plan import report as page

SHOWN = plan(page.sections, registered=SECTIONS)
PAGES = expand("results/report/{page}", page=EXPLORERS.values())
PRODUCTS += ["results/report/index.html", *expand("results/report/{section}.csv", section=SHOWN), *PAGES]


wildcard_constraints:
    section=NAME,


localrules:
    draw_figures,
    write_numbers,
    render_report,


rule explorer:
    """The pages behind the numbers, such as all questions with their documents and votes."""
    input:
        PAGES,


rule draw_figures:
    """Every figure of a section is drawn from its metrics."""
    input:
        metrics="results/metrics/{section}.parquet",
        section="workflow/report/sections/{section}.yaml",
    output:
        figures=report(
            directory("results/figures/{section}"),
            patterns=["{figure}.svg"],
            caption="../report/figure.rst",
            category="{section}",
            labels={"figure": "{figure}"},
        ),
    log:
        "logs/draw_figures/{section}.log",
    localrule: True
    conda:
        "../../envs/report.yaml"
    params:
        code=code_version("report/draw_figures.py"),
        settings={},
    script:
        "../scripts/report/draw_figures.py"


rule write_numbers:
    """Every number of a section, for spreadsheets."""
    input:
        metrics="results/metrics/{section}.parquet",
    output:
        numbers=ensure("results/report/{section}.csv", non_empty=True),
    log:
        "logs/write_numbers/{section}.log",
    localrule: True
    conda:
        "../../envs/tables.yaml"
    params:
        code=code_version("report/write_numbers.py"),
        settings={},
    script:
        "../scripts/report/write_numbers.py"


rule render_report:
    """All sections become the page that people open."""
    input:
        metrics=expand("results/metrics/{section}.parquet", section=SHOWN),
        sections=expand("workflow/report/sections/{section}.yaml", section=SHOWN),
        figures=expand("results/figures/{section}", section=SHOWN),
        examples=[SECTIONS[name]["examples"] for name in SHOWN if "examples" in SECTIONS[name]],
        template="workflow/report/page.html.j2",
        style="workflow/report/page.css",
        behaviour="workflow/report/page.js",
    output:
        page=report(
            ensure("results/report/index.html", non_empty=True),
            caption="../report/page.rst",
            category="page",
        ),
    log:
        "logs/render_report.log",
    localrule: True
    conda:
        "../../envs/report.yaml"
    params:
        code=code_version("report/render_report.py"),
        settings=plan(page.render_report, explorers=EXPLORERS),
    script:
        "../scripts/report/render_report.py"
