"""Collect all results of each document: claims, rounds, questions, votes and answers."""

from collections import defaultdict

NONE = "(none)"
SIDES = {True: "out_of_scope", False: "in_scope"}


def dossiers(documents, claims, recovered, novel, questions, votes, hardness, scores, responses=()) -> list[dict]:
    """One per document with questions, by topic and title. All arguments are rows of the tables of these names;
    responses are rows with question_id, responder, prompt, text and label.
    """
    claims, recovered, questions = (_by("doc_id", rows) for rows in (claims, recovered, questions))
    asked_about = {row["recovered_id"] for row in novel}
    votes, responses = _by("question_id", votes), _by("question_id", responses)
    near = {row["question_id"]: row for row in hardness}
    hard = {row["question_id"]: row["hard"] for row in scores}
    pages = []
    for document in sorted(documents, key=lambda row: (row["topic"] or NONE, row["title"] or "", row["doc_id"])):
        doc_id, asked = document["doc_id"], []
        for row in sorted(questions[doc_id], key=lambda row: (row["intended"], row["slot"])):
            name = row["question_id"]
            shown = {
                column: row[column] for column in ("text", "intended", "label", "status", "split", "margin", "round")
            }
            shown |= {"id": name, "slot": row["slot"] if row["recovered_id"] else None, **_hardness(name, near, hard)}
            asked.append(shown | {"votes": _votes(votes[name]), "responses": _responses(responses[name])})
        if asked:
            page = {column: document[column] for column in ("title", "url", "site", "text")}
            page |= {"id": doc_id, "topic": document["topic"] or NONE}
            page["published"] = document["published_at"].date().isoformat() if document["published_at"] else None
            pages.append(page | {"claims": _claims(claims[doc_id], recovered[doc_id], asked_about), "questions": asked})
    return pages


def _claims(claims, recovered, novel):
    """Per claim its rounds: what was guessed in its place, and whether that was found to be novel."""
    rounds = _by("slot", recovered)
    for guesses in rounds.values():
        guesses.sort(key=lambda row: row["round"])
    return [
        {
            "slot": row["slot"],
            "text": row["text"],
            "rounds": [
                {"round": guess["round"], "text": guess["text"], "novel": guess["recovered_id"] in novel}
                for guess in rounds[row["slot"]]
            ],
        }
        for row in sorted(claims, key=lambda row: row["slot"])
    ]


def _hardness(name, near, hard):
    measured = near.get(name, {"nearness": None, "stratum": NONE})
    graded = {True: "hard", False: "not_hard", None: "not_graded"}[hard.get(name)]
    return {"nearness": measured["nearness"], "stratum": measured["stratum"], "hardness": graded}


def _votes(votes):
    """Per judge its votes in order, each a side or the reason for abstaining."""
    return [
        {"judge": judge, "votes": [SIDES.get(row["verdict"], row["abstained"]) for row in rows]}
        for judge, rows in sorted(_by("judge", sorted(votes, key=lambda row: row["vote"])).items())
    ]


def _responses(responses):
    names = ("responder", "prompt", "text", "label")
    rows = [{name: row[name] for name in names} for row in responses]
    return sorted(rows, key=lambda row: (row["responder"], row["prompt"]))


def _by(key, rows):
    grouped = defaultdict(list)
    for row in rows:
        grouped[row[key]].append(row)
    return grouped
