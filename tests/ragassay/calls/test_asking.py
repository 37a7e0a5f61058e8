"""`estimate --ask`: what single documents cost, scaled, and found again by a run."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from calling import questions as requests_of
from project import TINY, forked, snakemake
from ragassay.base import tables
from ragassay.calls import _asking, estimate
from ragassay.calls.complete import complete
from ragassay.calls.ledger.records import Ledger
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
    assert _asking.interval([3.0, 5.0], 2) == (8.0, 8.0), "nothing is left to guess"


def test_what_was_asked_about_a_document_moves_to_its_shard_and_counts_once(serve, model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    server = serve()
    tested = model(server, budget_usd=1.0, register="ledger/models/tested")
    asked = requests_of(3)
    list(complete(asked, tested, Path("ledger/respond/m/may--asked-1")))
    paid = Ledger(Path("ledger/respond/m/may--asked-1")).dollars
    _asking.adopt(Path("ledger"))
    _asking.adopt(Path("ledger"))  # a second time there is nothing to do
    assert [path.name for path in Path("ledger/respond/m").iterdir()] == ["may"]
    list(complete(asked, tested, Path("ledger/respond/m/may")))
    assert server.summary()["requests"] == 3
    assert Ledger(Path("ledger/respond/m/may")).dollars == pytest.approx(paid)
    money = json.loads(Register("ledger/models/tested", "x").money.read_text())
    assert sum(sum(amounts) for amounts in money.values()) == pytest.approx(paid, rel=0.5)


def test_a_run_asks_the_rest_and_what_was_foretold_holds(project, serve, monkeypatch, capsys):
    server = serve(respond="ragassay.calls.providers.rules:respond")
    (project / "paid.yaml").write_text(SETTINGS.format(url=server.url))
    monkeypatch.chdir(project)
    monkeypatch.setattr(estimate, "subprocess", SimpleNamespace(run=forked))
    shards = [f"results/questions/paid/2026-{month}.parquet" for month in ("01", "02")]
    assert estimate.main([*shards, *TINY, "paid.yaml"], 3) == 0
    said = capsys.readouterr().out
    asked, cost = re.search(r"Asked about 3 of \d+ documents: (\d+) requests, \$([\d.]+)\.", said).groups()
    low, high = map(int, re.search(r"takes ([\d,]+) to ([\d,]+) requests", said).groups())
    assert server.summary()["requests"] == int(asked) > 0 and float(cost) > 0
    assert not list(Path("ledger").rglob("*--asked-*")) and not list(Path("results").rglob("*--asked-*"))
    snakemake(project, *shards, *TINY, "paid.yaml")
    total = server.summary()["requests"]
    assert low <= total <= high
    keys = [line["key"] for line in server.log() if line["event"] == "asked"]
    assert len(keys) == total and not {*keys[: int(asked)]} & {*keys[int(asked) :]}, "nothing is asked again"
