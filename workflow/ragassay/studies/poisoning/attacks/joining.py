"""What questions find in a corpus under attack: what they find in the clean one, and among the poisoned passages."""

import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.schemas.attacks import POISONED_PASSAGES, RETRIEVED
from ragassay.schemas.corpora import QUERIES
from ragassay.studies.poisoning.attacks.tried import tried as tried_of


def poisoned(path) -> tuple[pa.ChunkedArray, list[str]]:
    """Ids and texts, ids ascending."""
    rows = tables.read(POISONED_PASSAGES, path, ["passage_id", "text"])
    return rows["passage_id"], rows["text"].to_pylist()


def asked(queries, tried: dict | None) -> dict[str, list[str]]:
    """The ids and texts of the questions that the attack is tried on."""
    rows = tables.read(QUERIES, queries, ["query_id", "text"])
    return rows.filter(
        pc.is_in(rows["query_id"], pa.array(tried_of(rows["query_id"].to_pylist(), **tried or {})))
    ).to_pydict()


def write(retrieved, neighbours: pa.Table, poisoned_passages, table=RETRIEVED) -> int:
    """The table retrieved, or one like it, from rows of the table neighbours, clean and poisoned ones together."""
    made = tables.read(POISONED_PASSAGES, poisoned_passages, ["passage_id", "attack", "target_id"])
    at = pc.index_in(neighbours["passage_id"], made["passage_id"].combine_chunks())
    columns = {
        "target_id": neighbours["query_id"],
        **{name: neighbours[name] for name in ("rank", "passage_id", "score")},
        "poisoned": pc.is_valid(at),
        "attack": made["attack"].take(at),
        "aimed_at": made["target_id"].take(at),
    }
    return tables.write(table, retrieved, pa.table(columns, schema=table.schema))
