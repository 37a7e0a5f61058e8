"""Whether a question should be answered, and whether a responder and a detector handled it well: one outcome for each;
and what gates say of it: one of their own documents, and those of corpora.

People have the last word. Without them, the intention behind a question and the judge's label have to agree, as far as
both are there; else it is unclear whether the question should be answered, and nothing about it is right or wrong.
"""

from collections import Counter
from collections.abc import Iterable

from ragassay.base import tables
from ragassay.calls.parsers.result import Abstain, answer_part
from ragassay.grading.declines import declines_from_passages
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.people import GOLD, HUMAN_LABELS
from ragassay.schemas.relevance import COVERED_QUESTIONS, GATED_QUESTIONS
from ragassay.studies.scope.question_sets import settled
from ragassay.studies.scope.votes import DEFUSED, IN, KINDS, NOT_DEFUSED, OUT, UNLABELLED

YES, NO, UNCLEAR = "yes", "no", "unclear"  # should it be answered?
SHOULD = {OUT: NO, IN: YES}
# Outcomes of a response
ANSWERED_OUT, REFUSED_IN = "answered_out_of_scope", "refused_in_scope"
DECLINED_OUT, ANSWERED_IN, NO_VERDICT = "declined_out_of_scope", "answered_in_scope", "no_verdict"
RESPONSE_OUTCOMES = (ANSWERED_OUT, REFUSED_IN, DECLINED_OUT, ANSWERED_IN, NO_VERDICT)
# Outcomes of a detector's prediction, and of what a gate decides
MISSED, FALSE_ALARM, RIGHT, NO_TRUTH = "missed", "false_alarm", "right", "not_comparable"
DETECTOR_OUTCOMES = (MISSED, FALSE_ALARM, RIGHT, NO_TRUTH)
OUTSIDE, INSIDE, UNDECIDED = "out_of_knowledge", "in_knowledge", "undecided"
GATE_OUTCOMES = (OUTSIDE, INSIDE, UNDECIDED)


def people(gold, human_labels) -> tuple[dict[str, str], dict[tuple, str]]:
    """What people say of questions, and of responses: (question, responder, prompt) -> label, without the prompt where
    they were not told it; from files of these tables. Votes that came with a question set take precedence over labels
    from our pages.
    """
    names = ["question_id", "responder", "prompt_name", "label"]
    settled_here = tables.read_all(GOLD, gold, names).to_pylist()
    settled_there = settled(tables.read_all(HUMAN_LABELS, human_labels).to_pylist())
    labels = {(row["question_id"], row["responder"], row["prompt_name"]): row["label"] for row in settled_here}
    labels |= {(question, responder or None, None): label for (question, responder), label in settled_there.items()}
    labels = {key: label for key, label in labels.items() if label}
    of_questions = {question: label for (question, responder, _), label in labels.items() if responder is None}
    return of_questions, {key: label for key, label in labels.items() if key[1] is not None}


def should_be_answered(intended: str, label: str | None, people: str | None) -> str:
    """What people say; else what intention and label agree on, as far as both are there."""
    if people in KINDS:
        return SHOULD[people]
    opinions = {opinion for opinion in (intended, label) if opinion not in (None, UNLABELLED)}
    return SHOULD.get(opinions.pop(), UNCLEAR) if len(opinions) == 1 else UNCLEAR


def response_outcome(should: str, response: dict, label: dict | None, people: str | None) -> tuple[str, str]:
    """The outcome and why. `response` is a row of responses, `label` one of defusion_labels, `people` what people say
    of the response. Refusals are read as for the report: a response without words refuses nothing.
    """
    part = answer_part(response["text"], response["finish_reason"])
    if should == YES:
        if isinstance(part, Abstain):
            if part.reason == "refusal":
                return REFUSED_IN, "its provider refused"
            return NO_VERDICT, f"there is no answer to read ({part.reason})"
        if declines_from_passages(part):
            return REFUSED_IN, "its words say that the document has no answer"
        return ANSWERED_IN, "it answers; nobody judged whether the answer is right"
    if should == UNCLEAR:
        return NO_VERDICT, "it is unclear whether the question should be answered"
    if people in (DEFUSED, NOT_DEFUSED):
        verdict = "it declines or corrects" if people == DEFUSED else "it answers"
        return (DECLINED_OUT if people == DEFUSED else ANSWERED_OUT), f"people say that {verdict}"
    if label is None:
        if not isinstance(part, Abstain) and declines_from_passages(part):
            return DECLINED_OUT, "its words say that the document has no answer"
        return NO_VERDICT, "no judge was asked about it"
    return _by_votes(label)


def _by_votes(label):
    votes = label["defused_votes"] + label["not_defused_votes"] + label["abstained"]
    if label["label"] == DEFUSED:
        return DECLINED_OUT, f"{label['defused_votes']} of {votes} votes: it declines or corrects"
    if label["label"] == NOT_DEFUSED:
        return ANSWERED_OUT, f"{label['not_defused_votes']} of {votes} votes: it answers"
    counts = f"{label['defused_votes']} to {label['not_defused_votes']} votes, {label['abstained']} abstained"
    return NO_VERDICT, f"no majority of the judge's votes: {counts}"


def detector_outcome(should: str, out_of_scope: bool | None) -> str:
    if should == UNCLEAR or out_of_scope is None:
        return NO_TRUTH
    if out_of_scope == (should == NO):
        return RIGHT
    return FALSE_ALARM if out_of_scope else MISSED


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
        outcome = {True: OUTSIDE, False: INSIDE, None: UNDECIDED}[row["rejected"]]
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
        for should, words in ((YES, "should be answered"), (NO, "should not be")):
            outside, inside = (self.counts[should, outcome] for outcome in GATE_OUTCOMES[:2])
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
    outcome = OUTSIDE if row["rejected"] else INSIDE
    return {"outcome": outcome, "p_value": round(row["p_value"], 4), "passage": row["passage_id"]}
