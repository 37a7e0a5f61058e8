"""search_service: real vector databases propose passages by their indexes; what they miss is counted, what does not fit
the corpus is refused, and nothing is asked twice.
"""

import errno
import random

import numpy as np
import psycopg
import pytest
from qdrant_client.models import SparseVectorParams

import rows as build
from databases import Pgvector, Qdrant, database, postgres  # noqa: F401  fixtures
from models import WORDS
from passages import write_passages
from qdrant_server import serving
from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.calls.ledger import sharing
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.corpora import INDEX_RECALL, NEIGHBOURS, QUERIES
from ragassay.search.nearest import comparable, nearest
from ragassay.services import collection, hits
from scripts.search.search_service import search_service
from study import MINILM

CLS = {"name": "cls", "kind": "transformers", "model": MINILM["model"], "options": {"device": "cpu", "pooling": "cls"}}
PASSAGES, ASKED, COUNT = 120, 12, 10
dice = random.Random(5)
TEXTS = {str(key): f"{' '.join(dice.choices(WORDS, k=7))}." for key in range(101, 101 + PASSAGES)}
QUESTIONS = {f"q{number:02}": " ".join(dice.choices(WORDS, k=4)) for number in range(ASKED)}


@pytest.fixture(scope="module")
def encoded(tmp_path_factory):
    """The folder of vectors, and those of passages and of queries, of length 1."""
    folder, patch = str(tmp_path_factory.mktemp("vectors")), pytest.MonkeyPatch()
    kinds = {entry["name"]: Encoder(**entry).load() for entry in (MINILM, CLS)}
    patch.setattr(Encoder, "load", lambda self: kinds[self.name])
    embedder = Embedder(Encoder(**MINILM), folder)
    of_passages = comparable(embedder.embed([*TEXTS.values()], "passage"), "cosine")
    yield folder, of_passages, comparable(embedder.embed([*QUESTIONS.values()], "query"), "cosine")
    patch.undo()


@pytest.fixture
def searched(encoded, tmp_path):
    """A function that asks a database: query -> [(passage, score)], and the rows of what it missed."""
    write_passages(tmp_path / "passages.parquet", TEXTS)
    rows = [build.row(QUERIES, query_id=name, text=text) for name, text in QUESTIONS.items()]
    tables.write(QUERIES, tmp_path / "queries.parquet", rows)

    def searched(entry, **more):
        files = {name: tmp_path / f"{name}.parquet" for name in ("passages", "queries", "neighbours", "index_recall")}
        settings = {"encoder": MINILM, "query_encoder": MINILM, "embeddings": encoded[0], "titles": "none"}
        settings |= {"similarity": "cosine", "count": COUNT, "collection": "mine", "entry": entry, "search": ""}
        settings |= {"revision": "", "checked": 200, "ledger": str(tmp_path / "ledger")}
        search_service(**files, **settings | more)
        rankings = {name: [] for name in QUESTIONS}
        for row in tables.read(NEIGHBOURS, files["neighbours"]).to_pylist():
            rankings[row["query_id"]].append((row["passage_id"], row["score"]))
        return rankings, tables.read(INDEX_RECALL, files["index_recall"]).to_pylist()

    searched.texts = tmp_path / "passages.parquet"
    return searched


def make(server, encoded, texts=TEXTS, vectors=None):
    rows = [(int(key), text) for key, text in texts.items()]
    server.make("articles", rows, encoded[1] if vectors is None else vectors)
    return server.entry


def expected(encoded):
    """By plain products of all vectors."""
    names, (_, passages, queries) = [*TEXTS], encoded
    positions, scores = nearest(queries, [passages], COUNT)
    pairs = zip(QUESTIONS, positions, scores, strict=True)
    return {query: [(names[at], score) for at, score in zip(*best, strict=True)] for query, *best in pairs}


def test_a_database_that_compares_all_finds_what_an_exact_search_finds(database, encoded, searched):  # noqa: F811
    entry = make(database, encoded)
    before = database.everything()
    rankings, missed = searched(entry)
    exact = expected(encoded)
    assert {query: [name for name, _ in ranking] for query, ranking in rankings.items()} == {
        query: [name for name, _ in ranking] for query, ranking in exact.items()
    }
    for query, ranking in rankings.items():
        assert [score for _, score in ranking] == pytest.approx([score for _, score in exact[query]], abs=2e-5)
    assert {row["shared"] == row["of"] for row in missed} == {True} and len(missed) == 4 * ASKED
    assert database.everything() == before


@pytest.fixture
def with_lists(postgres, encoded):  # noqa: F811
    """PostgreSQL whose index of eight lists looks at one of them, unless a search says otherwise."""
    server = Pgvector(postgres)
    make(server, encoded)
    with server.client() as client:
        client.execute("DROP INDEX articles_embedding_idx")
        client.execute("CREATE INDEX ON articles USING ivfflat (embedding vector_cosine_ops) WITH (lists = 8)")
        client.execute("ALTER DATABASE postgres SET enable_seqscan = off")
    yield server
    with server.client() as client:
        client.execute("ALTER DATABASE postgres RESET ALL")
    server.clear()


def test_what_a_real_index_misses_is_counted_and_its_parameters_are_sent(with_lists, encoded, searched):
    exact = expected(encoded)

    def share(search):
        rankings, rows = searched(with_lists.entry, search=search)
        shared = {query: len({*dict(ranking)} & {*dict(exact[query])}) for query, ranking in rankings.items()}
        deep = {row["query_id"]: (row["shared"], row["of"]) for row in rows if row["depth"] == 10}
        assert deep == {query: (count, COUNT) for query, count in shared.items()}
        return sum(shared.values()) / (COUNT * ASKED)

    few, some, every = share("ivfflat.probes=1"), share("ivfflat.probes=3"), share("ivfflat.probes=8")
    assert 0 < few < some < every == 1


def test_nothing_is_asked_twice_and_a_revision_asks_anew(database, encoded, searched, monkeypatch):  # noqa: F811
    entry = make(database, encoded)
    kind = collection.variants.load(collection.KINDS, entry["kind"], "kind").Connector
    asked, original = [], kind.nearest
    monkeypatch.setattr(kind, "nearest", lambda self, *more: asked.append(more[0]) or original(self, *more))
    first = searched(entry)
    assert len(asked) == ASKED
    assert searched(entry) == first and len(asked) == ASKED
    assert searched(entry, revision="2") == first and len(asked) == 2 * ASKED
    write_passages(searched.texts, TEXTS | {"999": "A passage that the database lacks."})
    searched(entry)
    assert len(asked) == 3 * ASKED  # another corpus


def test_postgresql_that_goes_away_in_the_middle_costs_nothing_that_was_answered(with_lists, searched, monkeypatch):
    kind = collection.variants.load(collection.KINDS, "pgvector", "kind").Connector
    asked, original = [], kind.nearest

    def going_away(self, vector, *more):
        asked.append(vector)
        if len(asked) == 6:
            with psycopg.connect(with_lists.entry["address"], autocommit=True) as other:
                other.execute("SELECT pg_terminate_backend(%s)", [self.client.info.backend_pid])
        return original(self, vector, *more)

    monkeypatch.setattr(kind, "nearest", going_away)
    with pytest.raises(AssayError, match=r"collections\.mine: pgvector at .* 5 of 12 answers lie in .*ledger") as error:
        searched(with_lists.entry)
    assert "\n" not in str(error.value)
    again = searched(with_lists.entry)
    assert len(asked) == ASKED + 1 and len({*map(tuple, asked)}) == ASKED
    monkeypatch.setattr(kind, "nearest", original)
    assert searched(with_lists.entry, revision="other") == again


def test_qdrant_that_goes_away_costs_nothing_that_was_answered_and_gets_the_parameters(encoded, searched, tmp_path):
    local = Qdrant(tmp_path)
    make(local, encoded)
    with serving(local.entry["address"]) as server:
        entry = local.entry | {"address": server.address}
        server.leaves_after = 7
        with pytest.raises(AssayError, match=r"collections\.mine: qdrant at http.* 7 of 12 answers lie in") as error:
            searched(entry, search="hnsw_ef=64,exact=false")
        assert "\n" not in str(error.value) and len(server.asked) == 7
        server.leaves_after = None
        rankings, missed = searched(entry, search="hnsw_ef=64,exact=false")
        assert len(server.asked) == ASKED and len({*map(tuple, server.asked)}) == ASKED
        assert {(sent.hnsw_ef, sent.exact) for sent in server.params} == {(64, False)}
    with pytest.raises(AssayError, match="0 of 12 answers lie in"):
        searched(entry)  # with other parameters, and nobody there
    assert searched(entry, search="hnsw_ef=64,exact=false") == (rankings, missed)  # all are in the ledger
    assert {query: [name for name, _ in ranking] for query, ranking in rankings.items()} == {
        query: [name for name, _ in ranking] for query, ranking in expected(encoded).items()
    }


def refused(searched, entry, match, **more):
    with pytest.raises(AssayError, match=match) as error:
        searched(entry, **more)
    assert "\n" not in str(error.value)


def test_what_does_not_fit_the_corpus_is_one_line(database, encoded, searched):  # noqa: F811
    entry = make(database, encoded, TEXTS | {"110": "Somebody wrote something else here."})
    refused(searched, entry, r"collections\.mine: found another text of the passage '110' \(row 110\) than .*parquet")
    write_passages(searched.texts, dict([*TEXTS.items()][60:]))
    refused(searched, entry, r"found the passage '1\d\d' \(row 1\d\d\), which .*\.parquet does not have, expected")


def test_vectors_of_another_length_similarity_or_encoder_are_one_line(database, encoded, searched):  # noqa: F811
    entry = make(database, encoded, vectors=encoded[1][:, :64])
    refused(searched, entry, r"collections\.mine: found vectors of 64 numbers, expected 384, as the retriever's")
    draw = np.random.default_rng(0)
    database.make("others", [(int(key), text) for key, text in TEXTS.items()], draw.normal(size=(PASSAGES, 384)))
    others = entry | {"collection": "others"}
    refused(searched, others, r"found similarities that differ by .* from those of the encoder minilm")
    wanted = "found a collection that compares by cosine, expected one that compares by dot, as the retriever does"
    refused(searched, others, wanted, similarity="dot")


def test_another_encoder_is_refused_even_if_similarities_are_alike_and_rounded_vectors_are_not(
    encoded, searched, tmp_path
):
    server, (_, passages, queries) = Qdrant(tmp_path), encoded
    others = comparable(
        Embedder(Encoder(**CLS), str(tmp_path / "vectors")).embed([*TEXTS.values()], "passage"), "cosine"
    )
    make(server, encoded, vectors=others)
    refused(searched, server.entry, "found similarities that differ by .* from those of the encoder minilm")
    exact, alike = queries @ passages.T, queries @ others.T
    squeezed = [0.7 + 0.05 * similarities for similarities in (exact, alike)]  # all lie near .7
    assert np.median(np.abs(squeezed[0] - squeezed[1])) < 0.03 * squeezed[0].mean()
    with pytest.raises(AssayError, match="found similarities that differ by"):
        hits.check_vectors("mine", *squeezed, "minilm")
    step = np.abs(passages).max() / 7
    rounded = queries @ (np.round(passages / step) * step).T  # four bits a number
    hits.check_vectors("mine", exact, rounded, "minilm")
    hits.check_vectors("mine", 0.7 + 0.05 * exact, 0.7 + 0.05 * rounded, "minilm")


@pytest.mark.parametrize(
    ("index", "problem"),
    [
        ("", "no index of embedding"),
        ("hnsw (embedding vector_l2_ops)", "a collection that compares by vector_l2_ops"),
        ("hnsw ((embedding::halfvec(384)) halfvec_cosine_ops)", "no index of embedding"),
        ("hnsw (embedding vector_cosine_ops) WHERE key > 110", "no index of embedding"),
    ],
)
def test_postgresql_that_would_compare_all_rows_for_want_of_an_index_is_one_line(with_lists, searched, index, problem):
    with with_lists.client() as client:
        client.execute("DROP INDEX articles_embedding_idx")
        if index:
            client.execute(f"CREATE INDEX ON articles USING {index}")
    refused(searched, with_lists.entry, rf"collections\.mine: found {problem}, expected one that compares by cosine")
    with with_lists.client() as client:
        client.execute("CREATE INDEX ON articles USING hnsw (embedding vector_cosine_ops)")
    assert searched(with_lists.entry)[1]


def test_qdrant_without_dense_vectors_is_one_line(searched, tmp_path):
    local = Qdrant(tmp_path)
    with local.client() as client:
        client.create_collection("articles", vectors_config={}, sparse_vectors_config={"words": SparseVectorParams()})
    refused(searched, local.entry, r"collections\.mine: found no dense vectors, expected one for each point")


def test_a_ledger_that_may_not_be_written_answers_what_it_has_and_opens_no_database(
    with_lists, searched, monkeypatch, tmp_path
):
    first = searched(with_lists.entry)
    monkeypatch.setattr(sharing, "make_folder", read_only)
    monkeypatch.setattr(collection, "opened", lambda *_: pytest.fail("a database is opened"))
    assert searched(with_lists.entry) == first
    place = tmp_path / "ledger"
    refused(searched, with_lists.entry, f"found 0 of 12 answers in {place}, which may not be written", revision="2")


def read_only(folder):
    raise OSError(errno.EROFS, "Read-only file system", str(folder))


def test_a_folder_of_texts_and_wrong_parameters_are_one_line(with_lists, searched, tmp_path):
    entry = with_lists.entry
    refused(searched, entry, "found the parameter 'statement_timeout', expected", search="statement_timeout=1")
    refused(searched, entry, "found 'probes' in the retriever's search, expected name=value", search="probes")
    refused(searched, entry, "pgvector at .* refuses, with .*probes", search="ivfflat.probes=none")
    folder = entry | {"kind": "folder", "address": str(tmp_path), "collection": "texts"}
    refused(searched, folder, "found a folder of texts, expected a database that has their vectors")
