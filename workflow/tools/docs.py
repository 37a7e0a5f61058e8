"""Write the generated parts of the documentation: `make docs`. A test holds them to what they are generated from.

| file | made from |
|---|---|
| config/README.md | the schema of the configuration |
| workflow/ragassay/schemas/README.md, the data dictionary | the tables |
| README.md: the map of the stages, docs/stages.md: the graph of all rules | Snakemake's rule graph |
| README.md: the headline figures, docs/figures.md: all figures, docs/scale.md: far larger runs | benchmarks/figures/ |
| docs/models.md: what the paper's settings cost; pages of studies: which targets are not reached | the same |
| docs/papers/: a page for each paper | resources/papers/ and the figures |
| docs/troubleshooting.md: all messages | the code that raises them |
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import yaml

from ragassay.base import variants
from ragassay.base.atomic import write_text
from ragassay.base.tables import Table
from ragassay.config import schema
from ragassay.config.settings import of_files
from ragassay.plan.references import further_rule_files
from ragassay.results import all_tables
from tools import error_messages, paper_pages, scale
from tools.counts import reached
from tools.figures import figure_table, figures, not_reached, reasons, unmeasured

WORKFLOW = Path(__file__).resolve().parent.parent
ROOT = WORKFLOW.parent
ALONE = "folds_question_alone_minilm_logistic_auroc"
OVER_ALONE = "folds_sbert_nli_minilm_logistic_over_question_alone_lower_end"
HEADLINES = (  # benchmark, its figure, what the README says about it
    ("calls", "calls_2000_at_200ms", "2,000 calls to a server that takes 200 ms and 64 at a time"),
    ("chaos", "journalled_answers_asked_again", "answers that had arrived and were paid for again, in 1,000 kills"),
    ("annotation", "annotation_crowd_lost", "confirmed labels lost in 20 kills of the server and 100 flipped bits"),
    ("hostile", "hostile_wrong_class", "hostile servers and files, of 10,000, that a crawl took for something else"),
    ("tables", "write_5M_rows", "writing a checked and sorted table of 5 million rows"),
    ("models", "embedded_questions_faster_than_encode", "vectors of questions, against sentence-transformers"),
    (
        "scope",
        "folds_question_alone_minilm_logistic_auroc",
        "demo: AUROC of a control that sees the question but no document",
    ),
    ("scope", OVER_ALONE, "demo: accuracy of a detector minus that of this control, lower end"),
)
PAID = {"scope": "paper_all_dollars"}  # figures of the benchmark `paper_costs`
SETTINGS = [
    "The configuration says what is studied. What a run may use of the machine is in profiles/, and API keys come from",
    "the environment. Every key is optional unless it is needed; without it, its default holds.",
]
INCLUDED = re.compile(r'^include: "(.+)"', re.MULTILINE)
VERDICTS = {"ok": "reached", "short": "**falls short**"}


def documentation() -> dict[Path, str]:
    """Every generated file and its content."""
    graph, files, printed = rule_graph(), rule_files(), figures()
    parts = {  # page -> its generated parts
        "README.md": {
            "stages": stage_map(graph, files),
            "studies": studies(printed),
            "headlines": headlines(printed),
        },
        "docs/models.md": {"paper": paper_costs(printed)},
        "docs/stages.md": {"rules": picture(graph, files)},
        "docs/figures.md": {"figures": figure_table(printed), "unmeasured": unmeasured(printed)},
        "docs/scale.md": scale.parts(printed),
        "docs/troubleshooting.md": {"messages": error_messages.tables(error_messages.messages())},
        **{page: {"not reached": not_reached(printed, why)} for page, why in reasons().items()},
    }
    pages = {ROOT / page: (ROOT / page).read_text() for page in parts}
    for page, of_page in parts.items():
        for part, content in of_page.items():
            pages[ROOT / page] = between(pages[ROOT / page], part, content)
    return {
        ROOT / "config/README.md": settings(schema.parts()),
        WORKFLOW / "ragassay/schemas/README.md": data_dictionary(all_tables().values()),
        **pages,
        **paper_pages.pages(printed),
    }


def settings(parts: dict[Path, dict]) -> str:
    """A table for each file of the schema, with one row per key, nested keys with dots."""
    lines = ["# Settings", "", "Made from the files of workflow/schemas/ by `make docs`.", "", *SETTINGS]
    for part in parts.values():
        lines += ["", f"## {part['title']}", "", part["description"], ""]
        lines += ["| key | default | form | meaning |", "|---|---|---|---|", *_keys(part, "")]
    return "\n".join(lines) + "\n"


def _keys(part, prefix):
    required = part.get("required", [])
    for key, inner in part.get("properties", {}).items():
        default = "needed" if key in required else f"`{json.dumps(inner['default'])}`" if "default" in inner else ""
        default = "" if inner["type"] == "object" and inner.get("default") in (None, {}) else default
        yield f"| `{prefix}{key}` | {default} | {_form(inner)} | {' '.join(inner['description'].split())} |"
        yield from _keys(inner, f"{prefix}{key}.")
        if isinstance(inner.get("additionalProperties"), dict):
            yield from _keys(inner["additionalProperties"], f"{prefix}{key}.{{name}}.")


def _form(part):
    types = [part["type"]] if isinstance(part["type"], str) else part["type"]
    form = {"object": "", "array": "list of", "string": "text"}.get(types[0], types[0])
    if types[0] == "array":
        count = ", or how many" if "integer" in types else ""
        return f"{form} {_form(part['items']) or 'mappings'}{count}"
    if "enum" in part or "variant_of" in part:
        names = part["enum"] if "enum" in part else variants.names(part["variant_of"])
        return "one of " + ", ".join(f"`{name}`" for name in names)
    if part.get("format") == "inside":
        return "path inside the working directory"
    if part.get("format") == "place":
        return "path inside the working directory, or address of an object"
    form += " in one line, without `<`" if part.get("format") == "title" else ""
    form += f", at least {part['minimum']}" if "minimum" in part else ""
    return form + (" or nothing" if "null" in types else "")


def data_dictionary(tables: Iterable[Table]) -> str:
    lines = [
        "# Data dictionary",
        "",
        "Made from the modules of this folder by `make docs`. Every table is a Parquet file",
        "below `results/`, where the paths here begin, sorted by its key. A column may be",
        "empty only where the last one says so.",
    ]
    for table in tables:
        file = f" File: `{table.path}.parquet`." if table.path else ""
        key = ", ".join(f"`{name}`" for name in table.key)
        lines += ["", f"## {table.name}", "", f"{table.row}{file} Key: {key}.", ""]
        lines += ["| column | type | meaning | may be empty |", "|---|---|---|---|"]
        lines += [f"| `{c.name}` | {c.type} | {c.description} | {'yes' if c.null else ''} |" for c in table.columns]
    return "\n".join(lines) + "\n"


def rule_graph() -> set[tuple[str, str]]:
    """(rule, rule that needs it) for all rules of the default configuration, with those for labelling and exports."""
    config = of_files([ROOT / "config/config.yaml"], schema.merged())
    generator, judge = (config["scope"][role][0] for role in ("generators", "judges"))
    targets = ["report", "export", "export_attacks", f"results/annotation_items/{generator}/{judge}.parquet"]
    command = [sys.executable, "-m", "snakemake", "--forceall", "--rulegraph", "mermaid-js", "--", *targets]
    return arrows(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


def arrows(drawn: str) -> set[tuple[str, str]]:
    """(rule, rule that needs it) of a rule graph that Snakemake has drawn."""
    names = dict(re.findall(r"^\t(id\d+)\[(\w+)\]", drawn, re.MULTILINE))
    return {(names[a], names[b]) for a, b in re.findall(r"^\t(id\d+) --> (id\d+)", drawn, re.MULTILINE)}


def rule_files() -> dict[str, str]:
    """rule with a script -> its stage, which is the name of its file; in the order in which the stages run."""
    snakefile = ROOT / "Snakefile"
    before, _, after = snakefile.read_text().partition("for study in")
    names = [*re.findall(INCLUDED, before), *further_rule_files(snakefile), *re.findall(INCLUDED, after)]
    rules = {Path(name).stem: (ROOT / name).read_text() for name in names}
    return {rule: stage for stage, text in rules.items() for rule in re.findall(r'/(\w+)\.py"$', text, re.MULTILINE)}


def picture(graph, files) -> str:
    """All rules by stage, in the notation that code hosts draw, without rules that only name targets."""
    lines = ["```mermaid", "flowchart LR"]
    for stage in dict.fromkeys(files.values()):
        inside = sorted({rule for pair in graph for rule in pair if files.get(rule) == stage})
        if inside:
            lines += [f'  subgraph {stage}_stage["{stage}"]', *(f"    {rule}" for rule in inside), "  end"]
    lines += [f"  {a} --> {b}" for a, b in sorted(graph) if a in files and b in files]
    return "\n".join([*lines, "```"])


def stage_map(graph, files) -> str:
    """The stages and the fewest arrows from which all the others follow."""
    edges = {(files[a], files[b]) for a, b in graph if a in files and b in files and files[a] != files[b]}
    fewest = [arrow for arrow in sorted(edges) if arrow[1] not in reached(edges - {arrow}, arrow[0])]
    alone = [stage for stage in dict.fromkeys(files.values()) if not any(stage in arrow for arrow in fewest)]
    return "\n".join(
        [
            "```mermaid",
            "flowchart LR",
            *(f"  {stage}" for stage in alone),
            *(f"  {a} --> {b}" for a, b in fewest),
            "```",
        ]
    )


def studies(printed) -> str:
    """What the sections of the report answer, with the minutes of the demo where they are measured."""
    seconds = {name: float(value) for name, value, *_ in printed.get("house", [])}
    dollars = {name: f"{float(value):.0f}" for name, value, *_ in printed.get("paper_costs", [])}
    rows = ["| question | command | minutes | paper's dollars | section of the report |", "|---|---|---|---|---|"]
    everything = {"question": "All that the demo can answer, and the report", "command": "make demo", "title": "all"}
    for section in [everything, *sections().values()]:
        if "question" in section:
            study = section["command"].partition("STUDY=")[2]
            figure = f"demo_{study}" if study else "demo" if section is everything else ""
            minutes = f"{seconds[figure] / 60:.1f}" if figure in seconds else "-"
            paid = dollars.get(PAID.get(study), "-")
            rows.append(f"| {section['question']} | `{section['command']}` | {minutes} | {paid} | {section['title']} |")
    return "\n".join(rows)


def sections() -> dict[str, dict]:
    """name -> description of the sections that rule files register, in the order of the stages."""
    rules = [(WORKFLOW / f"rules/{stage}.smk").read_text() for stage in dict.fromkeys(rule_files().values())]
    names = [name for text in rules for name in re.findall(r'^SECTIONS\["(\w+)"\]', text, re.MULTILINE)]
    return {name: yaml.safe_load((WORKFLOW / f"report/sections/{name}.yaml").read_text()) for name in names}


def paper_costs(printed) -> str:
    """What each rule of the scope study would ask and pay with the paper's settings."""
    values = {name: float(value) for name, value, *_ in printed.get("paper_costs", [])}
    rows = ["| rule | requests | dollars | dollars at most |", "|---|---|---|---|"]
    for name in values:
        if rule := re.fullmatch(r"paper_(\w+)_dollars", name):
            requests, most = values[f"paper_{rule[1]}_requests"], values[f"paper_{rule[1]}_at_most"]
            rows.append(f"| {rule[1]} | {requests:,.0f} | {values[name]:,.2f} | {most:,.0f} |")
    return "\n".join(rows)


def headlines(printed) -> str:
    """The few figures that the README shows."""
    by_name = {(benchmark, figure[0]): figure[1:] for benchmark, measured in printed.items() for figure in measured}
    rows = ["| what | measured | best possible | target | |", "|---|---|---|---|---|"]
    for benchmark, figure, meaning in HEADLINES:
        value, unit, limit, _, target, verdict, *_ = by_name[benchmark, figure]
        limit = limit if limit == "-" else f"{limit} {unit}"
        rows.append(f"| {meaning} | {value} {unit} | {limit} | {target} | {VERDICTS[verdict]} |")
    return "\n".join(rows)


def between(text: str, part: str, content: str) -> str:
    """The text with new content between the two comments that mark a part."""
    before, rest = text.split(f"<!-- {part} -->\n")
    return f"{before}<!-- {part} -->\n{content}\n<!-- end of {part} -->{rest.split(f'<!-- end of {part} -->')[1]}"


def main() -> None:
    for path, text in documentation().items():
        if not path.exists() or path.read_text() != text:
            write_text(path, text)
            sys.stdout.write(f"wrote {path.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
