"""The text and the title in the bytes of an HTML page, a PDF or a Word file. Nothing here guards time or memory: call
it through `ragassay.documents.text_files`."""

import io
import zipfile
import zlib

from lxml import etree, html

from ragassay.base.errors import MISSHAPEN, Unusable
from ragassay.documents.readers import main
from ragassay.text.characters import fit_tree

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"  # for old programs
BODY, CORE = "word/document.xml", "docProps/core.xml"
TITLE = "{http://purl.org/dc/elements/1.1/}title"
OLE = bytes.fromhex("d0cf11e0")  # how old Word files begin, and new ones with a password
MOST_XML = 300_000_000  # bytes of a Word file's text when it is unpacked
BROKEN_SHARE = 0.01  # of characters that could not be decoded
SHORT = 0.5  # of a page's words: an extraction with fewer has taken the text for furniture


def text_and_title(body: bytes, kind: str) -> dict:
    """`kind` is html, pdf or docx; raises Unusable."""
    if not body:
        raise Unusable("empty_file", "found a file without a byte, expected a document")
    text, title = {"html": _html, "pdf": _pdf, "docx": _docx}[kind](body)
    if (broken := text.count("\ufffd")) > BROKEN_SHARE * len(text):
        raise Unusable("encoding", f"found {broken} broken characters among {len(text)}, expected UTF-8")
    return {"text": text, "title": title or ""}


def _html(body):
    from trafilatura import bare_extraction, html2txt, load_html

    tree = load_html(body)
    if tree is None:  # a piece of a page
        tree = _piece(body)
    fit_tree(tree)
    for furniture in tree.xpath("//nav | //footer | //aside | //script | //style | //noscript"):
        furniture.drop_tree()
    titles = (tree.findtext(".//title"), *(heading.text_content() for heading in tree.iter("h1")))
    title = next((line for line in titles if line and line.strip()), "")
    whole = html2txt(tree)
    page = bare_extraction(tree, favor_recall=True, include_comments=False, include_tables=True)
    text = page.text if page and page.text else ""
    return text if len(text.split()) > SHORT * len(whole.split()) else whole, title


def _piece(body):
    try:
        return html.document_fromstring(body)
    except (etree.ParserError, ValueError) as error:
        raise Unusable("unreadable", f"found {len(body)} bytes without the structure of a page") from error


def _pdf(body):
    from pypdf import PdfReader
    from pypdf.errors import LimitReachedError, PyPdfError

    try:
        reader = PdfReader(io.BytesIO(body))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unusable("encrypted", "found a PDF with a password, expected one that anybody can open")
        pages = [page.extract_text() for page in reader.pages]
        title = reader.metadata.title if reader.metadata else ""
    except LimitReachedError as error:
        raise Unusable("too_large", f"found a PDF that unpacks to more than its reader allows ({error})") from error
    except PyPdfError as error:
        raise Unusable("unreadable", f"found no whole PDF ({error})") from error
    text = "\n\n".join(page.strip() for page in pages if page.strip())
    if not text:
        raise Unusable("no_text", f"found {len(pages)} pages without text, such as scans; recognize their text first")
    return text, title


def _docx(body):
    if body.startswith(OLE):
        raise Unusable("encrypted", "found an old Word file or one with a password; save it as .docx without one")
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as parts:
            root = _xml(parts, BODY)
            core = _xml(parts, CORE) if CORE in parts.namelist() else None
    except (zipfile.BadZipFile, zlib.error, *MISSHAPEN, EOFError, OSError, RuntimeError, SyntaxError) as error:
        raise Unusable("unreadable", f"found no whole Word file ({error})") from error
    paragraphs, headings = [], []
    for paragraph in root.iter(f"{WORD}p"):
        if next(paragraph.iterancestors(FALLBACK), None) is None and (line := _line(paragraph)):
            paragraphs.append(line)
            style = paragraph.find(f"{WORD}pPr/{WORD}pStyle")
            if style is not None and style.get(f"{WORD}val", "").lower().startswith(("heading", "title")):
                headings.append(line)
    return "\n\n".join(paragraphs), headings[0] if headings else core is not None and core.findtext(TITLE)


def _line(paragraph):
    """The text of a paragraph, without that of paragraphs within it, such as of text boxes."""
    pieces = []
    for element in paragraph.iter(f"{WORD}t", f"{WORD}tab", f"{WORD}br"):
        if next(element.iterancestors(f"{WORD}p")) is paragraph:
            pieces.append(element.text or "" if element.tag == f"{WORD}t" else " ")
    return "".join(pieces).strip()


def _xml(parts, name):
    if (size := parts.getinfo(name).file_size) > MOST_XML:
        raise Unusable(
            "too_large", f"found {size / 1e6:,.0f} MB of text in {name}, expected at most {MOST_XML / 1e6:,.0f}"
        )
    with parts.open(name) as part:
        content = part.read(MOST_XML + 1)
    return etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))


if __name__ == "__main__":
    main(lambda: text_and_title)
