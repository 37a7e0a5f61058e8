"""Folders of documents: which files count, in which order, and that none is left out in silence."""

import pytest

from ragassay.documents.sources import SourceError, document_files


@pytest.fixture
def write(tmp_path):
    """Make a file, with its folders, and return its path as text."""

    def to_file(name):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
        return str(path)

    return to_file


def test_a_folder_gives_all_its_files_in_one_order_without_hidden_ones(write, tmp_path):
    shown = ["B.CSV", "a b.parquet", "a.txt", "a/b/c.jsonl", "a/z.md", "b.txt", "ä.tsv"]
    for name in [*reversed(shown), ".hidden.txt", ".git/x.txt", "a/.x/y.pdf"]:
        write(name)
    files = [str(tmp_path / name) for name in shown]
    assert document_files(tmp_path) == files
    assert document_files(files[2]) == [files[2]]


@pytest.mark.parametrize("name", ["x.pdf", "a/x.docx", "README", "x.jsonl.gz", "x.json"])
def test_an_unknown_kind_of_file_is_an_error(write, tmp_path, name):
    write("a/good.txt")
    file = write(name)
    with pytest.raises(SourceError, match="unknown kind of file, expected one of") as caught:
        document_files(tmp_path)
    assert str(caught.value).startswith(file)


def test_a_folder_without_documents_is_an_error(write, tmp_path):
    write(".hidden/x.txt")
    with pytest.raises(SourceError, match="no documents in this folder"):
        document_files(tmp_path)


def test_a_link_to_a_file_and_a_linked_folder_of_documents_are_read(write, tmp_path):
    file = write("real/x.txt")
    (tmp_path / "data").symlink_to("real")
    (tmp_path / "real/y.txt").symlink_to(file)
    assert document_files(tmp_path / "data") == [str(tmp_path / "data" / name) for name in ("x.txt", "y.txt")]


@pytest.mark.parametrize("target", ["nowhere.txt", "elsewhere", "."])
def test_a_link_that_would_not_be_followed_is_an_error(write, tmp_path, target):
    write("docs/x.txt")
    write("docs/elsewhere/y.txt")
    (tmp_path / "docs/link.txt").symlink_to(target)
    with pytest.raises(SourceError, match="found a link to a folder or to nothing"):
        document_files(tmp_path / "docs")
