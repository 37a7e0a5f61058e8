"""The coverage of crawled shards: a funnel per topic, reasons for the rest, health of feeds, and an alarm."""

import json

import pytest
import yaml

from project import ROOT
from ragassay.base import tables
from ragassay.report.sections import load
from ragassay.schemas.documents import ARTICLES, CANDIDATES, DOCUMENTS, FEED_HEALTH, PAGES
from ragassay.schemas.report import METRICS
from rows import place, row
from scripts.documents.measure_crawl import HEALTH, measure_crawl

TABLES = FEED_HEALTH, CANDIDATES, PAGES, ARTICLES, DOCUMENTS, tables.REJECTS
ASKED = {"october": {"food": 4, "sport": 2}, "november": {"food": 4, "sport": 2}}


def feed(shard, topic, health="live"):
    return {"shard": shard, "topic": topic, "health": health}


def several(shard, topic, count):
    return [{"shard": shard, "topic": topic} for _ in range(count)]


@pytest.fixture
def measured(tmp_path):
    """A function that runs the stage on rows and returns the path of the metrics."""

    def run(feeds=(), candidates=(), pages=(), articles=(), documents=(), rejects=(), asked=ASKED, alarm_drop=0.2):
        paths, given = [], (feeds, candidates, pages, articles, documents, rejects)
        for table, rows in zip(TABLES, given, strict=True):
            # A file per shard, as the crawl writes them; the last column of a key tells rows apart.
            filled = [row(table, **{table.key[-1]: f"{table.name}-{n}"} | values) for n, values in enumerate(rows)]
            shards = sorted({values["shard"] for values in filled})
            paths.append([place(tmp_path / shard, table, shard=shard) for shard in shards])
            for shard, path in zip(shards, paths[-1], strict=True):
                tables.write(table, path, [values for values in filled if values["shard"] == shard])
        measure_crawl(*paths, tmp_path / "crawl.parquet", asked, alarm_drop)
        return tmp_path / "crawl.parquet"

    return run


def found(path, table):
    """The values of a table of metrics by the texts of their keys and the name of the metric."""
    rows = [row for row in tables.read(METRICS, path).to_pylist() if row["table"] == table]
    return {(*json.loads(row["keys"]).values(), row["metric"]): row["value"] for row in rows}


def test_the_funnel_narrows_from_asked_to_kept(measured):
    path = measured(
        feeds=[feed("october", "food"), feed("november", "food")],
        candidates=[row | {"in_days": True} for row in several("october", "food", 9)]
        + [row | {"in_days": False} for row in several("october", "sport", 3)],
        pages=several("october", "food", 7) + several("october", "sport", 1),
        articles=several("october", "food", 6) + several("october", None, 1) + several("files", "food", 9),
        documents=several("october", "food", 3) + several("files", "food", 9),
    )
    funnel = found(path, "funnel")
    steps = ("asked", "found", "fetched", "extracted", "kept", "missing")
    expected = {
        ("october", "food"): (4, 9, 7, 6, 3, 1),
        ("october", "sport"): (2, 0, 1, 0, 0, 2),
        ("october", "(none)"): (0, 0, 0, 1, 0, 0),
        ("november", "food"): (4, 0, 0, 0, 0, 4),
        ("november", "sport"): (2, 0, 0, 0, 0, 2),
    }
    assert funnel == {
        (*key, step): value for key, values in expected.items() for step, value in zip(steps, values, strict=True)
    }


def test_every_reject_is_counted_under_the_topic_of_what_it_names(measured):
    def reject(item, stage, reason, shard="october"):
        return {"shard": shard, "item": item, "stage": stage, "reason": reason}

    path = measured(
        candidates=[
            *({"shard": "october", "topic": "sport", "url": f"https://a.example/{n}"} for n in range(2)),
            {"shard": "november", "topic": "food", "url": "https://a.example/0"},
        ],
        articles=[{"shard": "october", "topic": "food", "article_id": "art-1"}],
        rejects=[
            reject("https://a.example/0", "extract_articles", "paywall"),
            reject("https://a.example/1", "extract_articles", "paywall"),
            reject("art-1", "collect_documents", "near_duplicate"),
            reject("https://elsewhere.example/", "crawl_shard", "http_404"),
            reject("https://a.example/0", "crawl_shard", "http_500", "november"),
            reject("row 7", "collect_articles", "bad_row", "files"),
        ],
    )
    assert found(path, "reasons") == {
        ("paywall", "october", "extract_articles", "sport", "rejected"): 2,
        ("near_duplicate", "october", "collect_documents", "food", "rejected"): 1,
        ("http_404", "october", "crawl_shard", "(none)", "rejected"): 1,
        ("http_500", "november", "crawl_shard", "food", "rejected"): 1,
    }


def test_feeds_are_counted_by_health(measured):
    feeds = [feed("october", "food", health) for health in ("live", "dead", "dead", "blocked", "crash")]
    counts = found(measured(feeds=[*feeds, feed("november", "food", "disallowed")]), "feeds")
    assert [counts["october", health] for health in HEALTH] == [1, 0, 2, 1, 0, 1]
    assert [counts["november", health] for health in HEALTH] == [0, 0, 0, 0, 1, 0]


@pytest.mark.parametrize(
    ("kept", "asked", "drop"),
    [
        ((10, 8), (10, 10), None),
        ((10, 7), (10, 10), 0.3),
        ((10, 0), (10, 10), 1),
        ((10, 4), (10, 5), None),
        ((10, 3), (10, 5), 0.4),
        ((5, 5), (10, 20), None),
        ((0, 0), (10, 10), None),
    ],
)
def test_a_shard_far_below_the_one_before_is_an_alarm(measured, caplog, kept, asked, drop):
    documents = several("october", "food", kept[0]) + several("november", "food", kept[1])
    wanted = {shard: {"food": count} for shard, count in zip(("october", "november"), asked, strict=True)}
    alarms = found(measured(documents=documents, asked=wanted), "alarms")
    if drop is None:
        assert not alarms and not caplog.records
    else:
        expected = kept[0] * asked[1] / asked[0]
        assert alarms == {
            ("october", "november", "alarm"): pytest.approx(drop),
            ("october", "november", "expected"): expected,
            ("october", "november", "kept"): kept[1],
        }
        assert f"shard november keeps {kept[1]} documents, {100 * drop:.0f} % fewer" in caplog.text


def test_alarms_compare_shards_in_their_order_and_the_size_of_the_drop_is_a_setting(measured):
    documents = several("october", "food", 5) + several("november", "food", 10)
    assert not found(measured(documents=documents), "alarms")
    turned = dict(reversed(ASKED.items()))
    alarms = found(measured(documents=documents, asked=turned), "alarms")
    assert {key[:2] for key in alarms} == {("november", "october")}
    assert not found(measured(documents=documents, asked=turned, alarm_drop=0.5), "alarms")


def test_the_section_shows_what_is_measured(measured):
    section = ROOT / "workflow/report/sections/crawl.yaml"
    documents = several("october", "food", 5) + several("november", "food", 1)
    rejects = [{"shard": "october", "item": "x", "stage": "crawl_shard", "reason": "timeout"}]
    content = load(section, measured([feed("october", "food")], documents=documents, rejects=rejects))
    sizes = {part.name: len(part.rows) for part in [*content.parts, *content.details]}
    assert sizes == {"alarms": 1, "by_shard": 2, "funnel": 4, "reasons": 1, "feeds": 2}


def test_the_section_has_a_column_for_each_health():
    section = yaml.safe_load((ROOT / "workflow/report/sections/crawl.yaml").read_text())
    [feeds] = [part for part in section["details"] if part["table"] == "feeds"]
    assert set(HEALTH) == feeds["columns"].keys() - {"shard"}
