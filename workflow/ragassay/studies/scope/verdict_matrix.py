"""Judges' labels of responses, as a matrix of questions and cells; a cell is one judge, responder and prompt. Questions
and cells are those of one generator or one set of questions. Also how each judge does on what people have settled."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.metrics.panel import Panel
from ragassay.metrics.resampling import Judge
from ragassay.schemas.documents import DOCUMENTS, NO_TOPIC
from ragassay.schemas.scope_answers import DEFUSION_LABELS
from ragassay.schemas.scope_questions import SELECTED_QUESTIONS
from ragassay.studies.scope.votes import DEFUSED, IN, KEPT, NOT_DEFUSED, OUT

SIDES, SCOPE_SIDES = [NOT_DEFUSED, DEFUSED], [IN, OUT]  # by code
YES, NO, ABSTAINED, UNASKED = 1, 0, -1, -2
BEFORE, AFTER, UNKNOWN = "before the cut-off", "after the cut-off", "not known"
NO_GOLD = Judge(0, 0, 0, 0)


class JudgedCell(NamedTuple):
    """Its order is that of the paper's Table 2."""

    judge: str
    prompt: str
    responder: str


class Questions(NamedTuple):
    """Those of one generator, as columns of equal length, and their documents, by number."""

    generator: str
    ids: pa.Array
    texts: pa.Array
    owners: np.ndarray  # question -> document
    out: np.ndarray  # meant to be out of scope
    kept: np.ndarray  # as the study's own judge agrees
    documents: list[str]
    topics: np.ndarray  # document -> topic
    published: list  # document -> day, None where it is not known

    def panel(self, times: int, seed: int) -> Panel:
        """All of them, to be resampled by document."""
        return Panel(np.array(self.documents)[self.owners], times, seed)

    def codes(self, ids, labels, sides) -> np.ndarray:
        """The code of each question, from labels of those with these ids; ties and those without a verdict abstain."""
        return aligned(self.ids, ids, coded(labels, sides), UNASKED)

    def texts_of(self, rows) -> list[str | None]:
        """Those of questions, from rows with texts."""
        return rows["text"].take(pc.index_in(self.ids, value_set=rows["question_id"].combine_chunks())).to_pylist()

    def are_in(self, ids) -> np.ndarray:
        """A mask: the questions with one of these ids."""
        return np.asarray(pc.is_in(self.ids, value_set=ids.combine_chunks()))


def read_questions(documents, selected_questions) -> dict[str, Questions]:
    """generator -> its questions, from files of any number of shards."""
    of_documents = tables.frame(DOCUMENTS, documents, ["doc_id", "topic", "published_at"])
    of_documents = of_documents.drop_duplicates("doc_id", keep="last").set_index("doc_id")
    columns = ["question_id", "doc_id", "text", "intended", "status"]
    selected = tables.by_keys(SELECTED_QUESTIONS, selected_questions, ["generator"], columns)
    by_generator = {}
    for (generator,), rows in sorted(selected.items()):
        if not rows.num_rows:
            continue
        ids, owner, text, intended, status = (column.combine_chunks() for column in rows.columns)
        owners, names = pd.factorize(owner.to_pandas(), sort=True)
        named = of_documents.loc[names]
        by_generator[generator] = Questions(
            generator,
            ids,
            text,
            owners,
            np.asarray(pc.equal(intended, OUT)),
            np.asarray(pc.equal(status, KEPT)),
            list(names),
            named["topic"].fillna(NO_TOPIC).to_numpy(object),
            [None if pd.isna(day) else day.date().isoformat() for day in named["published_at"]],
        )
    return by_generator


def cells_of(paths) -> dict[str, list[JudgedCell]]:
    """generator -> its cells, from files of defusion_labels; judges, prompts and responders stand in the order in which
    the files first name them.
    """
    cells, order = {}, {}
    for path in paths:
        named = tables.keys(DEFUSION_LABELS, path)
        cell = JudgedCell(*(named[role] for role in JudgedCell._fields))
        cells.setdefault(named["generator"], {})[cell] = None
        for role in cell._asdict().items():
            order.setdefault(role, len(order))

    def place(cell):
        return [order[role] for role in cell._asdict().items()]

    return {generator: sorted(of_generator, key=place) for generator, of_generator in cells.items()}


def read_verdicts(questions: dict[str, Questions], paths) -> dict[str, dict[JudgedCell, np.ndarray]]:
    """generator -> cell -> one code per question, from files of defusion_labels."""
    matrices, keys = {generator: {} for generator in questions}, ["generator", *JudgedCell._fields]
    labels = tables.by_keys(DEFUSION_LABELS, paths, keys, ["question_id", "label"])
    for (generator, *cell), rows in labels.items():
        if generator in questions:  # else it wrote none
            matrices[generator][JudgedCell(*cell)] = questions[generator].codes(*rows.columns, SIDES)
    return matrices


def numeric(codes: np.ndarray) -> np.ndarray:
    """Codes as numbers to average, NaN without a verdict."""
    return np.where(codes >= 0, codes == YES, np.nan)


def aligned(wanted: pa.Array, ids, values: np.ndarray, missing) -> np.ndarray:
    """Values of ids, in the order of `wanted`, whose ids are distinct; `missing` for ids without a value."""
    places = pc.index_in(ids, value_set=wanted)
    rows = np.full((len(wanted), *values.shape[1:]), missing, values.dtype)
    rows[np.asarray(places.drop_null())] = values[np.asarray(places.is_valid())]
    return rows


def coded(labels, sides=SIDES) -> np.ndarray:
    """Labels as codes, the places of their sides; others abstain."""
    return np.asarray(pc.fill_null(pc.index_in(labels, value_set=pa.array(sides)), ABSTAINED)).astype(np.int8)


def judges_on_gold(labels, gold) -> dict[str, Judge]:
    """judge -> how it labels what people have settled; responses that it has no label for are left out. Both are
    frames with question_id, responder, prompt and label.
    """
    same = ["question_id", "responder", "prompt"]
    on_gold = labels.merge(gold[[*same, "label"]], on=same, suffixes=("", "_settled"))
    on_gold = on_gold[on_gold["label"].isin([DEFUSED, NOT_DEFUSED])]
    judges = {}
    for judge, rows in on_gold.groupby("judge"):
        yes, right = rows["label_settled"] == DEFUSED, rows["label"] == rows["label_settled"]
        counts = (right & yes).sum(), yes.sum(), (right & ~yes).sum(), (~yes).sum()
        judges[judge] = Judge(*map(int, counts))
    return judges


def period(published: str | None, cutoff: str | None) -> str:
    """Days are in ISO's form, so that their order is that of the texts."""
    if not published or not cutoff:
        return UNKNOWN
    return AFTER if published > cutoff else BEFORE
