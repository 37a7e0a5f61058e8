"""A few queries with what was found for them, what the responder said with it and without, and what the gate decides.

From the first trial of a study set whose queries were asked, in its first run: of in-knowledge and of out-of-knowledge
queries, one that the gate lets pass and one that it rejects, where there is one; a hash decides which.
"""

from collections.abc import Iterator

import numpy as np

from ragassay.base import tables
from ragassay.schemas.corpora import QUERIES
from ragassay.studies.relevance import calibration, partition
from ragassay.studies.relevance.outcomes import OUT_OF_KNOWLEDGE, Outcomes
from ragassay.studies.relevance.study_set import StudySet
from ragassay.studies.relevance.trials import HELD_OUT, TRUE, Trial

STUDY = "relevance"


def example_rows(
    study_set: StudySet, trial: Trial, found: Outcomes, queries: list, statistic: str, values: np.ndarray
) -> Iterator[dict]:
    """The rows of the table examples. `queries` are the files of all query sets, `values` the statistic of the trial's
    queries.
    """
    options, entry = study_set.options, study_set.entry
    calibrating = trial.calibrating[:, 0]
    if calibrating.sum() < calibration.fewest_for(options.alpha):
        return
    p = calibration.p_values(values[calibrating], values, options.p_values)
    rejected = calibration.rejected(values[calibrating], values, options.alpha, options.p_values)
    held_out = trial.kind == HELD_OUT
    corpus = f"{entry['corpus']}.held_out" if held_out else entry["corpus"]
    sets = {False: entry["in_knowledge"], True: entry["in_knowledge"] if held_out else trial.unknown.name}
    texts = {name: _texts(queries, name) for name in sets.values()}
    ids, number = np.concatenate([trial.known.ids, trial.unknown.ids]), 0
    for positive, decided in ((False, False), (False, True), (True, True), (True, False)):
        answers = found.rows(corpus, options.retriever, sets[positive])
        candidates = np.flatnonzero(trial.tested[:, 0] & (trial.positive == positive) & (rejected == decided))
        candidates = [at for at in candidates if ids[at] in answers]
        if not candidates:
            continue
        number += 1
        at = min(candidates, key=lambda place: partition.fractions("example", [ids[place]])[0])
        query, with_, without = (own[ids[at]] for own in (texts[sets[positive]], answers, found.rows(sets[positive])))
        decision = f"{statistic} = {values[at]:.3g}, p = {p[at]:.3f} at alpha = {options.alpha:g}:"
        parts = {
            "Query": query["text"],
            "Right answers": "; ".join(query["answers"]),
            f"Passages found by {options.retriever} in {corpus}": ", ".join(with_["passages"]) or "none",
            f"{found.responder} with these passages ({with_['outcome']})": with_["text"],
            f"{found.responder} without passages ({without['outcome']})": without["text"],
            "Gate": f"{decision} {'out of knowledge' if decided else 'let pass'}",
        }
        tag = OUT_OF_KNOWLEDGE if positive else TRUE
        title = f"{tag} and {'rejected' if decided else 'let pass'} ({study_set.name})"
        for position, (part, text) in enumerate(parts.items(), 1):
            own = {"study": STUDY, "example": number, "position": position, "title": title}
            yield own | {"part": part, "text": text or "(nothing)"}


def _texts(queries, query_set):
    [path] = [path for path in queries if tables.keys(QUERIES, path)["query_set"] == query_set]
    rows = tables.read(QUERIES, path, ["query_id", "text", "answers"]).to_pylist()
    return {row["query_id"]: row for row in rows}
