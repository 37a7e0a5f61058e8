"""The door of a whole release: one file of it is another, and the list of digests is made anew, as a forger would."""

import atexit
import functools
import io
import json
import random
import shutil
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from common.figures import ROOT
from fuzzing.door import LetIn
from fuzzing.files import MANIFEST
from fuzzing.mutations import changed_value
from publishing.sealing import seal
from ragassay.calls.prompts import Prompt
from ragassay.release import comparing, contents, opening, replaying
from ragassay.release.verification.release_folder import SUMS, write_sums
from ragassay.results import all_tables

PROMPT = "prompts/extract_claims.yaml"
FILES = {name: f"tables/{name}/2026-11.parquet" for name in ("documents", "metrics")}
FILES["published_texts"] = "tables/published_texts.parquet"
OPEN = {"licence": "CC0-1.0", "texts": True}
CELLS = {"table": "documents", "column": "text", "state": "published"}


@functools.cache
def honest() -> Path:
    """A release with three tables and a prompt, in which nothing is wrong."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-release-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    manifest = MANIFEST | {"tables": {}, "texts": {}, "prompts": {}, "sources": {"default": OPEN}}
    for name, file in FILES.items():
        table = all_tables()[name]
        cells = {column.name: [CELLS.get(column.name, _cell(column.type))] for column in table.columns}
        rows, texts = pa.table(cells, table.schema), sorted(contents.TEXTS.get(name, ()))
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(rows, folder / file)
        columns = [
            {"name": column.name, "type": str(column.type), "null": column.null or column.name in texts}
            for column in table.columns
        ]
        manifest["tables"][name] = {"path": table.path, "row": "a", "key": [*table.key], "columns": columns}
        manifest["tables"][name]["files"] = {file: None}  # as it is sealed
        manifest["texts"] |= {name: texts} if texts else {}
    manifest["references"] = [[*names] for names in contents.REFERENCES]
    manifest["funnels"] = [[*names] for names in contents.FUNNELS]
    manifest["poison"] = [*contents.PLANTED, *contents.PLANTING]
    (folder / PROMPT).parent.mkdir()
    shutil.copy(ROOT / "resources" / PROMPT, folder / PROMPT)
    manifest["prompts"][Prompt.load(folder / PROMPT).digest] = PROMPT
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "config").mkdir()
    (folder / "config/config.yaml").write_text("scope:\n  generators: [careful]\nshards: config/shards.tsv\n")
    (folder / "config/shards.tsv").write_text("shard\tdocuments\n2026-11\tx.jsonl\n")
    seal(folder)
    if wrong := opening.problems(folder):
        raise LetIn(f"the release is to be right: {wrong}")
    return folder


def _cell(kind):
    values = {pa.string(): "a", pa.binary(): b"a", pa.bool_(): True}
    return [] if pa.types.is_list(kind) else values.get(kind, 1)


def sample(draw: random.Random) -> bytes:
    """The name of a file, and what is in it."""
    folder = honest()
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    name = draw.choice([*names, "manifest.json", "manifest.json", *FILES.values()])
    content = (folder / name).read_bytes()
    if name.endswith(".json"):
        content = json.dumps(changed_value(draw, json.loads(content))).encode()
    if name.endswith(".parquet") and draw.random() < 0.5:
        content = _other_rows(draw, content)
    return f"{name}\n".encode() + content


def _other_rows(draw, content):
    """A whole table with a row more, a column less, or another type."""
    rows = pq.read_table(io.BytesIO(content))
    rows = draw.choice([
        lambda: pa.concat_tables([rows] * draw.choice([2, 3])) if draw.random() < 0.7 else rows.slice(1),
        lambda: rows.drop_columns(draw.choice(rows.column_names)),
        lambda: rows.set_column(0, rows.column_names[0], pa.array([draw.choice([None, 1, "\x1b", 1e308])])),
    ])()  # fmt: skip
    written = io.BytesIO()
    pq.write_table(rows, written)
    return written.getvalue()


def whole_release(content, folder):
    """Verified; where nothing is wrong, compared with the honest one and prepared for a replay."""
    name, _, body = content.partition(b"\n")
    shutil.copytree(honest(), folder, dirs_exist_ok=True)
    file = name.decode(errors="replace")
    present = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    file = file if file in present else "manifest.json"
    (folder / file).write_bytes(body)
    if file != SUMS:
        write_sums(folder)
    problems = opening.problems(folder)
    if odd := [problem for problem in problems if not problem.isprintable() or len(problem) > 2_000]:
        raise LetIn(odd[0])
    if not problems:
        comparing.page(comparing.compare(honest(), folder))
        release = opening.opened(folder)
        replaying._rules(release), replaying._made(release), replaying._checked(release)
