"""The tables of docs/scale.md: what runs of three sizes cost, what each gather holds in memory, and what breaks first.

Each number is a figure of a benchmark times a size, or a price of `config/paper/scope.yaml`. What a gather needs was
measured with invented documents (`tools.synthetic_study`); the rest is arithmetic on paper.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

from ragassay.base.errors import AssayError
from ragassay.calls.ledger.register import STALE
from ragassay.calls.limits.rates import VISITS

ROOT = Path(__file__).resolve().parents[2]
SIZES = (10**4, 10**6, 10**8)  # documents or passages
SHARD = 2_000  # documents: what docs/cluster.md advises
QUERIES = 10_000
MODEL = "gpt-4o-mini"  # of config/paper/scope.yaml, which asks it for all but responses
CORE_HOUR = 0.04  # dollars, assumed
HEAD, FILES = 2e9, 1e6  # bytes that a login node may well give; files that a project on a cluster often may have
JOBS = (4e9, 8e9)  # bytes of a gather's job: what most ask for in profiles/, and the most
HOUR = 3600


def parts(printed: dict[str, list[list[str]]]) -> dict[str, str]:
    """part of the page -> its table, from the figures as `tools.figures` reads them."""
    of = _lookup(printed)
    gathers = _gathers(printed, of)
    sizes = " | ".join(map(_round, SIZES))
    ends = " | ".join(f"{_size(memory)} hold" for memory in JOBS)
    limits = sorted(_limits(of, gathers), key=lambda limit: (limit.of, limit.most))
    study = [*_scaled(_study(of)), ["**breaks first**", *(_first(limits, "documents", size) for size in SIZES)]]
    search = [*_scaled(_search(of)), ["**breaks first**", *(_first(limits, "passages", size) for size in SIZES)]]
    ends += " | core seconds for a million | times the reading"
    return {
        "study": _table(f"documents | {sizes}", study),
        "gathers": _table(f"gather | {sizes} | {ends}", map(_held, gathers)),
        "search": _table(f"passages | {sizes}", search),
        "limits": _table("part | holds up to | then", ([limit.part, limit.words, limit.then] for limit in limits)),
    }


class Gather(NamedTuple):
    """What a job that reads all shards takes: bytes beside its documents, and of each of them bytes, seconds of a core,
    and seconds to read its columns and drop them.
    """

    name: str
    base: float
    each: float
    seconds: float
    reading: float

    def most(self, memory: float) -> float:
        """The documents that it can do in so many bytes."""
        return (memory - self.base) / self.each if self.each else float("inf")


class Limit(NamedTuple):
    """Up to how many of something a part holds."""

    of: str
    most: float
    part: str
    words: str
    then: str


def _gathers(printed, of) -> list[Gather]:
    """Those that were measured, the first to break first."""
    names = [line[0].removesuffix("_base") for line in printed["scale"] if line[0].endswith("_base")]
    gathers = []
    for name in names:
        seconds, reading = (of("scale", f"{name}_{what}") / 1000 for what in ("time", "columns_by_arrow"))
        base, each = of("scale", f"{name}_base") * 2**20, of("scale", f"{name}_bytes")
        gathers.append(Gather(name, base, each, seconds, reading))
    return sorted(gathers, key=lambda gather: gather.most(JOBS[0]))


def _held(gather) -> list[str]:
    memory = [_size(gather.base + gather.each * size) for size in SIZES]
    most = [_round(gather.most(memory)) for memory in JOBS]
    return [f"`{gather.name}`", *memory, *most, _round(1e6 * gather.seconds), _round(gather.seconds / gather.reading)]


def _study(of) -> Iterator[tuple[str, Callable, float]]:
    """What, how it is written, and how much of it a document takes."""
    tokens = [of("scale", f"{kind}_tokens_per_document") for kind in ("prompt", "completion")]
    price = yaml.safe_load((ROOT / "config/paper/scope.yaml").read_text())["models"][MODEL]["price"]
    dollars = (tokens[0] * price["input"] + tokens[1] * price["output"]) / 1e6
    requests = of("scale", "requests_per_document")
    a_second = 2000 / of("calls", "calls_2000_at_500_a_second")
    yield f"shards of {SHARD:,} documents", _round, 1 / SHARD
    yield "jobs", _round, of("scale", "jobs_per_shard") / SHARD
    yield "submissions to Slurm", _round, of("scale", "submissions_per_shard") / SHARD
    yield "memory of a head that plans all at once", _size, _planned(of)
    yield "requests", _round, requests
    pace = f"hours of {a_second:.0f} requests a second, which were measured at a limit of 500"
    yield pace, _round, requests / a_second / HOUR
    yield "tokens of prompts", _round, tokens[0]
    yield "tokens of answers", _round, tokens[1]
    yield f"dollars at the prices of {MODEL}", _round, dollars
    yield "dollars in batches", _round, dollars * price["batch"]
    yield "bytes of ledgers", _size, of("scale", "ledger_bytes_per_document")
    yield "bytes of tables", _size, of("scale", "table_bytes_per_document")
    yield "files of both", _round, _files(of) / SHARD


def _search(of) -> Iterator[tuple[str, Callable, float]]:
    """The same of a passage."""
    embedding = 1 / of("models", "embedded_documents") / HOUR
    yield "hours of a core to embed them", _round, embedding
    yield "dollars for that", _round, embedding * CORE_HOUR
    yield "bytes of vectors", _size, of("scale", "vector_bytes")
    yield "hours to read them once", _round, of("models", "reading_500k_vectors") / 5e5 / HOUR
    for name, seconds in {"vectors": _dense(of), "BM25": _bm25(of)}.items():
        yield f"hours of a core to search with {name}, {QUERIES:,} queries", _round, seconds * QUERIES / HOUR
    yield "hours to write a table of them, sorted", _round, of("tables", "write_5M_rows") / 5e6 / HOUR


def _scaled(rows) -> Iterator[list[str]]:
    for what, form, each in rows:
        yield [what, *(form(each * size) for size in SIZES)]


def _first(limits, of, size) -> str:
    """The part that breaks first at a size."""
    broken = [limit.part for limit in limits if limit.of == of and limit.most < size]
    return broken[0] if broken else "nothing"


def _limits(of, gathers) -> Iterator[Limit]:
    for gather in gathers:
        most = gather.most(JOBS[0])
        then = f"more memory (`--set-resources {gather.name}:mem_mb=...`), or a run for each month"
        yield Limit("documents", most, f"`{gather.name}`", f"{_round(most)} documents in {_size(JOBS[0])}", then)
    most = HEAD / _planned(of)
    yield Limit(
        "documents", most, "plan in one head", f"{_round(most)} documents in {_size(HEAD)}", "a run for each month"
    )
    most = FILES / _files(of) * SHARD
    stored = f"{_round(most)} documents in {_round(FILES)} files"
    yield Limit("documents", most, "one file system", stored, "ledger and tables as objects (S3, MinIO)")
    most = STALE * VISITS  # with more, one comes to the register so rarely that it counts as dead
    then = "Redis or PostgreSQL, whose transactions do what the lock does"
    yield Limit("jobs", most, "register, a file under `flock`", f"{_round(most)} jobs at once that ask one model", then)
    most = 1 / _dense(of)
    then = "an index of FAISS (`retrievers.{name}.index`)"
    yield Limit("passages", most, "exact search of vectors", f"{_round(most)} passages", then)
    most = 1 / _bm25(of)
    then = "an inverted index on disk: Lucene, by Pyserini or OpenSearch"
    yield Limit("passages", most, "exact search with BM25", f"{_round(most)} passages", then)


def _dense(of) -> float:
    """Seconds of a core for a query and a passage."""
    return of("retrieval", "search_1k_in_1M_of_the_store") / 1e3 / 1e6


def _bm25(of) -> float:
    return of("retrieval", "bm25_1k_in_50k") / 1e3 / 5e4


def _planned(of):
    """Bytes of the head for each document of a plan."""
    return of("scale", "head_per_job") * 1000 * of("scale", "jobs_per_shard") / SHARD


def _files(of):
    """Of a shard."""
    return of("scale", "ledger_files_per_shard") + of("scale", "table_files_per_shard")


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
    if number == float("inf"):
        return "any number"
    if 0 < number < 0.01:
        return "under 0.01"
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
