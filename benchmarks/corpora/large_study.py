"""The tables of a scope study as large as wanted, made of random words: for what shows or exports them. Seeded."""

import random
from datetime import UTC, datetime
from pathlib import Path

from ragassay.base import tables
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import HARDNESS, HARDNESS_SCORES, HARDNESS_STRATA
from ragassay.schemas.relevance import GATED_QUESTIONS
from ragassay.schemas.scope_answers import DEFUSION_LABELS, PREDICTIONS, RESPONSES
from ragassay.schemas.scope_questions import (
    CLAIMS,
    NOVEL_CLAIMS,
    QUESTIONS,
    RECOVERED_CLAIMS,
    SCOPE_LABELS,
    SCOPE_VOTES,
    SELECTED_QUESTIONS,
)

CLAIMS_EACH, ROUNDS, IN_SCOPE, VOTES = 5, 3, 5, 9
TOPICS = "business entertainment food music news politics science sport tech travel".split()
STRATA = ("below 0.40", "0.40 to 0.60", "from 0.60")
SYLLABLES = "ba cor den fil gar hos in ju kal lem mor nes or pal ques ri sta tem un ver wil".split()
MOMENT = datetime(2026, 9, 1, tzinfo=UTC)


def write_study(folder, documents: int) -> dict[str, list]:
    """Write all tables of a study of so many documents with ten questions each; return the files of each."""
    chance, rows = random.Random(0), {table: [] for table in TABLES.values()}
    say = speaker(chance)

    def add(table, **values):
        rows[table].append(_row(table, **values))
        return values

    for number in range(documents):
        doc = {"doc_id": f"doc-{number:016x}", "shard": "s"}
        title = {"title": say(8), "topic": chance.choice(TOPICS), "published_at": MOMENT}
        text = " ".join(f"{say(15)}." for _ in range(18))
        add(DOCUMENTS, **doc, **title, text=text, url=f"https://news.example/{number}", site="news.example")
        for slot in range(1, CLAIMS_EACH + 1):
            claim = {**doc, "slot": slot, "claim_id": f"claim-{number}-{slot}"}
            add(CLAIMS, **claim, text=f"{say(14)}.")
            for turn in range(1, ROUNDS + 1):
                guess = {"recovered_id": f"recovered-{number}-{slot}-{turn}", "round": turn, "text": f"{say(14)}."}
                add(RECOVERED_CLAIMS, **claim, **guess)
            add(NOVEL_CLAIMS, **claim, **guess)
            _question(add, chance, doc, "out_of_scope", slot, f"{say(15)}?", {"recovered_id": guess["recovered_id"]})
        for slot in range(1, IN_SCOPE + 1):
            _question(add, chance, doc, "in_scope", slot, f"{say(15)}?", {})
    for position, name in enumerate((*STRATA, "all")):
        add(HARDNESS_STRATA, position=position, stratum=name, hard=name == STRATA[-1])
    return {name: [_write(folder, table, rows[table])] for name, table in TABLES.items()}


def write_answers(folder, questions, responders: list[str], detectors: list[str]) -> dict[str, list]:
    """What responders answered to all questions of a study that `write_study` has written, what its judge says of the
    answers, and what detectors predict; return the files of each table.
    """
    chance, files = random.Random(1), {"responses": [], "defusion_labels": [], "predictions": []}
    say, asked = speaker(chance), tables.read(QUESTIONS, questions).to_pylist()
    for responder in responders:
        answers, labels = [], []
        for question in asked:
            name = {"question_id": question["question_id"], "responder": responder, "prompt_name": "basic"}
            answers.append(_row(RESPONSES, **name, text=f"{say(30)}.", finish_reason="stop"))
            if question["intended"] == "out_of_scope":
                label = chance.choice(["defused", "not_defused"])
                labels.append(_row(DEFUSION_LABELS, **name, label=label, **{f"{label}_votes": VOTES}))
        keys = {"responder": responder, "prompt": "basic"}
        files["responses"].append(_write(folder, RESPONSES, answers, **keys))
        files["defusion_labels"].append(_write(folder, DEFUSION_LABELS, labels, **keys))
    for detector in detectors:
        scores = [(question["question_id"], round(chance.random(), 4)) for question in asked]
        predicted = [
            _row(PREDICTIONS, question_id=name, head="mlp", probability=score, out_of_scope=score > 0.5, part="test")
            for name, score in scores
        ]
        files["predictions"].append(_write(folder, PREDICTIONS, predicted, detector=detector))
    return files


def write_gate(folder, questions) -> list:
    """What a gate says of all questions; return its files."""
    chance, gated = random.Random(2), []
    for question in tables.read(QUESTIONS, questions, ["question_id", "doc_id"]).to_pylist():
        p = round(chance.random(), 4)
        said = {"value": 1 - p, "p_value": p, "rejected": p <= 0.05, "nearest_doc_id": question["doc_id"]}
        gated.append(_row(GATED_QUESTIONS, question_id=question["question_id"], calibrated_by=99, **said))
    return [_write(folder, GATED_QUESTIONS, gated)]


def speaker(chance):
    """A function that gives so many words."""
    lexicon = ["".join(chance.choices(SYLLABLES, k=chance.randint(1, 4))) for _ in range(4000)]
    return lambda count: " ".join(chance.choices(lexicon, k=count)).capitalize()


def _row(table, **values):
    return {c.name: values.get(c.name, None if c.null else FILL[str(c.type)]) for c in table.columns}


def _write(folder, table, rows, **keys):
    """Where the table has its place, by the generator `g`, the judge `judge`, in the shard `s`."""
    names = {"generator": "g", "judge": "judge", "shard": "s", "encoder": "e", "asked": "g"} | keys
    path = Path(folder, f"{table.path.format(**names)}.parquet")
    tables.write(table, path, rows)
    return path


def _question(add, chance, doc, intended, slot, text, lineage):
    name = {"question_id": f"question-{chance.getrandbits(64):016x}", **doc, "intended": intended}
    said = [chance.random() < (0.7 if intended == "out_of_scope" else 0.3) for _ in range(VOTES)]
    label = "out_of_scope" if sum(said) > VOTES / 2 else "in_scope"
    status = "kept" if label == intended else "disputed"
    judged = {"label": label, "margin": (2 * sum(said) - VOTES) / VOTES}
    asked = {**name, **lineage, "slot": slot, "text": text, "round": ROUNDS if lineage else None}
    add(QUESTIONS, **asked)
    add(SCOPE_LABELS, **name, **judged, out_votes=sum(said), in_votes=VOTES - sum(said), judge="judge")
    add(SELECTED_QUESTIONS, **asked, **judged, status=status, split="train")
    near = round(chance.random(), 5)
    stratum = STRATA[(near >= 0.4) + (near >= 0.6)]
    add(HARDNESS, **name, nearness=near, stratum=stratum)
    if status == "kept":
        add(HARDNESS_SCORES, **name, stratum=stratum, hard=stratum == STRATA[-1])
    for vote, verdict in enumerate(said, start=1):
        add(SCOPE_VOTES, question_id=name["question_id"], vote=vote, verdict=verdict, judge="judge")


FILL = {"string": "", "int32": 0, "double": 0.0, "bool": False}
TABLES = {
    table.name: table
    for table in (
        *(DOCUMENTS, CLAIMS, RECOVERED_CLAIMS, NOVEL_CLAIMS, QUESTIONS, SELECTED_QUESTIONS, SCOPE_VOTES, SCOPE_LABELS),
        *(HARDNESS, HARDNESS_SCORES, HARDNESS_STRATA),
    )
}
