"""Which texts may be published: what `release.sources` says of each site, shard, corpus or set of questions."""

from ragassay import tables
from ragassay.errors import AssayError
from ragassay.release.verification.facts import licence_of
from ragassay.schemas.documents import DOCUMENTS

SECTIONS = ("corpora", "query_sets", "query_logs", "datasets", "question_sets")  # of what users bring
BROUGHT = ("files", "targets", "questions")


class NoLicence(AssayError):
    """The configuration does not say whether a text may be published."""


class Licences:
    """`documents` are files of the table of this name."""

    def __init__(self, config: dict, documents: list):
        self.sources = config["release"]["sources"]
        entries = [item for section in SECTIONS for item in config.get(section, {}).items()]
        self.brought = {name for name, entry in entries if any(entry.get(key) for key in BROUGHT)}
        self._known = {}  # (site, name) -> whether its texts may be published
        self._documents = {}  # doc_id -> the same
        for path in documents:
            for row in tables.read(DOCUMENTS, path, ["doc_id", "site", "shard"]).to_pylist():
                self._documents[row["doc_id"]] = self.allow(row["site"], row["shard"])

    def allow(self, site: str | None, name: str) -> bool:
        if (site, name) not in self._known:
            entry = licence_of(self.sources, site, name)
            if entry is None:
                expected = f"expected release.sources.{site or name} or release.sources.default"
                remedy = "set its licence, and `texts` if its texts may be published"
                raise NoLicence(f"release.sources: found no licence of the source {site or name}, {expected}; {remedy}")
            self._known[site, name] = entry["texts"]
        return self._known[site, name]

    def allow_document(self, doc_id: str, name: str) -> bool:
        """A document of the study by its source, another one by the corpus or set that it stands in."""
        known = self._documents.get(doc_id)
        return self.allow(None, name) if known is None else known

    @property
    def allow_everything(self) -> bool:
        """Whether every source that was met so far may be published, with those that the configuration names."""
        return all(self._known.values()) and all(self.allow(None, name) for name in sorted(self.brought))
