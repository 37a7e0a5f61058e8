"""The limits of a model, which hold for all its jobs together: requests in flight, requests and tokens a minute. A
job is granted slots and points in time, in the register, where all jobs see it. All points lie on one timeline, so
far apart that no second holds more than the limit: a request goes within LATE of its point or takes a new one. Limits
that replies name count beside the configured ones."""

import contextlib
import math
import time
from collections import deque
from collections.abc import Iterable

from ragassay.calls.ledger.register import Register
from ragassay.calls.limits.quirks import Quirks
from ragassay.calls.model import Model

RAMP = 8  # requests in flight until the first reply
LATE = 0.02  # seconds after its point at which a request may still go
ARRIVAL = 0.05  # seconds by which one request may take longer to arrive than another
SECOND = 1 + LATE + ARRIVAL
VISITS = 20  # a second, of all jobs together
TURN = 5  # visits of a job: how long it keeps a slot that others need too
LOOKS = 20  # at clocks, of which the best counts
RECOVERY = 30.0  # seconds in which a rate that was lowered grows by itself again; it is forgotten after as many times
LEAST = 60.0  # requests a minute
NAMES = ("requests_per_minute", "tokens_per_minute")


class SharedLimits:
    """`share` for slots, `book` for points in time, `learn` for what replies say."""

    def __init__(self, model: Model, register: Register | None = None, quirks: Quirks | None = None):
        self.model, self.register, self.quirks = model, register or Alone(), quirks or Quirks(model)
        self.endpoint = [model.provider, model.model, model.base_url]
        self.learned, self.confirmed = None, False  # `confirmed`: by a reply of this run
        self.jobs, self._between = 0, deque(maxlen=LOOKS)
        self.slowed, self._now = None, 0.0  # [when jobs slowed down, until when they paused, requests a minute then]

    @property
    def known(self) -> bool:
        """Whether there is a limit on requests, or a reply has shown that there is none."""
        return self.model.requests_per_minute is not None or self.learned is not None

    @property
    def most(self) -> int:
        """Requests of all jobs that may be in flight."""
        most = self.model.concurrency if self.known else min(RAMP, self.model.concurrency)
        return min(most, self.quirks.room or most)

    @property
    def in_force(self) -> dict:
        """name -> the lowest limit, None without one"""
        learned = self.learned or {}
        given = {name: [limit for limit in (getattr(self.model, name), learned.get(name)) if limit] for name in NAMES}
        return {name: min(limits, default=None) for name, limits in given.items()}

    @property
    def seconds_between_visits(self) -> float:
        return max(4, self.jobs) / VISITS

    @property
    def ahead(self) -> float:
        """Seconds: how far from now points may lie that are given out, unless they lie farther apart than that. Then
        each is given out once it is due.
        """
        return self.seconds_between_visits / 4

    def share(self, used: int, wanted: int) -> int:
        """How many requests this job may have in flight; as long as it has more, those count."""
        with self._state() as (kept, now):
            self.quirks.take_over(kept)
            most, jobs = self.most, kept["jobs"]
            others = {name: (held, wants) for name, (_, held, wants) in jobs.items() if name != self.register.name}
            needed = any(held < wants for held, wants in others.values())
            wants = {name: wants for name, (_, wants) in others.items()}
            wants[self.register.name] = wanted if needed else most
            fair = dealt(wants, most, int(now / self.seconds_between_visits / TURN))[self.register.name]
            granted = max(0, min(fair, most - sum(held for held, _ in others.values())))
            jobs[self.register.name] = [now, max(used, granted), wanted]
        return granted

    def book(self, costs: Iterable[int]) -> tuple[list[float], float]:
        """The points at which the next requests may go, by the clock of this process, and when it is worth to come
        again; none if the next one lies too far ahead. `costs` are the tokens of the requests.
        """
        with self._state() as (kept, now):
            points, point = [], max(kept["next"], now - LATE / 2)
            ahead = max(0.0, self.ahead - self._seconds(0))
            for tokens in costs:
                if point > now + ahead:
                    break
                points.append(point)
                point += self._seconds(tokens)
            kept["next"] = point
            # Between its two looks at clocks a process may have to wait, so the least difference is the best.
            between = min(self._between)
        return [point + between for point in points], point - ahead + between

    def learn(self, named: dict) -> None:
        """The limits that a reply names, which may be none. Of the replies of a run the lowest holds."""
        learned = self.learned or {}
        if self.confirmed and not any(named.get(name, math.inf) < learned.get(name, math.inf) for name in NAMES):
            return
        with self._state() as (kept, now):
            unknown, learned = not self.known, self.learned if self.confirmed else {}
            lowest = {
                name: min(limits[name] for limits in (named, learned) if name in limits) for name in named | learned
            }
            kept["learned"], kept["confirmed"] = lowest, True
            self.learned, self.confirmed = lowest, True
            if unknown:  # what was sent until now counts as well
                kept["next"] = max(kept["next"], now) + min(RAMP, self.model.concurrency) * self._seconds(0)

    def slow(self, seconds: float, sent: float, rate: float) -> None:
        """Many requests were refused, the last of which was `sent` then: all jobs pause, and go slower from then on.
        This job had so many answers a minute (`rate`). What was sent before jobs slowed down says nothing new.
        """
        with self._state() as (kept, now):
            if self.slowed and sent - min(self._between) <= self.slowed[0]:
                return
            lower = max(LEAST, self._rate() / 2 if self.slowed else rate * self.jobs)
            kept["slowed"] = self.slowed = [now, now + seconds, lower]
            kept["next"] = max(kept["next"], now + seconds)

    @property
    def pause_left(self) -> float:
        """Seconds of the pause of all jobs."""
        return max(0.0, self.slowed[1] + min(self._between) - time.monotonic()) if self.slowed else 0.0

    def _rate(self):
        _, since, rate = self.slowed
        return rate * (1 + max(0.0, self._now - since) / RECOVERY)

    def leave(self) -> None:
        with self._state() as (kept, _):
            del kept["jobs"][self.register.name]

    @contextlib.contextmanager
    def _state(self):
        """What all jobs share, with this job among them, and the time."""
        with self.register.shared() as (kept, now):
            jobs = kept.setdefault("jobs", {})
            if not jobs:  # a new run
                same_endpoint = kept.get("endpoint") == self.endpoint
                kept |= {"endpoint": self.endpoint, "learned": kept.get("learned") if same_endpoint else None}
                # No point of an earlier run lies further ahead, unless somebody has set the clock.
                kept |= {"slowed": kept.get("slowed") if same_endpoint else None}
                kept |= {"confirmed": False, "next": min(kept.get("next", now), now + 60)}
            elif (back := kept.get("now", now) - now) > 0:  # somebody has set the clock: the timeline moves with it
                kept["next"] -= back
                kept["slowed"] = None
            if kept.get("slowed") and now - kept["slowed"][1] > RECOVERY**2:
                kept["slowed"] = None
            kept["now"] = self._now = now
            self._between.append(time.monotonic() - now)
            jobs.setdefault(self.register.name, [now, 0, 0])[0] = now
            self.learned, self.confirmed, self.jobs = kept["learned"], kept["confirmed"], len(jobs)
            self.slowed = kept.get("slowed")
            yield kept, now

    def _seconds(self, tokens):
        """How far after a request the next point lies."""
        limits, seconds = self.in_force, 0.0
        rates = limits["requests_per_minute"], self._rate() if self.slowed else None
        if requests := min((rate for rate in rates if rate), default=0):
            seconds = max(60 / requests, SECOND / math.ceil(requests / 60))
        if limits["tokens_per_minute"]:
            seconds = max(seconds, 60 * tokens / limits["tokens_per_minute"])
        return seconds


class Alone:
    """In place of a register, for a job that shares its model with no other."""

    name = "alone"

    def __init__(self):
        self._kept = {}

    @contextlib.contextmanager
    def shared(self):
        yield self._kept, time.monotonic()


def dealt(wants: dict[str, int], most: int, turn: int) -> dict[str, int]:
    """`most` slots, dealt like cards to those who want more. The first in line, who gets what cannot be divided evenly,
    changes with the turn.
    """
    names = sorted(wants)
    first = turn % len(names)
    players, shares = names[first:] + names[:first], dict.fromkeys(names, 0)
    while most > 0 and (players := [name for name in players if shares[name] < wants[name]]):
        for name in players[:most]:
            shares[name] += 1
        most -= min(most, len(players))
    return shares
