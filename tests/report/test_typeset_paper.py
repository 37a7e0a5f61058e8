"""typeset_paper: one document that includes all figures and tables."""

import re

from papers import check, typeset


def test_one_document_includes_every_file_and_only_those(tmp_path):
    files = typeset(tmp_path, "ab")
    document, inputs = files["report.tex"].read_text(), []
    for name in re.findall(r"\\input\{(.+?)\}", document):
        inputs += re.findall(r"\\input\{(.+?)\}", files[f"{name}.tex"].read_text())
    assert inputs == ["study/curve", "study/curve-2-table"]
    assert r"\section{Study of 100 \% \& more}" in files["study/all.tex"].read_text()
    assert r"\texttt{a\_b}" in files["study/all.tex"].read_text() and r"\title{A \& B}" in document
    for package in ("booktabs", "graphicx", "adjustbox"):
        assert re.search(rf"\\usepackage{{[\w,]*{package}", document)
    for name, path in files.items():
        if name.endswith(".tex"):
            check(path.read_text())
