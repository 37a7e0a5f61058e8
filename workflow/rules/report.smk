"""From metrics to figures and the page that people open.

Reads   results/metrics/{section}.parquet, results/examples/{section}.parquet, workflow/report/
Writes  results/figures/{section}/*.svg     each figure by itself, also in Snakemake's own report
        results/report/{section}.csv        every number of a section
        results/report/index.html           one self-contained page
"""

SECTIONS = settings.sections(config)
WITH_EXAMPLES = [section for section in SECTIONS if section in ["scope"]]


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
    resources:
        mem_mb=1000,
        runtime="10m",
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
    resources:
        mem_mb=1000,
        runtime="10m",
    params:
        code=code_version("report/write_numbers.py"),
        settings={},
    script:
        "../scripts/report/write_numbers.py"


rule render_report:
    """All sections become the page that people open."""
    input:
        metrics=expand("results/metrics/{section}.parquet", section=SECTIONS),
        sections=expand(
            "workflow/report/sections/{section}.yaml",
            section=SECTIONS,
        ),
        figures=expand("results/figures/{section}", section=SECTIONS),
        examples=expand("results/examples/{section}.parquet", section=WITH_EXAMPLES),
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
    resources:
        mem_mb=1000,
        runtime="10m",
    params:
        code=code_version("report/render_report.py"),
        settings={
            "title": config["report"]["title"],
            "config": settings.shown(config),
            "pages": settings.explorers(config),
        },
    script:
        "../scripts/report/render_report.py"
