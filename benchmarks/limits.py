"""Do limits hold at any moment, and are they used, while up to eight jobs of a model start, end and die at random?

Once with 600 requests a minute, once with 16 requests in flight, each for a minute. Counted from the server's log: the
seconds, one beginning with each request, in which more than ten came; the moments with more than 16 in flight; and how
much of what was allowed was used from the first second with a job to the last. `python benchmarks/limits.py 10` takes
so many seconds each.
"""

import bisect
import random
import sys
import tempfile
import time

from common.figures import figure, finish
from common.model_jobs import Jobs, asked
from loopback import Loopback

SECONDS, MOST_JOBS = 60, 8
A_SECOND, IN_FLIGHT = 10, 16
USED = ">= 0.9"


def jobs_at_random(running, seconds, size):
    """Jobs of so many requests, of which at least one runs at any time, from the first request on."""
    running.start(10 * size)
    running.until_asked(1)
    draw, end = random.Random(1), time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        alive = [process for process in running.processes if process.is_alive()]
        if len(alive) > 1 and draw.random() < 0.3:
            draw.choice(alive[1:]).kill()
        elif len(alive) < MOST_JOBS:
            running.start(size if alive else 10 * size)
        time.sleep(min(left, draw.uniform(0.1, 1.5)))


def figure_rate(seconds):
    with Loopback(latency=0.2) as server, tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        with Jobs(server, folder, concurrency=64, requests_per_minute=60 * A_SECOND) as running:
            jobs_at_random(running, seconds, 30)
        times = asked(server)
    windows = [bisect.bisect_left(times, start + 1.0) - number for number, start in enumerate(times)]
    figure("limits_seconds_above_600_a_minute", sum(count > A_SECOND for count in windows), "windows", "== 0")
    figure("limits_most_in_a_second", max(windows), "requests", f"<= {A_SECOND}", A_SECOND)
    figure("limits_share_used_of_600_a_minute", len(times) / (times[-1] - times[0]) / A_SECOND, "share", USED)


def figure_in_flight(seconds):
    with Loopback(latency=0.2) as server, tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        with Jobs(server, folder, concurrency=IN_FLIGHT) as running:
            jobs_at_random(running, seconds, 300)
        lines = sorted((line for line in server.log() if line["route"] == "chat"), key=lambda line: line["time"])
    now, above, used, before = 0, 0, 0.0, lines[0]["time"]
    for line in lines:
        used, before = used + now * (line["time"] - before), line["time"]
        now += 1 if line["event"] == "asked" else -1
        above += now > IN_FLIGHT
    figure("limits_moments_above_16_in_flight", above, "moments", "== 0")
    figure("limits_share_used_of_16_in_flight", used / IN_FLIGHT / (before - lines[0]["time"]), "share", USED)


def main(seconds=SECONDS):
    figure_rate(seconds)
    figure_in_flight(seconds)
    finish()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
