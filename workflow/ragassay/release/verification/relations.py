"""What the tables of a release say of each other: references, splits, counts, licences, poison, secrets."""

from collections import Counter
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from ragassay.release.verification.digests import first, scalar
from ragassay.release.verification.facts import NO_LICENCE, licence_of, texts_by_source
from ragassay.release.verification.release_folder import TABLES, ReleaseFolder
from ragassay.release.verification.table_files import SECRET, SECRETS

POISONED = "^poison-[0-9a-f]{16}"
PUBLISHED = ("published", "repeats_published")


def problems(release: ReleaseFolder) -> Iterator[str]:
    for check in (_references, _prompts, _splits, _funnels, _licences, _texts, _poison, _secrets):
        yield from check(release)


def _references(release):
    """Values that are missing in the column they refer to."""
    targets = {}  # (table, column) -> its values
    for table, column, other, target in release.manifest["references"]:
        if release.has(table, column) and release.has(other, target):
            if (other, target) not in targets:
                targets[other, target] = pa.chunked_array(_distinct(release, other, target).values())
            distinct = _distinct(release, table, column)
            values = pa.chunked_array(distinct.values())
            # all files at once, since each look-up goes through everything that the target has
            dangling = values.filter(pc.invert(pc.is_in(values, targets[other, target])))
            for file, in_file in distinct.items() if len(dangling) else ():
                at = first(pc.is_in(in_file, dangling))
                if at >= 0:
                    yield f"{file}: {column} {in_file[at].as_py()!r} is not in column {target} of table {other}"


def _prompts(release):
    """Prompts that rows were asked with and that the release lacks."""
    for table in release.tables:
        for file, prompts in _distinct(release, table, "prompt").items() if release.has(table, "prompt") else ():
            for prompt in prompts.to_pylist():
                if prompt not in release.manifest["prompts"]:
                    yield f"{file}: prompt {prompt!r} is not in the prompts of manifest.json"


def _distinct(release, table, column):
    """file -> the values of a column in it."""
    return {file: release.passes[file].distinct(column) for file in release.files[table]}


def _splits(release):
    """Near-duplicates that are in several splits, with all their questions."""
    if not (release.has("selected_questions", "split") and release.has("documents", "cluster_id")):
        return
    documents = release.read("documents", ["doc_id", "cluster_id"])
    asked = release.read("selected_questions", ["doc_id", "split"])
    clusters = documents["cluster_id"].take(pc.index_in(asked["doc_id"], documents["doc_id"]))
    splits = Counter()
    for split in asked["split"].unique():
        splits.update(clusters.filter(pc.equal(asked["split"], split)).unique().to_pylist())
    for cluster, count in sorted(splits.items(), key=str):
        if count > 1:
            yield f"selected_questions: documents of {cluster} are in {count} splits, expected one"


def _funnels(release):
    """Stages that lost rows: what goes in comes out or is rejected. Users may bring something about some questions."""
    counted = {file: entry["rows"] for table in release.tables.values() for file, entry in table["files"].items()}
    for start, end, rejects in release.manifest["funnels"]:
        for file in release.files.get(end, ()):
            if "" in release.passes[file].distinct("prompt").to_pylist():
                continue
            keys = release.keys(end, file)
            source = f"tables/{release.tables[start]['path'].format(**keys)}.parquet" if start in release.tables else ""
            rejected = f"tables/rejects/{rejects.format(**keys)}.parquet" if rejects else ""
            if source in counted and (not rejected or rejected in counted):
                out = counted[file] + counted.get(rejected, 0)
                if out != counted[source]:
                    yield f"{file}: {counted[source]} rows of {start} became {out} rows of {end} and rejects"


def _licences(release):
    """Texts of documents whose source does not allow them to be published."""
    sources = release.manifest["sources"]
    for table in ("documents", "articles"):
        for file in release.files.get(table, ()):
            shown = {(site, shard) for site, shard, here in texts_by_source(release, file) if here}
            for site, shard in sorted(shown, key=str):
                if not (licence_of(sources, site, shard) or NO_LICENCE)["texts"]:
                    yield f"{file}: found a text of {site or shard}, which does not allow texts to be published"


def _texts(release):
    """Columns with more or fewer texts than published_texts says."""
    counted = release.read("published_texts", ["table", "column", "state", "cells"])
    states = {}
    for row in counted.to_pylist() if counted else ():
        states.setdefault((row["table"], row["column"]), Counter())[row["state"] in PUBLISHED] += row["cells"]
    for table, columns in release.manifest["texts"].items():
        files = release.tables[table]["files"]
        for column in columns:
            missing = sum(release.passes[file].missing[column] for file in files)
            present = sum(entry["rows"] for entry in files.values()) - missing
            if +Counter({False: missing, True: present}) != +states.get((table, column), Counter()):
                yield f"published_texts: column {column} of table {table} has {present} texts, not its count"


def _poison(release):
    """What an attack wants to be read, in a release made without the switch that publishes it."""
    if release.manifest["poisoned"]:
        return
    for files in release.files.values():
        for file in files:
            place = file.removeprefix(f"{TABLES}/").removesuffix(".parquet")
            if any(f"{place}/".startswith(f"{planted}/") for planted in release.manifest["poison"]):
                yield f"{file}: found what attacks plant, expected none: the release says that it has no poison"
    for file in release.files.get("passages", ()):
        if pc.any(pc.match_substring_regex(release.passes[file].distinct("passage_id"), POISONED)).as_py():
            yield f"{file}: found a passage that an attack made, expected none among clean ones"


def _secrets(release):
    """Secrets in other files than tables, which table_files looks into."""
    for path in sorted(release.folder.rglob("*")):
        if path.is_file() and path.suffix != ".parquet":
            text = path.read_text(encoding="utf-8", errors="replace")
            for match in SECRET.finditer(text) if pc.match_substring_regex(scalar(text), SECRETS).as_py() else ():
                number = text.count("\n", 0, match.end()) + 1
                yield f"{path.relative_to(release.folder)}:{number}: found what looks like a secret"
