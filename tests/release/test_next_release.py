"""A release and the next one: an added month, what changed, and what becomes of each file."""

import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from project import TINY, snakemake
from publishing.sealing import change, with_column
from ragassay.release import comparing, contents, ledger_extract
from ragassay.release.comparing import Outcome, compare
from ragassay.release.opening import Untrusted
from ragassay.release.verification.release_folder import MANIFEST

STAGES = ("extract_claims", "recover_claims", "remove_supported_claims", "write_questions", "judge_scope")
TABLES = (
    "documents clusters claims questions scope_votes scope_labels selected_questions rejects/questions calls".split()
)


def targets(*shards):
    return [f"results/selected_questions/authors/careful/{shard}.parquet" for shard in shards]


def files(project, folder, ending):
    return {path.relative_to(project): path.read_bytes() for path in sorted((project / folder).rglob(f"*{ending}"))}


def test_an_added_month_gives_the_same_bytes_at_the_price_of_the_new_month(tiny, project):
    shards = project / "tests/tiny/shards.tsv"
    every = shards.read_text().splitlines(keepends=True)
    shards.write_text("".join(every[:3]))
    snakemake(project, *targets("2026-01", "2026-02"), *TINY)
    tables, asked = files(project, "results", ".parquet"), files(project, "ledger", ".jsonl")
    assert asked and not any("2026-09" in str(path) for path in [*tables, *asked])
    shards.write_text("".join(every))
    snakemake(project, *targets("2026-01", "2026-02", "2026-09"), *TINY)
    now = files(project, "ledger", ".jsonl")
    assert {path: now[path] for path in asked} == asked, "nothing of the first months is asked again"
    assert all("2026-09" in str(path) for path in now.keys() - asked.keys())
    made = files(project, "results", ".parquet")
    assert {path: made[path] for path in tables} == tables, "nor made again"
    whole = files(tiny, "results", ".parquet")
    compared = [path for path in made if path.as_posix().removeprefix("results/").startswith(tuple(TABLES))]
    assert len(compared) > 30 and {path: made[path] for path in compared} == {path: whole[path] for path in compared}
    for stage in STAGES:
        for folder in {path.parent for path in now if path.parts[1] == stage}:
            assert ledger_extract.rows(project / folder) == ledger_extract.rows(tiny / folder), folder


LABELS = "tables/scope_labels/authors/careful/2026-01.parquet"
NUMBERS = "tables/metrics/scope.parquet"


def test_a_release_and_itself_are_equal(published):
    found = compare(published, published)
    assert (found["tables"], found["flips"], found["numbers"]) == ([], [], [])
    assert comparing.page(found).count("None.") == 3


def test_rows_that_came_and_went_and_labels_that_flipped_are_counted(published, release, monkeypatch):
    monkeypatch.setattr(contents, "FUNNELS", [])
    rows = pq.read_table(published / LABELS, partitioning=None)
    labels = rows["label"].to_pylist()
    flipped = ["tie", *labels[1:]]
    fewer = with_column(rows, "label", flipped).slice(0, rows.num_rows - 1)
    change(release, LABELS, fewer, version="2026-10", funnels=[])
    found = compare(published, release)
    files = json.loads((published / MANIFEST).read_text())["tables"]["scope_labels"]["files"]
    whole = sum(entry["rows"] for entry in files.values())
    counts = {"table": "scope_labels", "before": whole, "after": whole - 1, "added": 0, "removed": 1, "changed": 1}
    assert found["tables"] == [counts]
    assert found["flips"] == [{"table": "scope_labels", "column": "label", "from": labels[0], "to": "tie", "rows": 1}]
    back = compare(release, published)
    assert back["tables"][0] | {"added": 1, "removed": 0} == back["tables"][0] and back["flips"][0]["from"] == "tie"


@pytest.mark.parametrize(("low", "moved"), [(-1.0, False), (0.9, True)])
def test_a_number_moved_if_its_intervals_have_no_point_in_common(published, release, low, moved):
    rows = pq.read_table(published / NUMBERS, partitioning=None)
    highs, lows, values = (rows[name].to_pylist() for name in ("high", "low", "value"))
    at = next(at for at, high in enumerate(highs) if high is not None and 0 < high < 0.9)
    values[at], lows[at], highs[at] = 0.95, low, 1.0
    changed = with_column(with_column(with_column(rows, "value", values), "low", lows), "high", highs)
    change(release, NUMBERS, changed, version="2026-10")
    found = compare(published, release)
    [number] = found["numbers"]
    assert (number["after"], number["moved"], number["interval_after"]) == (0.95, moved, [low, 1.0])
    assert (number["metric"] in comparing.page(found)) == ("0.95" in comparing.page(found)) == moved


def test_the_command_writes_page_and_json(published, release, tmp_path):
    command = [sys.executable, "-m", "ragassay.release", "diff", published, release, "--folder", tmp_path / "changes"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "changes.html: 0 tables changed, 0 numbers moved" in done.stdout, done.stderr
    assert json.loads((tmp_path / "changes/changes.json").read_text())["before"] == "2026-09"
    assert "<h1>From 2026-09 to 2026-09</h1>" in (tmp_path / "changes/changes.html").read_text()


def test_what_is_no_release_is_a_line(published, tmp_path):
    with pytest.raises(Untrusted, match="SHA256SUMS: cannot be read"):
        compare(published, tmp_path)


RELEASED = {"name": ["a", "b", "c"], "text": ["x", "y", None], "score": [0.5, None, 2000.0]}
CASES = {
    "same": (RELEASED, 1e-6),
    "shown": ({**RELEASED, "text": ["x", "y", "z"]}, None),
    "near": ({**RELEASED, "score": [0.5000004, None, 2000.001]}, 1e-6),
    "other": ({**RELEASED, "score": [0.500002, None, 2000.0]}, 1e-6),
    "other, without a tolerance": ({**RELEASED, "score": [0.5000004, None, 2000.0]}, None),
    "other, a missing number": ({**RELEASED, "score": [0.5, 0.5, 2000.0]}, 1e-6),
    "other, a shown text": ({**RELEASED, "text": ["x", "z", None]}, 1e-6),
    "other, a name": ({**RELEASED, "name": ["a", "b", "d"]}, 1e-6),
    "other, fewer rows": ({name: values[:2] for name, values in RELEASED.items()}, 1e-6),
}


@pytest.mark.parametrize("case", CASES)
def test_a_file_goes_to_one_of_the_outcomes(tmp_path, case):
    made, tolerance = CASES[case]
    pq.write_table(pa.table(RELEASED), tmp_path / "released")
    pq.write_table(pa.table(made), tmp_path / "made")
    outcome = Outcome("texts")
    outcome.add("file", tmp_path / "made", tmp_path / "released", ["text"], tolerance)
    found = {name: getattr(outcome, name) for name in ("same", "shown", "near", "other")}
    assert [name for name, files in found.items() if files] == [case.partition(",")[0]]


def test_a_column_whose_texts_might_have_been_withheld_and_are_all_there_shows_the_same(tmp_path):
    for name, nullable in (("made", False), ("released", True)):
        schema = pa.schema([pa.field("text", pa.string(), nullable)])
        pq.write_table(pa.table({"text": ["x", "y"]}, schema), tmp_path / name)
    outcome = Outcome("answers")
    outcome.add("file", tmp_path / "made", tmp_path / "released", ["text"], None)
    assert outcome.shown == ["file"] and not outcome.other


def test_all_outcomes_are_told():
    outcome = Outcome("answers", given=["a"], same=["b", "c"], shown=["d"], near=["e"], other=["f"])
    assert str(outcome) == (
        "2 files came out byte for byte, from answers, 1 with all values that the release shows, 1 within the tolerance"
        " that its manifest names; 1 could not be made again and were given; 1 came out with other values"
    )
