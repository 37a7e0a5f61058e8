"""Recognise what sites show instead of an article: a request for consent, a paywall's stub, a text that a site shows at
many addresses.

Phrases alone prove nothing, since articles are written about cookies and subscriptions too. A consent wall speaks of
little else: a third of its sentences or more. A stub is short, or ends in two different calls to subscribe. An article
that its publisher declares not free (`isAccessibleForFree`) counts as behind a paywall however much of it was sent.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from urllib.parse import urlsplit

from ragassay.news.extraction.wall_phrases import CONSENT, PAYWALL

CONSENT_HOSTS = ("consent", "guce", "cmp", "privacy-mgmt")  # hosts to which a site sends those who have not consented
CONSENT_SHARE, STUB_WORDS, ENDING = 1 / 3, 150, 4
SAME_TEXT_ADDRESSES = 5
SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
READ = 20_000  # characters; enough for any wall


def wall(text: str, url: str, free: bool = True) -> str | None:
    """consent_wall or paywall if the text is no article but one of these."""
    text = text[:READ].lower()
    if (urlsplit(url).hostname or "").split(".")[0] in CONSENT_HOSTS or _asks_consent(text):
        return "consent_wall"
    return "paywall" if not free or _asks_money(text) else None


def _asks_consent(text):
    asked = [phrase for phrase in CONSENT if phrase in text]
    if len(asked) < 2:
        return False
    found = _sentences(text)
    return sum(any(phrase in sentence for phrase in asked) for sentence in found) >= CONSENT_SHARE * len(found)


def _asks_money(text):
    calls = [phrase for phrase in PAYWALL if phrase in text]
    if not calls:
        return False
    ending = " ".join(_sentences(text)[-ENDING:])
    at_end = sum(phrase in ending for phrase in calls)
    return at_end > 1 or (at_end == 1 and len(text.split()) < STUB_WORDS)


def _sentences(text):
    """Sentences of a text in small letters, where they only end at marks and lines."""
    return [piece for line in text.split("\n") for piece in SENTENCE_END.split(line) if piece.strip()]


def repeated(pages: Iterable[tuple[str, str, str]]) -> set[str]:
    """Which pages, each an id, an address and the digest of its text, show a text that their host shows at five
    addresses or more; feed it a whole shard.
    """
    places = defaultdict(dict)  # (host, digest) -> address -> ids
    for page, address, digest in pages:
        places[urlsplit(address).hostname, digest].setdefault(address, []).append(page)
    many = (found for found in places.values() if len(found) >= SAME_TEXT_ADDRESSES)
    return {page for found in many for ids in found.values() for page in ids}
