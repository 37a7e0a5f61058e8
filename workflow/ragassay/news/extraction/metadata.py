"""What the head of a page says about its article: title, site, canonical address, raw dates, whether it is free to
read. Trusts the page. In JSON-LD only nodes that describe the page itself count: at the top, in lists, in `@graph`
and as the main entity; not those of comments and teasers."""

import html
import json
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

# In the order of their worth.
META_DATES = """article:published_time og:article:published_time datepublished dc.date.issued dcterms.issued
dcterms.created dc.date.created dc.date dcterms.date parsely-pub-date sailthru.date
cxenseparse:recs:publishtime publishdate publish-date publish_date publication_date pubdate
time[pubdate]""".split()
TITLES = ("headline", "og:title", "h1", "twitter:title", "title")
ARTICLE_TYPES, PAGE_TYPES = ("Article", "BlogPosting", "Report"), ("WebPage",)
SUFFIXES = (" | ", " - ", " \u2013 ", " \u2014 ", " :: ")
LONGEST_URL, LONGEST_LINE, DEEPEST, MOST_NODES = 2000, 500, 4, 500


def facts(tree, url: str) -> dict:
    """All that is found in one walk over the page."""
    tags, nodes, headings = {}, [], []  # name -> first content
    for element in tree.iter("title", "meta", "link", "script", "time", "h1"):
        name, get = element.tag, element.get
        if name == "meta":
            content = get("content")
            for key in filter(None, (get("property"), get("name"), get("itemprop"))) if content else ():
                tags.setdefault(key.strip().lower(), content)
        elif name == "script":
            if "ld+json" in (get("type") or ""):
                nodes += _nodes(element.text or "")
        elif name == "link":
            if "canonical" in (get("rel") or "").lower().split():
                tags.setdefault("canonical", get("href") or "")
        elif name == "time":
            if (get("itemprop") or "").lower() == "datepublished":
                tags.setdefault("datepublished", get("datetime") or element.text_content())
            elif get("pubdate") is not None:
                tags.setdefault("time[pubdate]", get("datetime") or element.text_content())
        elif name == "h1":
            headings.append(element)
        else:
            tags.setdefault("title", element.text or "")
    if len(headings) == 1:
        tags["h1"] = headings[0].text_content()
    articles = [node for node in nodes if _is_a(ARTICLE_TYPES, node)]
    tags |= {"headline": next((text for node in articles if isinstance(text := node.get("headline"), str)), "")}
    site = _line(tags.get("og:site_name") or _publisher(articles))
    return {
        "title": _title(tags, site),
        "site_name": site,
        "canonical_url": _address(tags.get("canonical") or tags.get("og:url"), url),
        "free": not any(_is_false(node.get("isAccessibleForFree")) for node in articles),
        "dates": {
            "json_ld": _published(articles) or _published(node for node in nodes if _is_a(PAGE_TYPES, node)),
            "meta": [tags[name].strip()[:100] for name in META_DATES if tags.get(name, "").strip()],
        },
    }


def _nodes(text) -> list[dict]:
    text = text.strip().removeprefix("<!--").removesuffix("-->").strip()
    try:
        return list(_own(json.loads(text, strict=False), DEEPEST))[:MOST_NODES]
    except (ValueError, RecursionError):
        return []


def _own(value, depth) -> Iterator[dict]:
    if isinstance(value, list) and depth:
        for item in value[:MOST_NODES]:
            yield from _own(item, depth - 1)
    elif isinstance(value, dict):
        yield value
        for key in ("@graph", "mainEntity", "mainEntityOfPage") if depth else ():
            yield from _own(value.get(key), depth - 1)


def _is_a(types, node):
    kinds = node.get("@type")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    return any(isinstance(kind, str) and kind.endswith(types) for kind in kinds)


def _published(nodes):
    raw = (node.get("datePublished") for node in nodes)
    texts = [text.strip()[:100] for text in raw if isinstance(text, str) and text.strip()]
    return list(dict.fromkeys(texts))


def _publisher(articles):
    for node in articles:
        publisher = node.get("publisher")
        name = publisher.get("name") if isinstance(publisher, dict) else None
        if isinstance(name, str):
            return name
    return ""


def _is_false(value):
    return value is False or (isinstance(value, str) and value.strip().lower().rpartition("/")[2] in ("false", "no"))


def _title(tags, site):
    title = next(filter(None, (_line(tags.get(name)) for name in TITLES)), None)
    for mark in SUFFIXES if title and site else ():
        title = title.removesuffix(mark + site)
    return title


def _line(text):
    return " ".join(html.unescape(text or "").split())[:LONGEST_LINE] or None


def _address(link, base):
    try:
        address = urljoin(base, (link or "").strip())
        parts = urlsplit(address)
        usable = link and parts.scheme in ("http", "https") and parts.hostname and len(address) <= LONGEST_URL
    except ValueError:
        return None
    return address if usable and not any(letter.isspace() or letter in '<>"\\' for letter in address) else None
