"""An attack and a defence over a corpus whose index is that of a real PostgreSQL with pgvector. It goes away in the
middle: one line, nothing lost; the second run asks only what is missing and finishes.
"""

import contextlib
import csv
import json
import re
import socket
import threading
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from databases import Pgvector, postgres  # noqa: F401  a fixture
from project import ROOT, TINY, planned, snakemake
from ragassay.base import tables
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.attacks import RETRIEVED
from ragassay.schemas.corpora import INDEX_RECALL
from ragassay.schemas.defences import FILTERED
from study import MINILM

TARGETS, TEXTS, LEAVES_AFTER = 6, 60, 2
PAGE = "results/report/raguard.html"
LEAVING = ("results/report/raguard.csv", "results/report/paper/raguard")
SEARCH = b"<=>"  # how pgvector compares by cosine
CELL = {"datasets": ["mine"], "retrievers": ["theirs"], "attacks": ["none", "poisonedrag_black"]}
CELL |= {"defences": ["none", "echo"], "responders": ["careful"]}
COLUMNS = {"id": "", "text": "body"}


class Wire:
    """Between a client and the server's socket; it may hang up at the next search after so many."""

    def __init__(self, address):
        [folder] = parse_qs(urlsplit(address).query)["host"]
        self._server = str(next(Path(folder).glob(".s.PGSQL.*[0-9]")))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"postgresql://postgres@127.0.0.1:{self._listener.getsockname()[1]}/postgres"
        self.searches, self.leaves_after = 0, None
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._server)
            for way in ((client, server, True), (server, client, False)):
                threading.Thread(target=self._pass, args=way, daemon=True).start()

    def _pass(self, source, target, from_client):
        with contextlib.suppress(OSError):  # the other way has hung up
            while content := source.recv(1 << 16):
                if from_client and SEARCH in content:
                    if self.searches == self.leaves_after:
                        break
                    self.searches += 1
                target.sendall(content)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@pytest.fixture
def served(project, postgres):  # noqa: F811
    """A project whose corpus is in the database, the database, and the wire between them."""
    with (ROOT / "resources/demo/attacks/targets.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if len(json.loads(row["texts"])) > 1][:TARGETS]
    with (project / "targets.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, "document": ""} for row in rows)
    answers = [f"{row['question']} It was {json.loads(row['answers'])[0]}." for row in rows]
    texts = answers + [f"Report {at} of the harbour: {at * 7} boats, {at % 5} storms." for at in range(TEXTS - TARGETS)]
    vectors = Embedder(Encoder(**MINILM), project / "embeddings").embed(texts, "passage")
    database, wire = Pgvector(postgres), Wire(postgres)
    database.make("articles", [*enumerate(texts, 101)], vectors)
    with database.client() as client:
        client.execute("DROP INDEX articles_embedding_idx")
        client.execute("CREATE INDEX ON articles USING ivfflat (embedding vector_cosine_ops) WITH (lists = 8)")
        client.execute("ALTER DATABASE postgres SET enable_seqscan = off")
    index = {"kind": "service", "collection": "theirs", "search": "ivfflat.probes=5"}
    config = {
        "collections": {"theirs": {"kind": "pgvector", "address": wire.address, "collection": "articles"}},
        "corpora": {"theirs": {"collection": "theirs"}},
        "retrievers": {"theirs": {"kind": "dense", "encoder": "minilm", "index": index}},
        "datasets": {"mine": {"corpus": "theirs", "targets": ["targets.csv"]}},
        "under_attack": {"cells": [CELL]},
    }
    config["collections"]["theirs"]["columns"] = COLUMNS
    (project / "served.yaml").write_text(yaml.safe_dump(config))
    yield project, database, wire
    wire.close()
    with database.client() as client:
        client.execute("ALTER DATABASE postgres RESET ALL")
    database.clear()


def test_an_attack_on_the_index_of_a_service_that_goes_away_in_the_middle(served):
    project, database, wire = served
    before, wire.leaves_after = database.everything(), LEAVES_AFTER
    failed = snakemake(project, PAGE, *TINY, "served.yaml", check=False)
    assert failed.returncode == 1 and "Traceback" not in failed.stdout
    [line] = {*re.findall(r"search_service .*: (collections\.theirs: .*)", failed.stdout)}
    assert line.startswith("collections.theirs: pgvector at ") and f"{LEAVES_AFTER} of {TARGETS} answers lie in" in line
    assert (project / "results/passages/theirs.parquet").exists()
    wire.leaves_after = None
    snakemake(project, PAGE, *TINY, "served.yaml")
    assert wire.searches == TARGETS, "nothing is asked twice"
    assert database.everything() == before, "nothing is written there"

    retrieved = "results/retrieved/mine/theirs/{}.parquet"
    clean, attacked = (
        tables.read(RETRIEVED, project / retrieved.format(attack)).to_pylist()
        for attack in ("none", "poisonedrag_black")
    )
    assert not any(row["poisoned"] for row in clean)
    planted = [row for row in attacked if row["poisoned"]]
    assert {row["target_id"] for row in planted} == {row["target_id"] for row in clean}
    scores = {(row["target_id"], row["passage_id"]): row["score"] for row in clean}
    kept = [row for row in attacked if not row["poisoned"]]
    assert kept and all(scores[row["target_id"], row["passage_id"]] == row["score"] for row in kept)
    place = "results/filtered/mine/theirs/poisonedrag_black.parquet"
    removed = [
        row for row in tables.read(FILTERED, project / place).to_pylist() if row["defence"] == "echo" and row["removed"]
    ]
    assert {row["passage_id"] for row in removed} & {row["passage_id"] for row in planted}

    rows = tables.read(INDEX_RECALL, project / "results/index_recall/theirs/theirs/mine.targets.parquet").to_pylist()
    shares = [row["shared"] / row["of"] for row in rows if row["depth"] == 10]
    assert len(shares) == TARGETS and 0 < sum(shares) < TARGETS, "five lists of eight miss some"
    share = f"{100 * sum(shares) / TARGETS:.1f} % (mine.targets in theirs, {TARGETS} queries)"
    page = (project / PAGE).read_text()
    assert "searches an index. Of the first 10 passages of an exact search it finds" in page and share in page
    remark = f"`theirs` searches an index that finds {share.partition(' (')[0]} of the 10 nearest passages."
    snakemake(project, *LEAVING, *TINY, "served.yaml")
    numbers, paper = (project / name for name in LEAVING)
    assert remark in numbers.read_text() and remark in (paper / "matched-2-table.md").read_text()
    again = planned(project, PAGE, *TINY, "served.yaml")
    assert {*again} <= {"render_page"}, "a page that is asked for by its name is drawn again"
