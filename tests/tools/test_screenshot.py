"""The picture of a report: as large as README wants it, and one line where it cannot be taken."""

import pytest

import programs
from tools.screenshot import HEIGHT, WIDTH, ScreenshotError, screenshot


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
    with pytest.raises(
        ScreenshotError, match=r"found no page .*index\.html, expected a finished report; run `make demo`"
    ):
        screenshot(tmp_path / "index.html", tmp_path / "report.png")


SECTIONS = '<h1>A report</h1><section id="one">first</section><section id="two">second</section><p>end</p>'


def test_a_section_is_shown_without_the_others_and_one_that_is_missing_is_named(page, tmp_path):
    """The browser keeps what it was given to show."""
    page.write_text(SECTIONS)
    browser = tmp_path / "browser"
    copying = 'cp "$(dirname "${word#*=}")/a page.html" "${word#*=}"'
    browser.write_text(f"#!/bin/sh\nfor word; do case $word in --screenshot=*) {copying};; esac; done\n")
    browser.chmod(0o755)
    screenshot(page, tmp_path / "report.png", str(browser), section="two")
    assert (tmp_path / "report.png").read_text() == '<h1>A report</h1><section id="two">second</section><p>end</p>'
    with pytest.raises(ScreenshotError, match=r"found no section three in .*, expected one of: one, two"):
        screenshot(page, tmp_path / "report.png", str(browser), section="three")


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
