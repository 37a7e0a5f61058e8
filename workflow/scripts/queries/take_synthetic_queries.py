"""Make queries of a corpus's own sentences, for where there is no model to write some. They repeat their passage's
words, so searches take these out of the corpus (`ragassay.search.masked_sources`).
"""

from itertools import groupby

from ragassay.base import tables
from ragassay.base.chance import content_id
from ragassay.base.stage import log, run
from ragassay.queries.synthetic import passages_in_turn, taken_from
from ragassay.schemas.corpora import PASSAGES, QUERIES, SYNTHETIC
from ragassay.text.sentences import sentences


def take_synthetic_queries(passages, queries, count, taken):
    rows = tables.read(PASSAGES, passages, ["passage_id", "document_id", "text"]).to_pylist()
    rows = {"conclusion": one_of_each, "sentences": every_sentence}.get(taken, list)(rows)
    with tables.Writer(QUERIES, queries) as kept:
        for row in passages_in_turn(rows, count):
            if text := taken_from(row["text"], taken):
                name = content_id("query", row["passage_id"], text)
                own = {"query_id": name, "text": text, "kind": SYNTHETIC, "passage_id": row["passage_id"]}
                kept.add(dict.fromkeys(QUERIES.schema.names) | own)
    log.info("%d queries, taken by %s", kept.written, taken)


def one_of_each(rows: list[dict]) -> list[dict]:
    """The last passage of each document, where conclusions stand."""
    rows = sorted(rows, key=lambda row: (row["document_id"], _number(row["passage_id"])))
    return [list(own)[-1] for _, own in groupby(rows, key=lambda row: row["document_id"])]


def every_sentence(rows: list[dict]) -> list[dict]:
    """A row for each sentence; what stands in several passages of a document counts once."""
    parts = {(row["document_id"], text): row | {"text": text} for row in rows[::-1] for text in sentences(row["text"])}
    return list(parts.values())[::-1]


def _number(passage_id):
    """Of a passage that was cut."""
    number = passage_id.rpartition("#")[2]
    return int(number) if number.isdigit() else 0


if __name__ == "__main__":
    run(take_synthetic_queries, snakemake)
