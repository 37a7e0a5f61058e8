"""The log of a proxy: a row for each question that passed, written at once to a file of its day, as JSON lines, and
turned into the day's Parquet table when the day is over, when a new fit is loaded and when the server stops or starts.
A table has the columns of a query log, so that a run can assay the traffic.
"""

import datetime
import json
import uuid
from pathlib import Path
from typing import Any

from ragassay.base import tables
from ragassay.schemas.services import DECISIONS


class Decisions:
    """`folder` holds one table a day, in UTC."""

    def __init__(self, folder: str | Path):
        self.folder, self.file = Path(folder), None
        self.folder.mkdir(parents=True, exist_ok=True)
        self.settle()

    def add(self, row: dict[str, Any]) -> None:
        """Nothing that is added is lost when the process is killed."""
        now = datetime.datetime.now(datetime.UTC)
        path = self.folder / f"{now:%Y-%m-%d}.jsonl"
        if self.file is not None and Path(self.file.name) != path:
            self.settle()
        if self.file is None:
            self.file = path.open("a", encoding="utf-8")
        stamped = {"date": int(now.timestamp() * 1000), "decision_id": uuid.uuid4().hex} | row
        self.file.write(json.dumps(stamped) + "\n")
        self.file.flush()

    def settle(self) -> None:
        """Put what was added into the tables. A row that a table has already is not put there twice."""
        if self.file is not None:
            self.file.close()
            self.file = None
        for journal in sorted(self.folder.glob("*.jsonl")):
            table = journal.with_suffix(".parquet")
            rows = tables.read(DECISIONS, table).to_pylist() if table.exists() else []
            present = {row["decision_id"] for row in rows}
            added = [json.loads(line) for line in journal.read_text(encoding="utf-8").split("\n")[:-1]]
            for row in added:
                row["date"] = datetime.datetime.fromtimestamp(row["date"] / 1000, datetime.UTC)
            tables.write(DECISIONS, table, rows + [row for row in added if row["decision_id"] not in present])
            journal.unlink()
