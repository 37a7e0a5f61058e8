"""What relevance gates say of the explorer's questions: a gate of their own documents, and gates of corpora."""

from collections import Counter
from collections.abc import Iterable

from ragassay.base import tables
from ragassay.report.explorers import verdicts
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.relevance import COVERED_QUESTIONS, GATED_QUESTIONS

GATE = "relevance gate"
SUBJECT_ALONE = (
    "It was calibrated by in-scope questions about other documents, and looks at the subject of a question alone. A"
    " near miss is about the subject of its document, which does not answer it: the gate lets it through, and that is"
    " no fault of the gate. Whether a document answers a question, detectors say."
)


class DocumentGate:
    """What a gate of their documents says of questions, and how often of those that should be answered and others."""

    def __init__(self, gated_questions: Iterable, documents: Iterable):
        self.rows = {row["question_id"]: row for row in tables.read_all(GATED_QUESTIONS, gated_questions).to_pylist()}
        wanted = {row["nearest_doc_id"] for row in self.rows.values()}
        named = tables.read_all(DOCUMENTS, documents if wanted else [], ["doc_id", "title"]).to_pylist()
        self.titles = {row["doc_id"]: row["title"] for row in named if row["doc_id"] in wanted}
        self.counts = Counter()  # (should it be answered, outcome) -> questions

    def columns(self) -> list[dict]:
        return [{"kind": "gate", "name": GATE, "gate": GATE}] if self.rows else []

    def cells(self, question: dict, should: str) -> list[dict | None]:
        if not self.rows:
            return []
        row = self.rows.get(question["question_id"])
        if row is None:
            return [None]
        outcome = {True: verdicts.OUTSIDE, False: verdicts.INSIDE, None: verdicts.UNDECIDED}[row["rejected"]]
        self.counts[should, outcome] += 1
        nearest = row["nearest_doc_id"]
        return [
            {
                "outcome": outcome,
                "p_value": None if row["p_value"] is None else round(row["p_value"], 4),
                "passage": nearest,
                "title": self.titles.get(nearest) or nearest,
                "is_own": nearest == question["doc_id"],
            }
        ]

    def summary(self) -> list[tuple[str, str]]:
        """What it says of all questions, and why, for the page."""
        if not self.counts:
            return []
        parts = []
        for should, words in ((verdicts.YES, "should be answered"), (verdicts.NO, "should not be")):
            outside, inside = (self.counts[should, outcome] for outcome in verdicts.GATE_OUTCOMES[:2])
            if outside + inside:
                parts.append(f"{outside:,} of the {outside + inside:,} {'that' if parts else 'questions that'} {words}")
        if not parts:
            return [("The relevance gate decides nothing.", "Too few in-scope questions calibrate it.")]
        return [(f"The relevance gate rejects {', and '.join(parts)}.", SUBJECT_ALONE)]


class CorpusGates:
    """What gates of corpora say of the questions that are held against these."""

    def __init__(self, covered_questions: Iterable):
        self.decisions = {}  # gate -> question -> what it decides
        for path in covered_questions:
            keys = tables.keys(COVERED_QUESTIONS, path)
            rows = tables.read(COVERED_QUESTIONS, path).to_pylist()
            self.decisions[f"gate of {keys['corpus']}"] = {row["question_id"]: _decision(row) for row in rows}

    def columns(self) -> list[dict]:
        return [{"kind": "gate", "name": name, "gate": name} for name in self.decisions]

    def cells(self, question: dict, should: str) -> list[dict | None]:
        return [decisions.get(question["question_id"]) for decisions in self.decisions.values()]


def _decision(row):
    outcome = verdicts.OUTSIDE if row["rejected"] else verdicts.INSIDE
    return {"outcome": outcome, "p_value": round(row["p_value"], 4), "passage": row["passage_id"]}
