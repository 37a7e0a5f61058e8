"""The demo corpus keeps its own rules: sixty articles, ten topics, and the duplicates that are there on purpose."""

import datetime
import difflib
import re

import pytest

from demo_files import DEMO, FILES, article

TOPICS = "business entertainment food music news politics science sport tech travel".split()
NEAR = [
    ("2026-09/business-tidewell-loan", "2026-09/business-tidewell-loan-update"),
    ("2026-10/sport-cup-semi-final", "2026-10/sport-cup-semi-final-echo"),
    ("2026-09/tech-lumenfold-plant", "2026-09/tech-lumenfold-plant-release"),
    ("2026-10/news-storm-ottoline", "2026-10/business-storm-ottoline-harbour"),
]


def test_sixty_articles_six_for_each_of_ten_topics_half_in_each_month():
    names = [(path.parent.name, path.stem.split("-")[0]) for path in FILES]
    assert {name: names.count(name) for name in names} == {(m, t): 3 for m in ("2026-09", "2026-10") for t in TOPICS}


def test_each_article_has_its_form():
    odd = re.compile(r"\n{3}|[^\n]\n[^\n]|^[#*>-]|[ \t]$|\]\(", re.MULTILINE)
    for path in FILES:
        header, text = article(path)
        month = path.parent.name
        assert header.keys() == {"title", "url", "date", "topic"} and header["topic"] == path.stem.split("-")[0], path
        assert 170 <= len(text.split()) <= 400, path
        assert isinstance(header["date"], datetime.datetime) and header["date"].strftime("%Y-%m") == month, path
        assert re.fullmatch(rf"https://www\.[a-z]+\.example/{month.replace('-', '/')}/[a-z0-9-]+", header["url"]), path
        assert text.endswith("\n") and not odd.search(text), path


def test_the_canon_names_exactly_the_articles_and_their_dates():
    rows = re.findall(r"^\| ([a-z0-9-]+) \| (\d\d-\d\d) \| ([a-z]+) \|", (DEMO / "README.md").read_text(), re.MULTILINE)
    found = {}
    for path in FILES:
        header, _ = article(path)
        found[path.stem] = (header["date"].strftime("%m-%d"), header["url"].split(".")[1])
    assert {name: (date, site) for name, date, site in rows} == found


def test_one_story_is_syndicated_word_for_word():
    texts = [article(path)[1] for path in FILES]
    twice = {path.stem for path, text in zip(FILES, texts, strict=True) if texts.count(text) > 1}
    assert twice == {"news-storm-ottoline", "travel-storm-ottoline-ferries"}


@pytest.mark.parametrize(("first", "second"), NEAR)
def test_the_near_duplicates_are_near_and_not_the_same(first, second):
    a, b = (article(DEMO / f"articles/{name}.md")[1].split() for name in (first, second))
    assert 0.6 < difflib.SequenceMatcher(None, a, b, autojunk=False).ratio() < 1


def test_all_others_are_different():
    words = {path.stem: set(article(path)[1].lower().split()) for path in FILES}
    meant = {frozenset(name.split("/")[1] for name in pair) for pair in NEAR} | {
        frozenset(("news-storm-ottoline", "travel-storm-ottoline-ferries")),
        frozenset(("business-storm-ottoline-harbour", "travel-storm-ottoline-ferries")),
    }
    for a in words:
        for b in words:
            if a < b and frozenset((a, b)) not in meant:
                assert len(words[a] & words[b]) / len(words[a] | words[b]) < 0.4, (a, b)
