"""Build the page that shows every document with its claims, rounds, questions, votes and responses. Computes nothing
new. Browsers open a page whole, so a large study shows only its first responders, in the order of the configuration.
"""

from itertools import groupby

from ragassay.base import tables
from ragassay.base.atomic import write_text
from ragassay.base.stage import log, run
from ragassay.report.explorer import render
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_answers import DEFUSION_LABELS, RESPONSES
from ragassay.schemas.scope_questions import (
    CLAIMS,
    HARDNESS,
    HARDNESS_SCORES,
    HARDNESS_STRATA,
    NOVEL_CLAIMS,
    RECOVERED_CLAIMS,
    SCOPE_VOTES,
    SELECTED_QUESTIONS,
)
from ragassay.studies.scope.dossiers import dossiers

MOST_CHARACTERS = 40_000_000  # of responses on one page


def build_explorer(
    documents, claims, recovered_claims, novel_claims, selected_questions, scope_votes, hardness, hardness_scores,
    hardness_strata, responses, defusion_labels, template, style, behaviour, page, title,
):  # fmt: skip
    questions = _rows(SELECTED_QUESTIONS, selected_questions)
    found = dossiers(
        _rows(DOCUMENTS, documents),
        _rows(CLAIMS, claims, "doc_id", "slot", "text"),
        _rows(RECOVERED_CLAIMS, recovered_claims, "recovered_id", "doc_id", "round", "slot", "text"),
        _rows(NOVEL_CLAIMS, novel_claims, "recovered_id"),
        questions,
        _rows(SCOPE_VOTES, scope_votes, "question_id", "vote", "verdict", "abstained", "judge"),
        _rows(HARDNESS, hardness, "question_id", "nearness", "stratum"),
        _rows(HARDNESS_SCORES, [hardness_scores], "question_id", "hard"),
        _responses(responses, defusion_labels),
    )
    strata = [row["stratum"] for row in tables.read(HARDNESS_STRATA, hardness_strata).to_pylist()]
    text = render(template, style, behaviour, title, _models(questions), found, strata)
    write_text(page, text)
    log.info("%d questions about %d documents, a page of %.1f MB", len(questions), len(found), len(text) / 1e6)


def _responses(paths, labels):
    """Those of each responder and prompt in turn, with the judge's labels, as long as there is room."""
    names = ("question_id", "responder", "prompt_name")
    told = {tuple(row[name] for name in names): row["label"] for row in _rows(DEFUSION_LABELS, labels, *names, "label")}
    found, room, left_out = [], MOST_CHARACTERS, 0
    for _, files in groupby(paths, key=_responder_and_prompt):
        rows = _rows(RESPONSES, list(files), *names, "text")
        room -= sum(len(row["text"]) for row in rows)
        if room < 0:
            left_out += 1
            continue
        found += [
            {"question_id": row["question_id"], "responder": row["responder"], "prompt": row["prompt_name"]}
            | {"text": row["text"], "label": told.get(tuple(row[name] for name in names))}
            for row in rows
        ]
    if left_out:
        log.info("responses of %d responders and prompts are not on the page, which would be too large", left_out)
    return found


def _responder_and_prompt(path):
    keys = tables.keys(RESPONSES, path)
    return keys["responder"], keys["prompt"]


def _models(questions):
    """The models that wrote and judged."""
    return {role: ", ".join(sorted({row[role] for row in questions})) for role in ("generator", "judge")}


def _rows(table, paths, *columns):
    return tables.read_all(table, paths, columns or None).to_pylist()


if __name__ == "__main__":
    run(build_explorer, snakemake)
