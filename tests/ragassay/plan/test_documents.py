"""What stages about shards need to know: those of files and those that are crawled."""

import pytest

from ragassay.config.shards import read_shards
from ragassay.plan import documents, news
from wildcards import Wildcards

TABLE = """shard\tdocuments\ttopics\tfirst_day\tlast_day\tper_topic
one\ttexts\t\t\t\t
two\t\tfood,travel\t2026-11-01\t2026-11-30\t20
three\t\t\t2026-12-01\t2026-12-31\t
"""


@pytest.fixture
def shards(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/a.txt").write_text("A text.")
    (tmp_path / "shards.tsv").write_text(TABLE)
    return read_shards("shards.tsv")


def test_a_shard_is_of_files_or_crawled(shards):
    assert (documents.from_files(shards), news.crawled(shards)) == (["one"], ["two", "three"])
    assert documents.files(shards, Wildcards(shard="one")) == ["texts/a.txt"]


def test_duplicates_are_looked_for_in_all_earlier_shards_through_the_one_before(config, shards):
    third, first = Wildcards(shard="three"), Wildcards(shard="one")
    assert documents.find_duplicates(config, shards, third)["earlier"] == "one two"
    assert documents.before(shards, "clusters/{shard}", third) == ["clusters/two"]
    assert documents.before(shards, "clusters/{shard}", first) == []


def test_a_crawl_goes_by_its_row_but_not_by_the_shards_before_it(config, shards):
    settings = news.crawl_shard(config, shards, Wildcards(shard="two"))
    assert settings["row"] == {name: value for name, value in shards["two"].items() if name != "before"}
    assert settings["ledger"] == "ledger/crawl_shard/two"
    extraction = news.extract_articles(config, shards, Wildcards(shard="two"))
    assert (extraction["first_day"], extraction["last_day"]) == ("2026-11-01", "2026-11-30")


def test_coverage_is_of_each_crawled_shards_own_topics_or_of_all(config, shards):
    asked = news.measure_crawl(config, shards)["asked"]
    assert asked["two"] == {"food": 20, "travel": 20}
    assert asked["three"] == dict.fromkeys(config["crawl"]["topics"], 0)
