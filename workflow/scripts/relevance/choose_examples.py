"""Choose queries for people to read, with passages: synthetic ones of each source, and the clearest misses of models
that rate relevance.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.corpora import LM_RELEVANCE, NEIGHBOURS, PASSAGES, QUERIES
from ragassay.schemas.report import ANSWER_EXAMPLES, EXAMPLES
from ragassay.studies.relevance.query_examples import Rated, clearest_misses, miss, rows, synthetic


def choose_examples(passages, queries, neighbours, lm_relevance, answer_examples, examples, sources, unknown, shown):
    """`sources` are corpus and source of each synthetic query set, `unknown` the kind of each set of out-of-knowledge
    queries, by corpus; `shown` is how many passages a model read. `answer_examples` is
    one file or none, and what stands there comes last.
    """
    asked = {tables.keys(QUERIES, path)["query_set"]: path for path in queries}
    searches = {tuple(tables.keys(NEIGHBOURS, path).values()): path for path in neighbours}
    found = []
    for name, source in sources.items():
        found += synthetic(tables.read(QUERIES, asked[name]).to_pylist(), **source)
    for rater, votes in _votes(lm_relevance, asked, unknown).items():
        for vote in clearest_misses(votes):
            searched = searches[vote.corpus, vote.retriever, vote.query_set]
            found.append(miss(vote, rater, _read_by_model(searched, vote.query["query_id"], shown)))
    wanted = {(one.corpus, name) for one in found for name in one.passages}
    texts = {}
    for path in passages:
        corpus = tables.keys(PASSAGES, path)["corpus"]
        for batch in tables.batches(PASSAGES, path, ["passage_id", "text"]):
            for name, text in zip(*batch.to_pydict().values(), strict=True):
                if (corpus, name) in wanted:
                    texts[corpus, name] = text
    answered = tables.read_all(ANSWER_EXAMPLES, answer_examples).to_pylist()
    answered = [row | {"example": row["example"] + len(found)} for row in answered]
    tables.write(EXAMPLES, examples, [*rows("relevance", found, texts), *answered])
    log.info("%d examples", len(found))


def _votes(lm_relevance, asked, unknown):
    """Rater -> its votes on out-of-knowledge queries, without those that abstained."""
    found = {}
    for path in lm_relevance:
        keys = tables.keys(LM_RELEVANCE, path)
        kind = unknown.get(keys["corpus"], {}).get(keys["query_set"])
        if kind is None:
            continue
        texts = {row["query_id"]: row for row in tables.read(QUERIES, asked[keys["query_set"]]).to_pylist()}
        about = {name: keys[name] for name in ("query_set", "corpus", "retriever")}
        for row in tables.read(LM_RELEVANCE, path).to_pylist():
            if row["value"] is not None:
                vote = Rated(row["value"], kind, query=texts[row["query_id"]], feedback=row["feedback"], **about)
                found.setdefault(keys["rater"], []).append(vote)
    return found


def _read_by_model(neighbours, query_id, shown):
    rows = tables.read(NEIGHBOURS, neighbours).to_pylist()
    return [row["passage_id"] for row in rows if row["query_id"] == query_id and row["rank"] <= shown]


if __name__ == "__main__":
    run(choose_examples, snakemake)
