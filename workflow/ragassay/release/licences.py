"""Which texts may be published: what `release.sources` says of each site, shard, corpus or set of questions, by a
host or a host above, by the name of what a user brought, or by a folder that has all its files. Nothing is published
that nobody named."""

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.config.services import SERVICE
from ragassay.release.verification.facts import DEFAULT, licence_of
from ragassay.schemas.corpora import HELD_OUT
from ragassay.schemas.documents import DOCUMENTS

SECTIONS = ("corpora", "query_sets", "query_logs", "datasets", "question_sets")  # of what users bring
PART = "+"  # behind the name of a corpus that is embedded file by file
BROUGHT = ("files", "targets", "questions", "documents", "beir")


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
        self.brought |= {path.parent.name.removeprefix(SERVICE): [] for path in retrieved}
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
