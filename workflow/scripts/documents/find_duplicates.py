"""Find the near-duplicates among the articles of one shard, and between them and the shards before it.

Articles of equal content are one text. Texts are compared by their signatures, of the whole and of the words that a
document keeps. The article that was published first represents a cluster (undated ones come last; ties go to the
smallest id). No article represents a cluster that an earlier shard has. Tables of earlier shards are only read.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.documents import ARTICLES, CLUSTERS
from ragassay.text.near_duplicates import HASHES, VIEWS, WIDTH, components, earlier_neighbours, signatures


def find_duplicates(articles, before, clusters, earlier, similarity, cut_after_words):
    """`before` is the table of the last earlier shard, for which Snakemake waits; `earlier` names all of them,
    separated by blanks: their tables are in the same folder.
    """
    earlier = [Path(clusters).with_name(f"{name}.parquet") for name in earlier.split()]
    assert [Path(path) for path in ([before] if isinstance(before, str) else before)] == earlier[-1:]
    numbers = {}  # content_hash -> number of the text
    text_signatures = signatures(_texts(articles, numbers), cut_after_words)
    component = components(text_signatures, similarity)
    neighbours = _neighbours(text_signatures, component, earlier, similarity)

    rows = tables.read(ARTICLES, articles, ["article_id", "content_hash", "published_at"])
    hashes = rows["content_hash"].to_pylist()
    text = np.fromiter((numbers[digest] for digest in hashes), np.int64, len(hashes))
    first = _first(rows, component[text])
    names = {cluster: f"cluster-{hashes[row][:16]}" for cluster, row in first.items()} | neighbours
    representatives = {row for cluster, row in first.items() if cluster not in neighbours}
    with tables.Writer(CLUSTERS, clusters) as writer:
        for start in range(0, len(hashes), tables.BATCH_ROWS):
            ids = rows["article_id"].slice(start, tables.BATCH_ROWS)
            text_numbers = text[start : start + len(ids)]
            columns = {
                "article_id": ids,
                "cluster_id": [names[cluster] for cluster in component[text_numbers].tolist()],
                "representative": [row in representatives for row in range(start, start + len(ids))],
                "signature": _packed(text_signatures[text_numbers]),
            }
            writer.write(pa.table(columns))
    log.info(
        "%d articles: %d texts in %d clusters, %d of these known from earlier shards",
        len(hashes),
        len(numbers),
        len(first),
        len(neighbours),
    )


def _texts(articles, numbers):
    """The texts, each content once; numbered in this order."""
    for batch in tables.batches(ARTICLES, articles, ["content_hash", "text"]):
        for digest, text in zip(batch["content_hash"].to_pylist(), batch["text"], strict=True):
            if digest not in numbers:
                numbers[digest] = len(numbers)
                yield text.as_py()


def _neighbours(text_signatures, component, earlier, similarity):
    """component -> the id of the earlier cluster that it joins."""
    ids = []

    def pieces():
        for path in earlier:
            for batch in tables.batches(CLUSTERS, path, ["cluster_id", "signature"]):
                ids.append(batch["cluster_id"])
                yield _unpacked(batch["signature"], path)

    rows = earlier_neighbours(text_signatures, component, pieces(), similarity)
    names = pa.chunked_array(ids, pa.string()).take(pa.array(rows.values(), pa.int64()))
    return dict(zip(rows, names.to_pylist(), strict=True))


def _first(rows, cluster):
    """cluster -> the row of the article published first."""
    keys = [("published_at", "ascending"), ("article_id", "ascending")]
    order = pc.sort_indices(rows, keys).to_numpy()  # undated ones come last
    clusters, places = np.unique(cluster[order], return_index=True)
    return dict(zip(clusters.tolist(), order[places].tolist(), strict=True))


def _packed(text_signatures):
    numbers = pa.py_buffer(text_signatures.astype("<u2").tobytes())
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(WIDTH), len(text_signatures), [None, numbers]).cast(
        pa.binary()
    )


def _unpacked(column, path):
    if len(column) and set(pc.binary_length(column).unique().to_pylist()) != {WIDTH}:
        raise tables.TableError(f"{path}: found signatures that are not {WIDTH} bytes long; delete it and run again")
    return np.frombuffer(b"".join(column.to_pylist()), "<u2").reshape(-1, VIEWS, HASHES)


if __name__ == "__main__":
    run(find_duplicates, snakemake)
