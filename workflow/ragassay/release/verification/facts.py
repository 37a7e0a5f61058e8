"""Everything that the card and the datasheet count, from the tables of a release alone."""

from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc

from ragassay.release.verification.digests import batches
from ragassay.release.verification.release_folder import ReleaseFolder

SPENT = ("requests", "samples", "prompt_tokens", "completion_tokens", "dollars", "possibly_billed_twice")
DEFAULT = "default"
NO_LICENCE = {"licence": "none", "texts": False}


def facts(release: ReleaseFolder) -> dict[str, list[tuple]]:
    """Name of a table of the card -> its rows, each a tuple."""
    return {
        "tables": _tables(release),
        "documents": _documents(release),
        "licences": _licences(release),
        "questions": _counted(release, "selected_questions", ["generator", "judge", "split", "intended", "status"]),
        "texts": _texts(release),
        "abstentions": _abstentions(release),
        "rejects": _counted(release, "rejects", ["stage", "reason"]),
        "calls": _calls(release),
    }


def licence_of(sources: dict[str, dict], site: str | None, name: str) -> dict | None:
    """The entry for a text of this site, else for this shard, corpus or set; a host stands for all hosts below it."""
    host = site or ""
    while host:
        if host in sources:
            return sources[host]
        host = host.partition(".")[2]
    return sources.get(name) or sources.get(DEFAULT)


def _tables(release):
    counts = {name: release.rows(name) for name in sorted(release.tables)}
    return [(name, len(rows), sum(rows)) for name, rows in counts.items()]


def texts_by_source(release: ReleaseFolder, file: str) -> Counter:
    """(site, shard, whether the text is here) -> documents of a file. Texts are only read if some are missing."""
    counts, seen = Counter(), release.passes.get(file)
    partly = seen is None or seen.missing["text"] > 0
    for batch in batches(release.folder / file, ["site", "shard", *(["text"] if partly else [])]):
        here = pc.is_valid(batch["text"] if partly else batch["shard"])
        counts.update(zip(batch["site"].to_pylist(), batch["shard"].to_pylist(), here.to_pylist(), strict=True))
    return counts


def _documents(release):
    """Documents of each shard, and how many clusters and texts they have."""
    rows = []
    for file, documents in release.each("documents", ["cluster_id"]):
        texts = sum(count for (_, _, here), count in texts_by_source(release, file).items() if here)
        clusters = len(documents["cluster_id"].unique())
        rows.append((release.place("documents", file), documents.num_rows, clusters, texts))
    return rows


def _licences(release):
    """Sources under each licence, their documents, and how many of these are here with their text."""
    sources, documents, texts = {}, Counter(), Counter()
    counts = sum((texts_by_source(release, file) for file in release.files.get("documents", ())), Counter())
    for (site, shard, here), count in counts.items():
        licence = (licence_of(release.manifest["sources"], site, shard) or NO_LICENCE)["licence"]
        sources.setdefault(licence, set()).add(site or shard)
        documents[licence] += count
        texts[licence] += count * here
    return [(name, len(sources[name]), documents[name], texts[name]) for name in sorted(documents)]


def _abstentions(release):
    """Of each table with votes or answers: why there is no verdict, and of how many."""
    rows = []
    for name in sorted(release.tables):
        if release.has(name, "abstained"):
            reasons = release.read(name, ["abstained"])["abstained"]
            if pa.types.is_string(reasons.type):
                counts = {count["values"]: count["counts"] for count in pc.value_counts(reasons).to_pylist()}
                rows += [(name, len(reasons), reason, counts[reason]) for reason in sorted(filter(None, counts))]
                rows += [] if set(counts) - {None} else [(name, len(reasons), "none", 0)]
    return rows


def _calls(release):
    """What was asked and paid by each rule and model; dollars to a millionth."""
    sums = {}
    for file, calls in release.each("calls", ["model", *SPENT]):
        rule = release.place("calls", file).split("/")[0]
        for row in calls.to_pylist():
            sums.setdefault((rule, row["model"]), Counter()).update({name: row[name] for name in SPENT})
    lines = [(*key, *(counts[name] for name in SPENT)) for key, counts in sorted(sums.items())]
    if lines:
        lines.append(("all", "", *(sum(counts[name] for counts in sums.values()) for name in SPENT)))
    return [tuple(f"{cell:.6f}" if isinstance(cell, float) else cell for cell in line) for line in lines]


def _texts(release):
    """Cells by table, column and what became of them."""
    counts = release.read("published_texts", ["table", "column", "state", "cells"])
    return sorted(tuple(row.values()) for row in counts.to_pylist()) if counts else []


def _counted(release, table, names):
    """Rows of a table by these columns, some of which are keys of its path."""
    if not release.has(table):
        return []
    columns = [name for name in names if release.has(table, name)]
    rows = release.read(table, columns).select(names)
    counts = Counter(zip(*(column.to_pylist() for column in rows.columns), strict=True))
    return sorted((*values, count) for values, count in counts.items())
