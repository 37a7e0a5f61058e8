"""Choose queries for people to read, with passages: synthetic ones of each source, the most surprising verdicts of
gates, held-out queries that seem to be answered all the same, and the clearest misses of models that rate relevance. A
hash decides between equals.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ragassay.base import tables
from ragassay.base.chance import lot
from ragassay.base.stage import log, run
from ragassay.schemas.corpora import HELD_OUT_DOCUMENTS, LM_RELEVANCE, NEIGHBOURS, PASSAGES, QUERIES
from ragassay.schemas.relevance import QUERY_VERDICTS
from ragassay.schemas.report import ANSWER_EXAMPLES, EXAMPLES
from ragassay.studies.relevance.searched_queries import NEAR, DocumentClusters, held_out, read, still_near

COUNT = 2  # of each synthetic query set
ANSWERED = 3  # held-out queries of a corpus
SURPRISING = 5  # of a gate's verdicts on in-knowledge queries, and on others


class Example(NamedTuple):
    title: str
    parts: list[tuple[str, str]]  # kind and text
    corpus: str
    passages: list[str]  # ids


class Rated(NamedTuple):
    """A vote on an out-of-knowledge query; `value` is 1 minus the relevance score."""

    value: float
    kind: str
    query_set: str
    query: dict
    feedback: str
    corpus: str
    retriever: str


def choose_examples(
    passages, held_out_documents, queries, neighbours, lm_relevance, query_verdicts, answer_examples, examples,
    sources, unknown, shown, in_knowledge,
):  # fmt: skip
    """`sources` are corpus and source of each synthetic query set, `unknown` the kind of each set of out-of-knowledge
    queries by corpus, and `in_knowledge` the corpus, first retriever and in-knowledge queries of each set; `shown` is
    how many passages a model read. `answer_examples` is one file or none, and what stands there comes last.
    """
    asked = {tables.keys(QUERIES, path)["query_set"]: path for path in queries}
    searches = {tuple(tables.keys(NEIGHBOURS, path).values()): path for path in neighbours}
    chosen = []
    for name, source in sources.items():
        chosen += _synthetic(tables.read(QUERIES, asked[name]).to_pylist(), **source)
    chosen += _surprises(query_verdicts, asked, sources, unknown)
    chosen += _still_answered(passages, held_out_documents, asked, searches, in_knowledge)
    for rater, votes in _votes(lm_relevance, asked, unknown).items():
        for vote in _clearest_misses(votes):
            searched = searches[vote.corpus, vote.retriever, vote.query_set]
            chosen.append(_miss(vote, rater, _read_by_model(searched, vote.query["query_id"], shown)))
    wanted = {(example.corpus, name) for example in chosen for name in example.passages}
    texts = {}
    for path in passages:
        corpus = tables.keys(PASSAGES, path)["corpus"]
        for batch in tables.batches(PASSAGES, path, ["passage_id", "text"]):
            for name, text in zip(*batch.to_pydict().values(), strict=True):
                if (corpus, name) in wanted:
                    texts[corpus, name] = text
    answered = tables.read_all(ANSWER_EXAMPLES, answer_examples).to_pylist()
    answered = [row | {"example": row["example"] + len(chosen)} for row in answered]
    tables.write(EXAMPLES, examples, [*_rows("relevance", chosen, texts), *answered])
    log.info("%d examples", len(chosen))


def _votes(lm_relevance, asked, unknown):
    """Rater -> its votes on out-of-knowledge queries, without those that abstained."""
    by_rater = {}
    for path in lm_relevance:
        keys = tables.keys(LM_RELEVANCE, path)
        kind = unknown.get(keys["corpus"], {}).get(keys["query_set"])
        if kind is None:
            continue
        texts = {row["query_id"]: row for row in tables.read(QUERIES, asked[keys["query_set"]]).to_pylist()}
        place = {name: keys[name] for name in ("query_set", "corpus", "retriever")}
        for row in tables.read(LM_RELEVANCE, path).to_pylist():
            if row["value"] is not None:
                vote = Rated(row["value"], kind, query=texts[row["query_id"]], feedback=row["feedback"], **place)
                by_rater.setdefault(keys["rater"], []).append(vote)
    return by_rater


def _read_by_model(neighbours, query_id, shown):
    rows = tables.read(NEIGHBOURS, neighbours).to_pylist()
    return [row["passage_id"] for row in rows if row["query_id"] == query_id and row["rank"] <= shown]


def _synthetic(queries: Iterable[dict], corpus: str, source: str) -> Iterator[Example]:
    """A few queries of a set; `source` says what made them."""
    for query in sorted(queries, key=lambda row: lot("example", row["query_id"]))[:COUNT]:
        parts = [("Query", query["text"])]
        parts += [
            (name, "\n".join(query[key])) for name, key in (("Options", "options"), ("Answer", "answers")) if query[key]
        ]
        yield Example(f"synthetic query, {source}", parts, corpus, [query["passage_id"]])


def _surprises(query_verdicts, asked, sources, unknown):
    """In-knowledge queries that a gate rejects, the lowest p-values first, and others that it does not, the highest
    first. Synthetic queries surprise nobody.
    """
    turned_away, passed = {}, {}  # of each corpus: the verdicts that surprise
    for path in query_verdicts:
        keys = tables.keys(QUERY_VERDICTS, path)
        kind = unknown.get(keys["corpus"], {}).get(keys["query_set"])
        if kind is None and keys["query_set"] in sources:
            continue
        texts = {row["query_id"]: row["text"] for row in tables.read(QUERIES, asked[keys["query_set"]]).to_pylist()}
        side = (turned_away if kind is None else passed).setdefault(keys["corpus"], [])
        for row in tables.read(QUERY_VERDICTS, path).to_pylist():
            if row["rejected"] == (kind is None):
                named = {"text": texts[row["query_id"]], "query_set": keys["query_set"], "kind": kind}
                side.append(row | named)
    for corpus in dict.fromkeys([*turned_away, *passed]):
        for sign, rows in ((1, turned_away.get(corpus, [])), (-1, passed.get(corpus, []))):
            rows.sort(key=lambda row: (sign * row["p_value"], lot("example", row["query_id"])))
            yield from (_surprise(row, corpus) for row in rows[:SURPRISING])


def _surprise(row, corpus):
    passed = f"out-of-knowledge query ({row['kind']}) that the gate lets pass"
    what = passed if row["kind"] else "in-knowledge query that the gate turns away"
    parts = [("Query", row["text"]), ("Query set", row["query_set"])]
    return Example(f"{what}, p = {row['p_value']:.3f}", parts, corpus, [row["passage_id"]] if row["passage_id"] else [])


def _still_answered(passages, held_out_documents, asked, searches, in_knowledge):
    """Held-out queries with the nearest passages, if these are as near as those of in-knowledge queries."""
    texts = {tables.keys(PASSAGES, path)["corpus"]: path for path in passages}
    documents = {tables.keys(HELD_OUT_DOCUMENTS, path)["corpus"]: path for path in held_out_documents}
    for corpus, retriever, name in in_knowledge:
        place = f"{corpus}.held_out"
        clusters = DocumentClusters(texts[corpus], documents[corpus]).without_held_out(texts[place])
        searched = searches[place, retriever, name]
        left, gone = held_out(read(name, asked[name], {retriever: searched}, clusters))
        if not len(left.ids) or not len(gone.ids):
            continue
        near = gone.part(still_near(left, gone, retriever))
        hits = near.neighbours[retriever]
        best = hits.scores[:, 0].tolist()
        rows = {row["query_id"]: row["text"] for row in tables.read(QUERIES, asked[name]).to_pylist()}
        for at in sorted(range(len(best)), key=lambda at: (-best[at], lot("example", near.ids[at])))[:ANSWERED]:
            parts = [("Query", rows[near.ids[at]]), ("Query set", name)]
            nearest = clusters.passage_ids[hits.passages[at, 0]].as_py()
            yield Example("held-out query that this text may answer", parts, corpus, [nearest])


def _clearest_misses(votes: Iterable[Rated]) -> list[Rated]:
    """The votes of a model with the highest relevance scores, on a far and on a near query."""
    best = {}
    for vote in sorted(
        votes, key=lambda vote_: (vote_.kind == NEAR, vote_.value, lot("example", vote_.query["query_id"]))
    ):
        best.setdefault(vote.kind, vote)
    return list(best.values())


def _miss(vote: Rated, rater: str, passages: list[str]) -> Example:
    """`passages` are the ids of those that the model read."""
    title = f"relevance score {1 - vote.value:.2f} by {rater} for an out-of-knowledge query ({vote.kind})"
    parts = [("Query", vote.query["text"]), ("Query set", vote.query_set), ("Feedback", vote.feedback or "(none)")]
    return Example(title, parts, vote.corpus, passages)


def _rows(study: str, examples: Iterable[Example], texts: dict[tuple[str, str], str]) -> Iterator[dict]:
    """Rows of the table examples; `texts` are those of passages by corpus and id."""
    for number, example in enumerate(examples, 1):
        many = len(example.passages) > 1
        passages = [(f"Passage {at}" if many else "Passage", name) for at, name in enumerate(example.passages, 1)]
        parts = [*example.parts, *((part, texts[example.corpus, name]) for part, name in passages)]
        for position, (part, text) in enumerate(parts, 1):
            same = {"study": study, "example": number, "position": position, "title": example.title}
            yield {**same, "part": part, "text": text}


if __name__ == "__main__":
    run(choose_examples, snakemake)
