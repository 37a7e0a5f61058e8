"""Twelve providers' manners times what servers do wrong: is any row lost, any verdict made up, any shard stopped that
need not stop, any ledger poisoned?

Each pair, with the official clients of OpenAI and Together and with the fast one, asks a loopback server that plays the
provider (provider/manners.py) twenty questions of three samples each, most of them with a setting that some provider
refuses. Then the server does nothing wrong any more, and the same is asked again from the same ledger: whatever was not
answered for a passing reason has to be answered now. Where every request is refused, as with a wrong key, few are
asked: the job has to stop, and nothing may be held against them.

Waits between tries are a hundred times shorter than in use, and several pairs run side by side. When a request counts
as lost is measured first: it is a multiple of what this machine takes for a reply now, so that other work on it stops
nothing. `python benchmarks/providers.py gemini html fast` runs only what is named, providers, misbehaviours or clients.
"""

import logging
import os
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

from common.figures import figure, finish
from ragassay.base.errors import AssayError
from ragassay.calls import _caller
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, Request
from ragassay.calls.parsers.result import Abstain
from ragassay.grading.verdicts import parse_verdict
from tools.loopback import Loopback
from tools.provider.behaviour import Behaviour
from tools.provider.manners import PROVIDERS
from tools.provider.spoilt import HOPELESS, PASSING, READABLE, REFUSALS

REQUESTS, FEW, SAMPLES, IN_FLIGHT = 20, 6, 3, 8
CLIENTS = {"official": ("openai", "official"), "of_together": ("together", "official"), "fast": ("openai", "fast")}
SIDE_BY_SIDE = 2 * os.cpu_count()  # pairs; most of their time is waiting
SLACK = 5  # how much slower than when it was measured a reply may be
RIGHT, WORD, LONG = "The answer is: yes.", "forbidden", "word " * 4000
SAMPLING = {"max_tokens": 60, "temperature": 0.7, "seed": 1}
ANSWERED, MAY_ABSTAIN, ABSTAINS, STOPS = {True}, {True, "abstains"}, {"abstains"}, set()
ONE_ABSTAINS = "one in five"  # of the requests: those that hold WORD
BUSY = {"faults": {"429": 0.2}, "retry_after": 0.05}
ODD = {"ignore_n": 1.0, "fewer": 0.5, "same_index": 1.0, "no_usage": 1.0, "negative_usage": 1.0, "renamed": 0.5}
ODD |= {"huge": 0.06, "thoughts": 1.0, "parts": 1.0}
MISBEHAVIOUR = {  # name -> settings of the server, and what may come of a sample
    "none": ({}, ANSWERED),
    "busy": (BUSY, ANSWERED),
    "busy_ms": (BUSY | {"retry_after_form": "ms"}, ANSWERED),
    "busy_date": ({"faults_at": {"5": "429"}, "retry_after": 0.05, "retry_after_form": "date"}, ANSWERED),
    "busy_silent": (BUSY | {"retry_after_form": "none"}, ANSWERED),
    "failing": ({"faults": {"500": 0.2}}, ANSWERED),
    "unavailable": ({"faults": {"503": 0.2}, "retry_after": 0.05}, ANSWERED),
    "overloaded": ({"faults": {"529": 0.2}}, ANSWERED),
    "slow": ({"faults": {"slow": 0.3}, "slow_seconds": 0.1}, ANSWERED),
    "hang": ({"faults_at": {"5": "hang", "12": "hang"}}, ANSWERED),
    "limits": ({"requests_per_minute": 6000, "burst_seconds": 1.0, "in_flight_limit": 4}, ANSWERED),
    "no_choice": ({"odd_answers": {"none": 0.2}}, MAY_ABSTAIN),
    "beyond_max_tokens": ({"odd_answers": {"too_long": 1.0}}, ANSWERED),
    "hidden_thoughts": ({"odd_answers": {"hidden": 1.0}}, ANSWERED),
    "endless_thoughts": ({"odd_answers": {"unclosed": 1.0}}, ABSTAINS),
    "filtered": ({"odd_answers": {"filter": 0.3}}, MAY_ABSTAIN),
    "cut_by_length": ({"odd_answers": {"length": 0.3}}, MAY_ABSTAIN),
    "refusing": ({"odd_answers": {"refusal": 0.3}}, MAY_ABSTAIN),
    "unknown_end": ({"finish": "sated"}, ANSWERED),
    "refused_prompts": ({"refused_words": {WORD: 400}}, MAY_ABSTAIN),
    "unprocessable_prompts": ({"refused_words": {WORD: 422}}, MAY_ABSTAIN),
    "too_long_prompts": ({"context_tokens": 2000}, MAY_ABSTAIN),
    "forbidden_prompts": ({"refused_words": {WORD: 403}}, ONE_ABSTAINS),
    **{name: ({"faults": {name: 0.15}}, ANSWERED) for name in ("abort", "drop", "cut", "cut_short", "html")},
    **{name: ({"odd_answers": {name: share}}, ANSWERED) for name, share in ODD.items()},
    **{name: ({"odd_answers": {name: 0.3}}, MAY_ABSTAIN) for name in ("empty", "null")},
    **{name: ({"odd_answers": {name: 0.1}}, ANSWERED) for name in PASSING},
    **{name: ({"odd_answers": {name: 1.0}}, ANSWERED) for name in READABLE},
    **{name: ({"odd_words": {WORD: name}}, ONE_ABSTAINS) for name in REFUSALS},
    **{name: ({"odd_answers": {name: 1.0}}, STOPS) for name in HOPELESS},
}
OPTIONS = {"unknown_setting": {"some_option": 1}}


def requests(count):
    for number in range(count):
        odd = WORD if number % 5 == 1 else LONG if number % 5 == 2 else ""
        question = f"Question {number}: is the harbour open? {odd}"
        messages = [{"role": "system", "content": "Say yes or no."}, {"role": "user", "content": question}]
        yield Request(messages, SAMPLING | ({"frequency_penalty": 0.1} if number % 2 else {}), SAMPLES)


def made_up(rows, allowed) -> int:
    """Samples whose verdict is none of those allowed."""
    count = 0
    for number, row in enumerate(rows):
        right = (ABSTAINS if number % 5 == 1 else ANSWERED) if allowed == ONE_ABSTAINS else allowed
        for answer in row:
            parsed = parse_verdict(answer.text, answer.finish_reason)
            count += ("abstains" if isinstance(parsed, Abstain) else parsed.value) not in right
    return count


def asked(model, count, folder) -> tuple[list, str]:
    """The rows that a run gives, and why it stopped."""
    rows = []
    try:
        rows.extend(complete(requests(count), model, folder))
    except AssayError as error:
        return rows, str(error)
    return rows, ""


def pair(provider, name, client, timeout):
    """What became of one provider that misbehaves in one way: rows lost, verdicts made up, whether the shard stopped
    and whether its ledger is poisoned; and why it stopped.
    """
    settings, allowed = MISBEHAVIOUR[name]
    count, counts = FEW if allowed is STOPS else REQUESTS, Counter()
    own = {"concurrency": IN_FLIGHT, "timeout": timeout, "price": {"input": 1.0, "output": 2.0}}
    kind, own["client"] = CLIENTS[client]
    own |= {"options": OPTIONS.get(name, {})}
    with Loopback(manners=provider, texts=[RIGHT], **settings) as server, tempfile.TemporaryDirectory() as folder:
        base = server.url.removesuffix("/v1") if kind == "together" else server.url
        model = Model(provider, kind, "loopback", base, "LOOPBACK_KEY", **own)
        rows, why = asked(model, count, folder)
        whole = count * SAMPLES
        if allowed is STOPS:
            counts["made_up"] = whole * (not why)
            allowed = ANSWERED
        else:
            counts["stopped"], counts["made_up"] = bool(why), made_up(rows, allowed)
            counts["lost"] = 0 if why else whole - sum(len(row) for row in rows)
        server.control(**{setting: getattr(Behaviour(), setting) for setting in settings})
        rows, still = asked(model, count, folder)
        counts["poisoned"] = bool(still or sum(len(row) for row in rows) < whole or made_up(rows, allowed))
    return f"{provider} {name} {client}", counts, still or why if +counts else ""


def seconds(provider, name):
    """How long a pair takes alone, where nothing counts as lost."""
    start = time.monotonic()
    pair(provider, name, "official", 600.0)
    return time.monotonic() - start


def quickly():
    """Shorter waits, and nothing in the log, in each process."""
    logging.getLogger("ragassay").setLevel(logging.ERROR)
    os.environ |= {"LOOPBACK_KEY": "test-key", "NO_PROXY": "127.0.0.1"}
    _caller.FIRST_WAIT, _caller.LONGEST_WAIT = 0.005, 0.3


def main():
    quickly()
    only, total, begun = set(sys.argv[1:]), Counter(), time.monotonic()
    names = [name for name in MISBEHAVIOUR if name in only or not only & MISBEHAVIOUR.keys()]
    providers = [name for name in PROVIDERS if name in only or not only & PROVIDERS.keys()]
    clients = [name for name in CLIENTS if name in only or not only & CLIENTS.keys()]
    pairs = [(one, name, client) for name in names for one in providers for client in clients]
    slack = SLACK * SIDE_BY_SIDE
    hanging, usual = (max(1.0, slack * seconds("groq", name) / IN_FLIGHT) for name in ("none", "huge"))
    timeouts = [hanging if "faults_at" in MISBEHAVIOUR[name][0] else max(20.0, usual) for _, name, _ in pairs]
    with ProcessPoolExecutor(SIDE_BY_SIDE, initializer=quickly) as pool:
        for what, counts, why in pool.map(pair, *zip(*pairs, strict=True), timeouts):
            if +counts:
                sys.stdout.write(f"{what}: {dict(counts)} {why}\n")
            total += counts
    sys.stdout.write(f"{len(pairs)} pairs, {len(pairs) * REQUESTS * SAMPLES} samples, ")
    sys.stdout.write(
        f"{time.monotonic() - begun:.0f} s, lost after {max(20.0, usual):.0f} s, or {hanging:.1f} s where some hang\n"
    )
    figure("providers_played", len(PROVIDERS), "providers", ">= 12")
    figure("clients_played", len(clients), "clients", ">= 3")
    figure("misbehaviours", len(MISBEHAVIOUR), "kinds", ">= 60")
    figure("rows_lost", total["lost"], "samples", "== 0")
    figure("verdicts_made_up", total["made_up"], "samples", "== 0")
    figure("shards_stopped", total["stopped"], "shards", "== 0")
    figure("ledgers_poisoned", total["poisoned"], "ledgers", "== 0")
    finish()


if __name__ == "__main__":
    main()
