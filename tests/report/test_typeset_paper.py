"""Paper: figures in any width, tables, and one document of all."""

import csv
import re

import pytest

from papers import check, typeset
from ragassay.report import theme
from ragassay.report.paper import LONG


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


HOSTILE = [
    r"\input{/etc/passwd}",
    r"a & b \\ c % d $e$ #f _g {h ~ ^",
    "}}\\end{document}",
    "[2cm] *x",
    "שלום עולם, and مرحبا",
    "m" * 200,
    "a\nb\u202ec",
    "| <b>x</b> `y` |",
]


def cells(text):
    return [re.split(r"(?<!\\)&", line.removesuffix(r" \\")) for line in text.splitlines() if line.endswith(r" \\")]


def test_a_figure_is_as_wide_as_asked_in_every_form(tmp_path):
    for width in (84, 174):
        files = typeset(tmp_path / str(width), "ab", width)
        svg = files["study/curve.svg"].read_text()
        assert float(re.search(r'width="([\d.]+)mm"', svg)[1]) == pytest.approx(width, abs=0.1)
        points = re.search(rb"/MediaBox \[0 0 ([\d.]+)", files["study/curve.pdf"].read_bytes())[1]
        assert float(points) / theme.MM == pytest.approx(width, abs=0.2)
        png = files["study/curve.png"].read_bytes()
        assert int.from_bytes(png[16:20]) == pytest.approx(width / 25.4 * 300, abs=3)
        assert "var(" not in svg and all(colour in svg for colour in theme.GREYS[:2]) and "stroke-dasharray" in svg
        assert r"\includegraphics{study/curve.pdf}" in files["study/curve.tex"].read_text()
        rows = list(csv.DictReader(files["study/curve.csv"].read_text().splitlines()))
        assert {float(row["value"]) for row in rows} == {1 / 3} and len(rows) == 4
    assert theme.style() is theme.PAGE


def test_a_table_has_its_caption_its_numbers_and_whole_numbers_in_csv(tmp_path):
    files = typeset(tmp_path, "ab")
    text = files["study/curve-2-table.tex"].read_text()
    assert r"\caption{\textbf{Numbers.} C In all rows: Set s.}" in text and r"\toprule" in text
    assert cells(text) == [["Model ", " At ", " Right"]] + [
        [f"{model} ", f" {at} ", r" 0.333\interval{{[}0.25, 0.5{]}}"] for at in "01" for model in "ab"
    ]
    assert "| a | 0 | 0.333 \\[0.25, 0.5\\] |" in files["study/curve-2-table.md"].read_text()
    rows = list(csv.DictReader(files["study/curve-2-table.csv"].read_text().splitlines()))
    expected = {"Set": "s", "Model": "a", "At": "0", "Right low": "0.25", "Right high": "0.5", "Right n": "60"}
    assert rows[0] == expected | {"Right": repr(1 / 3)} and len(rows) == 4


def test_hostile_names_are_text_in_latex_and_markdown(tmp_path):
    files = typeset(tmp_path, HOSTILE)
    for name, path in files.items():
        if name.endswith(".tex"):
            check(path.read_text())
    text = files["study/curve-2-table.tex"].read_text()
    assert r"\textbackslash{}input\{/etc/passwd\}" in text and r"\input{" not in text and r"\end{document}" not in text
    assert r"\rtl{שלום עולם}, and \rtl{مرحبا}" in text and "\u202e" not in text
    assert max(map(len, re.findall("m+", text))) < 20 and text.count(r"mm\allowbreak{}mm") > 10
    assert {len(row) for row in cells(text)} == {3}
    table = files["study/curve-2-table.md"].read_text().splitlines()[2:]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {4} and "<b>" not in "".join(table)


def test_a_long_table_reaches_over_pages(tmp_path):
    text = typeset(tmp_path, [f"model {n}" for n in range(4)], places=75)["study/curve-2-table.tex"].read_text()
    check(text)
    assert len(cells(text)) > 300 and text.count(r"\toprule") == text.count(r"\begin{table}") == -(-300 // LONG)
    assert text.count(r"\caption{") == text.count(", continued.}") + 1 and text.count(r"\label{") == 1
