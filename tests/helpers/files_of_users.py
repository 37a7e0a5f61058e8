"""PDF and Word files as people have them, written by hand."""

import io
import zipfile

from ragassay.documents.parsed_files import BODY, CORE

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
COMPATIBLE = "http://schemas.openxmlformats.org/markup-compatibility/2006"
DUBLIN = "http://purl.org/dc/elements/1.1/"


def pdf(*lines: str, title: str = "", packed: bytes = b"") -> bytes:
    """One page with these lines, or with this compressed content."""
    shown = " ".join(f"({line}) Tj T*" for line in lines)
    content = packed or f"BT /F1 12 Tf 72 720 Td 14 TL {shown} ET".encode()
    coding = b" /Filter /FlateDecode" if packed else b""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Length %d%b >>\nstream\n%b\nendstream" % (len(content), coding, content),
        b"<< /Title (%b) >>" % title.encode(),
    ]
    file, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(file))
        file += b"%d 0 obj\n%b\nendobj\n" % (number, text)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer << /Size %d /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(file))
    return file + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + trailer


def docx(*paragraphs: tuple[str, str], core: str = "", body: str = "", before: str = "") -> bytes:
    """A Word file with these paragraphs of (style, text), or this body."""
    shown = body or "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
        for style, text in paragraphs
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr(
            BODY, f'{before}<w:document xmlns:w="{WORD}" xmlns:mc="{COMPATIBLE}"><w:body>{shown}</w:body></w:document>'
        )
        if core:
            parts.writestr(CORE, f'<p xmlns:dc="{DUBLIN}"><dc:title>{core}</dc:title></p>')
    return file.getvalue()
