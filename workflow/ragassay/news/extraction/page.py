"""Read one page with trafilatura: from its bytes to title, text, language and facts, or why it is no article. Nothing
here guards time or memory: call it through `ragassay.news.extraction.extractor`."""

import functools

from py3langid.langid import MODEL_FILE, LanguageIdentifier
from trafilatura import bare_extraction, html2txt, load_html
from trafilatura.settings import Extractor, use_config

from ragassay.base.errors import Unusable
from ragassay.news.extraction.metadata import facts
from ragassay.news.extraction.page_text import decode
from ragassay.news.extraction.walls import wall

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
    page_facts = facts(tree, url)
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
