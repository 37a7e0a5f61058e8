"""Showing the report prints its address; a browser is opened only in front of a screen."""

import webbrowser

from ragassay.report.show import show


def test_it_prints_the_address_and_opens_nothing_without_a_terminal(tmp_path, capsys, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setenv("DISPLAY", ":0")
    show(tmp_path / "a page.html")
    assert capsys.readouterr().out == f"report: file://{tmp_path}/a%20page.html\n" and opened == []
