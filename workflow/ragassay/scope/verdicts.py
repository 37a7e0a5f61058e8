"""What judges say of responses, as a matrix of questions and cells; a cell is what one judge says of one responder
under one prompt. Questions and cells are those of one generator or one set of questions.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragassay import tables
from ragassay.schemas.defusion_labels import DEFUSION_LABELS
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.selected_questions import SELECTED_QUESTIONS
from ragassay.scope.votes import DEFUSED, KEPT, NOT_DEFUSED, OUT

NO_TOPIC = "(none)"
SIDES = [NOT_DEFUSED, DEFUSED]  # by code
YES, NO, ABSTAINED, UNASKED = 1, 0, -1, -2


class Cell(NamedTuple):
    """Its order is that of the paper's Table 2."""

    judge: str
    prompt: str
    responder: str


class Questions(NamedTuple):
    """Those of one generator, as columns of equal length, and their documents, by number."""

    generator: str
    ids: pa.Array
    texts: list[str]
    owners: np.ndarray  # question -> document
    out: np.ndarray  # meant to be out of scope
    kept: np.ndarray  # as the study's own judge agrees
    documents: list[str]
    topics: np.ndarray  # document -> topic
    published: list  # document -> day, None where it is not known

    def places(self, ids) -> np.ndarray:
        """Where each question stands; -1 for those that are not here."""
        return pc.fill_null(pc.index_in(_whole(ids), value_set=self.ids), -1).to_numpy(zero_copy_only=False)


def read_questions(documents, selected_questions) -> dict[str, Questions]:
    """generator -> its questions, from files of any number of shards."""
    about = ("doc_id", "topic", "published_at")
    known = {row["doc_id"]: row for row in tables.read_all(DOCUMENTS, documents, about).to_pylist()}
    names = ("generator", "question_id", "doc_id", "text", "intended", "status")
    rows = tables.read_all(SELECTED_QUESTIONS, selected_questions, names)
    found = {}
    for generator in sorted(set(rows["generator"].to_pylist())):
        own = rows.filter(pc.equal(rows["generator"], generator)).to_pydict()
        names = sorted(set(own["doc_id"]))
        numbers = {name: number for number, name in enumerate(names)}
        days = [known[name]["published_at"] for name in names]
        found[generator] = Questions(
            generator,
            pa.array(own["question_id"], pa.string()),
            own["text"],
            np.array([numbers[name] for name in own["doc_id"]], int),
            np.array([intended == OUT for intended in own["intended"]], bool),
            np.array([status == KEPT for status in own["status"]], bool),
            names,
            np.array([known[name]["topic"] or NO_TOPIC for name in names], object),
            [day and day.date().isoformat() for day in days],
        )
    return found


def read_verdicts(questions: dict[str, Questions], paths) -> dict[str, dict[Cell, np.ndarray]]:
    """generator -> cell -> one code per question, from files of defusion_labels; judges, prompts and responders stand
    in the order in which the files first name them.
    """
    found, order = {generator: {} for generator in questions}, {}
    for path in paths:
        generator, responder, prompt, judge = Path(path).parts[-5:-1]
        if generator not in questions:  # it wrote none
            continue
        own, cells = questions[generator], found[generator]
        cell = Cell(judge, prompt, responder)
        codes = cells.setdefault(cell, np.full(len(own.ids), UNASKED, np.int8))
        for role, name in cell._asdict().items():
            order.setdefault((role, name), len(order))
        rows = tables.read(DEFUSION_LABELS, path, ["question_id", "label"])
        places = own.places(rows["question_id"])
        codes[places[places >= 0]] = coded(rows["label"])[places >= 0]
    return {
        generator: dict(sorted(cells.items(), key=lambda item: [order[named] for named in item[0]._asdict().items()]))
        for generator, cells in found.items()
    }


def coded(labels) -> np.ndarray:
    """Labels as codes; ties and those without a verdict abstain."""
    return pc.fill_null(pc.index_in(_whole(labels), value_set=pa.array(SIDES)), ABSTAINED).to_numpy(
        zero_copy_only=False
    )


def _whole(column):
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else pa.array(column, pa.string())
