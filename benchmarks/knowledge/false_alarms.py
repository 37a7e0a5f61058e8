"""How often tests of drift are wrong where nothing drifts, and how soon they find what does.

Reference and queries are numbers from one distribution. The alarm must ring in at most a share alpha of whole streams,
whether queries are independent or some are sent again at once: each of them, a fifth, or a few, 20 times;
a Kolmogorov-Smirnov test of 50 queries against 50 must reject in .02 to .06 of all trials at alpha = .05, since its
p-values are exact but discrete. Beside them the size of KS tests that are repeated for each window, which no one should
take for an alarm, and the delay of the alarm when a fifth of the queries moves by three standard deviations.
"""

import numpy as np

ALPHA = 0.05
STREAMS, WINDOWS, WINDOW, REFERENCE = 1000, 100, 20, 100
TRIALS, SAMPLES = 1000, 50
REPEATED = 400  # streams with repeated queries
DRIFTING, FROM, SHARE, SHIFT = 200, 30, 0.2, 3.0


def measure(figure) -> None:
    from ragassay.studies.relevance import drift

    draw = np.random.default_rng(0)
    windows = np.repeat(np.arange(WINDOWS), WINDOW)

    def alarms(moved, queries=None):
        """The window of the alarm in a stream, or none; `queries` are the texts, all different if there are none."""
        queries = np.arange(len(windows)) if queries is None else queries
        reference, values = draw.normal(size=REFERENCE), draw.normal(size=len(windows))[queries]
        values += SHIFT * moved * (draw.random(len(windows)) < SHARE)
        counted = drift.first_in_window(queries, windows)
        p_values = drift.sequential_p_values(reference, values[counted], int(draw.integers(1 << 32)))
        found = drift.evidence(p_values, windows[counted], ALPHA).alarms
        return int(np.argmax(found)) if found.any() else None

    false = [alarms(np.zeros(len(windows))) is not None for _ in range(STREAMS)]
    figure("false_alarms_of_1000_streams", float(np.mean(false)), "share", f"<= {ALPHA}")
    count, still = len(windows), np.zeros(len(windows))
    repeated = {
        "each_twice": lambda: np.repeat(np.arange(count // 2), 2),
        "a_fifth_again": lambda: np.cumsum(draw.random(count) > 0.2) - 1,
        "bursts_of_20": lambda: np.repeat(np.arange(count), np.where(draw.random(count) < 0.01, 20, 1))[:count],
    }
    for name, queries in repeated.items():
        share = float(np.mean([alarms(still, queries()) is not None for _ in range(REPEATED)]))
        figure(f"false_alarms_{name}", share, "share", f"<= {ALPHA}")
    pairs = draw.normal(size=(TRIALS, 2, SAMPLES))
    size = float(np.mean([drift.ks(*pair, ALPHA).p_value <= ALPHA for pair in pairs]))
    figure("ks_size", size, "share", ">= 0.02")
    figure("ks_size_upper", size, "share", "<= 0.06")
    late = [alarms(windows >= FROM) for _ in range(DRIFTING)]
    delays = [WINDOWS if at is None else at - FROM for at in late if at is None or at >= FROM]
    figure("drift_found_after", float(np.median(delays)) + 1, "windows")
