"""The picture of a report: as large as README wants it, and one line where it cannot be taken."""

import pytest

import programs
from tools.screenshot import HEIGHT, WIDTH, ScreenshotError, screenshot, take_all


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "a page.html"
    path.write_text("<h1>A report</h1>")
    return path


@pytest.mark.system
def test_a_page_becomes_a_picture(page, tmp_path, capsys):
    screenshot(page, tmp_path / "docs/report.png", programs.browser())
    picture = (tmp_path / "docs/report.png").read_bytes()
    assert picture.startswith(b"\x89PNG\r\n")
    assert [int.from_bytes(picture[at : at + 4]) for at in (16, 20)] == [WIDTH, HEIGHT]
    assert "docs/report.png" in capsys.readouterr().out


def test_a_page_that_is_missing_is_named(tmp_path):
    problem = r"found no page .*index\.html, expected a finished report; run `make demo`"
    with pytest.raises(ScreenshotError, match=problem):
        screenshot(tmp_path / "index.html", tmp_path / "report.png")


def test_the_front_page_and_each_section_that_names_a_picture_are_taken(tmp_path, monkeypatch):
    """The browser writes the address that it was given to show."""
    browser = tmp_path / "bin/chromium"
    browser.parent.mkdir()
    writing = (
        'for last; do :; done; for word; do case $word in --screenshot=*) echo "$last" > "${word#*=}";; esac; done'
    )
    browser.write_text(f"#!/bin/sh\n{writing}\n")
    browser.chmod(0o755)
    monkeypatch.setenv("PATH", f"{browser.parent}:/usr/bin:/bin")
    pages = {"index": "", "study": '<section id="study"></section><section id="part"></section>'}
    for name, text in pages.items():
        (tmp_path / f"{name}.html").write_text(text)
    described = {"study": {"picture": "study"}, "part": {"picture": "a_part"}, "plain": {}}
    monkeypatch.setattr("tools.docs.sections", lambda: described)
    take_all(tmp_path, tmp_path / "docs")
    shown = {path.stem: path.read_text().strip() for path in (tmp_path / "docs").iterdir()}
    front, study = ((tmp_path / f"{name}.html").as_uri() for name in pages)
    assert shown == {"report": front, "study": study, "a_part": f"{study}#part"}
    described["gone"] = {"picture": "gone"}
    with pytest.raises(ScreenshotError, match="found no section gone on the pages index, study; run `make demo` first"):
        take_all(tmp_path, tmp_path / "docs")


def test_without_a_browser_one_line_says_what_to_install(page, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ScreenshotError, match=r"found no browser, expected one of: chromium, .*; install chromium"):
        screenshot(page, tmp_path / "report.png")


def test_a_browser_that_fails_is_quoted_and_an_old_picture_stays(page, tmp_path):
    browser = tmp_path / "browser"
    browser.write_text("#!/bin/sh\necho no display >&2\nexit 1\n")
    browser.chmod(0o755)
    (tmp_path / "report.png").write_bytes(b"old")
    with pytest.raises(ScreenshotError, match=r"wrote no picture of .*; its last words: no display"):
        screenshot(page, tmp_path / "report.png", str(browser))
    assert (tmp_path / "report.png").read_bytes() == b"old"
