"""Which texts may be published: what `release.sources` says of each site, shard, corpus or set of questions, by a
host or a host above, by the name of what a user brought, or by a folder that has all its files. Nothing is published
that nobody named.

Cells with other texts are empty, and counted by why. Texts that repeat a long run of words of a text that may not be
published are emptied, too; runs are kept as 64-bit hashes, so that one comparison in 10^12 or so takes a text for a
repeat, and none is missed."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path, PurePosixPath

import numpy as np
import pyarrow as pa

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.base.tables import Table, key_names
from ragassay.config import services
from ragassay.release.contents import DOCUMENT, EVERYBODY, KEY, OURS, POISON, SERVICE, SITE, TEXTS
from ragassay.release.verification.facts import DEFAULT, licence_of
from ragassay.schemas.corpora import HELD_OUT
from ragassay.schemas.documents import DOCUMENTS

SECTIONS = ("corpora", "query_sets", "query_logs", "datasets", "question_sets")  # of what users bring
PART = "+"  # behind the name of a corpus that is embedded file by file
BROUGHT = ("files", "targets", "questions", "documents", "beir")
WORD = re.compile(r"\w+")
FACTOR = np.uint64(0x9E3779B97F4A7C15)
PIECE = 200_000  # words that are hashed at once
SHOWN = ("published", "repeats_published", "empty")  # states of cells that are as they were


class NoLicence(AssayError):
    """The configuration does not say whether a text may be published."""


class Licences:
    """`documents` and `retrieved` are files of the tables documents and service_passages, `shards` says what was
    brought for a shard.
    """

    def __init__(self, config: dict, documents: list, shards: dict[str, list[str]], retrieved: Iterable[Path] = ()):
        self.sources = config["release"]["sources"]
        if self.sources.get(DEFAULT, {}).get("texts"):
            expected = "expected false: name the sources whose texts may be published"
            raise NoLicence(f"release.sources.default.texts: found true, {expected}")
        entries = [item for section in SECTIONS for item in config.get(section, {}).items()]
        self.brought = {name: files for name, entry in entries if (files := _files(entry))}
        self.brought |= shards
        self.brought |= {path.parent.name.removeprefix(services.SERVICE): [] for path in retrieved}
        corpora = config.get("corpora", {})
        for name, entry in corpora.items():  # one that extends another has its files
            while entry.get("extends"):
                entry = corpora[entry["extends"]]
            self.brought.setdefault(name, _files(entry))
        self._known = {}  # (site, name) -> its entry
        self._documents = {}  # doc_id -> whether its text may be published
        for path in documents:
            for row in tables.read(DOCUMENTS, path, ["doc_id", "site", "shard"]).to_pylist():
                self._documents[row["doc_id"]] = self.allow(row["site"], row["shard"])

    def allow(self, site: str | None, name: str) -> bool:
        if (site, name) not in self._known:
            self._known[site, name] = self._entry(site, name)
        return self._known[site, name]["texts"]

    def allow_document(self, doc_id: str, name: str) -> bool:
        """A document of the study by its source, another one by the corpus or set that it stands in."""
        allowed = self._documents.get(doc_id)
        return self.allow(None, name) if allowed is None else allowed

    def unnamed(self, documents: list[dict]) -> list[str]:
        """The sources of these documents of which `release.sources` does not say that their texts may be published."""
        names = set()
        for row in documents:
            try:
                allowed = self.allow(row["site"], row["shard"])
            except NoLicence:
                allowed = False
            names |= set() if allowed else {row["site"] or row["shard"]}
        return sorted(names)

    @property
    def allow_everything(self) -> bool:
        """Whether every source that was met so far may be published, with those that the configuration names."""
        brought = [self.allow(None, name) for name in sorted(self.brought)]
        return all(entry["texts"] for entry in self._known.values()) and all(brought)

    @property
    def resolved(self) -> dict[str, dict]:
        """Each source that was met, by its host or its name, and its licence."""
        return {site or name: entry for (site, name), entry in sorted(self._known.items(), key=str)}

    def _entry(self, site, name):
        name = name.partition(PART)[0].removesuffix(HELD_OUT)
        named = {key: entry for key, entry in self.sources.items() if key != DEFAULT}
        entry = licence_of(named, site, name) or self._of_folder(name) or self.sources.get(DEFAULT)
        if entry is None:
            remedy = f"add: {site or name}: {{licence: ..., texts: true or false}}"
            raise NoLicence(f"release.sources: found no licence of the source {site or name}, expected one; {remedy}")
        return {"licence": entry["licence"], "texts": entry["texts"]}

    def _of_folder(self, name):
        """The entry of a folder that has all files from which it was brought."""
        files = [PurePosixPath(file) for file in self.brought.get(name, ())]
        for folder, entry in self.sources.items():
            if files and all(file.is_relative_to(folder) for file in files):
                return entry
        return None


def _files(entry):
    """`beir` is a folder, the others are lists."""
    given = [entry.get(key) or [] for key in BROUGHT]
    return [file for files in given for file in ([files] if isinstance(files, str) else files)]


class LongRuns:
    """`add` the texts that may not be published; `repeats` says which others repeat a run of so many words."""

    def __init__(self, words: int):
        self.words, self._pieces, self._index = words, [], np.empty(0, np.uint64)

    @property
    def empty(self) -> bool:
        return not (self._pieces or len(self._index))

    def add(self, texts: Iterable[str]) -> None:
        for hashes, _ in self._runs(texts):
            self._pieces.append(np.unique(hashes))

    def repeats(self, texts: list[str | None]) -> list[bool]:
        repeating = [False] * len(texts)
        if self._pieces:
            self._index = np.unique(np.concatenate([self._index, *self._pieces]))
            self._pieces = []
        if not len(self._index):
            return repeating
        for hashes, owners in self._runs(text or "" for text in texts):
            at = np.searchsorted(self._index, hashes).clip(max=len(self._index) - 1)
            for owner in np.unique(owners[self._index[at] == hashes]):
                repeating[owner] = True
        return repeating

    def _runs(self, texts):
        """Pieces of (hashes of all runs, the number of the text of each)."""
        words, owners = [], []
        for number, text in enumerate(texts):
            words_of_text = WORD.findall(text.casefold())
            if len(words_of_text) >= self.words:
                words += map(_hash, words_of_text)
                owners += [number] * len(words_of_text)
            if len(words) >= PIECE:
                yield self._hashed(words, owners)
                words, owners = [], []
        if words:
            yield self._hashed(words, owners)

    def _hashed(self, words, owners):
        """Hashes of the runs that lie within one text."""
        words, owners = np.array(words, np.uint64), np.array(owners, np.int64)
        starts = len(words) - self.words + 1
        hashes = np.zeros(starts, np.uint64)
        for offset in range(self.words):
            hashes = hashes * FACTOR + words[offset : offset + starts]
        whole = owners[:starts] == owners[self.words - 1 :]
        return hashes[whole], owners[:starts][whole]


@lru_cache(1 << 20)
def _hash(word):
    return int.from_bytes(hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


class Redaction:
    """`counts` says of each table, column and state how many cells there were."""

    def __init__(self, licences: Licences, runs: LongRuns, poisoned: bool, repeats: bool):
        self.licences, self.runs, self.poisoned, self.repeats = licences, runs, poisoned, repeats
        self.counts = Counter()

    def learn(self, table: Table, keys: dict, path) -> None:
        """Remember the texts of a file that may not be published, before other rows are compared with them. Where all
        may be, no text is read.
        """
        for column, owner in TEXTS.get(table.name, {}).items():
            if owner in (SITE, DOCUMENT, SERVICE) or (owner == KEY and column == "text"):
                owners = {SITE: ["site", "shard"], DOCUMENT: [_document_column(table)]}.get(owner, [])
                if all(all(self._allowed(table, owner, keys, rows)) for rows in tables.batches(table, path, owners)):
                    continue
                for rows in tables.batches(table, path, [*owners, column]):
                    texts = zip(rows[column].to_pylist(), self._allowed(table, owner, keys, rows), strict=True)
                    self.runs.add(text for text, free in texts if text and not free)

    def redacted(self, table: Table, keys: dict, batch: pa.RecordBatch) -> pa.RecordBatch | None:
        """The batch with cells emptied, or None if all of them may be published."""
        changed = {}
        for column, owner in TEXTS.get(table.name, {}).items():
            states = self._states(table, column, owner, keys, batch)
            empty = batch[column].null_count
            count = Counter(states) if states else Counter(published=batch.num_rows - empty, empty=empty)
            self.counts.update({(table.name, column, state): number for state, number in count.items() if number})
            if count.keys() - set(SHOWN):
                shown = [state in ("published", "repeats_published") for state in states]
                values = batch[column].to_pylist()
                kept = [value if show else None for value, show in zip(values, shown, strict=True)]
                changed[column] = pa.array(kept, batch[column].type)
        if not changed:
            return None
        names = batch.schema.names
        return pa.RecordBatch.from_arrays([changed.get(name, batch[name]) for name in names], names)

    def may_empty(self, table: str) -> bool:
        """Whether cells of this table may have to be emptied."""
        return any(self._may_empty(owner) for owner in TEXTS.get(table, {}).values())

    def withheld(self) -> set[tuple[str, str]]:
        """(table, column) of all cells that were emptied so far."""
        return {(table, column) for table, column, state in self.counts if state not in SHOWN}

    def _may_empty(self, owner):
        if owner == OURS or (owner == POISON and self.poisoned):
            return not (self.repeats or self.runs.empty)
        return owner == POISON or not self.licences.allow_everything

    def _states(self, table, column, owner, keys, batch):
        """The state of each cell; None if all that are not empty are published."""
        if owner == POISON and not self.poisoned:
            states = ["poison"] * batch.num_rows
        elif owner in (OURS, POISON):
            if self.runs.empty:
                return None
            states = self._repeating(batch[column])
        else:
            allowed = self._allowed(table, owner, keys, batch)
            if all(allowed):
                return None
            states = ["published" if free else "no_licence" for free in allowed]
        empty = batch[column].is_null().to_pylist()
        return ["empty" if nothing else state for nothing, state in zip(empty, states, strict=True)]

    def _repeating(self, column):
        repeated = "repeats_published" if self.repeats else "repeats"
        texts = [_text(value) for value in column.to_pylist()]
        return [repeated if repeats else "published" for repeats in self.runs.repeats(texts)]

    def _allowed(self, table, owner, keys, batch):
        """Of each row, whether its source allows its text to be published."""
        if owner == EVERYBODY:
            return [self.licences.allow_everything] * batch.num_rows
        if owner == SITE:
            sources = zip(batch["site"].to_pylist(), batch["shard"].to_pylist(), strict=True)
            return [self.licences.allow(*source) for source in sources]
        if owner == SERVICE:
            return [self.licences.allow(None, keys["responder"].removeprefix(services.SERVICE))] * batch.num_rows
        name = keys[key_names(table)[-1]] if key_names(table) else ""
        if owner == DOCUMENT:
            documents = batch[_document_column(table)].to_pylist()
            return [self.licences.allow_document(doc_id, name) for doc_id in documents]
        ours = name not in self.licences.brought
        return [ours or self.licences.allow(None, name)] * batch.num_rows


def _text(value):
    """The words of a cell: a text, a list of them, or a reply of a provider, which is JSON."""
    if isinstance(value, list):
        return "\n".join(filter(None, value))
    if value and value.startswith("{"):
        try:
            return "\n".join(_strings(json.loads(value)))
        except ValueError:
            return value
    return value


def _strings(value):
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)
    elif isinstance(value, str):
        yield value


def _document_column(table):
    """The column with the document of a row."""
    return next((name for name in ("doc_id", "document_id") if name in table.schema.names), None)
