"""Ask the gate of a corpus about each question of a set: does the corpus know what it asks?"""

import pyarrow as pa

from ragassay.base import tables
from ragassay.base.stage import log, run
from ragassay.schemas.relevance import COVERED_QUESTIONS
from ragassay.schemas.scope_questions import QUESTIONS
from ragassay.services.gate import Gate
from ragassay.studies.relevance.outside import decisions


def cover_questions(gate, questions, covered_questions):
    rows = tables.read(QUESTIONS, questions, ["question_id", "text"])
    columns = decisions(Gate.load(gate), rows["text"])
    tables.write(COVERED_QUESTIONS, covered_questions, pa.table({"question_id": rows["question_id"]} | columns))
    log.info("%d questions, %d of them out of knowledge", len(rows), columns["rejected"].sum())


if __name__ == "__main__":
    run(cover_questions, snakemake)
