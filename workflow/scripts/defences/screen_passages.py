"""Screen the passages of a corpus, and what an attack plants there, as if they came in one by one: no question is known
that will find them. Scores are stored, each text's once.
"""

import csv
from pathlib import Path

import numpy as np

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.attacks import POISONED_PASSAGES
from ragassay.schemas.corpora import PASSAGES, QUERIES
from ragassay.schemas.defences import PASSAGE_SCORES
from ragassay.schemas.documents import QUARANTINE
from ragassay.search.nearest import comparable
from ragassay.services.guard import Guard
from ragassay.services.screen import Screen
from ragassay.studies.poisoning.defences import guard_card
from ragassay.studies.poisoning.defences.defence import DefenceError
from ragassay.studies.poisoning.defences.evidence import scored_by

REVIEWED = ("passage_id", "decision", "reviewer", "note")
RELEASE, REFUSE = "release", "refuse"
ADMITTED, QUARANTINED = "admitted", "quarantined"
STATES = {RELEASE: "released", REFUSE: "refused"}


def screen_passages(
    guard, passages, poisoned_passages, passage_scores, queries, reviews, quarantine,
    similarity, encoder, query_encoder, embeddings,
):  # fmt: skip
    """The passages of each half of the corpus are compared with questions by what the other half gives. The last of
    `passages` are those that thresholds may come from: the corpus, or its snapshot.
    """
    card, path = guard_card.read(guard), queries[0] if queries else None
    guard_card.check_identity(guard, f"scorer {card['scorer']}", scored_by(passage_scores), card["scored_by"])
    asked = tables.read(QUERIES, path, ["text"])["text"].to_pylist() if path else []
    scores = {row["passage_id"]: row for one in passage_scores for row in tables.read(PASSAGE_SCORES, one).to_pylist()}
    clean, planted = _texts(PASSAGES, passages), _texts(POISONED_PASSAGES, [poisoned_passages])
    vectors = comparable(Embedder(Encoder(**query_encoder), embeddings).embed(asked, "query"), similarity)
    names = [*clean, *planted]
    if missing := [name for name in names if name not in scores]:
        raise DefenceError(f"{passage_scores[0]}: found no scores of passage {missing[0]!r}; score it again")
    own = _vectors(clean | planted, asked, encoder, embeddings, similarity)
    halves = np.array([scores[name]["half"] for name in names])
    is_clean, vetted = np.arange(len(names)) < len(clean), _texts(PASSAGES, passages[-1:])
    is_vetted = np.array([name in vetted for name in names])
    decided, held = _decisions(reviews), 0
    with tables.Writer(QUARANTINE, quarantine) as kept:
        for half in (0, 1):
            others = own[is_vetted & (halves != half)] if asked else ()
            screen = Screen(Guard(guard, card), vectors, others)
            at = np.flatnonzero(halves == half)
            rows = [{"scores": scores[names[one]]} for one in at]
            judged = screen.judge(rows, own[at] if asked else None)
            nearest = screen.nearest(own[at])[1] if asked and len(at) else [None] * len(at)
            for place, judgement, query in zip(at, judged, nearest, strict=True):
                name = names[place]
                about = {"passage_id": name, "poisoned": not is_clean[place], "held": judgement.removed}
                about |= {key: value for key, value in judgement.row().items() if key != "removed"}
                about |= {"query": None if query is None else asked[query]}
                kept.add(about | _state(judgement.removed, decided.get(name)))
                held += judgement.removed
    log.info("%d of %d passages are held, %d decisions of people", held, len(names), len(decided))


def _texts(table, paths):
    """passage -> text"""
    texts = {}
    for path in paths:
        rows = tables.read(table, path, ["passage_id", "text"])
        texts |= dict(zip(rows["passage_id"].to_pylist(), rows["text"].to_pylist(), strict=True))
    return texts


def _vectors(texts, asked, encoder, embeddings, similarity):
    if not asked:
        return None
    return comparable(Embedder(Encoder(**encoder), embeddings).embed(list(texts.values()), "passage"), similarity)


def _decisions(paths) -> dict[str, dict]:
    """passage -> what people decided about it: CSV files with these columns, of which the last decision counts."""
    decisions = {}
    for path in paths:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            lines = csv.DictReader(file)
            if missing := [name for name in REVIEWED[:2] if name not in (lines.fieldnames or ())]:
                raise DefenceError(f"{path}:1: found no column {missing[0]}, expected {', '.join(REVIEWED)}; add it")
            for row in lines:
                if row["decision"] not in STATES:
                    raise DefenceError(
                        f"{path}:{lines.line_num}: found the decision {row['decision']!r}, expected {RELEASE} or"
                        f" {REFUSE}; correct it"
                    )
                decisions[row["passage_id"]] = row
    return decisions


def _state(held: bool, review: dict | None) -> dict:
    """The columns of a passage that follow from review. One that is not held can still be refused."""
    if review is None:
        return {"state": QUARANTINED if held else ADMITTED, "reviewer": None, "note": None}
    people = {name: review.get(name) or None for name in ("reviewer", "note")}
    return {"state": STATES[review["decision"]]} | people


if __name__ == "__main__":
    run(screen_passages, snakemake)
