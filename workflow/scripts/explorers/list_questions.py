"""List every question with its document, whether it should be answered, what responders answered and whether that was
right, and what detectors and a relevance gate say: as a page to look through and as CSV. Computes nothing new. Shard by
shard, so that a study of any size fits into memory.
"""

from itertools import chain

import pyarrow.parquet as pq

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.report.explorers import verdicts
from ragassay.report.explorers.page import MOST_ROWS, Listing, excerpt, room
from ragassay.report.explorers.questions import KIND, Detectors, Responses, dossiers, responder_columns
from ragassay.report.explorers.verdicts import CorpusGates, DocumentGate
from ragassay.report.provenance import in_paths, of_page
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS, HARDNESS_STRATA
from ragassay.schemas.scope_answers import DEFUSION_LABELS, PREDICTIONS, RESPONSES
from ragassay.schemas.scope_questions import (
    CLAIMS,
    NOVEL_CLAIMS,
    QUESTIONS,
    RECOVERED_CLAIMS,
    SCOPE_LABELS,
    SCOPE_VOTES,
)
from ragassay.studies.scope.strata import scores_by_shard

MOST_CHARACTERS = 20_000_000  # of responses on one page, and of documents
LEAST_CHARACTERS = 120  # of a response that is cut, so that the page has room for all


def list_questions(
    documents, questions, claims, recovered_claims, novel_claims, scope_labels, scope_votes, hardness, hardness_scores,
    hardness_strata, responses, defusion_labels, gold, human_labels, predictions, covered_questions, gated_questions,
    templates, style, behaviour, page, csv, title, subject, report, remedies, models, command,
):  # fmt: skip
    """Each argument up to `gated_questions` is a list of files; any but `documents` and `questions` may be empty.
    `remedies` say how to get what is missing: name of an argument -> what to do; `models` what each model is, and
    `command` makes the page.
    """
    paths = {
        CLAIMS: claims, RECOVERED_CLAIMS: recovered_claims, NOVEL_CLAIMS: novel_claims, SCOPE_LABELS: scope_labels,
        SCOPE_VOTES: scope_votes, HARDNESS: hardness, DOCUMENTS: documents, QUESTIONS: questions, RESPONSES: responses,
        DEFUSION_LABELS: defusion_labels, PREDICTIONS: predictions,
    }  # fmt: skip
    people, of_responses = verdicts.people(gold, human_labels)
    hard = scores_by_shard(hardness_scores, ("question_id", "hard"))
    generator = tables.keys(QUESTIONS, questions[0])["generator"]
    strata = [row["stratum"] for row in _rows(HARDNESS_STRATA, hardness_strata)]
    columns, detectors = responder_columns(map(_responder, responses)), Detectors(predictions)
    gate, corpus_gates = DocumentGate(gated_questions, documents), CorpusGates(covered_questions)

    shards = tables.by_shard(paths)

    def of_shard(shard):
        def rows(table, *names):
            return _rows(table, shards[shard][table], *names)

        detectors.load(shards[shard][PREDICTIONS])
        names = ("question_id", "responder", "prompt_name")
        answered = Responses(
            columns, rows(RESPONSES, *names, "text", "finish_reason"), rows(DEFUSION_LABELS), of_responses
        )
        return dossiers(
            rows(DOCUMENTS),
            rows(CLAIMS, "doc_id", "slot", "text"),
            rows(RECOVERED_CLAIMS, "recovered_id", "doc_id", "round", "slot", "text"),
            rows(NOVEL_CLAIMS, "recovered_id"),
            rows(QUESTIONS),
            rows(SCOPE_LABELS),
            rows(SCOPE_VOTES, "question_id", "vote", "verdict", "abstained", "judge"),
            rows(HARDNESS, "question_id", "nearness", "stratum"),
            dict(zip(*hard(generator, shard).to_pydict().values(), strict=True)),
            people,
            detectors,
            (answered, detectors, gate, corpus_gates),
        )

    answers, text_room = _count(responses), room(_count(documents), MOST_CHARACTERS, 1000)
    answer_room = room(answers, MOST_CHARACTERS, LEAST_CHARACTERS)
    share = min(1.0, MOST_ROWS / max(1, _count(questions)), MOST_CHARACTERS / max(1, answers * LEAST_CHARACTERS))
    gates = [*gate.columns(), *corpus_gates.columns()]
    listing = Listing(KIND, [*columns, *detectors.columns(), *gates], share, {"stratum": strata})
    listing.write(
        (dossier for shard in sorted(shards) for dossier in of_shard(shard)),
        csv,
        lambda dossier: _shortened(dossier, text_room, answer_room),
    )
    given = {
        "responses": responses, "scope_labels": scope_labels, "defusion_labels": defusion_labels,
        "people": [*people, *of_responses], "predictions": predictions,
        "gated_questions": gates,
    }  # fmt: skip
    missing = [(MISSING[name], remedies[name]) for name, values in given.items() if not values]
    missing += listing.not_shown()
    further = (hardness_scores, hardness_strata, gold, human_labels, covered_questions, gated_questions)
    tables_read = [*chain(*paths.values()), *chain(*further)]
    home = report.removesuffix("index.html")
    made = of_page(page, tables_read, command, in_paths(models, tables_read), home=home)
    judges = (tables.keys(DEFUSION_LABELS, path) for path in defusion_labels)
    self_judging = {keys["judge"] for keys in judges if keys["judge"] == keys["responder"]}
    notes = [*gate.summary(), *((f"{judge} judges its own responses.", OWN_WORK) for judge in sorted(self_judging))]
    size = listing.render(made, page, templates, style, behaviour, title, subject, report, csv, missing, notes)
    log.info("%d questions, %d of them on a page of %.1f MB", listing.rows, listing.shown, size / 1e6)


OWN_WORK = "A judge may favour what it would have answered itself. Read some of its verdicts, or name another judge."
MISSING = {
    "responses": "No responder answered these questions.",
    "scope_labels": "No judge says whether these questions should be answered.",
    "defusion_labels": "No judge says whether responses are right.",
    "people": "Nobody has labelled these questions.",
    "predictions": "No detector was asked about these questions.",
    "gated_questions": "No relevance gate was asked about these questions.",
}


def _shortened(dossier, text_room, answer_room):
    """The dossier as the page has room for it."""
    for row in dossier["rows"]:
        for cell in row["cells"]:
            if cell and "text" in cell:
                cell["text"] = excerpt(cell["text"], answer_room)
    return dossier | {"text": excerpt(dossier["text"], text_room)}


def _responder(path):
    keys = tables.keys(RESPONSES, path)
    return keys["responder"], keys["prompt"]


def _count(paths):
    return sum(pq.read_metadata(path).num_rows for path in paths)


def _rows(table, paths, *columns):
    return tables.read_all(table, paths, columns or None).to_pylist()


if __name__ == "__main__":
    run(list_questions, snakemake)
