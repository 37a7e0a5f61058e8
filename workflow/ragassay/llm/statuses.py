"""What a status other than 200 means: try again, ask in another way, give up this one request, or stop the job.

Providers word their refusals freely. A wrong key, name or address and an empty account concern every request, and so
stop the job; a server that is busy or down may answer later; one that does not take a parameter may take the request
without it. All else is taken to concern the one request that was refused, which then abstains with the provider's
words; whether too many are is for `refusals` to say.
"""

import re

from ragassay.llm.manners import PARAMETERS, RENAMED, SYSTEM
from ragassay.llm.model import Failure, Model

AGAIN = {408, 409, 425, 429}  # besides 5xx
ADVICE = {
    401: "check the key in {key}",
    402: "the account has no credit left",
    403: "the key in {key} may not use model {model}",
    404: "check the model's name {model!r} and its base_url",
}
NO_CREDIT = {"insufficient_quota", "credit_limit", "billing_hard_limit_reached"}
NAMES_N = re.compile(
    r"""['"`]n['"`]|\bn\s*:?\s*(?:[><=!]|must\b|should\b|parameter\b|is\b|cannot\b)|\bparameter:?\s+n\b"""
    r"""|multiple (?:choices|completions|candidates)|one completion choice""",
    re.IGNORECASE,
)
UNSUPPORTED = (
    r"(?:unsupported|not (?:currently |yet )?(?:supported|permitted|allowed|available|enabled)"
    r"|(?:does|do)(?: not|n.t) (?:support|accept|take)|unrecognized|unknown (?:name|parameter|field|argument|key)"
    r"|unexpected|extra[_ ](?:inputs|fields|forbidden)|deprecated|no longer|only the default)"
)
NAMES_SYSTEM = re.compile(
    rf"\b(?:system|developer instruction)\b[^.]{{0,40}}{UNSUPPORTED}|{UNSUPPORTED}[^.]{{0,40}}\bsystem\b",
    re.IGNORECASE,
)
TOO_LONG = re.compile(
    r"context.?(?:length|window|size)|too (?:long|large|many (?:\w+ )?tokens)|exceed\w* [^.]{0,60}(?:tokens?|context)\b"
    r"|(?:maximum|max) (?:\w+ )?(?:context|prompt|input)|above_max_length|reduce (?:the|your) (?:length|prompt|input)",
    re.IGNORECASE,
)
FILTERED = re.compile(
    r"content.?(?:filter|polic|management)|moderation|\bsafety\b|\bflagged\b|responsible ?ai|inappropriate|harmful",
    re.IGNORECASE,
)


def failure_of(status: int, error, source: str, model: Model, after: float | None = None) -> Failure:
    """The failure behind a status; `error` is the body of the reply, `source` says where it came from."""
    code, words = _said(error)
    detail = f"HTTP {status} {source}: {' '.join(words.split())[:300]}"
    kind = f"http {status}"
    if status == 429 and code in NO_CREDIT:
        status = 402
    if status in ADVICE:
        key = (
            f"the environment variable {model.key_variable}" if model.key_variable else "key_variable, which is not set"
        )
        advice = ADVICE[status].format(key=key, model=model.model)
        return Failure(kind, f"{detail}; {advice}", again=False)
    if status in AGAIN or status >= 500:
        return Failure(kind, detail, again=True, after=after)
    reason, parameter = _reason(status, f"{code} {words}"), _parameter(error, code, words)
    return Failure(kind, detail, again=False, refused=reason, parameter=parameter)


def _reason(status, words):
    """Why parsers abstain."""
    if status == 413 or TOO_LONG.search(words):
        return "too_long"
    return "refusal" if FILTERED.search(words) else "provider_error"


def _said(error):
    """Its code and its words; servers put them in a field or not, and some send a list or a page."""
    inner = _inner(error)
    if not isinstance(inner, dict):
        return "", str(inner)
    words = inner.get("message") or inner.get("detail") or inner
    return str(inner.get("code") or inner.get("type") or ""), str(words)


def _parameter(error, code, words):
    """The parameter that the server does not take, of those that a request can go without, or ""."""
    words, inner = words[:500], _inner(error)
    given = inner.get("param") if isinstance(inner, dict) else None
    if not isinstance(given, str):
        given = _place(inner)
    if NAMES_SYSTEM.search(words) or (given.endswith(".role") and SYSTEM in words):
        return SYSTEM
    unsupported = re.search(UNSUPPORTED, f"{code} {words}", re.IGNORECASE)
    if TOO_LONG.search(words) and not unsupported:
        return ""
    for name in PARAMETERS:
        named = given.partition(".")[0] == name or _names(name, words)
        if named and (name not in RENAMED or unsupported or RENAMED[name] in words):
            return name
    return ""


def _names(name, words):
    """Whether words say that this parameter is not taken, rather than mention it."""
    if name == "n":
        return NAMES_N.search(words)
    quoted = rf"""['"`]{name}(?:\.\w+)*['"`][^.]{{0,80}}(?:{UNSUPPORTED}|\bmust\b|\bonly\b|\binvalid\b|is not one of)"""
    plain = rf"{UNSUPPORTED}[^.]{{0,40}}\b{name}\b|\b{name}\b[^.]{{0,40}}{UNSUPPORTED}"
    return re.search(f"{quoted}|{plain}", words, re.IGNORECASE)


def _place(inner):
    """Where a checker of types found fault: the last part of the first `loc`."""
    found = inner.get("detail") or inner.get("message") if isinstance(inner, dict) else inner
    while isinstance(found, dict):
        found = found.get("detail")
    if isinstance(found, list) and found and isinstance(found[0], dict) and found[0].get("loc"):
        return str(found[0]["loc"][-1])
    return ""


def _inner(error):
    return error["error"] if isinstance(error, dict) and error.get("error") else error
