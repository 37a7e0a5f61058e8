"""What it means that a request brought no answer (no reply, a status other than 200, an error inside a reply), and
what to do. A wrong key, name, address or certificate and an empty account concern every request and stop the job; a
busy server may answer later; a parameter that is not taken is left out. All else concerns the one request, which
abstains with the provider's words."""

import re
import socket
import ssl
from collections.abc import Iterator

from ragassay.calls.limits.quirks import PARAMETERS, RENAMED, SYSTEM
from ragassay.calls.model import Failure, Model

CONNECT_SECONDS = 10.0  # the longest wait for a connection
TRUST = "set SSL_CERT_FILE to a file with the certificates that you trust, or correct base_url"
NAME = "correct base_url, or HTTPS_PROXY and HTTP_PROXY where they are set"
SPEAKS_HTTP = "if the server speaks plain HTTP, let base_url begin with http://"
CREDENTIALS = "it wants a name and a password; put them into HTTPS_PROXY and HTTP_PROXY: http://NAME:PASSWORD@HOST:PORT"
TURNED_AWAY = "ask those who run the proxy, or name the host in NO_PROXY"
REMEDY = "check base_url and the network, and HTTPS_PROXY if you need a proxy"
NO_NAME = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}
NO_TLS = {"WRONG_VERSION_NUMBER", "UNKNOWN_PROTOCOL", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG"}
UNSENT = ("ClientConnectorError", "InvalidURL", "ConnectionTimeoutError")  # of aiohttp, with what derives from them
UNSENT_BY_HTTPX = {"ConnectError", "ConnectTimeout", "ProxyError", "UnsupportedProtocol"}
UNREADABLE_BY_HTTPX = {"DecodingError", "RemoteProtocolError"}


def failure_without_reply(error: BaseException, server: str) -> Failure:
    """The failure behind an exception of a client."""
    chain = list(_chain(error))
    for cause in chain:
        if failure := _lasting(cause, server):
            return failure
    # The official client names many errors of aiohttp a timeout, so the error of aiohttp counts if there is one.
    sources = [cause for cause in chain if _is(cause, "ClientError")] or chain
    names = {type(cause).__name__ for cause in sources}
    why = next((words for cause in sources[::-1] if (words := _words(cause))), type(sources[-1]).__name__)
    if any(_is(cause, "ClientResponseError") for cause in sources) or (
        names & UNREADABLE_BY_HTTPX and "disconnected" not in why and "closed connection" not in why
    ):
        return Failure("garbled", f"the reply of {server} cannot be read: {why}", again=True, lost=True)
    if names & {"ConnectTimeout", "ConnectionTimeoutError"}:
        why = f"none came about within {CONNECT_SECONDS:g} s"
    unsent = any(_is(cause, *UNSENT) for cause in sources) or names & UNSENT_BY_HTTPX
    problem = f"{'no' if unsent else 'lost the'} connection to {server}: {why}"
    return Failure("connection", problem, again=True, lost=not unsent)


def failure_of_proxy(status: int, server: str) -> Failure:
    """What the status means with which a proxy turned a request away."""
    problem = f"the proxy on the way to {server} answered with HTTP {status}; "
    again = status in (408, 429) or status >= 500
    return Failure("proxy", problem + (CREDENTIALS if status == 407 else TURNED_AWAY), again=again)


def _lasting(cause, server):
    """The failure behind an error that stays, or None."""
    if _is(cause, "ClientHttpProxyError"):
        return failure_of_proxy(cause.status, server)
    if type(cause).__name__ == "ProxyError" and (status := re.match(r"[1-5]\d\d\b", str(cause))):
        return failure_of_proxy(int(status[0]), server)
    # aiohttp's errors are errors of ssl, too, but say nothing of the reason.
    if isinstance(cause, ssl.SSLCertVerificationError) and (words := getattr(cause, "verify_message", "")):
        problem = f"the certificate of {server} is not trusted: {words}"
        return Failure("certificate", f"{problem}; {TRUST}", again=False)
    if isinstance(cause, ssl.SSLError) and getattr(cause, "reason", "") in NO_TLS:
        return Failure("no TLS", f"what answers at {server} does not speak TLS; {SPEAKS_HTTP}", again=False)
    if isinstance(cause, socket.gaierror) and cause.errno in NO_NAME:
        return Failure("no name", f"no connection to {server}: {cause.strerror}; {NAME}", again=False)
    return None


def _is(cause, *names):
    """Whether an error is of one of aiohttp's classes, which jobs that reach no server do not load."""
    return any(kind.__name__ in names and kind.__module__.startswith("aiohttp") for kind in type(cause).__mro__)


def _words(cause):
    message = getattr(cause, "message", "") if _is(cause, "ClientResponseError") else ""
    return " ".join(str(message or cause).split())[:300]


def _chain(error) -> Iterator[BaseException]:
    """An error and those behind it."""
    while error is not None:
        yield error
        for inner in getattr(error, "exceptions", ()):
            yield from _chain(inner)
        error = error.__cause__ or error.__context__


AGAIN = {408, 409, 425, 429}  # besides 5xx
ADVICE = {
    401: "check the key in {key}",
    402: "the account has no credit left",
    403: "the key in {key} may not use model {model}",
    404: "check the model's name {model!r} and its base_url",
    405: "base_url leads to another address, which takes no such requests: name the right one",
}
OF_SERVICES = {
    403: "the key in {key} may not use this service",
    404: "check {place}.address",
    405: "check {place}.address and {place}.method",
}
MOVED = "the server names another address: put that into base_url"  # 3xx
CODES = {  # where a reply holds an error, what stands for a status if it is no number
    401: "invalid_api_key authentication_error unauthenticated unauthorized",
    402: "insufficient_quota credit_limit billing_hard_limit_reached insufficient_credits payment_required",
    403: "permission_error permission_denied",
    404: "model_not_found not_found_error",
    400: "invalid_request_error invalid_argument context_length_exceeded content_filter bad_request bad_request_error"
    " content_policy_violation",
    429: "rate_limit rate_limit_exceeded rate_limit_error resource_exhausted too_many_requests",
    503: "overloaded_error overloaded unavailable api_error server_error internal_server_error internal timeout"
    " engine_overloaded service_unavailable",
}
STATUS_OF = {name.replace("_", ""): status for status, names in CODES.items() for name in names.split()}
OF_ALL = {401, 402, 403, 404}  # what these say concerns every request
WRONG_KEY = re.compile(
    r"api[ _-]?key\b[^.]{0,40}(?:not (?:valid|found)|invalid|incorrect|missing|expired|required|wrong|revoked|disabled)"
    r"|(?:invalid|incorrect|missing|expired|wrong|no|unknown|provide an) (?:\w[\w-]* ){0,2}(?:x-)?api[ _-]?key"
    r"|\bapi_key_invalid\b|\bunauthori[sz]ed\b|\bauthentication (?:failed|error|required)"
    r"|(?:invalid|incorrect|missing|expired|no) (?:\w+ ){0,2}(?:credentials|bearer token)",
    re.IGNORECASE,
)
NO_CREDIT = re.compile(
    r"\bcredit balance\b|insufficient[ _](?:\w+ )?(?:credit|balance|fund|quota)|\bbilling\b|payment (?:required|method)"
    r"|\b(?:out of|no|not enough) (?:credit|fund)|\bspend(?:ing)?[ _]limit|exceeded[^.]{0,30}\bquota"
    r"|quota\b[^.]{0,30}(?:exceeded|exhausted)",
    re.IGNORECASE,
)
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
    rf"\b(?:system|developer instruction)\b[^.]{{0,40}}{UNSUPPORTED}|{UNSUPPORTED}[^.]{{0,40}}\bsystem\b", re.IGNORECASE
)
TOO_LONG = re.compile(
    r"context.?(?:length|window|size)|too (?:long|large|many (?:\w+ )?tokens)|exceed\w* [^.]{0,60}(?:tokens?|context)\b"
    r"|(?:maximum|max) (?:\w+ )?(?:context|prompt|input)|above_max_length|reduce (?:the|your) (?:length|prompt|input)"
    r"|\b(?:prompt|input)\b[^.]{0,60}\blonger than|tokens\W+must be at least 1, got -",
    re.IGNORECASE,
)
RETRY_AFTER = re.compile(r"retry[-_ ]?(?:after|delay)(?:_seconds)?\W{1,6}(\d+(?:\.\d+)?)(ms)?", re.IGNORECASE)
FILTERED = re.compile(
    r"content.?(?:filter|polic|management)|moderation|\bsafety\b|\bflagged\b|responsible ?ai|inappropriate|harmful"
    r"|\b(?:prompt|input|content)\b[^.]{0,30}(?:blocked|rejected|not allowed|prohibited|violat)|prohibited_content"
    r"|violation[^.]{0,30}\bin (?:the |your )?(?:prompt|input)",
    re.IGNORECASE,
)


def failure_of(status: int, error, source: str, model: Model, after: float | None = None) -> Failure:
    """The failure behind a status; `error` is the body of the reply, `source` says where it came from."""
    code, words = _said(error)
    detail, kind = f"HTTP {status} {source}: {' '.join(words.split())[:300]}", f"http {status}"
    text = f"{code} {words}"
    reason = _reason(status, text)
    if status == 403 and (reason == "refusal" or _reasons(error)):
        return Failure(kind, detail, again=False, refused="refusal")
    if advice := _advice(status, code, text, model):
        return Failure(kind, f"{detail}; {advice}", again=False)
    if status in AGAIN or status >= 500:
        return Failure(kind, detail, again=True, after=_after(error) if after is None else after)
    parameter = _parameter(error, code, words)
    if not parameter and (setting := _unknown_setting(error, words, model)):
        return Failure(kind, f"{detail}; correct or remove {setting}", again=False)
    return Failure(kind, detail, again=False, refused=reason, parameter=parameter)


def failure_in_reply(error, source: str, model: Model, lost: bool) -> Failure:
    """The failure behind an error inside a reply of status 200: as if its code were the status. One without a code
    that is known may pass or not. `lost`: what was answered before the error may be billed.
    """
    code, words = _said(error)
    status = int(code) if code.isdecimal() and len(code) < 4 else _named(code)
    if status < 300 and (_reason(400, words) != "provider_error" or WRONG_KEY.search(words) or NO_CREDIT.search(words)):
        status = 400
    if status < 300:
        detail = f"an error {source}: {' '.join(f'{code} {words}'.split())[:300]}"
        return Failure("error in a reply", detail, again=True, lost=lost, refused="provider_error", patience=4)
    failure = failure_of(status, error, f"in a reply {source}", model)
    failure.lost = lost
    return failure


def _advice(status, code, text, model):
    """What to do about a status that concerns every request, or ""."""
    if 300 <= status < 400:
        return MOVED.replace("base_url", f"{model.place}.address") if model.service else MOVED
    if (status in (400, 422) and _named(code) in OF_ALL) or (status == 429 and _named(code) == 402):
        status = _named(code)
    elif status in (400, 422) and WRONG_KEY.search(text):
        status = 401
    elif status in (400, 422) and NO_CREDIT.search(text):
        status = 402
    key = f"the environment variable {model.key_variable}" if model.key_variable else "key_variable, which is not set"
    advice = ADVICE | (OF_SERVICES if model.service else {})
    return advice.get(status, "").format(key=key, model=model.model, place=model.place)


def _named(code):
    """The status that the name of an error stands for, however it is spelt, or 0."""
    return STATUS_OF.get(code.lower().replace("_", ""), 0)


def _after(error):
    """Seconds to wait that the body of an error names, if it names any."""
    named = RETRY_AFTER.search(str(error)[:5000])
    return min(float(named[1]) / (1000 if named[2] else 1), 300.0) if named else None


def _reasons(error):
    """Whether it says why the content of a request is refused."""
    metadata = _fields(error).get("metadata")
    return isinstance(metadata, dict) and bool(metadata.get("reasons") or metadata.get("flagged_input"))


def _unknown_setting(error, words, model):
    """The setting of the configuration that the server does not take, of those that are sent as they are, or ""."""
    places = [_place(error), _fields(error).get("param")]
    for setting in ("options", "sampling"):
        for name in getattr(model, setting):
            if name not in PARAMETERS and (name in places or _names(re.escape(name), words[:500])):
                return f"{model.place}.{setting}.{name}"
    return ""


def _reason(status, words):
    """Why parsers abstain."""
    if status == 413 or TOO_LONG.search(words):
        return "too_long"
    return "refusal" if FILTERED.search(words) else "provider_error"


def _said(error):
    """Its code and its words; servers put them in a field or not, and some send a list or a page."""
    fields = _fields(error)
    words = fields.get("message") or fields.get("detail") or _inner(error)
    return str(fields.get("code") or fields.get("type") or fields.get("status") or ""), str(words)


def _parameter(error, code, words):
    """The parameter that the server does not take, of those that a request can go without, or ""."""
    words, given = words[:500], _fields(error).get("param")
    if not isinstance(given, str):
        given = _place(error)
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


def _place(error):
    """Where a checker of types found fault: the last part of the first `loc`."""
    fields = _fields(error)
    detail = fields.get("detail") or fields.get("message") if fields else _inner(error)
    while isinstance(detail, dict):
        detail = detail.get("detail")
    first = detail[0] if isinstance(detail, list) and detail else None
    place = first.get("loc") if isinstance(first, dict) else None
    return str(place[-1]) if isinstance(place, list) and place else ""


def _inner(error):
    return error["error"] if isinstance(error, dict) and error.get("error") else error


def _fields(error):
    inner = _inner(error)
    return inner if isinstance(inner, dict) else {}
