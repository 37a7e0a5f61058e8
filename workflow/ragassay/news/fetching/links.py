"""The one form in which the news part keeps an address: absolute, http or https, with a host that can exist. Two
links to one page become the same text where that is certain: lower-case ASCII host, no default port, no fragment, no
`utm_` labels. What a site might tell apart stays."""

import ipaddress
import re

from yarl import URL

SCHEMES = ("http", "https")
LONGEST = 2_000  # longer ones are no addresses of articles
LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
BROKEN = (ValueError, LookupError)  # what yarl raises for texts that are no address, while it splits them or later
CONTROL = re.compile(r"[\x00-\x20\x7f]")


class NotALink(ValueError):
    """The text is no address of a page on the web; the message says what was found instead."""


def link(text: str, base: str | None = None) -> str:
    """The address in the form that we keep; a relative one is resolved against `base`."""
    text = text.strip()
    if len(text) > LONGEST:
        raise NotALink(f"found {len(text)} characters, expected at most {LONGEST}")
    try:
        url = URL(base).join(URL(text)) if base else URL(text)
        return _link(url, text)
    except NotALink:
        raise
    except BROKEN as error:
        raise NotALink(f"found {text!r:.80}, which is no address ({error})") from error


def _link(url, text):
    if url.scheme not in SCHEMES:
        raise NotALink(f"found {text!r:.80}, expected an address that begins with http:// or https://")
    if url.user is not None or url.password is not None:
        raise NotALink(f"found a user name in the address at {url.raw_host}, expected none")
    host = (url.raw_host or "").lower().rstrip(".")
    if not is_host(host):
        raise NotALink(f"found {text!r:.80}, expected a host name after {url.scheme}://")
    return str(_plain(url.with_host(host)))


def is_host(name: str) -> bool:
    """Whether a lower-case ASCII name can be one of a machine: an IP address, or labels between dots."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        labels = name.split(".")
        return len(name) <= 253 and all(map(LABEL.fullmatch, labels)) and not labels[-1].isdecimal()
    return True


def _plain(url):
    query = "&".join(part for part in url.raw_query_string.split("&") if not part.lower().startswith("utm_"))
    path = CONTROL.sub("", url.raw_path) or "/"
    port = None if url.is_default_port() else url.explicit_port
    return URL.build(
        scheme=url.scheme, host=url.host_subcomponent, port=port, path=path, query_string=query, encoded=True
    )
