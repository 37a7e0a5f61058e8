"""Build the page that shows every document with its claims, rounds, questions, votes and responses. Computes nothing
new. Browsers open a page whole, so a large study shows only its first responders, in the order of the configuration.
"""

from collections import defaultdict
from itertools import groupby

from ragassay.base import tables
from ragassay.base.atomic import write_text
from ragassay.base.stage import log, run
from ragassay.report.explorer import render
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS, HARDNESS_SCORES, HARDNESS_STRATA
from ragassay.schemas.scope_answers import DEFUSION_LABELS, RESPONSES
from ragassay.schemas.scope_questions import CLAIMS, NOVEL_CLAIMS, RECOVERED_CLAIMS, SCOPE_VOTES, SELECTED_QUESTIONS

NONE = "(none)"
SIDES = {True: "out_of_scope", False: "in_scope"}
MOST_CHARACTERS = 40_000_000  # of responses on one page


def build_explorer(
    documents, claims, recovered_claims, novel_claims, selected_questions, scope_votes, hardness, hardness_scores,
    hardness_strata, responses, defusion_labels, template, style, behaviour, page, title,
):  # fmt: skip
    questions = _rows(SELECTED_QUESTIONS, selected_questions)
    shown = dossiers(
        _rows(DOCUMENTS, documents),
        _rows(CLAIMS, claims, "doc_id", "slot", "text"),
        _rows(RECOVERED_CLAIMS, recovered_claims, "recovered_id", "doc_id", "round", "slot", "text"),
        _rows(NOVEL_CLAIMS, novel_claims, "recovered_id"),
        questions,
        _rows(SCOPE_VOTES, scope_votes, "question_id", "vote", "verdict", "abstained", "judge"),
        _rows(HARDNESS, hardness, "question_id", "nearness", "stratum"),
        _rows(HARDNESS_SCORES, [hardness_scores], "question_id", "hard"),
        _responses_and_labels(responses, defusion_labels),
    )
    strata = [row["stratum"] for row in tables.read(HARDNESS_STRATA, hardness_strata).to_pylist()]
    text = render(template, style, behaviour, title, _models(questions), shown, strata)
    write_text(page, text)
    log.info("%d questions about %d documents, a page of %.1f MB", len(questions), len(shown), len(text) / 1e6)


def _responses_and_labels(paths, labels):
    """Those of each responder and prompt in turn, with the judge's labels, as long as there is room."""
    names = ("question_id", "responder", "prompt_name")
    label_of = {
        tuple(row[name] for name in names): row["label"] for row in _rows(DEFUSION_LABELS, labels, *names, "label")
    }
    shown, room, left_out = [], MOST_CHARACTERS, 0
    for _, files in groupby(paths, key=_responder_and_prompt):
        rows = _rows(RESPONSES, list(files), *names, "text")
        room -= sum(len(row["text"]) for row in rows)
        if room < 0:
            left_out += 1
            continue
        shown += [
            {"question_id": row["question_id"], "responder": row["responder"], "prompt": row["prompt_name"]}
            | {"text": row["text"], "label": label_of.get(tuple(row[name] for name in names))}
            for row in rows
        ]
    if left_out:
        log.info("responses of %d responders and prompts are not on the page, which would be too large", left_out)
    return shown


def _responder_and_prompt(path):
    keys = tables.keys(RESPONSES, path)
    return keys["responder"], keys["prompt"]


def _models(questions):
    """The models that wrote and judged."""
    return {role: ", ".join(sorted({row[role] for row in questions})) for role in ("generator", "judge")}


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


def _rows(table, paths, *columns):
    return tables.read_all(table, paths, columns or None).to_pylist()


if __name__ == "__main__":
    run(build_explorer, snakemake)
