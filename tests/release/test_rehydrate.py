"""Texts that a release withholds are fetched again from their pages; then it can be replayed as if it had them."""

import hashlib
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from project import ROOT, TINY, snakemake
from publishing.sealing import change
from ragassay.base import plain_yaml, tables
from ragassay.release import gathering
from ragassay.release.publishing import publish
from ragassay.release.rehydrating import CHANGED, NotRehydrated, rehydrate, texts
from ragassay.release.replaying import replay
from ragassay.release.verification.release_folder import ReleaseFolder
from ragassay.schemas.documents import ARTICLES
from releases import DAY, everything, linked


@pytest.fixture(scope="module")
def withheld(tiny, tmp_path_factory):
    """A release without the texts that were crawled."""
    root = linked(tiny, tmp_path_factory.mktemp("withheld") / "project")
    closed, free = {"licence": "other", "texts": False}, {"licence": "apache-2.0", "texts": True}
    sources = {"2026-09": closed, "tests/tiny/documents": free, "resources/demo": free}
    settings = {"release": {"sources": sources}}
    (root / "own.yaml").write_text(plain_yaml.dump(settings))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        return root / publish("1", [TINY[1], "own.yaml"], DAY, planned=everything)


@pytest.fixture
def crawl(tmp_path, monkeypatch):
    """The settings of the tiny crawl, whose pages this machine serves."""
    monkeypatch.chdir(ROOT)
    return gathering.configuration([TINY[1]])["crawl"] | {"spacing_folder": str(tmp_path / "hosts")}


def forked(folder, arguments):
    return snakemake(folder, *arguments, check=False)


def test_texts_are_fetched_by_address_and_kept_by_hash(withheld, crawl, tiny, tmp_path):
    outcomes = rehydrate(withheld, crawl, tmp_path / "texts")
    crawled = tables.read(ARTICLES, tiny / "results/articles/2026-09.parquet").to_pylist()
    known = texts(tmp_path / "texts")
    assert outcomes["found"] == len(crawled) == len(known)
    assert known == {row["content_hash"]: row["text"] for row in crawled}
    assert all(hashlib.sha256(text.encode()).hexdigest() == digest for digest, text in known.items())
    again = rehydrate(withheld, crawl | {"local_site": None}, tmp_path / "texts")
    assert outcomes.total() == again["found"] == len(crawled), "nothing is asked twice"


def test_a_page_that_opted_out_is_not_asked_for(withheld, crawl, tmp_path):
    [*_, (_, rows)] = ReleaseFolder(withheld).each("documents", ["url"])
    gone = rows["url"][0].as_py()
    (tmp_path / "gone.txt").write_text(f"{gone}\n")
    outcomes = rehydrate(withheld, crawl | {"opt_outs": str(tmp_path / "gone.txt")}, tmp_path / "texts")
    assert outcomes["opted_out"] == 1


def test_a_release_is_replayed_from_its_texts_once_it_has_them(withheld, crawl, project, tmp_path):
    rehydrate(withheld, crawl, tmp_path / "texts")
    outcome = replay(withheld, project, only=["claims"], rehydrated=tmp_path / "texts", run=forked)
    assert (outcome.way, len(outcome.same), outcome.other, outcome.given) == ("texts", 3, [], [])


def test_a_release_without_texts_is_replayed_from_its_answers(withheld, project):
    tables = ["claims", "recovered_claims", "novel_claims", "questions", "scope_labels", "rejects/questions"]
    outcome = replay(withheld, project, only=tables, run=forked)
    assert outcome.way == "answers" and not outcome.other and not outcome.given
    assert len(outcome.same) == 18 and {file.split("/")[1] for file in outcome.same} >= {"scope_labels", "rejects"}


def test_a_page_with_another_text_is_counted_and_not_taken(withheld, crawl, tmp_path):
    release = tmp_path / "release"
    shutil.copytree(withheld, release)
    file = "tables/documents/2026-09.parquet"
    rows = pq.read_table(release / file, partitioning=None)
    at = rows.column_names.index("content_hash")
    others = pa.array(["0" * 64] * len(rows), pa.string())
    change(release, file, rows.set_column(at, rows.schema.field(at), others))
    outcomes = rehydrate(release, crawl, tmp_path / "texts")
    assert outcomes[CHANGED] == len(rows) and "0" * 64 not in texts(tmp_path / "texts")


def test_a_release_with_all_texts_needs_none(published, crawl, tmp_path):
    with pytest.raises(NotRehydrated, match="found all texts in it; there is nothing to fetch"):
        rehydrate(published, crawl, tmp_path)


def test_addresses_of_a_release_never_reach_the_hosts_that_a_user_opened(withheld, crawl, tmp_path):
    """Whoever made the release chose them."""
    asked = []

    class Private(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Private)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    release = shutil.copytree(withheld, tmp_path / "release")
    for file in ("tables/documents/2026-09.parquet", "tables/articles/2026-09.parquet"):
        rows = pq.read_table(release / file, partitioning=None)
        at = rows.column_names.index("url")
        url = f"http://127.0.0.1:{server.server_port}/admin?delete=0"
        change(release, file, rows.set_column(at, rows.schema.field(at), pa.array([url] * len(rows), pa.string())))
    opened = {"local_site": None, "allow_hosts": ["127.0.0.1"], "contact": "me@example.org"}
    outcomes = rehydrate(release, crawl | opened, tmp_path / "texts")
    server.shutdown()
    server.server_close()
    assert asked == [] and outcomes["refused_address"] == outcomes.total() > 0
