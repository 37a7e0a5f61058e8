"""How often tests of drift are wrong where nothing drifts, and how often the alarm sees what does.

Reference and queries are numbers from one distribution. The alarm must ring in at most a share alpha of whole streams:
of independent queries, of queries that are sent again (each, a fifth, a tenth, or a few of them, 20 times), of sessions
of ten queries whose correlation is .3, and where weekends differ from other days. Power is the share of such streams
that ring if a fifth of the queries in their second half is far from the reference; the
kind of stream counts in which it is least.
"""

import numpy as np

from common.figures import figure
from ragassay.studies.relevance import drift
from ragassay.studies.relevance.drift import Stream

ALPHA = 0.05
DAYS, A_DAY, WINDOW, REFERENCE = 98, 20, 20, 100
STREAMS, DRIFTING = 400, 100
SESSION, CORRELATION, BURST = 10, 0.3, 20
SHARE, SHIFT = 0.2, 3.0  # of queries that drift, and how far
LEAST = 0.735  # of drifting logs must ring: what an alarm found that ranked each query of a log that was sent twice


def false_alarms() -> None:
    draw, count = np.random.default_rng(0), DAYS * A_DAY
    alone, days = np.arange(count), np.repeat(np.arange(DAYS), A_DAY)
    windows = alone // WINDOW

    def stream(values, queries=alone, sessions=alone):
        return Stream(values, queries, sessions, days, days % 7 >= 5)

    def independent():
        return stream(draw.normal(size=count))

    def again(numbers):
        def make():
            queries = numbers()[:count]
            return stream(draw.normal(size=count)[queries], queries)

        return make

    def sessions():
        numbers = alone // SESSION
        shared, own = draw.normal(size=count)[numbers], draw.normal(size=count)
        return stream(CORRELATION**0.5 * shared + (1 - CORRELATION) ** 0.5 * own, sessions=numbers)

    def weekends():
        asked = independent()
        return asked._replace(values=asked.values + asked.weekends)

    def drifting(asked):
        late = (alone >= count // 2) & (draw.random(count) < SHARE)
        return asked._replace(values=asked.values + SHIFT * late)

    def rings(asked):
        before = Stream(draw.normal(size=REFERENCE), *(np.arange(REFERENCE),) * 3, np.full(REFERENCE, False))
        return drift.alarm(asked, windows, before, ALPHA, int(draw.integers(1 << 32))).since is not None

    streams = {
        "independent": independent,
        "each_twice": again(lambda: alone // 2),
        "a_fifth_again": again(lambda: np.cumsum(draw.random(count) > 0.2) - 1),
        "a_tenth_again": again(lambda: np.cumsum(draw.random(count) > 0.1) - 1),
        "bursts": again(lambda: np.repeat(alone, np.where(draw.random(count) < 0.01, BURST, 1))),
        "sessions": sessions,
        "weekends": weekends,
    }
    powers = []
    for name, make in streams.items():
        share = float(np.mean([rings(make()) for _ in range(STREAMS)]))
        figure(f"false_alarms_{name}", share, "share", f"<= {ALPHA}")
        powers.append(float(np.mean([rings(drifting(make())) for _ in range(DRIFTING)])))
    figure("least_power_of_all_streams", min(powers), "share", f">= {LEAST}")
