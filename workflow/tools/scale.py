"""The tables of docs/scale.md: what runs of three sizes cost, what each gather holds in memory, and what breaks first.

Each number is a figure of a benchmark times a size, or a price of `config/paper/scope.yaml`. What a gather needs was
measured with invented documents (`tools.synthetic_study`); the rest is arithmetic on paper.
"""

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

from ragassay.calls.ledger.register import STALE
from ragassay.calls.limits.rates import VISITS
from ragassay.running.rule_resources import of_rules
from ragassay.text.near_duplicates import BANDS
from tools.figures import Lookup, rounded, sized

ROOT = Path(__file__).resolve().parents[2]
SIZES = (10**4, 10**6, 10**8)  # documents or passages
SHARD = 2_000  # documents: what docs/cluster.md advises
QUERIES = 10_000
MODEL = "gpt-4o-mini"  # of config/paper/scope.yaml, which asks it for all but responses
CORE_HOUR = 0.04  # dollars, assumed
HEAD, FILES = 2e9, 1e6  # bytes that a login node may well give; files that a project on a cluster often may have
MOST = 8e9  # bytes of the largest job
JOB = 2e9  # bytes of a job whose rule asks for nothing: profiles/default
HOUR = 3600
WAIT, AT_ONCE = 5, 100  # minutes, assumed; submissions: `jobs` of profiles/slurm
PLANNED = (100_000, 1_000_000)  # documents of the plans that are measured
ENTRY = 8  # bytes of a text in a band of an index of near duplicates
INDEX = re.compile(r"(ivf_pq|hnsw)_of_(\d+)M_size")
INDEXES = {"ivf_pq": "IVF-PQ", "hnsw": "HNSW"}
IN_PARTS = re.compile(r"bm25_(\d+)M_in_\d+_parts_(\w+)_memory")
NOTHING = "not measured"
OR_ELSE = {"train_detector": "fewer questions (`detectors.most_questions`)"}


def parts(printed: dict[str, list[list[str]]]) -> dict[str, str]:
    """part of the page -> its table, from the figures as `tools.figures` reads them."""
    of = Lookup(printed)
    gathers, indexes = _gathers(printed, of), list(_indexes(of))
    sizes = " | ".join(map(rounded, SIZES))
    ends = f"its rule asks for | which holds | {sized(MOST)} hold | core seconds for a million | times the reading"
    limits = sorted(_limits(of, gathers, indexes), key=lambda limit: (limit.of, limit.most))
    study = [*_scaled(_study(of)), ["**breaks first**", *(_first(limits, "documents", size) for size in SIZES)]]
    search = [*_scaled(_search(of)), ["**breaks first**", *(_first(limits, "passages", size) for size in SIZES)]]
    return {
        "study": _table(f"documents | {sizes}", study),
        "gathers": _table(f"gather | {sizes} | {ends}", map(_held, gathers)),
        "search": _table(f"passages | {sizes}", search),
        "indexes": _table(Index.HEAD, [index.cells() for index in indexes] or [[NOTHING]]),
        "words": _table("job | memory | core seconds of a million passages", list(_words(of)) or [[NOTHING]]),
        "limits": _table("part | holds up to | then", ([limit.part, limit.words, limit.then] for limit in limits)),
    }


class Gather(NamedTuple):
    """What a job that reads all shards takes: bytes that its rule asks for, bytes beside its documents, and of each of
    them bytes, seconds of a core, and seconds to read its columns and drop them.
    """

    name: str
    asked: float
    base: float
    each: float
    seconds: float
    reading: float

    def most(self, memory: float) -> float:
        """The documents that it can do in so many bytes."""
        return (memory - self.base) / self.each if self.each else math.inf


class Index(NamedTuple):
    """What an index of vectors takes: of a vector bytes of its file and of the job that builds it, seconds to build it
    and of a thousand queries; which share of the nearest ten it finds. What was not measured is None.
    """

    HEAD = "index | bytes of a vector | memory of a vector while it is built | core seconds to build a million |"
    HEAD += f" core seconds of 1,000 queries in a million | of the 10 nearest it finds | {MOST / 1e9:g} GB build"

    name: str
    size: float
    memory: float | None
    build: float | None
    search: float | None
    recall: float | None

    def most(self) -> float:
        """The vectors of an index that the largest job can build."""
        return MOST / (self.memory or self.size)

    def cells(self) -> list[str]:
        seconds = [None if each is None else 1e6 * each for each in (self.build, self.search)]
        return [
            self.name,
            rounded(self.size),
            NOTHING if self.memory is None else sized(self.memory),
            *(NOTHING if each is None else rounded(each) for each in seconds),
            NOTHING if self.recall is None else f"{self.recall:.2f}",
            f"at most {rounded(self.most())}" if self.memory is None else rounded(self.most()),
        ]


class Limit(NamedTuple):
    """Up to how many of something a part holds."""

    of: str
    most: float
    part: str
    words: str
    then: str


def _gathers(printed, of) -> list[Gather]:
    """Those that were measured, the first to break first."""
    measured = {line[0] for line in printed["scale"]}
    gathers, rules = [], of_rules()
    for name in sorted(figure.removesuffix("_base") for figure in measured if figure.endswith("_base")):
        seconds, reading = (of("scale", f"{name}_{what}") / 1000 for what in ("time", "columns_by_arrow"))
        base, each = of("scale", f"{name}_base") * 2**20, of("scale", f"{name}_bytes")
        if f"{name}_million" in measured:  # it runs over so many, and its memory need not grow evenly
            each = max(0, of("scale", f"{name}_million") * 2**20 - base) / 1e6
            seconds = of("scale", f"{name}_million_time") / 1e6
        asked = 1e6 * rules[name].get("mem_mb", JOB / 1e6)
        gathers.append(Gather(name, asked, base, each, seconds, reading))
    return sorted(gathers, key=lambda gather: gather.most(gather.asked))


def _held(gather) -> list[str]:
    memory = [sized(gather.base + gather.each * size) for size in SIZES]
    most = (gather.most(memory) for memory in (gather.asked, MOST))
    most = [sized(gather.asked), *(rounded(number) if number < math.inf else "any number" for number in most)]
    return [f"`{gather.name}`", *memory, *most, rounded(1e6 * gather.seconds), rounded(gather.seconds / gather.reading)]


def _study(of) -> Iterator[tuple]:
    """What, how it is written, how much of it a document takes, and the power of their number with which it grows if
    that is not 1.
    """
    tokens = [of("scale", f"{kind}_tokens_per_document") for kind in ("prompt", "completion")]
    price = yaml.safe_load((ROOT / "config/paper/scope.yaml").read_text())["models"][MODEL]["price"]
    dollars = (tokens[0] * price["input"] + tokens[1] * price["output"]) / 1e6
    requests = of("scale", "requests_per_document")
    a_second = 2000 / of("calls", "calls_2000_at_500_a_second")
    yield f"shards of {SHARD:,} documents", rounded, 1 / SHARD
    yield "jobs", rounded, of("scale", "jobs_per_shard") / SHARD
    submissions = of("scale", "submissions_per_shard") / SHARD
    yield "submissions to Slurm", rounded, submissions
    queue = f"hours in the queue if each waits {WAIT} minutes, {AT_ONCE} at once"
    yield queue, rounded, submissions * WAIT / 60 / AT_ONCE
    base, each = _planned(of)
    yield "memory of a head that plans all at once", lambda grown: sized(base + grown), each
    yield "hours of a core for that plan", rounded, of("cluster", "plan_of_1000000_documents") / 1e6 / HOUR
    if of.has("documents", "duplicates_of_1M_articles"):
        joined = of("documents", "duplicates_of_1M_articles_joined")
        indexed = of("documents", "duplicates_of_1M_articles") - joined
        yield "hours of a core to index texts for near duplicates", rounded, indexed / 1e6 / HOUR
        yield "hours of a core to compare each with all before it", rounded, joined / 1e12 / HOUR, 2
        yield "bytes of these indexes", sized, of("documents", "duplicates_index_bytes")
        yield "bytes of them that the job of the last shard may read", sized, BANDS * ENTRY
    yield "requests", rounded, requests
    pace = f"hours of {a_second:.0f} requests a second, which were measured at a limit of 500"
    yield pace, rounded, requests / a_second / HOUR
    yield "tokens of prompts", rounded, tokens[0]
    yield "tokens of answers", rounded, tokens[1]
    yield f"dollars at the prices of {MODEL}", rounded, dollars
    yield "dollars in batches", rounded, dollars * price["batch"]
    yield "bytes of ledgers", sized, of("scale", "ledger_bytes_per_document")
    yield "bytes of tables", sized, of("scale", "table_bytes_per_document")
    yield "files of both", rounded, _files(of) / SHARD


def _search(of) -> Iterator[tuple[str, Callable, float]]:
    """The same of a passage."""
    embedding = 1 / of("models", "embedded_documents") / HOUR
    yield "hours of a core to embed them", rounded, embedding
    yield "dollars for that", rounded, embedding * CORE_HOUR
    yield "bytes of vectors", sized, of("scale", "vector_bytes")
    yield "hours to read them once", rounded, of("models", "reading_500k_vectors") / 5e5 / HOUR
    for name, seconds in {"vectors": _dense(of), "BM25": _bm25(of)}.items():
        yield f"hours of a core to search with {name}, {QUERIES:,} queries", rounded, seconds * QUERIES / HOUR
    yield "hours to write a table of them, sorted", rounded, of("tables", "write_5M_rows") / 5e6 / HOUR


def _indexes(of) -> Iterator[Index]:
    for match in map(INDEX.fullmatch, of.names("retrieval")):
        if match:
            kind, vectors = match[1], int(match[2]) * 1e6
            name = match[0].removesuffix("size")
            looks = [key.removesuffix("_1k") for key in of.names("retrieval") if re.match(rf"{name}\w+_\d+_1k$", key)]
            best = looks[-1] if looks else name  # the last looks at most
            taken = {
                what: of.get("retrieval", f"{name}{what}", 1 / vectors) for what in ("size", "build", "build_peak")
            }
            memory = taken["build_peak"] and taken["build_peak"] * 2**20
            search, recall = of.get("retrieval", f"{best}_1k", 1 / vectors), of.get("retrieval", f"{best}_recall_10")
            yield Index(INDEXES[kind], 1e6 * taken["size"], memory, taken["build"], search, recall)


def _words(of) -> Iterator[list[str]]:
    """The jobs of a search with BM25 in parts."""
    for match in map(IN_PARTS.fullmatch, of.names("retrieval")):
        if match:
            seconds = of.get("retrieval", match[0].removesuffix("_memory"), 1 / int(match[1]))
            memory = sized(of("retrieval", match[0]) * 2**20)
            yield [f"`{match[2]}`", memory, NOTHING if seconds is None else rounded(seconds)]


def _scaled(rows) -> Iterator[list[str]]:
    for what, form, each, *power in rows:
        yield [what, *(form(each * size ** (power[0] if power else 1)) for size in SIZES)]


def _first(limits, of, size) -> str:
    """The part that breaks first at a size."""
    broken = [limit.part for limit in limits if limit.of == of and limit.most < size]
    return broken[0] if broken else "nothing"


def _limits(of, gathers, indexes) -> Iterator[Limit]:
    for gather in gathers:
        most = gather.most(gather.asked)
        if most == math.inf:
            continue
        or_else = OR_ELSE.get(gather.name, "a run for each month")
        then = f"more memory (`--set-resources {gather.name}:mem_mb=...`), or {or_else}"
        yield Limit("documents", most, f"`{gather.name}`", f"{rounded(most)} documents in {sized(gather.asked)}", then)
    base, each = _planned(of)
    most = (HEAD - base) / each
    yield Limit(
        "documents", most, "plan in one head", f"{rounded(most)} documents in {sized(HEAD)}", "a run for each month"
    )
    most = FILES / _files(of) * SHARD
    stored = f"{rounded(most)} documents in {rounded(FILES)} files"
    yield Limit("documents", most, "one file system", stored, "ledger and tables as objects (S3, MinIO)")
    most = STALE * VISITS  # with more, one comes to the register so rarely that it counts as dead
    then = "Redis or PostgreSQL, whose transactions do what the lock does"
    words = f"{rounded(most)} jobs at once that ask one model"
    yield Limit("jobs", most, "register, a file under `flock`", words, then)
    for match in map(IN_PARTS.fullmatch, of.names("retrieval")):
        if match and match[2] == "merge_parts":
            most = JOB * int(match[1]) * 1e6 / (of("retrieval", match[0]) * 2**20)
            words = f"at least {rounded(most)} passages in {sized(JOB)}"
            then = "more memory (`--set-resources merge_parts:mem_mb=...`)"
            yield Limit("passages", most, "BM25 in parts, `merge_parts`", words, then)
    for index in indexes:
        most, then = index.most(), "more memory (`--set-resources build_index:mem_mb=...`), or an index that is smaller"
        words = f"{'' if index.memory else 'at most '}{rounded(most)} vectors in {sized(MOST)}"
        yield Limit("vectors", most, f"index {index.name}", words, then)
    most = 1 / _dense(of)
    then = "an index of FAISS (`retrievers.{name}.index`)"
    yield Limit("passages", most, "exact search of vectors", f"{rounded(most)} passages", then)
    most = 1 / _bm25(of)
    then = "an inverted index on disk: Lucene, by Pyserini or OpenSearch"
    yield Limit("passages", most, "exact search with BM25", f"{rounded(most)} passages", then)


def _dense(of) -> float:
    """Seconds of a core for a query and a passage, whose vectors lie in the file of a corpus."""
    return of("retrieval", "search_1k_in_4M_of_a_file") / 1e3 / 4e6


def _bm25(of) -> float:
    return of("retrieval", "bm25_1k_in_50k") / 1e3 / 5e4


def _planned(of):
    """Bytes of the head that plans nothing, and for each document of a plan."""
    few, many = (of("cluster", f"plan_of_{size}_documents_memory") * 1e6 for size in PLANNED)
    each = (many - few) / (PLANNED[1] - PLANNED[0])
    return many - each * PLANNED[1], each


def _files(of):
    """Of a shard."""
    return of("scale", "ledger_files_per_shard") + of("scale", "table_files_per_shard")


def _table(head, rows):
    rule = "|" + "---|" * (head.count("|") + 1)
    return "\n".join([f"| {head} |", rule, *(f"| {' | '.join(row)} |" for row in rows)])
