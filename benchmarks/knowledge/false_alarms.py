"""How often tests of drift are wrong where nothing drifts.

Reference and queries are numbers from one distribution. The alarm must ring in at most a share alpha of whole streams,
whether queries are independent or some are sent again at once: each of them, a fifth, or a few, 20 times;
a Kolmogorov-Smirnov test of 50 queries against 50 must reject in .02 to .06 of all trials at alpha = .05, since its
p-values are exact but discrete.
"""

import numpy as np

from common.figures import figure

ALPHA = 0.05
STREAMS, WINDOWS, WINDOW, REFERENCE = 1000, 100, 20, 100
TRIALS, SAMPLES = 1000, 50
REPEATED = 400  # streams with repeated queries


def false_alarms() -> None:
    from ragassay.studies.relevance import drift

    draw = np.random.default_rng(0)
    windows = np.repeat(np.arange(WINDOWS), WINDOW)

    def rings(queries=None):
        """Whether a stream has an alarm; `queries` are the texts, all different if there are none."""
        queries = np.arange(len(windows)) if queries is None else queries
        reference, values = draw.normal(size=REFERENCE), draw.normal(size=len(windows))[queries]
        counted = drift.first_in_window(queries, windows)
        p_values = drift.sequential_p_values(reference, values[counted], int(draw.integers(1 << 32)))
        return bool(drift.evidence(p_values, windows[counted], ALPHA).alarms.any())

    false = [rings() for _ in range(STREAMS)]
    figure("false_alarms_of_1000_streams", float(np.mean(false)), "share", f"<= {ALPHA}")
    count = len(windows)
    repeated = {
        "each_twice": lambda: np.repeat(np.arange(count // 2), 2),
        "a_fifth_again": lambda: np.cumsum(draw.random(count) > 0.2) - 1,
        "bursts_of_20": lambda: np.repeat(np.arange(count), np.where(draw.random(count) < 0.01, 20, 1))[:count],
    }
    for name, queries in repeated.items():
        share = float(np.mean([rings(queries()) for _ in range(REPEATED)]))
        figure(f"false_alarms_{name}", share, "share", f"<= {ALPHA}")
    pairs = draw.normal(size=(TRIALS, 2, SAMPLES))
    size = float(np.mean([drift.ks(*pair, ALPHA).p_value <= ALPHA for pair in pairs]))
    figure("ks_size", size, "share", ">= 0.02")
    figure("ks_size_upper", size, "share", "<= 0.06")
