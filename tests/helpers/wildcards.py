"""The wildcards of a job, as Snakemake gives them: by key and by attribute."""


class Wildcards(dict):
    __getattr__ = dict.__getitem__
