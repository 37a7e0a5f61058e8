"""Read one page with trafilatura: from its bytes to title, text, language and facts, or why it is no article. Nothing
here guards time or memory: call it through `ragassay.news.extraction.extractor`.

Bytes become text by byte order mark, header, the page's own declaration, then a detector. A declaration counts only if
the bytes fit it, since many servers declare what they do not send; a declared one-byte charset gives way where they are
valid UTF-8, which does not happen by chance. Facts are what the head of the page says, which is trusted. In JSON-LD
only nodes that describe the page itself count: at the top, in lists, in `@graph` and as the main entity; not those of
comments and teasers.
"""

import functools
import html
import re
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

from py3langid.langid import MODEL_FILE, LanguageIdentifier
from trafilatura import bare_extraction, html2txt, load_html
from trafilatura.settings import Extractor, use_config

from ragassay.base.errors import Unusable, json_of
from ragassay.news._charsets import charset_of, marked
from ragassay.news.extraction.walls import wall
from ragassay.text.characters import fit_tree

# In the order of their worth.
META_DATES = """article:published_time og:article:published_time datepublished dc.date.issued dcterms.issued
dcterms.created dc.date.created dc.date dcterms.date parsely-pub-date sailthru.date
cxenseparse:recs:publishtime publishdate publish-date publish_date publication_date pubdate
time[pubdate]""".split()
TITLES = ("headline", "og:title", "h1", "twitter:title", "title")
ARTICLE_TYPES, PAGE_TYPES = ("Article", "BlogPosting", "Report"), ("WebPage",)
SUFFIXES = (" | ", " - ", " \u2013 ", " \u2014 ", " :: ")
LONGEST_URL, LONGEST_LINE, DEEPEST, MOST_NODES = 2000, 500, 4, 500
LABEL = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
DECLARED = re.compile(
    rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})|<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]{1,40})",
    re.IGNORECASE,
)
ONE_BYTE = re.compile(r"iso8859-\d+|cp(125\d|874|866)|koi8-[rut]|mac-\w+")
HIGH = bytes(range(128, 256))
SEARCHED, DETECTED = 4096, 8000
MOST_ELEMENTS = 50_000  # trafilatura's time grows with the square of the paragraphs
MOST_PARAGRAPHS = 20_000
FEWEST_WORDS = 60  # of a text that can stand for itself; below, the whole page is looked at for a wall
BROKEN_SHARE = 0.01
SAMPLED = 300  # characters from which the language is detected; more would change next to nothing
HTML_TYPES = ("text/html", "application/xhtml+xml", "text/plain", "application/xml", "text/xml")
CONFIG = use_config()


CONFIG.set("DEFAULT", "MAX_TREE_SIZE", str(MOST_PARAGRAPHS))
OPTIONS = Extractor(config=CONFIG, output_format="python", comments=False, tables=False)


def read_page(body: bytes, content_type: str | None, url: str) -> dict:
    """The fields of `ragassay.news.extraction.extractor.Article`; raises Unusable."""
    kind = (content_type or "text/html").partition(";")[0].strip().lower()
    if kind not in HTML_TYPES:
        raise Unusable("not_html", f"found {kind[:60]!r}, expected text/html")
    decoded, charset, source = decode(body, content_type)
    tree = load_html(decoded)
    if tree is None:
        raise Unusable("not_html", f"found {len(body)} bytes without the structure of a page")
    elements = int(tree.xpath("count(//*)"))
    if elements > MOST_ELEMENTS:
        raise Unusable("too_many_elements", f"found {elements} elements, expected at most {MOST_ELEMENTS}")
    page_facts = facts(fit_tree(tree), url)
    text = _text(tree, page_facts["title"])
    if not text and elements > MOST_PARAGRAPHS:
        raise Unusable("too_many_elements", f"found {elements} elements and no text in a tree of that size")
    _check(text, tree, url, page_facts.pop("free"))
    language, confidence = language_of(text)
    article = {"text": text, "language": language, "confidence": confidence}
    return page_facts | article | {"charset": charset, "charset_source": source}


def _text(tree, title):
    """The paragraphs, without the headline above them."""
    article = bare_extraction(tree, options=OPTIONS)
    lines = [line for line in map(str.strip, (article.text or "").split("\n")) if line] if article else []
    return "\n\n".join(lines[1:] if lines[:1] == [title] else lines)


def _check(text, tree, url, free):
    words = len(text.split())
    reason = wall(text, url, free)
    if words < FEWEST_WORDS and not reason:
        reason = wall(html2txt(tree), url) or ("no_text" if not words else None)
    if reason:
        raise Unusable(reason, f"found {words} words of text, expected an article")
    broken = text.count("\ufffd")
    if broken > BROKEN_SHARE * len(text):
        raise Unusable("encoding", f"found {broken} broken characters among {len(text)}")


@functools.cache
def _identifier():
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def language_of(text: str) -> tuple[str, float]:
    """ISO 639 code and confidence, judged by a piece from the middle, where captions and notices are rare."""
    start = max(0, (len(text) - SAMPLED) // 2)
    language, confidence = _identifier().classify(text[start : start + SAMPLED])
    return language, round(confidence, 4)


def decode(body: bytes, content_type: str | None = None) -> tuple[str, str, str]:
    """The text, its charset, and how it was found: mark, header, meta or detector."""
    if by_mark := marked(body):
        return *by_mark, "mark"
    try:
        utf8 = body.decode("utf-8")
    except UnicodeDecodeError:
        utf8 = None
    high = 0 if utf8 is not None and len(utf8) == len(body) else len(body) - len(body.translate(None, HIGH))
    declared = _declared(body, content_type)
    for charset, source in declared:
        if utf8 is not None and charset == "utf-8":
            return utf8, charset, source
        if high and utf8 is not None and ONE_BYTE.fullmatch(charset):
            return utf8, "utf-8", "detector"
        if charset.startswith("utf-16") and b"\0" not in body[:SEARCHED]:
            continue
        text = body.decode(charset, "replace")
        if _fits(text, high):
            return text, charset, source
    if utf8 is not None:
        return utf8, "utf-8", "detector"
    text = body.decode("utf-8", "replace")
    charset = "utf-8" if _fits(text, high) else _detected(body) or (declared or [("utf-8", "")])[0][0]
    return body.decode(charset, "replace"), charset, "detector"


def _fits(text, high):
    return text.count("\ufffd") * 10 <= high


def _declared(body, content_type):
    header, meta = LABEL.search(content_type or ""), DECLARED.search(body[:SEARCHED])
    labels = [(header[1], "header")] if header else []
    labels += [((meta[1] or meta[2]).decode("ascii", "replace"), "meta")] if meta else []
    named = [(charset_of(label), source) for label, source in labels]
    return [(charset, source) for charset, source in named if charset]


def _detected(body):
    """What the bytes around the first that is not ASCII look like; the sample ends at a tag, not within a character."""
    from charset_normalizer import from_bytes  # few pages need it

    first = re.search(rb"[\x80-\xff]", body).start()
    sample = body[max(0, first - DETECTED // 4) :][:DETECTED]
    best = from_bytes(sample.rpartition(b"<")[0] or sample).best()
    return charset_of(best.encoding) if best else None


def facts(tree, url: str) -> dict:
    """What one walk over the page collects."""
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
    return list(_own(json_of(text, strict=False), DEEPEST))[:MOST_NODES]


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
