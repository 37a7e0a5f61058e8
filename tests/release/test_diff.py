"""What changed from one release to another: rows, labels, numbers."""

import json
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from publishing.sealing import change, with_column
from ragassay.release import comparing, contents
from ragassay.release.comparing import compare
from ragassay.release.opening import Untrusted
from ragassay.release.verification.release_folder import MANIFEST

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
    change(
        release, LABELS, with_column(rows, "label", flipped).slice(0, rows.num_rows - 1), version="2026-10", funnels=[]
    )
    found = compare(published, release)
    whole = sum(
        entry["rows"]
        for entry in json.loads((published / MANIFEST).read_text())["tables"]["scope_labels"]["files"].values()
    )
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
