"""Do runs at random ever pay more than `budget_usd`, by the bill of the server?

Each run is one to four jobs of a model with one cap, processes with a common register: prices, cap, numbers of requests
and what goes wrong are random, some jobs are killed, and a second run goes on where the first one ended. A third of the
servers ignore max_tokens: each answer is of a length of its own, up to fifty times the limit. What such an answer costs
nobody knows before it comes, and replies may be lost: no cap is below LEAST of the longest ones, unless the model says
what its longest answer is, as half of them do. `python benchmarks/budget.py 20` makes so many runs instead of 1,000.
"""

import os
import random
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from common.figures import figure, finish
from common.model_jobs import OVER_BUDGET, Jobs
from loopback import Loopback

RUNS, SIDE_BY_SIDE = 1000, 2 * (os.cpu_count() or 1)
ANSWER = "The harbour is open until the evening. " * 25
LONG, SHORT = 250, 5  # tokens of the longest answer that ignores max_tokens, and of one that does not
LEAST = 10  # answers
FAULTS = ({}, {"drop": 0.1, "cut": 0.1}, {"500": 0.1, "429": 0.1})
ODD = ({}, {"no_usage": 0.2}, {"none": 0.05}, {"negative_usage": 0.3})


def bill(server, price) -> float:
    totals = server.summary()
    return (totals["prompt_tokens"] * price["input"] + totals["completion_tokens"] * price["output"]) / 1e6


def run(number: int) -> tuple[float, Counter]:
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


def main(runs=RUNS):
    begun = time.monotonic()
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        found = list(pool.map(run, range(runs)))
    used, ends = [share for share, _ in found], sum((own for _, own in found), Counter())
    sys.stdout.write(f"{runs} runs, {ends.total()} jobs, {time.monotonic() - begun:.0f} s\n")
    figure("budget_runs", runs, "runs")
    told = "answers, but where the model says what its longest answer is"
    sys.stdout.write(f"no cap of a server that ignores max_tokens is below {LEAST} of its longest {told}\n")
    figure("budget_runs_above_the_cap", sum(share > 1 for share in used), "runs", "== 0")
    figure("budget_highest_share_of_a_cap", max(used), "share", "<= 1")
    figure("budget_jobs_stopped_by_a_cap", ends[OVER_BUDGET], "jobs", "> 0")
    figure("budget_jobs_killed", ends[-9], "jobs", "> 0")
    figure("budget_jobs_that_ended_otherwise", ends.total() - ends[OVER_BUDGET] - ends[-9] - ends[0], "jobs", "== 0")
    finish()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
