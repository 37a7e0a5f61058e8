"""Do limits hold while jobs of a model start, end and die at random? Counted by the server that they ask.

`rate` and `in_flight`: up to eight jobs, once with 600 requests a minute, once with 16 requests in flight, each for a
minute: the seconds, one beginning with each request, in which more than ten came; the moments with more than 16 in
flight; and how much of what was allowed was used from the first second with a job to the last.

`budget`: a thousand runs of one to four jobs with a common cap. Prices, cap, numbers of requests and what goes wrong
are random, some jobs are killed, and a second run goes on where the first one ended. A third of the servers ignore
max_tokens: each answer has a length of its own, up to fifty times the limit. Nobody knows what such an answer costs
before it comes, and replies may be lost: no cap is below LEAST of the longest answers, unless the model says how long
its answers get, as half of these do.

`python benchmarks/limits.py budget` runs only the parts that are named.
"""

import bisect
import os
import random
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from common.figures import figure, parts
from common.model_jobs import OVER_BUDGET, Jobs, asked
from tools.loopback import Loopback

SECONDS, MOST_JOBS = 60, 8
A_SECOND, IN_FLIGHT = 10, 16
USED = ">= 0.9"
RUNS, SIDE_BY_SIDE = 1000, 2 * (os.cpu_count() or 1)
ANSWER = "The harbour is open until the evening. " * 25
LONG, SHORT = 250, 5  # tokens of the longest answer that ignores max_tokens, and of one that does not
LEAST = 10  # answers
FAULTS = ({}, {"drop": 0.1, "cut": 0.1}, {"500": 0.1, "429": 0.1})
ODD = ({}, {"no_usage": 0.2}, {"none": 0.05}, {"negative_usage": 0.3})


def jobs_at_random(running, size):
    """Jobs of so many requests, of which at least one runs at any time, from the first request on."""
    running.start(10 * size)
    running.until_asked(1)
    draw, end = random.Random(1), time.monotonic() + SECONDS
    while (left := end - time.monotonic()) > 0:
        alive = [process for process in running.processes if process.is_alive()]
        if len(alive) > 1 and draw.random() < 0.3:
            draw.choice(alive[1:]).kill()
        elif len(alive) < MOST_JOBS:
            running.start(size if alive else 10 * size)
        time.sleep(min(left, draw.uniform(0.1, 1.5)))


def rate():
    with Loopback(latency=0.2) as server, tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        with Jobs(server, folder, concurrency=64, requests_per_minute=60 * A_SECOND) as running:
            jobs_at_random(running, 30)
        times = asked(server)
    windows = [bisect.bisect_left(times, start + 1.0) - number for number, start in enumerate(times)]
    figure("limits_seconds_above_600_a_minute", sum(count > A_SECOND for count in windows), "windows", "== 0")
    figure("limits_most_in_a_second", max(windows), "requests", f"<= {A_SECOND}", A_SECOND)
    figure("limits_share_used_of_600_a_minute", len(times) / (times[-1] - times[0]) / A_SECOND, "share", USED)


def in_flight():
    with Loopback(latency=0.2) as server, tempfile.TemporaryDirectory(prefix="ragassay-bench-") as folder:
        with Jobs(server, folder, concurrency=IN_FLIGHT) as running:
            jobs_at_random(running, 300)
        lines = sorted((line for line in server.log() if line["route"] == "chat"), key=lambda line: line["time"])
    now, above, used, before = 0, 0, 0.0, lines[0]["time"]
    for line in lines:
        used, before = used + now * (line["time"] - before), line["time"]
        now += 1 if line["event"] == "asked" else -1
        above += now > IN_FLIGHT
    figure("limits_moments_above_16_in_flight", above, "moments", "== 0")
    figure("limits_share_used_of_16_in_flight", used / IN_FLIGHT / (before - lines[0]["time"]), "share", USED)


def bill(server, price) -> float:
    totals = server.summary()
    return (totals["prompt_tokens"] * price["input"] + totals["completion_tokens"] * price["output"]) / 1e6


def paid(number: int) -> tuple[float, Counter]:
    """The share of the cap that was billed, and how the jobs ended."""
    draw, ends = random.Random(number), Counter()
    price = {"input": 10 ** draw.uniform(-2, 2), "output": 10 ** draw.uniform(-2, 2)}
    cheats = number % 3 == 0
    jobs = [draw.randint(5, 30) for _ in range(draw.randint(1, 4))]
    answer = (price["input"] * 20 + price["output"] * (LONG if cheats else SHORT)) / 1e6
    says = cheats and draw.random() < 0.5
    cap = max(sum(jobs) * answer * 10 ** draw.uniform(-1, 0.3), LEAST * answer * (cheats and not says))
    lengths = [round(SHORT * (LONG / SHORT) ** draw.random()) for _ in range(100)]
    texts = [ANSWER[: 4 * length] for length in lengths] if cheats else [ANSWER]
    odd = {"too_long": 1.0} if cheats else draw.choice(ODD)
    behaviour = {"faults": draw.choice(FAULTS), "odd_answers": odd, "retry_after": 0.02, "texts": texts}
    with tempfile.TemporaryDirectory() as folder, Loopback(latency=0.01, seed=number, **behaviour) as server:
        settings = {"concurrency": draw.randint(1, 16), "price": price, "budget_usd": cap}
        settings |= {"longest_answer": LONG} if says else {}
        for _ in range(2):
            with Jobs(server, folder, **settings) as running:
                running.start(*jobs)
                for _ in range(draw.randint(0, 2)):
                    time.sleep(draw.uniform(0, 0.2))
                    draw.choice(running.processes).kill()
                ends.update(running.wait())
        return bill(server, price) / cap, ends


def budget():
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        runs = list(pool.map(paid, range(RUNS)))
    shares = [share for share, _ in runs]
    ends = sum((counts for _, counts in runs), Counter())
    otherwise = ends.total() - ends[OVER_BUDGET] - ends[-9] - ends[0]
    figure("budget_runs_above_the_cap", sum(share > 1 for share in shares), "runs", "== 0", RUNS)
    figure("budget_highest_share_of_a_cap", max(shares), "share", "<= 1")
    figure("budget_jobs_stopped_by_a_cap", ends[OVER_BUDGET], "jobs", "> 0", ends.total())
    figure("budget_jobs_killed", ends[-9], "jobs", "> 0", ends.total())
    figure("budget_jobs_that_ended_otherwise", otherwise, "jobs", "== 0", ends.total())


if __name__ == "__main__":
    parts({"rate": rate, "in_flight": in_flight, "budget": budget})
