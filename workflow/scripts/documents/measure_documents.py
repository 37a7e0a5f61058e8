"""Turn the statistics, lengths and rejects of the documents into the metrics that the report's first section shows."""

from collections import Counter, defaultdict

from ragassay import tables
from ragassay.schemas.document_statistics import DOCUMENT_STATISTICS
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.metrics import METRICS, metric
from ragassay.stage import run


def measure_documents(documents, rejects, statistics, metrics, words_per_bin):
    groups = tables.read(DOCUMENT_STATISTICS, statistics).to_pylist()
    refused = Counter(tables.read_all(tables.REJECTS, rejects, ["shard"])["shard"].to_pylist())
    reasons = Counter(tables.read_all(tables.REJECTS, rejects, ["reason"])["reason"].to_pylist())
    lengths = tables.read_all(DOCUMENTS, documents, ["n_words"])["n_words"].to_pylist()
    rows = [
        *_by_group(groups, "by_topic", "topic"),
        *_by_group(groups, "by_shard", "shard"),
        *(
            _row("by_shard", {"shard": shard}, "rejected", refused[shard], refused[shard])
            for shard in _values(groups, "shard")
        ),
        *(_row("rejects", {"reason": reason}, "rejected", count, count) for reason, count in reasons.items()),
        *_lengths(lengths, words_per_bin),
    ]
    tables.write(METRICS, metrics, rows)


def _by_group(groups, table, key):
    for value in _values(groups, key):
        own = [group for group in groups if group[key] == value]
        count, words = sum(group["documents"] for group in own), sum(group["words"] for group in own)
        numbers = {
            "documents": count,
            "undated": sum(group["undated"] for group in own),
            "mean_words": words / count,
            "fewest_words": min(group["fewest_words"] for group in own),
            "most_words": max(group["most_words"] for group in own),
        }
        yield from (_row(table, {key: value}, name, number, count) for name, number in numbers.items())


def _values(groups, key):
    return sorted({group[key] for group in groups})


def _lengths(lengths, step):
    """A histogram without gaps: empty bins between full ones are rows too."""
    bins = defaultdict(int, Counter(length // step * step for length in lengths))
    for start in range(min(bins), max(bins) + step, step):
        yield _row("lengths", {"words": f"{start}-{start + step - 1}"}, "documents", bins[start], len(lengths))


def _row(table, keys, name, value, n):
    return metric("documents", table, keys, name, value, n)


if __name__ == "__main__":
    run(measure_documents, snakemake)
