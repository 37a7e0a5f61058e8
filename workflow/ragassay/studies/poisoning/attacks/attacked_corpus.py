"""A corpus under attack: the texts of its passages, clean and poisoned, and what questions find there. Only the texts
that are needed are held. Poisoned passages are searched apart and join what the clean corpus gave, which is what one
search of both would find."""

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.schemas.attacks import POISONED_PASSAGES, RETRIEVED
from ragassay.schemas.corpora import NEIGHBOURS, PASSAGES, QUERIES
from ragassay.studies.poisoning.attacks.attack import AttackError
from ragassay.studies.poisoning.attacks.attack import tried as tried_of


def texts_of(wanted: Iterable[str], passages: Iterable, poisoned_passages: Iterable = ()) -> dict[str, str]:
    """id -> text; passages are files of both tables."""
    wanted, texts = set(wanted), {}
    files = [*((PASSAGES, path) for path in passages), *((POISONED_PASSAGES, path) for path in poisoned_passages)]
    for table, path in files:
        for batch in tables.batches(table, path, ["passage_id", "text"]):
            texts |= {row["passage_id"]: row["text"] for row in batch.to_pylist() if row["passage_id"] in wanted}
    if missing := sorted(wanted - texts.keys()):
        places = ", ".join(str(path) for _, path in files)
        raise AttackError(f"{places}: found no passage {missing[0]!r}, which a search found; run the search again")
    return texts


def retrieved_texts(neighbours: list, passages: list) -> dict[str, list[dict]]:
    """target -> the passages that its question finds in the clean corpus, best first; of no files, nothing."""
    neighbouring = tables.read_all(NEIGHBOURS, neighbours).to_pylist() if neighbours else []
    texts = texts_of((row["passage_id"] for row in neighbouring), passages)
    by_target = {}
    for row in neighbouring:
        passage = {"passage_id": row["passage_id"], "text": texts[row["passage_id"]], "score": row["score"]}
        by_target.setdefault(row["query_id"], []).append(passage)
    return by_target


def poisoned(path) -> tuple[pa.ChunkedArray, list[str]]:
    """Ids and texts, ids ascending."""
    rows = tables.read(POISONED_PASSAGES, path, ["passage_id", "text"])
    return rows["passage_id"], rows["text"].to_pylist()


def asked(queries, tried: dict | None) -> dict[str, list[str]]:
    """The ids and texts of the questions that the attack is tried on."""
    rows = tables.read(QUERIES, queries, ["query_id", "text"])
    chosen = pa.array(tried_of(rows["query_id"].to_pylist(), **tried or {}))
    return rows.filter(pc.is_in(rows["query_id"], chosen)).to_pydict()


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
