"""Mix a log of queries from several query sets, with a change of the mixture on one day, for studies of drift."""

import datetime
import random
from pathlib import Path

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.corpora import QUERIES, QUERY_LOG

OPEN, HOURS = 7, 16  # queries come from seven in the morning on, for so many hours


def mix_query_log(query_sets, query_log, before, after, first_day, days, drift_day, queries, seed):
    """Each day has the same number of queries, and each mixture its shares in expectation. A query may come again."""
    asked = {Path(path).stem: _texts(path) for path in query_sets}
    dice = random.Random(f"query log {seed}")
    first, entry = datetime.date.fromisoformat(first_day), 0
    with tables.Writer(QUERY_LOG, query_log) as kept:
        for day in range(1, days + 1):
            today = queries * day // days - queries * (day - 1) // days
            shares = after if day >= drift_day else before
            names = dice.choices(list(shares), list(shares.values()), k=today)
            seconds = sorted(dice.randrange(HOURS * 3600) for _ in range(today))
            morning = datetime.datetime.combine(first, datetime.time(OPEN), datetime.UTC)
            for name, second in zip(names, seconds, strict=True):
                entry += 1
                date = morning + datetime.timedelta(days=day - 1, seconds=second)
                asking = {"entry": entry, "date": date, "session": None, "query_set": name, "drifted": day >= drift_day}
                kept.add(asking | dice.choice(asked[name]))
    log.info("%d queries of %d days, with another mixture from day %d on", kept.written, days, drift_day)


def _texts(path):
    return tables.read(QUERIES, path, ["query_id", "text"]).to_pylist()


if __name__ == "__main__":
    run(mix_query_log, snakemake)
