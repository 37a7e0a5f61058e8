"""Files with one text each that need a parser: HTML, PDF and Word, good ones, broken ones and those made to do harm."""

import io
import zipfile
import zlib

import pytest
from pypdf import PdfReader, PdfWriter

from files_of_users import docx, pdf
from ragassay.documents import text_files
from ragassay.documents.parsed_files import BODY
from ragassay.documents.record import SourceError
from ragassay.documents.sources import Columns, document_files, records

PAGE = """<html><head><title>Travel &amp; trains</title><style>p {}</style></head><body><nav><a href="/">Home</a></nav>
<h1>Travelling</h1><p>Employees book trains with the desk, at least two days ahead, and keep the receipt.</p>
<table><tr><td>Hotel</td><td>90 euros a night</td></tr></table><footer>Imprint</footer></body></html>"""


def read(tmp_path, **files):
    """The records of files with these names, a `_` for each dot."""
    for name, content in files.items():
        path = tmp_path / name.replace("_", ".")
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return {record.source_id: record for record in records(document_files(tmp_path), below=[tmp_path])}


def locked(content, password):
    writer, file = PdfWriter(PdfReader(io.BytesIO(content))), io.BytesIO()
    writer.encrypt(password, "the owner's", algorithm="RC4-128")
    writer.write(file)
    return file.getvalue()


def test_texts_and_titles_come_out_of_each_kind_in_the_order_of_the_files(tmp_path):
    word = docx(("Heading1", "Expenses"), ("", "Send your receipts by the 5th."), core="Not this")
    found = read(
        tmp_path, a_html=PAGE, b_pdf=pdf("Salaries are paid on the 25th.", title="Pay"), c_docx=word, d_txt="Plain."
    )
    assert list(found) == ["a.html", "b.pdf", "c.docx", "d.txt"]
    assert [record.title for record in found.values()] == ["Travel & trains", "Pay", "Expenses", "d"]
    page = found["a.html"].fields["text"]
    assert "at least two days ahead" in page and "90 euros a night" in page
    assert not {"Home", "Imprint", "{}"} & set(page.split())
    assert found["b.pdf"].fields == {"text": "Salaries are paid on the 25th."}
    assert found["c.docx"].fields == {"text": "Expenses\n\nSend your receipts by the 5th."}


def test_a_file_without_a_title_is_called_by_its_name(tmp_path):
    found = read(tmp_path, a_pdf=pdf("A text."), b_docx=docx(("", "A text.")), c_html="<p>A text of some words.</p>")
    assert [record.title for record in found.values()] == ["a", "b", "c"]


def test_core_properties_name_a_word_file_without_headings(tmp_path):
    assert read(tmp_path, b_docx=docx(("", "A text."), core="The title"))["b.docx"].title == "The title"


def test_text_boxes_are_read_once_and_pieces_of_a_line_stay_together(tmp_path):
    box = "<w:p><w:r><w:t>In the box.</w:t></w:r></w:p>"
    inner = (
        '<w:p><w:r><w:t xml:space="preserve">Before </w:t><w:tab/></w:r><w:r>'
        f"<mc:AlternateContent><mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
        "<w:t>after.</w:t></w:r></w:p>"
    )
    assert read(tmp_path, a_docx=docx(body=inner))["a.docx"].fields["text"] == "Before  after.\n\nIn the box."


@pytest.mark.parametrize(
    ("name", "content", "reason", "says"),
    [
        ("x_pdf", b"%PDF-1.4 nonsense", "unreadable", "no whole PDF"),
        ("x_pdf", pdf("A text.")[:300], "unreadable", "no whole PDF"),
        ("x_pdf", locked(pdf("A text."), "secret"), "encrypted", "a PDF with a password"),
        ("x_pdf", pdf(), "no_text", "found 1 pages without text, such as scans"),
        ("x_docx", b"PK nonsense", "unreadable", "no whole Word file"),
        ("x_docx", docx(("", "A text."))[:200], "unreadable", "no whole Word file"),
        ("x_docx", docx(body="<w:p>"), "unreadable", "no whole Word file"),
        (
            "x_docx",
            bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600),
            "encrypted",
            "an old Word file or one with a password",
        ),
        ("x_html", b"<p>" + b"\xff\xfe\x00" * 90, "encoding", "broken characters"),
        ("x_html", b"", "empty_file", "found a file without a byte"),
    ],
)
def test_a_file_that_cannot_be_used_is_a_reject_and_the_others_are_read(tmp_path, name, content, reason, says):
    found = read(tmp_path, a_html=PAGE, z_txt="Plain.", **{name: content})
    bad = found[name.replace("_", ".")]
    assert (bad.reason, bad.fields, bad.is_file) == (reason, {}, True) and says in bad.detail
    assert [record.reason for record in found.values()].count("") == 2


def test_a_pdf_with_an_empty_password_is_read(tmp_path):
    assert read(tmp_path, x_pdf=locked(pdf("A text."), ""))["x.pdf"].fields == {"text": "A text."}


def test_bombs_are_rejects(tmp_path, monkeypatch):
    """A Word file and a PDF of some kilobytes that unpack to a gigabyte."""
    word = io.BytesIO()
    with zipfile.ZipFile(word, "w", zipfile.ZIP_DEFLATED) as parts, parts.open(BODY, "w") as part:
        for _ in range(400):
            part.write(b" " * 1_000_000)
    stream = zlib.compressobj()
    packed = b"".join(stream.compress(b" " * 1_000_000) for _ in range(1000)) + stream.flush()
    monkeypatch.setattr(text_files, "SECONDS", 20)
    found = read(tmp_path, a_docx=word.getvalue(), b_pdf=pdf(packed=packed), c_html=PAGE)
    assert found["a.docx"].reason == "too_large"
    assert found["b.pdf"].reason in ("too_large", "memory", "timeout", "no_text")
    assert not found["c.html"].reason


def test_a_reader_that_takes_too_long_is_ended_and_the_next_file_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "SECONDS", 0.3)
    found = read(tmp_path, a_html="<html><body>" + "<p>words and words</p>" * 60_000, b_docx=docx(("", "A text.")))
    assert found["a.html"].reason == "timeout"
    assert found["b.docx"].fields == {"text": "A text."}


def test_an_entity_of_a_word_file_reads_no_file_of_this_machine(tmp_path):
    (tmp_path / "secret").write_text("a secret")
    entity = f'<!DOCTYPE x [<!ENTITY s SYSTEM "file://{tmp_path}/secret">]>'
    found = read(tmp_path / "", a_docx=docx(body="<w:p><w:r><w:t>It is &s;.</w:t></w:r></w:p>", before=entity))
    assert "a secret" not in str(found["a.docx"])


def test_a_text_goes_to_the_column_that_the_configuration_names(tmp_path):
    (tmp_path / "a.html").write_text(PAGE)
    [record] = records([str(tmp_path / "a.html")], Columns(("body",), ("body",), "body"))
    assert "two days ahead" in record.fields["body"]


def test_what_planning_looks_at_is_not_opened(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "Readers", None)
    (tmp_path / "a.pdf").write_bytes(b"")
    [record] = records([str(tmp_path / "a.pdf")], unopened=True)
    assert not record.reason and record.fields["text"]


def test_a_pdf_without_its_reader_is_a_line_that_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files.importlib.util, "find_spec", lambda name: None)
    (tmp_path / "a.pdf").write_bytes(b"")
    with pytest.raises(
        SourceError, match=r"a.pdf: reading it needs the package pypdf, .*pip install 'ragassay\[pdf\]'"
    ):
        document_files(tmp_path)


def test_a_file_as_long_as_a_library_and_one_of_somebody_else_are_rejects(tmp_path, monkeypatch):
    with (tmp_path / "a.txt").open("wb") as file:
        file.truncate(60_000_000)
    with (tmp_path / "b.pdf").open("wb") as file:
        file.truncate(300_000_000)
    found = read(tmp_path, c_txt="Plain.")
    assert [record.reason for record in found.values()] == ["too_large", "too_large", ""]
    assert found["a.txt"].detail.startswith("found a file of 60 MB, expected one document in each file")
