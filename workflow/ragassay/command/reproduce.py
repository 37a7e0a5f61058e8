"""`ragassay reproduce raguard/table-1`: what a table of a paper costs and lacks, then a run of nothing but that table,
and the paper's numbers beside ours. The settings that narrow the run, and the numbers, stay in the folder reproduced/.
"""

import csv
import io
import sys
from copy import deepcopy
from pathlib import Path

from ragassay.base import pipeline, plain_yaml
from ragassay.base.atomic import write_text
from ragassay.base.terminal import printable
from ragassay.command.run import enter_demo
from ragassay.config import schema
from ragassay.config.narrowing import narrowed
from ragassay.config.settings import ConfigError, lay_over, of_files
from ragassay.config.shards import read_shards
from ragassay.plan import models, references, retrieval
from ragassay.report import index_notes, paper_tables
from ragassay.report.paper_tables import Number, PaperError
from ragassay.running import downloads
from ragassay.running.command_line import read_all

FOLDER = Path("reproduced")
DEMO = "the demo's tables in the place of the paper's: they show that everything runs, and compare with no paper"


def reproduce(name: str | None, words: list[str], is_demo: bool = False) -> int:
    """The exit status. `words` are further options of Snakemake's, such as `--dry-run`. Without a name it lists all."""
    if name is None:
        sys.stdout.write(listed())
        return 0
    study, paper, table = paper_tables.named(name)
    if table["instead"]:
        sys.stdout.write(f"{name}: {table['title']}; nothing is run: {table['instead']}\n")
        return 0
    if is_demo:
        enter_demo()
    more_files, words = pipeline.split_configfiles(words)
    read_all(more_files)
    names = paper["demo"] if is_demo else {}
    files = [] if is_demo else [pipeline.shipped(file) for file in paper["configfiles"]]
    files += more_files
    file = FOLDER / f"{study}-{name.partition('/')[2]}{'-demo' if is_demo else ''}.yaml"
    over = narrow(file, files, paper, table, name, is_demo)
    sys.stdout.write(f"{name}: {table['title']}\n" + (f"{name}: {DEMO}\n" if is_demo else ""))
    sys.stdout.write(f"settings: {' '.join([*files, str(file)])}\n")
    if not is_demo:
        sys.stdout.write(f"cost: {cost(table, over)}\n")
    if missing := lacking([*files, str(file)]):
        sys.stdout.write("".join(f"missing: {printable(line)}\n" for line in missing))
        raise PaperError(f"{name}: not run, {len(missing)} missing; bring what the lines above name")
    metrics = Path("results/metrics", f"{table['study']}.parquet")
    sys.stdout.write(f"writes: {metrics}, in place of this project's; run it in a folder of its own to keep yours\n")
    command = pipeline.snakemake(table["target"], *words, "--configfile", *files, str(file))
    if (status := pipeline.status_of(command)) or is_dry(words):
        return status
    numbers = paper_tables.compared(name, table, metrics, names)
    written, indexes = file.with_suffix(".csv"), of_indexes(over, table["study"])
    write_text(written, as_csv(numbers, indexes))
    sys.stdout.write("\n".join([*lines(numbers, paper["names"], is_demo, indexes), f"numbers: {written}", ""]))
    return 0


def is_dry(words: list[str]) -> bool:
    """Whether Snakemake only plans with these options, `-nq` among them."""
    from snakemake.cli import get_argument_parser

    options, _ = get_argument_parser().parse_known_args(words)
    return bool(options.dryrun)


def listed() -> str:
    """All tables and figures, a line each."""
    rows = []
    for study, paper in paper_tables.papers().items():
        rows.append(f"{paper['title']} ({paper['link']})")
        rows += [f"  {study}/{name}  {table['title']}" for name, table in paper["tables"].items()]
    return "\n".join([*rows, "next: ragassay reproduce STUDY/TABLE --dry-run", ""])


def narrow(file: Path, files: list[str], paper: dict, table: dict, name: str, is_demo: bool) -> dict:
    """Writes the settings that narrow a run to one table, and returns the whole configuration."""
    below = [*pipeline.settings_files(), *files]
    settings = {"report": {"name": file.stem}}
    for more in () if is_demo else (paper["settings"], table["settings"]):
        lay_over(settings, deepcopy(more))
    write_text(file, plain_yaml.dump(settings))
    config = of_files([*below, str(file)], schema.merged())
    keys = paper_tables.names_of(table, paper_tables.printed(name, table))
    keys = {
        key: [*values, *(paper["demo"][value] for value in values if is_demo and value in paper["demo"])]
        for key, values in keys.items()
    }
    sweeps = swept(config["raguard"]["sweeps"], table, file)
    shards = pipeline.shipped(config["shards"])
    lay_over(settings, {"shards": shards, "raguard": {"sweeps": sweeps}})
    over = narrowed(config, keys, Path(sweeps).read_text() if sweeps else None)
    left = {"relevance": any(over["relevance"]["sets"].values())}
    left |= {
        study: bool(over[section]["cells"]) for study, section in (("raguard", "under_attack"), ("revprag", "revprag"))
    }
    if not left.get(table["study"], True):
        raise PaperError(f"{name}: found nothing in the demo for it, expected --demo with another table")
    lay_over(settings, over)
    write_text(file, plain_yaml.dump(settings))
    return of_files([*below, str(file)], schema.merged())


def swept(sweeps: str | None, table: dict, file: Path) -> str | None:
    """A file with the sweeps that this table shows, or none."""
    shown = {name for place in table["metrics"].values() for name in paper_tables.place_of(place)[0]}
    head, *rows = Path(pipeline.shipped(sweeps)).read_text(encoding="utf-8").splitlines() if sweeps else [""]
    rows = [row for row in rows if row.partition("\t")[0] in shown]
    if not rows:
        return None
    write_text(file.with_suffix(".tsv"), "\n".join([head, *rows, ""]))
    return str(file.with_suffix(".tsv"))


def lacking(files: list[str]) -> list[str]:
    """Files and keys that a run would stop without, and models that are to be fetched before it, a line each."""
    try:
        config = of_files([*pipeline.settings_files(), *files], schema.merged(), references.problems)
    except ConfigError as error:
        return str(error).splitlines()
    entries = downloads.lacking(models.of_hub(config))
    return [f"{place[0]}.{place[1]}: fetch it with: hf download {entry['model']}" for place, entry in entries.items()]


def cost(table: dict, config: dict) -> str:
    """Requests, dollars and hours, estimated from the paper's sizes."""
    parts = [table["hours"]] if table["hours"] else []
    dollars = 0.0
    for model, (requests, *tokens) in table["asks"].items():
        dollars += paper_tables.dollars(config["models"][model], requests, *tokens)
        parts.append(f"{requests:,.0f} requests to {model}")
    return f"some ${dollars:,.2f} (estimated from the paper's sizes): {', '.join(parts) or 'no requests'}"


def of_indexes(config: dict, section: str) -> dict[str, str]:
    """What the indexes miss that numbers of a section rest on; see `index_notes`."""
    shards = read_shards(config["shards"], config["question_sets"])
    files = retrieval.recalls(config, shards, [section], {section: {}}).get(section, ())
    return index_notes.remarks(path for path in files if Path(path).exists())


def _resting(numbers, indexes):
    """Of each number, what it rests on; nothing, if no number rests on an index."""
    keys = [number.row["keys"] if number.row else {} for number in numbers]
    resting = [" ".join(index_notes.of_number(indexes, of_number)) for of_number in keys]
    return resting if any(resting) else []


def lines(numbers: list[Number], names: dict[str, str], is_demo: bool, indexes: dict[str, str]) -> list[str]:
    """A line for each number that the paper or we have; of the demo, for each of ours. `indexes` are remarks on them,
    and stand behind numbers that rest on one.
    """
    rows = [["", "", "paper", "demo" if is_demo else "ours", "interval", "n"]]
    made = [number for number in numbers if number.row is not None]
    shown = made if is_demo else numbers
    for number in shown:
        value, low, high = number.ours
        interval = "" if low is None else f"[{low:.3f}, {high:.3f}]"
        keys = ", ".join(names.get(name, name) for name in number.keys.values())
        items = "" if number.row is None else str(number.row["n"])
        rows.append([keys, number.metric, _shown(number.printed), _shown(value), interval, items])
    if resting := _resting(shown, indexes):
        rows = [[*row, remark] for row, remark in zip(rows, [index_notes.COLUMN, *resting], strict=True)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table = ["  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return [*table, f"{len(made)} of {len(numbers)} numbers were made here"]


def _shown(value):
    return "-" if value is None else f"{value:.4g}"


def as_csv(numbers: list[Number], indexes: dict[str, str]) -> str:
    """The same as a table."""
    keys, resting = list(dict.fromkeys(key for number in numbers for key in number.keys)), _resting(numbers, indexes)
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow([*keys, "metric", "paper", "ours", "low", "high", "n", *[index_notes.COLUMN] * bool(resting)])
    for at, number in enumerate(numbers):
        items = None if number.row is None else number.row["n"]
        values = [number.metric, number.printed, *number.ours, items, *resting[at : at + 1]]
        writer.writerow([*(number.keys.get(key) for key in keys), *values])
    return content.getvalue()
