"""Turn the statistics, lengths and rejects of the documents into the metrics that the report's first section shows."""

from collections import Counter

from ragassay.base import tables
from ragassay.base.stage import run
from ragassay.schemas.documents import DOCUMENT_STATISTICS, DOCUMENTS
from ragassay.schemas.report import METRICS, Section

SECTION = Section("documents")


def measure_documents(documents, rejects, statistics, metrics, words_per_bin):
    groups = tables.frame(DOCUMENT_STATISTICS, [statistics])
    refused = tables.read_all(tables.REJECTS, rejects, ["shard", "reason"]).to_pandas()
    shards, reasons = Counter(refused["shard"]), Counter(refused["reason"])
    rows = [*_by_group(groups, "by_topic", "topic"), *_by_group(groups, "by_shard", "shard")]
    for shard in groups["shard"].unique():
        rows += SECTION.rows("by_shard", {"shard": shard}, {"rejected": shards[shard]})
    for reason, count in reasons.items():
        rows += SECTION.rows("rejects", {"reason": reason}, {"rejected": count})
    rows += _lengths(tables.frame(DOCUMENTS, documents, ["n_words"])["n_words"], words_per_bin)
    tables.write(METRICS, metrics, rows)


def _by_group(groups, table, key):
    for value, rows in groups.groupby(key):
        count, words = rows["documents"].sum(), rows["words"].sum()
        numbers = {"documents": count, "undated": rows["undated"].sum(), "mean_words": words / count}
        numbers |= {"fewest_words": rows["fewest_words"].min(), "most_words": rows["most_words"].max()}
        yield from SECTION.rows(table, {key: value}, numbers, count)


def _lengths(lengths, step):
    """A histogram without gaps: empty bins between full ones are rows too."""
    counts = (lengths // step * step).value_counts()
    for start in range(counts.index.min(), counts.index.max() + step, step):
        keys = {"words": f"{start}-{start + step - 1}"}
        yield SECTION.row("lengths", keys, "documents", counts.get(start, 0), len(lengths))


if __name__ == "__main__":
    run(measure_documents, snakemake)
