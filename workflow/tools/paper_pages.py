"""The pages docs/papers/*.md, one for each paper, made from resources/papers/ and the figures of the benchmarks. What a
user does with them stands in docs/papers.md.
"""

from collections.abc import Iterator
from pathlib import Path

from ragassay.config import schema
from ragassay.config.settings import of_files
from ragassay.report import paper_tables

ROOT = Path(__file__).resolve().parents[2]


def pages(printed: dict[str, list[list[str]]]) -> dict[Path, str]:
    """The content of each page; `printed` are figures as `tools.figures` reads them."""
    figures = {f"{benchmark}/{line[0]}": line for benchmark, lines in printed.items() for line in lines}
    papers = paper_tables.papers()
    return {
        ROOT / f"docs/papers/{study}.md": "\n".join(_page(study, papers[study], figures)) + "\n" for study in papers
    }


def _page(study, paper, figures) -> Iterator[str]:
    models = of_files(_files(paper), schema.merged())["models"]
    yield f"# {paper['title']}\n"
    yield f"{paper['citation']} ([{paper['link'].removeprefix('https://')}]({paper['link']})). {paper['question']}\n"
    yield f"`ragassay reproduce {study}/TABLE` makes [any of its tables](../papers.md). Settings:"
    yield f"{', '.join(f'`{file}`' for file in paper['configfiles'])}. Sizes, dollars and hours are estimates.\n"
    yield f"```bibtex\n{paper['bibtex'].strip()}\n```\n"
    if paper["differs"]:
        yield "\n".join(["## What we do otherwise", "", *(f"* {line}" for line in paper["differs"]), ""])
    if paper["inputs"]:
        yield "\n".join(
            ["## What you bring", "", "| name | what | place | GB |", "|---|---|---|---|", *_inputs(paper), ""]
        )
    for name, table in paper["tables"].items():
        yield from _part(f"{study}/{name}", paper, table, models, figures)


def _files(paper):
    return [str(ROOT / file) for file in ("config/config.yaml", *paper["configfiles"])]


def _inputs(paper) -> Iterator[str]:
    for name, entry in paper["inputs"].items():
        place = f"`{entry['path']}`" if "path" in entry else ""
        yield f"| {name} | {entry['what']} | {place} | {entry.get('gb', '')} |"


def _part(name, paper, table, models, figures) -> Iterator[str]:
    yield f"## {name.partition('/')[2].replace('-', ' ').capitalize()}: {table['title']}\n"
    lines = []
    if table["instead"]:
        lines.append(f"Nothing is run. Ours: {table['instead']}.")
    else:
        lines.append(f"* Run: `ragassay reproduce {name}`, which makes `{table['target']}`")
        lines.append(f"* Rows: {', '.join(_places(table))}{_keys(table)}")
        lines.append(f"* Our numbers: not run, needs {', '.join(table['needs'])}; {_cost(table, models)}")
    lines += [
        f"* Nearest measured: {text}: {' '.join(figures[place][1:3])} (`{place}`)"
        for place, text in table["measured"].items()
    ]
    lines += [f"* Differs: {line}" for line in table["differs"]]
    yield "\n".join([*lines, ""])
    if table["numbers"]:
        yield "\n".join([*_grid(name, paper, table), ""])
    elif table["metrics"]:
        yield "The paper draws it and prints no numbers.\n"


def _places(table) -> Iterator[str]:
    for metric, place in table["metrics"].items():
        names, ours = paper_tables.place_of(place)
        rest = "1 less " if place.startswith(paper_tables.REST) else ""
        yield f"{metric} is {rest}`{ours}` of the table {' or '.join(f'`{name}`' for name in names)}"


def _keys(table):
    keys = ", ".join(f"{key} is {' or '.join(values)}" for key, values in table["keys"].items())
    return f", where {keys}" if keys else ""


def _cost(table, models):
    dollars = sum(paper_tables.dollars(models[model], *asked) for model, asked in table["asks"].items())
    requests = sum(asked[0] for asked in table["asks"].values())
    asked = f"${dollars:,.2f} for {requests:,.0f} requests" if requests else "no requests"
    return f"{asked}{', ' + table['hours'] if table['hours'] else ''}"


def _grid(name, paper, table) -> Iterator[str]:
    """The paper's numbers as it prints them, under its names."""
    names = paper["names"]
    yield f"The paper's numbers{', in percent' if table['percent'] else ''}:\n"
    heads = [" ".join(names.get(value, value) for value in column.values()) for column in _shown_columns(table)]
    yield f"| {' | '.join([*table['rows'], *heads])} |"
    yield f"|{'---|' * (len(table['rows']) + len(heads))}"
    for words in paper_tables.lines(name, table):
        labels = [names.get(word, word) for word in words[: len(table["rows"])]]
        yield f"| {' | '.join([*labels, *words[len(labels) :]])} |"


def _shown_columns(table):
    """Without keys that are the same in all columns, and without the metric where rows name it."""
    columns = paper_tables.columns(table)
    if "metric" in table["rows"]:
        columns = [{key: value for key, value in column.items() if key != "metric"} for column in columns]
    moving = {key for column in columns for key in column if len({each.get(key) for each in columns}) > 1}
    kept = moving or {"metric"}
    return [
        {key: column[key] for key in sorted(column, key=lambda key: key == "metric") if key in kept}
        for column in columns
    ]
