"""Fetch one file of the user's out of an object store, for the jobs that read it."""

from ragassay.base.stage import run
from ragassay.documents import object_store


def fetch_file(file, place):
    object_store.fetch(place, file)


if __name__ == "__main__":
    run(fetch_file, snakemake)
