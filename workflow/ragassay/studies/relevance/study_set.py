"""What one entry of `relevance.sets` brings together: a corpus, its in-knowledge queries, and those out of its
knowledge. Held-out queries come first: they are of the same style, so that nothing but the corpus tells them apart."""

from collections.abc import Iterator
from typing import NamedTuple

from ragassay.base import tables
from ragassay.base.stage import log
from ragassay.schemas.corpora import HELD_OUT_DOCUMENTS, NEIGHBOURS, PASSAGES, QUERIES
from ragassay.studies.relevance import calibration, searched_queries
from ragassay.studies.relevance.searched_queries import FAR, HELD_OUT, NEAR, DocumentClusters, SearchedQueries, named
from ragassay.studies.relevance.statistics import Setting
from ragassay.studies.relevance.trials import Trial, TrialError

TABLES = {table.name: table for table in (PASSAGES, HELD_OUT_DOCUMENTS, QUERIES, NEIGHBOURS)}


class Options(NamedTuple):
    """How sets are measured: the settings `relevance` of the configuration that all sets share."""

    retrievers: list[str]  # the first is the one of the paper's tables
    fused: list[str]
    k: int
    ks: list[int]
    temperature: float
    temperatures: list[float]
    alpha: float
    p_values: str
    runs: int
    samples: int
    sizes: list[int]

    def of_set(self, entry: dict) -> "Options":
        """Those of a set that may have retrievers of its own."""
        return self._replace(retrievers=entry.get("retrievers", self.retrievers))

    @property
    def retriever(self) -> str:
        return self.retrievers[0]

    @property
    def searching(self) -> list[str]:
        """All retrievers that have to search."""
        return list(dict.fromkeys([*self.retrievers, *self.fused]))

    def setting(self, name: str) -> Setting:
        return Setting(name, self.k, self.temperature)


def by_keys(table: tables.Table, paths) -> dict:
    """The keys in the path of each file -> the file; a single key stands alone."""
    by_all_keys = {tuple(tables.keys(table, path).values()): path for path in paths}
    return {keys[0] if len(keys) == 1 else keys: path for keys, path in by_all_keys.items()}


class StudySet:
    """`paths` are the files of the tables passages, held_out_documents, queries and neighbours, of all sets."""

    def __init__(self, name: str, entry: dict, options: Options, paths: dict[str, list]):
        self.name, self.entry, self.options = name, entry, options
        files = {table: by_keys(TABLES[table], of_table) for table, of_table in paths.items()}
        corpus, reduced = entry["corpus"], f"{entry['corpus']}.held_out"
        whole = DocumentClusters(files["passages"][corpus], files["held_out_documents"][corpus])
        rest = whole.without_held_out(files["passages"][reduced])

        def asked(query_set, corpus_name, searched):
            neighbours = {name: files["neighbours"][corpus_name, name, query_set] for name in options.searching}
            return searched_queries.read(query_set, files["queries"][query_set], neighbours, searched)

        self.known = asked(entry["in_knowledge"], corpus, whole)
        _check_documents(self.known, files["queries"][entry["in_knowledge"]], corpus)
        self.remaining, self.held_out = searched_queries.held_out(asked(entry["in_knowledge"], reduced, rest))
        for retriever in options.searching:
            scores = self.known.nearest(retriever, max(options.k, *options.ks))
            calibration.checked(scores, options.alpha, f"query set {self.known.name}, {retriever} in {corpus}")
            self.remaining.nearest(retriever, max(options.k, *options.ks))  # fails if too little of the corpus is left
        if any(self.known.documents) and not len(self.held_out.ids):
            _warn_of_none(name, self.known, corpus)
        unknown = [(kind, query_set) for kind in (NEAR, FAR) for query_set in entry[kind]]
        self.unknown = [(kind, asked(query_set, corpus, whole)) for kind, query_set in unknown]
        self.synthetic = asked(entry["synthetic"], corpus, whole) if entry["synthetic"] else None

    def pairs(self) -> Iterator[tuple[str, SearchedQueries, SearchedQueries]]:
        """Kind, in-knowledge queries and out-of-knowledge queries of each trial."""
        if len(self.held_out.ids):
            yield HELD_OUT, self.remaining, self.held_out
        for kind, unknown in self.unknown:
            yield kind, self.known, unknown

    def trials(self, size: int | None = None, runs: int | None = None) -> Iterator[tuple[dict, Trial]]:
        """Each trial with the keys of its rows."""
        for at, (kind, in_knowledge, unknown) in enumerate(self.pairs()):
            trial = Trial(in_knowledge, unknown, kind, runs or self.options.runs, size or self.options.samples)
            shown = HELD_OUT if kind == HELD_OUT else unknown.name
            yield {"at": at, "corpus": self.name, "kind": kind, "set": shown, "queries": trial.queries}, trial


def _check_documents(asked, queries, corpus):
    """Queries that say what they are about and name nothing of the corpus would silently have no held-out ones."""
    rows = tables.read(QUERIES, queries).to_pylist()
    elsewhere = [names for row in rows if (names := named(row))]
    if elsewhere and not any(asked.documents):
        raise TrialError(
            f"query set {asked.name}: found {len(elsewhere)} queries about passages or documents such as"
            f" {elsewhere[0][0]!r}, none of which is in the corpus {corpus}; give ids of its passages or documents, or"
            " none"
        )


def _warn_of_none(name, asked, corpus):
    """The rows that count most are missing from every table: that is not silent."""
    log.warning(
        "set %s: found no held-out query, so no table has rows of these: of %d queries of %s that name something of the"
        " corpus %s, none is about a document that is held out and fits nothing; add queries about other documents",
        name, sum(map(bool, asked.documents)), asked.name, corpus,
    )  # fmt: skip
