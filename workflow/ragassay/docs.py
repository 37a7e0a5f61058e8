"""Write the generated parts of the documentation: `make docs`. A test holds them to what they are generated from.

config/README.md from the configuration's schema, ragassay/schemas/README.md (the data dictionary) from the tables; in
README.md the picture of the stages from the rule graph and the figures from benchmarks/figures/.
"""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import yaml

from ragassay.atomic import write_text
from ragassay.tables import REJECTS, Table

WORKFLOW = Path(__file__).resolve().parent.parent
ROOT = WORKFLOW.parent


def documentation() -> dict[Path, str]:
    """Every generated file and its content."""
    readme = ROOT / "README.md"
    figures = {path.stem: path.read_text().splitlines() for path in sorted((ROOT / "benchmarks/figures").glob("*.txt"))}
    text = between(readme.read_text(), "stages", stages(rule_graph(), rule_files()))
    return {
        ROOT / "config/README.md": settings(yaml.safe_load((WORKFLOW / "schemas/config.schema.yaml").read_text())),
        WORKFLOW / "ragassay/schemas/README.md": data_dictionary(tables()),
        readme: between(text, "figures", figure_table(figures)),
    }


def settings(schema: dict) -> str:
    """One table row per key, nested keys with dots."""
    lines = ["# Settings", "", "Made from workflow/schemas/config.schema.yaml by `make docs`.", ""]
    lines += [schema["description"], "", "| key | default | form | meaning |", "|---|---|---|---|", *_keys(schema, "")]
    return "\n".join(lines) + "\n"


def _keys(schema, prefix):
    required = schema.get("required", [])
    for key, inner in schema.get("properties", {}).items():
        default = "needed" if key in required else f"`{json.dumps(inner['default'])}`" if "default" in inner else ""
        default = "" if inner["type"] == "object" and inner.get("default") in (None, {}) else default
        yield f"| `{prefix}{key}` | {default} | {_form(inner)} | {' '.join(inner['description'].split())} |"
        yield from _keys(inner, f"{prefix}{key}.")
        if isinstance(inner.get("additionalProperties"), dict):
            yield from _keys(inner["additionalProperties"], f"{prefix}{key}.{{name}}.")


def _form(schema):
    types = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    form = {"object": "", "array": "list of", "string": "text"}.get(types[0], types[0])
    if types[0] == "array":
        return f"{form} {_form(schema['items'])}"
    if "enum" in schema:
        return "one of " + ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("format") == "inside":
        return "path inside the working directory"
    form += " in one line, without `<`" if schema.get("format") == "title" else ""
    form += f", at least {schema['minimum']}" if "minimum" in schema else ""
    return form + (" or nothing" if "null" in types else "")


def tables() -> list[Table]:
    """All tables, by name."""
    names = sorted(path.stem for path in (WORKFLOW / "ragassay/schemas").glob("[!_]*.py"))
    modules = [importlib.import_module(f"ragassay.schemas.{name}") for name in names]
    declared = {value.name: value for module in modules for value in vars(module).values() if isinstance(value, Table)}
    return [table for _, table in sorted((declared | {REJECTS.name: REJECTS}).items())]


def data_dictionary(tables: list[Table]) -> str:
    lines = [
        "# Data dictionary",
        "",
        "Made from the modules of this folder by `make docs`. Every table is a Parquet file",
    ]
    lines += ["below `results/`, sorted by its key. A column may be empty only where the last column says so."]
    for table in tables:
        lines += ["", f"## {table.name}", "", f"{table.row} Key: {', '.join(f'`{name}`' for name in table.key)}.", ""]
        lines += ["| column | type | meaning | may be empty |", "|---|---|---|---|"]
        lines += [f"| `{c.name}` | {c.type} | {c.description} | {'yes' if c.null else ''} |" for c in table.columns]
    return "\n".join(lines) + "\n"


def rule_graph() -> set[tuple[str, str]]:
    """(rule, rule that needs it) for all rules of the default configuration."""
    command = [sys.executable, "-m", "snakemake", "--forceall", "--rulegraph", "mermaid-js"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    names = dict(re.findall(r"^\t(id\d+)\[(\w+)\]", done.stdout, re.MULTILINE))
    return {(names[a], names[b]) for a, b in re.findall(r"^\t(id\d+) --> (id\d+)", done.stdout, re.MULTILINE)}


def rule_files() -> dict[str, str]:
    """rule -> the stage it belongs to, which is the name of its file."""
    files = sorted((WORKFLOW / "rules").glob("*.smk"))
    return {rule: file.stem for file in files for rule in re.findall(r"^rule (\w+):", file.read_text(), re.MULTILINE)}


def stages(graph, files) -> str:
    """The picture, in the notation that code hosts draw; rules that only name targets are left out."""
    lines = ["```mermaid", "flowchart LR"]
    for stage in dict.fromkeys(files.values()):
        inside = sorted({rule for pair in graph for rule in pair if files.get(rule) == stage})
        if inside:
            lines += [f'  subgraph {stage}_stage["{stage}"]', *(f"    {rule}" for rule in inside), "  end"]
    lines += [f"  {a} --> {b}" for a, b in sorted(graph) if a in files and b in files]
    return "\n".join([*lines, "```"])


def figure_table(printed: dict[str, list[str]]) -> str:
    """The lines that each benchmark printed, as a table."""
    rows = ["| benchmark | figure | measured | limit | ratio to it | target | |", "|---|---|---|---|---|---|---|"]
    for benchmark, lines in printed.items():
        for line in (line for line in lines if line.startswith("figure ")):
            _, name, value, unit, _, limit, _, ratio, _, target, verdict = line.split()
            limit = limit if limit == "-" else f"{limit} {unit}"
            measured = f"{benchmark} | {name.replace('_', ' ')} | {value} {unit}"
            rows.append(f"| {measured} | {limit} | {ratio} | {target} | {verdict} |")
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
