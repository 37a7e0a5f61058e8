"""`estimate --ask`: what single documents cost, scaled, and found again by a run."""

import re
from pathlib import Path

import numpy as np
import pytest

from calling import questions as requests_of
from project import TINY, forked, snakemake
from ragassay.base import tables
from ragassay.calls import _asking, estimate
from ragassay.calls.complete import complete
from ragassay.calls.ledger.records import PICO, Ledger
from ragassay.calls.ledger.register import Register
from ragassay.schemas.documents import DOCUMENTS
from study import document

SETTINGS = """
models:
  paid:
    {{provider: openai, model: loopback, base_url: {url}, key_variable: LOOPBACK_KEY, price: {{input: 2, output: 8}}}}
scope: {{generators: [paid]}}
"""


def test_documents_are_spread_over_all_shards_and_know_theirs(tmp_path):
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, count in zip(paths, (30, 10), strict=True):
        tables.write(DOCUMENTS, path, [document(f"{path.stem}{at:02}", "Text.") for at in range(count)])
    some = _asking.chosen(paths, 4)
    assert list(some) == ["a--asked-1", "a--asked-2", "a--asked-3", "b--asked-4"]
    assert [row["doc_id"] for row in some.values()] == ["a00", "a10", "a20", "b00"]
    assert len(_asking.chosen(paths, 99)) == 40 and _asking.chosen([], 5) == {}


def test_the_interval_holds_the_sum_as_often_as_it_says():
    draw, hits = np.random.default_rng(3), 0
    costs = draw.gamma(4, 10, 200)  # of all documents
    for _ in range(400):
        low, high = _asking.interval(draw.choice(costs, 8, replace=False).tolist(), 200)
        hits += low <= costs.sum() <= high
    assert 0.9 <= hits / 400 <= 0.99
    rows = {"may--asked-1": [{"rule": "r", "model": "m"} | dict.fromkeys(_asking.COUNTS, 2)]}
    assert "One document gives no interval" in _asking.scaled(rows, [], {"may"}, 200)[1][-1]
    assert _asking.interval([3.0, 5.0], 2) == (8.0, 8.0), "nothing is left to guess"


def test_what_was_asked_about_a_document_moves_to_its_shard_and_counts_once(serve, model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    server, home = serve(), Path("ledger/respond/m/may")
    tested = model(server, budget_usd=1.0, register="ledger/models/tested")
    list(complete(requests_of(3), tested, home.with_name("may--asked-1")))
    paid = Ledger(home.with_name("may--asked-1")).dollars
    for _ in range(2):  # a second time there is nothing to do
        _asking.adopt(Path("ledger"))
        assert [path.name for path in home.parent.iterdir()] == ["may"]
        assert sum(Register("ledger/models/tested", home).entry()) == pytest.approx(paid, rel=1e-6)
        assert sum(Register("ledger/models/tested", home.with_name("may--asked-1")).entry()) == 0
    list(complete(requests_of(3), tested, home))
    assert server.summary()["requests"] == 3 and Ledger(home).dollars == pytest.approx(paid)


def test_jobs_about_a_document_see_what_its_shard_knows_and_are_counted_by_their_calls(serve, model, tmp_path):
    server, ledger = serve(), tmp_path / "ledger"
    home, documents = ledger / "respond/m/may", {"may--asked-1": {}, "may--asked-2": {}}
    list(complete(requests_of(3), model(server), home))
    _asking.lend(ledger, documents)
    for name, asked in zip(documents, (requests_of(3), requests_of(5)[3:]), strict=True):
        list(complete(asked, model(server), ledger / "respond/m" / name, tmp_path / f"{name}.parquet"))
    assert server.summary()["requests"] == 5
    jobs = [{"rule": "respond", "keys": ["m", "may"], "model": "tested"}]
    rows = _asking.counted(ledger, jobs, documents)
    assert [[row["requests"] for row in rows[name]] for name in documents] == [[3], [2]]
    dollars = sum(row["pico"] for own in rows.values() for row in own) / PICO
    assert dollars == pytest.approx(Ledger(home).dollars / 3 * 5, rel=0.1)
    _asking.adopt(ledger)
    assert Ledger(home).counts["requests"] == 5 and len(list(home.glob("*.jsonl"))) == 2


def test_a_run_asks_the_rest_and_the_prediction_holds(project, serve, monkeypatch, capsys):
    server = serve(respond="ragassay.calls.providers.rules:respond")
    (project / "paid.yaml").write_text(SETTINGS.format(url=server.url))
    monkeypatch.chdir(project)
    monkeypatch.setattr(estimate.pipeline, "status_of", lambda *command, **how: forked(*command, **how).returncode)
    shards = [f"results/questions/paid/2026-{month}.parquet" for month in ("01", "02")]
    assert estimate.main([*shards, *TINY, "paid.yaml"], 3) == 0
    said = capsys.readouterr().out
    asked, cost = re.search(r"Asked about 3 of \d+ documents: (\d+) requests, \$([\d.]+)\.", said).groups()
    low, high = map(int, re.search(r"takes ([\d,]+) to ([\d,]+) requests", said).groups())
    assert server.summary()["requests"] == int(asked) > 0 and float(cost) > 0
    assert estimate.main([*shards, *TINY, "paid.yaml"], 3) == 0
    again = capsys.readouterr().out
    assert f"documents: {asked} requests" in again and server.summary()["requests"] == int(asked), (
        "nothing is paid twice"
    )
    assert not list(Path("ledger").rglob("*--asked-*")) and not list(Path("results").rglob("*--asked-*"))
    assert not any(path.stat().st_mode & 0o077 for path in [Path("ledger"), *Path("ledger").rglob("*")])
    snakemake(project, *shards, *TINY, "paid.yaml")
    total = server.summary()["requests"]
    assert low <= total <= high
    keys = [line["key"] for line in server.log() if line["event"] == "asked"]
    assert len(keys) == total and not {*keys[: int(asked)]} & {*keys[int(asked) :]}, "nothing is asked again"
