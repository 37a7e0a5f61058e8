"""Read one of the user's corpora, or a part of it: the passages in which queries are searched."""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.corpora.corpus import cuts
from ragassay.corpora.user_files import texts
from ragassay.schemas.corpora import PASSAGES


def read_passages(files, passages, columns, cut=None, below=()):
    """`cut` says how many words a passage has at most and how many it repeats; without it, each text is one. A passage
    that was cut is called by its document's id and its number. `below` holds the folder of the files.
    """
    with tables.Writer(PASSAGES, passages) as kept:
        for row in texts(files, columns, ("document_id", "title", "source"), stand_in="title", below=below):
            name, text = row.pop("id"), row["text"]
            row["document_id"] = row["document_id"] or name
            places = list(cuts(text, **cut)) if cut else []
            if len(places) < 2:
                kept.add({"passage_id": name, **row})
                continue
            for number, (start, end) in enumerate(places, 1):
                kept.add({"passage_id": f"{name}#{number}", **row, "text": text[start:end]})
    log.info("%d passages", kept.written)


if __name__ == "__main__":
    run(read_passages, snakemake)
