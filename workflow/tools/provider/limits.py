"""Rate limits as providers keep and announce them: a bucket for requests and one for tokens, headers that say what is
left, and the forms in which a refused client is told to come back.
"""

import email.utils
import math
import time

from tools.provider.behaviour import Behaviour
from tools.provider.http import Refused


class Bucket:
    """So much a minute; what is not used is kept for `burst` seconds."""

    def __init__(self, per_minute: int, burst: float):
        self.per_minute, self.burst = per_minute, burst
        self.rate, self.most = per_minute / 60, max(1.0, per_minute / 60 * burst)
        self.left, self.since = self.most, time.monotonic()

    def refill(self) -> None:
        now = time.monotonic()
        self.left = min(self.most, self.left + (now - self.since) * self.rate)
        self.since = now

    def wait(self, amount: float) -> float:
        """Seconds until the bucket holds that much."""
        return max(0.0, (amount - self.left) / self.rate)


class Limits:
    def __init__(self):
        self.buckets = {}

    def bucket(self, name: str, per_minute: int, burst: float) -> Bucket | None:
        found = self.buckets.get(name)
        if found is None or (found.per_minute, found.burst) != (per_minute, burst):
            found = self.buckets[name] = Bucket(per_minute, burst) if per_minute else None
        if found:
            found.refill()
        return found

    def take(self, tokens: int, in_flight: int, behaviour: Behaviour, together: bool) -> dict:
        """Use up one request and so many tokens, or refuse; the headers that say what is left."""
        buckets = {
            "requests": (self.bucket("requests", behaviour.requests_per_minute, behaviour.burst_seconds), 1),
            "tokens": (self.bucket("tokens", behaviour.tokens_per_minute, behaviour.burst_seconds), tokens),
        }
        buckets = {name: found for name, found in buckets.items() if found[0]}
        short = {name: bucket.wait(amount) for name, (bucket, amount) in buckets.items() if bucket.wait(amount)}
        if behaviour.in_flight_limit and in_flight >= behaviour.in_flight_limit:
            short["requests in flight"] = behaviour.retry_after
        if not short:
            for bucket, amount in buckets.values():
                bucket.left -= amount
        headers = {}
        for name, (bucket, _) in buckets.items():
            headers |= (together_headers if together else openai_headers)(name, bucket)
        if short:
            headers |= retry_headers(max(short.values()), behaviour.retry_after_form)
            message = f"Limit of {max(short, key=short.get)} reached."
            raise Refused(429, message, "rate_limit", "rate_limit_exceeded", headers=headers)
        return headers


def openai_headers(name: str, bucket: Bucket) -> dict:
    return {
        f"x-ratelimit-limit-{name}": bucket.per_minute,
        f"x-ratelimit-remaining-{name}": int(bucket.left),
        f"x-ratelimit-reset-{name}": duration(bucket.wait(bucket.most)),
    }


def together_headers(name: str, bucket: Bucket) -> dict:
    """Together counts by the second and has other names."""
    start = {"requests": "x-ratelimit", "tokens": "x-tokenlimit"}[name]
    return {
        f"{start}-limit": math.ceil(bucket.rate),
        f"{start}-remaining": int(bucket.left),
        f"{start}-reset": math.ceil(bucket.wait(bucket.most)),
    }


def duration(seconds: float) -> str:
    """As OpenAI writes it: 1h2m3.456s, 6m0s, 12ms."""
    if seconds < 1:
        return f"{math.ceil(seconds * 1000)}ms"
    minutes, rest = divmod(round(seconds, 3), 60)
    hours, minutes = divmod(int(minutes), 60)
    return (
        f"{hours}h" * bool(hours) + f"{minutes}m" * bool(hours or minutes) + f"{rest:.3f}".rstrip("0").rstrip(".") + "s"
    )


def retry_headers(seconds: float, form: str) -> dict:
    """When to come back. Seconds may have decimals, which the standard does not know and clients take."""
    if form == "none":
        return {}
    if form == "date":
        return {"retry-after": email.utils.formatdate(math.ceil(time.time() + seconds), usegmt=True)}
    if form == "ms":
        return {"retry-after-ms": math.ceil(seconds * 1000), "retry-after": math.ceil(seconds)}
    return {"retry-after": f"{max(seconds, 0.001):.3f}".rstrip("0").rstrip(".")}
