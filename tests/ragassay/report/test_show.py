"""The end of a run: its address is printed; a browser is opened only in front of a screen."""

import webbrowser

import pytest

from ragassay.report.show import show


@pytest.fixture
def results(tmp_path):
    folder = tmp_path / "the results"
    (folder / "report").mkdir(parents=True)
    (folder / "report/index.html").touch()
    return folder


def test_it_prints_the_address_and_opens_nothing_without_a_terminal(results, capsys, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setenv("DISPLAY", ":0")
    show(results)
    assert capsys.readouterr().out == f"report: {results.as_uri()}/report/index.html\n" and opened == []


@pytest.mark.parametrize(("target", "drawn"), [("scope", False), ("scope", True), ("report", False)])
def test_what_drew_no_report_names_the_tables(results, capsys, target, drawn):
    if not drawn:
        (results / "report/index.html").unlink()
    show(results, target)
    assert capsys.readouterr().out == f"tables: {results.as_uri()} (`make demo` draws the report from them)\n"
