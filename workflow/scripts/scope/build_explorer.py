"""Build the page that shows every document with its claims, rounds, questions and votes. Computes nothing new."""

from ragassay import tables
from ragassay.atomic import write_text
from ragassay.report.explorer import render
from ragassay.schemas.claims import CLAIMS
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS
from ragassay.schemas.hardness_scores import HARDNESS_SCORES
from ragassay.schemas.hardness_strata import HARDNESS_STRATA
from ragassay.schemas.novel_claims import NOVEL_CLAIMS
from ragassay.schemas.recovered_claims import RECOVERED_CLAIMS
from ragassay.schemas.scope_votes import SCOPE_VOTES
from ragassay.schemas.selected_questions import SELECTED_QUESTIONS
from ragassay.scope.dossiers import dossiers
from ragassay.stage import log, run


def build_explorer(
    documents, claims, recovered_claims, novel_claims, selected_questions, scope_votes, hardness, hardness_scores,
    hardness_strata, template, style, behaviour, page, title,
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
    )
    strata = [row["stratum"] for row in tables.read(HARDNESS_STRATA, hardness_strata).to_pylist()]
    text = render(template, style, behaviour, title, _models(questions), found, strata)
    write_text(page, text)
    log.info("%d questions about %d documents, a page of %.1f MB", len(questions), len(found), len(text) / 1e6)


def _models(questions):
    """Who wrote and judged."""
    return {role: ", ".join(sorted({row[role] for row in questions})) for role in ("generator", "judge")}


def _rows(table, paths, *columns):
    return tables.read_all(table, paths, columns or None).to_pylist()


if __name__ == "__main__":
    run(build_explorer, snakemake)
