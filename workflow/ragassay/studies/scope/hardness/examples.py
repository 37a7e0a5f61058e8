"""A few out-of-scope questions with their whole lineage, for people to read: from the document to the label.

A hash of their ids decides which ones: one from a hard stratum, another kept one, and one that the judge disputed; if a
kind is missing, another kept one. Each comes from a different document.
"""

import hashlib
from collections.abc import Iterator

from ragassay.studies.scope.questions.votes import DISPUTED, KEPT, OUT

TITLES = {"hard": "kept, in a hard stratum", KEPT: "kept", DISPUTED: "disputed by the judge"}


def chosen(questions: list[dict], hard: set[str]) -> list[tuple[str, dict]]:
    """(title, question) of at most three; `hard` are ids of questions in hard strata."""
    pools = {name: [] for name in TITLES}
    for row in sorted(questions, key=_lot):
        if row["intended"] == OUT and row["status"] in (KEPT, DISPUTED):
            pools["hard" if row["status"] == KEPT and row["question_id"] in hard else row["status"]].append(row)
    found, used = [], set()
    for wanted in ("hard", KEPT, DISPUTED):
        candidates = ((name, row) for name in (wanted, KEPT, "hard") for row in pools[name])
        name, row = next(((name, row) for name, row in candidates if row["doc_id"] not in used), (None, None))
        if row:
            used.add(row["doc_id"])
            found.append((TITLES[name], row))
    return found


def example_rows(questions, documents, claims, recovered, drift, labels, hardness, scores) -> Iterator[dict]:
    """The rows of the table examples, from pandas frames."""
    guesses = recovered[["recovered_id", "text"]].merge(drift, on="recovered_id").sort_values("round")
    hard = set(scores.loc[scores["hard"].eq(True), "question_id"])
    for number, (title, question) in enumerate(chosen(_records(questions), hard), 1):
        slot, asked = ["doc_id", "slot"], ["question_id"]
        given = _alike(documents, question, ["doc_id"])[0], _alike(claims, question, slot)[0]
        given += _alike(guesses, question, slot), _alike(labels, question, asked)[0]
        given += tuple(next(iter(_alike(rows, question, asked)), None) for rows in (hardness, scores))
        for position, (part, text) in enumerate(lineage(question, *given), 1):
            same = {"study": "scope", "example": number, "position": position, "title": title}
            yield {**same, "part": part, "text": text}


def _alike(rows, question, names):
    """The rows that are about the same as a question."""
    for name in names:
        rows = rows[rows[name] == question[name]]
    return _records(rows)


def _records(rows):
    """Rows of a frame as dicts; what is missing is None."""
    return rows.astype(object).where(rows.notna(), None).to_dict("records")


def _lot(row):
    return hashlib.sha256(f"example {row['question_id']}".encode()).digest()


def lineage(question, document, claim, guesses, label, hardness, score) -> Iterator[tuple[str, str]]:
    """(kind, text) of each passage, in the order of their creation. `guesses` are the recovered claims of the slot with
    their similarity, round by round; `hardness` and `score` may be None.
    """
    yield "Headline", document["title"] or "(none)"
    date = document["published_at"]
    yield "Published", f"{document['site'] or 'no site'}, {date.date().isoformat() if date else 'no date'}"
    yield "Document", document["text"]
    yield f"Claim in slot {claim['slot']}", claim["text"]
    for guess in guesses:
        novel = "; not supported, so asked about" if guess["recovered_id"] == question["recovered_id"] else ""
        yield f"Round {guess['round']}, similarity {guess['to_original']:.2f}{novel}", guess["text"]
    yield "Question", question["text"]
    votes = f"{label['out_votes']} out of scope, {label['in_votes']} in scope, {label['abstained']} without a verdict"
    yield f"Votes of {question['judge']}", votes
    yield "Outcome", f"{question['status']}, labelled {question['label']}, split {question['split']}"
    if hardness:
        alone = (
            ""
            if score is None or score["score"] is None
            else f"; out of scope by shared words alone: {score['score']:.2f}"
        )
        yield "Nearness", f"{hardness['nearness']:.2f} to its document's nearest claim{alone}"
