"""Fit a defence on clean text: what calibration queries find, and a sample of passages. Judges nothing.

Once for each fold of queries, on all others, and once on all of them for queries of tomorrow.
"""

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.attacks import RETRIEVED
from ragassay.schemas.corpora import NEIGHBOURS
from ragassay.studies.poisoning.defences import guard_card
from ragassay.studies.poisoning.defences.defence import DefenceError, kind_of
from ragassay.studies.poisoning.defences.evidence import Evidence, sample
from ragassay.studies.poisoning.defences.thresholds import ALL, FOLDS, LITERAL, Null, fold_of


def fit_defence(
    targets, neighbours, passages, passage_scores, poisoned, guard,
    kind, settings, depth, retriever, encoders, similarity, scorer, reading, encoder, embeddings,
):  # fmt: skip
    """`poisoned` is empty, or the tables retrieved and poisoned_passages of an attack that the null is left exposed to.
    `encoders` are those of the retriever, by the role of texts, and none of BM25; `encoder` is empty unless vectors are
    needed; `reading` says how texts were split for their scores.
    """
    evidence = Evidence(targets, [passages], poisoned[1:], passage_scores, encoder or None, embeddings)
    source = (poisoned[0], RETRIEVED) if poisoned else (neighbours, NEIGHBOURS)
    found = evidence.by_target(_found(*source, depth))
    _check_depth(neighbours, found, depth)
    links = [link["settings"] for link in settings.get("of", [])] or [settings]  # of a chain, or the defence itself
    size, seed = (max(link.get(name, 0) for link in links) for name in ("sample", "seed"))
    drawn = evidence.rows(sample([passages], poisoned[1:], size, seed))
    is_literal = any(link.get("similarity_null") == LITERAL for link in links)
    literal = evidence.similarities(drawn, similarity) if is_literal else None
    null, folds = Null(drawn, found, literal), {name: fold_of(evidence.questions[name]) for name in found}
    nulls = {fold: null.without(fold, folds) for fold in map(str, range(FOLDS))} | {ALL: null}
    try:
        fitted = {fold: kind_of(kind)(settings).fit(clean).fitted for fold, clean in nulls.items()}
    except DefenceError as error:
        raise DefenceError(f"{guard}: {error}") from error
    about = {"kind": kind, "settings": settings, "depth": depth, "retriever": retriever, "similarity": similarity}
    about |= {"encoders": guard_card.encoders(encoders), "reading": reading}
    about |= {"scorer": scorer, "scored_by": evidence.scored_by}
    guard_card.write(guard, about | {"queries": len(found), "sample": len(drawn)}, fitted)
    log.info("fitted on %d queries and %d passages", len(found), len(drawn))


def _found(path, table, depth):
    for row in tables.read(table, path).to_pylist():
        if row["rank"] <= depth:
            yield {"target_id": row.get("target_id") or row["query_id"], "poisoned": False} | row


def _check_depth(path, found, depth):
    most = max(map(len, found.values()), default=0)
    if most < depth:
        raise DefenceError(
            f"{path}: found at most {most} passages for a query, expected {depth}, which a defence looks at; set"
            " under_attack.depth to less, or add passages to the corpus"
        )


if __name__ == "__main__":
    run(fit_defence, snakemake)
