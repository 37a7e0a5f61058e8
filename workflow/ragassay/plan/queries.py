"""Settings of the stages that write, mix and rate queries."""

import datetime
from collections.abc import Iterator
from itertools import product

from ragassay.config.grid import Grid
from ragassay.plan import models
from ragassay.plan.corpora import OWN

NEEDED = ("before", "after", "first_day", "drift_day")  # by a log that is mixed
WRITER = "synthetic_queries/{query_set}/model"  # where the model stands that writes queries


def write_synthetic_queries(config: dict, wildcards) -> dict:
    entry = config["synthetic_queries"][wildcards.query_set]
    params = {key: entry[key] for key in ("count", "examples", "sampling")}
    return models.asking(config, "write_synthetic_queries", WRITER, wildcards, **params)


def read_query_log(config: dict, wildcards) -> dict:
    name, entry = wildcards.query_log, config["query_logs"][wildcards.query_log]
    params = {"name": name, "columns": entry["columns"], "date_format": entry["date_format"]}
    return params | {"most_rejected": config["most_rejected"]}


def mixed(config: dict, wildcards) -> list[str]:
    """The query sets that a log is mixed from."""
    entry = config["query_logs"][wildcards.query_log]
    return [f"results/queries/{name}.parquet" for name in dict.fromkeys([*entry["before"], *entry["after"]])]


def rated(config: dict) -> Grid:
    """All raters, corpora, retrievers and query sets that meet, and what the reader of gates reads of each corpus."""
    pairs = product(config["lm_relevance"]["raters"], config["lm_relevance"]["rated"])
    cells = [{"rater": rater, **searched} for rater, searched in pairs]
    shared = config["relevance"]
    for entry in shared["sets"].values() if shared["gate"]["reader"] else ():
        place = {"retriever": shared["retrievers"][0], "query_set": entry["in_knowledge"]}
        cells.append({"rater": shared["gate"]["reader"], "corpus": entry["corpus"], **place})
    return Grid({name: cell[name] for name in ("rater", "corpus", "retriever", "query_set")} for cell in cells)


def rate_relevance(config: dict, wildcards) -> dict:
    shared = config["lm_relevance"]
    params = {"shown": shared["passages"], "votes": shared["votes"], "sampling": shared["sampling"]}
    return models.asking(config, "rate_relevance", "rater", wildcards, **params)


def check(config: dict) -> Iterator[tuple]:
    """Whether names are given once, and shares and days are possible."""
    for name in config["synthetic_queries"]:
        if name in [OWN["query_sets"], *config["question_sets"], *config["query_sets"]]:
            yield ("synthetic_queries", name), "found the name of another query set; give it another"
    for name, entry in config["query_logs"].items():
        place = ("query_logs", name)
        missing = [key for key in NEEDED if key not in entry]
        if "files" in entry:
            if len(missing) < len(NEEDED):
                yield place, f"found files and settings of a mixture, expected files or {', '.join(NEEDED)}"
        elif missing:
            yield place, f"found no {missing[0]}, expected files of your own, or {', '.join(NEEDED)}"
        else:
            yield from (((*place, key), problem) for key, problem in _wrong_mixture(entry))


def _wrong_mixture(entry):
    for key in ("before", "after"):
        if abs(sum(entry[key].values()) - 1) > 1e-9:
            yield key, f"found shares that add up to {sum(entry[key].values()):g}, expected 1"
    if not 1 < entry["drift_day"] <= entry["days"]:
        yield "drift_day", f"found {entry['drift_day']}, expected a day from 2 to {entry['days']}"
    if not _is_date(entry["first_day"]):
        yield "first_day", f"found {entry['first_day']!r}, expected a date such as 2026-11-01"


def _is_date(text):
    try:
        return bool(datetime.date.fromisoformat(text))
    except ValueError:
        return False
