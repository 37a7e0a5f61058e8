"""Rules write tables where the tables say that they lie, and every table with a place is written."""

import re

import pytest

from project import ROOT
from ragassay.base import tables
from ragassay.results import all_tables
from rule_texts import directives

TABLES = [table for table in all_tables().values() if table.path]
# What may stand in a path for a key of another name: a question set is its own generator and shard.
STAND_INS = {
    "{question_set}": {"generator", "shard", "query_set"},
    "{encoder}": {"retriever"},
    "{corpus}.held_out": {"corpus"},
    "{corpus}.held_out+{number}": {"corpus"},
    "{corpus}+1": {"corpus"},
    "{dataset}.targets": {"query_set"},
    "{dataset}.{defence}": {"query_set"},
}


PREDICTED = "{generator}/{judge}/{asked}/{shard}"  # for each detector with its encoder
PLANNED = {
    "plan(questions.written_questions)": '"results/written_questions/{generator}/{shard}.parquet"',
    f"/{PREDICTED}".replace("{", "{{").replace("}", "}}"): f"/{{encoder}}/{PREDICTED}",
}


def outputs(text):
    """The Parquet files that the rules in a text write; of a place that is planned, that which no other rule writes."""
    for planned, path in PLANNED.items():
        text = text.replace(planned, path)
    for _, says in directives(text):
        yield from re.findall(r'"(results/[^"]+\.parquet)"', says.get("output", ""))


def fitting(path):
    """The tables whose files may have this path, with the values of its keys."""
    for table in TABLES:
        try:
            keys = tables.keys(table, path)
        except tables.TableError:
            continue
        if f"results/{table.path.format_map(keys)}.parquet" == path:
            yield table, keys


def wrong(path):
    """What is wrong with an output, in words."""
    found = list(fitting(path))
    if re.match("results/(rejects|calls)/", path):  # of many tables, and of many rules
        return ["a place of a table"] if found else []
    if len(found) != 1:
        return [f"{len(found)} tables have this place"]
    return [
        f"{value} in place of {{{key}}}"
        for key, value in found[0][1].items()
        if "{" in value and value != f"{{{key}}}" and key not in STAND_INS.get(value, ())
    ]


WRITTEN = [path for file in sorted((ROOT / "workflow/rules").glob("*.smk")) for path in outputs(file.read_text())]


def test_outputs_lie_where_their_tables_say():
    assert len(WRITTEN) > 50 and not {path: reasons for path in WRITTEN if (reasons := wrong(path))}


def test_every_table_with_a_place_is_written_there():
    assert {table.name for path in WRITTEN for table, _ in fitting(path)} == {table.name for table in TABLES}


@pytest.mark.parametrize(
    "path",
    [
        "results/claims/{shard}/{generator}.parquet",
        "results/claims/{generator}.parquet",
        "results/claim/{generator}/{shard}.parquet",
        "results/other/claims/{generator}/{shard}.parquet",
        "results/rejects.parquet",
    ],
)
def test_an_output_elsewhere_is_found(path):
    assert wrong(path)


def test_outputs_are_found_whatever_wraps_them():
    wrapped = 'ensure(\n            "results/a/{b}.parquet", non_empty=True\n        )'
    text = f"rule a:\n    output:\n        a={wrapped},\n    conda:\n"
    assert list(outputs(text)) == ["results/a/{b}.parquet"]
