"""The tables of docs/scale.md: what far larger runs than any that was measured would cost, and where the design ends.

Each number is a figure of a benchmark times a size, or a price of `config/paper/scope.yaml`. It is arithmetic on paper:
neither size has been run.
"""

from collections.abc import Iterator
from pathlib import Path

import yaml

from ragassay.base.errors import AssayError
from ragassay.calls.ledger.register import STALE
from ragassay.calls.limits.rates import VISITS

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS, SHARD = 10**7, 2_000  # of a shard: what docs/cluster.md advises
PASSAGES, QUERIES = 10**9, 10_000
MODEL = "gpt-4o-mini"  # of config/paper/scope.yaml, which asks it for all but responses
CORE_HOUR = 0.04  # dollars, assumed
HEAD, FILES = 2e9, 1e6  # bytes that a login node may well give; files that a project on a cluster often may have


def parts(printed: dict[str, list[list[str]]]) -> dict[str, str]:
    """part of the page -> its table, from the figures as `tools.figures` reads them."""
    of = _lookup(printed)
    dense = of("retrieval", "search_1k_in_1M_of_the_store") / 1e3 / 1e6  # seconds of a query and a passage
    bm25 = of("retrieval", "bm25_1k_in_50k") / 1e3 / 5e4
    return {
        "study": _table("what | how much", _study(of)),
        "search": _table("what | how much", _search(of, dense, bm25)),
        "limits": _table("part | holds up to | then", _limits(of, dense, bm25)),
    }


def _study(of) -> Iterator[tuple]:
    shards = DOCUMENTS / SHARD
    tokens = [of("scale", f"{kind}_tokens_per_document") * DOCUMENTS for kind in ("prompt", "completion")]
    price = yaml.safe_load((ROOT / "config/paper/scope.yaml").read_text())["models"][MODEL]["price"]
    dollars = (tokens[0] * price["input"] + tokens[1] * price["output"]) / 1e6
    requests = of("scale", "requests_per_document") * DOCUMENTS
    a_second = 2000 / of("calls", "calls_2000_at_500_a_second")
    yield f"shards of {SHARD:,} documents", _round(shards)
    yield "jobs", _round(of("scale", "jobs_per_shard") * shards)
    yield "submissions to Slurm", _round(of("scale", "submissions_per_shard") * shards)
    yield "memory of a head that plans all at once", _size(_planned(of) * DOCUMENTS)
    yield "hours of near duplicates, shard after shard, at least", _round(shards * _look() / 3600)
    yield "requests", _round(requests)
    pace = f"hours of {a_second:.0f} requests a second, which were measured at a limit of 500"
    yield pace, _round(requests / a_second / 3600)
    yield "tokens of prompts and of answers", " and ".join(map(_round, tokens))
    yield f"dollars at the prices of {MODEL}, and in batches", f"{_round(dollars)}, {_round(dollars * price['batch'])}"
    yield "bytes of ledgers", _size(of("scale", "ledger_bytes_per_document") * DOCUMENTS)
    yield "bytes of tables", _size(of("scale", "table_bytes_per_document") * DOCUMENTS)
    yield "files of both", _round(_files(of) * shards)


def _search(of, dense, bm25) -> Iterator[tuple[str, str]]:
    embedding = PASSAGES / of("models", "embedded_documents") / 3600
    yield "hours of a core to embed all passages", f"{_round(embedding)}, some ${_round(embedding * CORE_HOUR)}"
    yield "bytes of vectors", _size(of("scale", "vector_bytes") * PASSAGES)
    yield "hours to read them once", _round(of("models", "reading_500k_vectors") / 5e5 * PASSAGES / 3600)
    for name, seconds in {"vectors": dense, "BM25": bm25}.items():
        hours = seconds * PASSAGES * QUERIES / 3600
        yield f"hours of a core to search with {name}", f"{_round(hours)}, some ${_round(hours * CORE_HOUR)}"
    yield "hours to write their table, sorted", _round(of("tables", "write_5M_rows") / 5e6 * PASSAGES / 3600)


def _limits(of, dense, bm25) -> Iterator[tuple]:
    jobs = STALE * VISITS  # with more, one comes to the register so rarely that it counts as dead
    yield "plan in one head", f"{_round(HEAD / _planned(of))} documents in {_size(HEAD)}", "a run for each month"
    chained = f"{_round(24 * 3600 / _look() * SHARD)} documents a day"
    yield "near duplicates, shard after shard", chained, "one join of MinHash bands, in Spark"
    asking = f"{_round(jobs)} jobs at once that ask one model"
    yield "register, a file under `flock`", asking, "Redis or PostgreSQL, whose transactions do what the lock does"
    stored = f"{_round(FILES / _files(of) * SHARD)} documents in {_round(FILES)} files"
    yield "one file system", stored, "ledger and tables as objects (S3, MinIO), read by DuckDB or Spark"
    indexes = "an index of neighbours: FAISS (IVF-PQ) on one machine, DiskANN on its disks, Milvus on several"
    yield "exact search of vectors", f"{_round(1 / dense)} passages", indexes
    yield (
        "BM25 in memory",
        f"{_round(1 / bm25)} passages",
        "an inverted index on disk: Lucene, by Pyserini or OpenSearch",
    )


def _planned(of):
    """Bytes of the head for each document of a plan."""
    return of("scale", "head_per_job") * 1000 * of("scale", "jobs_per_shard") / SHARD


def _files(of):
    """Of a shard."""
    return of("scale", "ledger_files_per_shard") + of("scale", "table_files_per_shard")


def _look():
    """Seconds after which a head first looks how a job fares."""
    return yaml.safe_load((ROOT / "profiles/slurm/profile.yaml").read_text())["slurm-init-seconds-before-status-checks"]


def _lookup(printed):
    found = {(name, figure[0]): float(figure[1]) for name, figures in printed.items() for figure in figures}

    def of(benchmark, figure):
        if (benchmark, figure) not in found:
            message = f"found no figure {figure}, expected one for docs/scale.md; run make bench-{benchmark}"
            raise AssayError(f"benchmarks/figures/{benchmark}.txt: {message}")
        return found[benchmark, figure]

    return of


def _table(head, rows):
    rule = "|" + "---|" * (head.count("|") + 1)
    return "\n".join([f"| {head} |", rule, *(f"| {' | '.join(row)} |" for row in rows)])


def _round(number):
    """Two digits that count, with words for large numbers: paper has no more."""
    number = float(f"{number:.2g}")
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if number >= size:
            return f"{number / size:g} {word}"
    return f"{number:,.0f}" if number >= 10 else f"{number:g}"


def _size(count):
    number = float(f"{count:.2g}")
    for size, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if number >= size:
            return f"{number / size:g} {unit}"
    return f"{number:g} bytes"
