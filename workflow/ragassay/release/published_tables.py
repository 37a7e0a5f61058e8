"""Write the tables of a release: a table without a withheld cell is copied byte for byte, others are written again.
Also the prompts that rows were asked with, each under its digest, and which models a run asked, each with the revision
that says exactly which it was."""

import hashlib
import shutil
from collections.abc import Iterable
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.base.tables import Column, Table, key_names
from ragassay.calls.prompts import Prompt
from ragassay.models import files
from ragassay.news.opt_outs import OptOuts
from ragassay.release.contents import TEXTS
from ragassay.release.gathering import NotReleasable
from ragassay.release.redaction import Redaction
from ragassay.release.verification.digests import FilePass, sha256
from ragassay.release.verification.release_folder import TABLES
from ragassay.schemas.documents import ARTICLES, DOCUMENTS

ADDRESSES = {"articles": ["url", "canonical_url"], "candidates": ["url", "feed_url"], "feeds": ["feed_url"]}
ADDRESSES |= {"feed_health": ["feed_url"]}
ITEMS = {"clusters": "article_id", "rejects": "item"}  # rows about articles and addresses
WATCHED = ("prompt",)  # copy_prompts asks which there are
TEXT_END = Column(
    "text_end",
    pa.int32(),
    "the document is characters 0 to text_end of the whole text, of which content_hash is the hash",
)


class OptedOut:
    """`files` are those of a run, by table; a document that opted out stops the release, since others rest on it."""

    def __init__(self, opt_outs: str, files: dict[str, list[Path]]):
        self.opt_outs, self.articles = OptOuts.read(opt_outs), set()
        if not self.opt_outs:
            return
        for path in files.get("documents", ()):
            for row in tables.read(DOCUMENTS, path, ["doc_id", "url"]).to_pylist():
                if place := row["url"] and self.opt_outs.listed(row["url"]):
                    problem = f"found {row['doc_id']} from {row['url']}, which {place} lists"
                    raise NotReleasable(f"{path}: {problem}; run the pipeline again, which removes it and all about it")
        for path in files.get("articles", ()):
            for row in tables.read(ARTICLES, path, ["article_id", *ADDRESSES["articles"]]).to_pylist():
                if self._matches(row["url"], row["canonical_url"]):
                    self.articles.add(row["article_id"])

    def concerns(self, table: str) -> bool:
        """Whether rows of this table may have to go."""
        return bool(self.opt_outs) and (table in ADDRESSES or table in ITEMS)

    def without(self, table: str, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The rows that may be published."""
        if not self.concerns(table):
            return batch
        if table in ADDRESSES:
            columns = [batch[name].to_pylist() for name in ADDRESSES[table]]
            kept = [not self._matches(*urls) for urls in zip(*columns, strict=True)]
        else:
            kept = [not (item in self.articles or self._matches(item)) for item in batch[ITEMS[table]].to_pylist()]
        if all(kept):
            return batch
        return batch.filter(pa.array(kept))

    def _matches(self, *urls):
        return any("://" in url and self.opt_outs.matches(url) for url in urls if url)


class PublishedTables:
    """`copy` adds a file of a run, `add` rows; `entries` is what the manifest says of all, `passes` what was seen of
    each file while it was read for that, `sums` the digest of its bytes.
    """

    def __init__(self, folder: Path, results: Path, redaction: Redaction, opted_out: OptedOut):
        self.folder, self.results, self.redaction, self.opted_out = folder, results, redaction, opted_out
        self.entries, self.passes, self.sums, self.rows = {}, {}, {}, 0

    def copy(self, table: Table, path: Path) -> None:
        """Publish one file of a run."""
        place = path.relative_to(self.results)
        keys = tables.keys(table, place) if key_names(table) else {}
        pieces = self._pieces(table, keys, tables.batches(table, path))
        if self.redaction.may_empty(table.name) or self.opted_out.concerns(table.name):
            self._write(table, place.with_suffix("").as_posix(), pieces)
            return
        seen = FilePass(table.schema, WATCHED)
        for piece in pieces:
            seen.add(piece)
        target = self.folder / TABLES / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        self._enter(table, place.with_suffix("").as_posix(), seen)

    def add(self, table: Table, place: str, rows: list[dict]) -> FilePass:
        """Publish rows that only a release has."""
        batch = pa.RecordBatch.from_pylist(rows, schema=table.schema)
        return self._write(table, place, self._pieces(table, {}, [batch]))

    def _pieces(self, table, keys, batches: Iterable[pa.RecordBatch]):
        """What is published of each batch."""
        for batch in batches:
            kept = self.opted_out.without(table.name, batch)
            shown = self.redaction.redacted(table, keys, kept) or kept
            yield _with_end(kept, shown) if self._has_end(table) else shown

    def _has_end(self, table):
        """Texts that are here say themselves where they end."""
        return table.name == "documents" and self.redaction.may_empty(table.name)

    def _write(self, table, place, pieces):
        published = self._published(table)
        seen = FilePass(published.schema, WATCHED)
        with tables.Writer(published, self.folder / TABLES / f"{place}.parquet") as writer:
            for piece in pieces:
                seen.add(piece)
                writer.write(piece)
        self._enter(table, place, seen)
        return seen

    def _enter(self, table, place, seen):
        """The manifest has the columns of a table as they may be in any of its files."""
        columns = [
            {"name": column.name, "type": str(column.type), "description": column.description, "null": column.null}
            for column in self._published(table).columns
        ]
        entry = {"row": table.row, "path": table.path, "key": list(table.key), "columns": columns, "files": {}}
        files = self.entries.setdefault(table.name, entry)["files"]
        file = f"{TABLES}/{place}.parquet"
        files[file] = {"rows": seen.rows, "digest": seen.digest()}
        self.passes[file], self.sums[file] = seen, sha256(self.folder / file)
        self.rows += seen.rows

    def _published(self, table):
        """The table with columns that may be empty where texts are withheld."""
        withheld = TEXTS.get(table.name, {})
        columns = [replace(column, null=column.null or column.name in withheld) for column in table.columns]
        return replace(table, columns=(*columns, *([TEXT_END] if self._has_end(table) else [])))


def _with_end(documents, shown):
    """Where each document ends in the whole text, also without its text."""
    return shown.append_column(TEXT_END.name, pc.utf8_length(documents["text"]).cast(pa.int32()))


def copy_prompts(place: Path, passes: dict[str, FilePass], prompts: Iterable[Path]) -> dict[str, str]:
    """digest -> file in the release, of all that tables name. Rows that users bring, asked elsewhere, name none.

    `passes` has what was seen of each file of a table.
    """
    files = {Prompt.load(path).digest: path for path in prompts}
    copied = {"": ""}
    (place / "prompts").mkdir()
    for file, seen in passes.items():
        for digest in sorted({*seen.distinct("prompt").to_pylist()} - copied.keys()):
            if digest not in files:
                problem = f"found the prompt {digest[:16]}..., which is none of resources/prompts"
                remedy = "restore the prompt, or run the pipeline again"
                raise NotReleasable(f"results/{file.partition('/')[2]}: {problem}; {remedy}")
            copied[digest] = f"prompts/{files[digest].name}"
            shutil.copyfile(files[digest], place / copied[digest])
    return dict(sorted(copied.items()))


def models(config: dict) -> list[dict]:
    rows = []
    for name, entry in sorted(config["models"].items()):
        row = {"name": name, "provider": entry["provider"], "model": entry["model"]}
        row["revision"] = entry.get("options", {}).get("revision") or _revision(entry["model"], entry["provider"])
        rows.append(row | {"sampling": entry.get("sampling", {}), "price": entry.get("price")})
    return rows


def _revision(model, provider):
    """Of a folder with weights the digest of its files, of a package its version; of a hosted model only its name."""
    if model.startswith("package:"):
        package = model.removeprefix("package:").partition("/")[0]
        distributions = metadata.packages_distributions().get(package)
        return f"{distributions[0]} {metadata.version(distributions[0])}" if distributions else ""
    if provider == "transformers" and Path(model).is_dir():
        digest = hashlib.sha256()
        for path in sorted(files.read_files(Path(model))):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
        return f"sha256 {digest.hexdigest()[:16]}"
    return ""
