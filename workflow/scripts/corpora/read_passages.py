"""Read one of the user's corpora, or a part of it: the passages in which queries are searched."""

from ragassay.base.stage import run
from ragassay.corpora.corpus import write_passages
from ragassay.corpora.user_files import PASSAGE_FIELDS, texts


def read_passages(files, passages, columns, cut=None, below=(), share=(0, 1), most_rejected=0.0):
    """`cut` says how many words a passage has at most and how many it repeats; without it, each text is one. `below`
    holds the folder of the files, `share` the number of the part and how many parts there are. Rows that cannot be
    used are left out, up to the share `most_rejected`.
    """
    more = {"stand_in": "title", "below": below, "share": share, "most_rejected": most_rejected}
    write_passages(passages, texts(files, columns, PASSAGE_FIELDS, **more), cut)


if __name__ == "__main__":
    run(read_passages, snakemake)
