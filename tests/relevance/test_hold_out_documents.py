"""hold_out_documents: about half of the documents, near-duplicates together, none moved by others."""

import pytest

from ragassay import tables
from ragassay.schemas.held_out_documents import HELD_OUT_DOCUMENTS
from ragassay.schemas.passages import PASSAGES
from rows import place, row
from scripts.relevance.hold_out_documents import HoldingOutError, hold_out_documents


def test_documents_are_held_out_with_their_near_duplicates(study):
    rows = tables.read(HELD_OUT_DOCUMENTS, study / "held_out_documents/small.parquet").to_pylist()
    out = {row["document_id"] for row in rows if row["held_out"]}
    assert len(rows) == 120 and 40 < len(out) < 80
    assert rows[1]["cluster_id"] == "d000" and ("d000" in out) == ("d001" in out)
    kept = tables.read(PASSAGES, place(study, PASSAGES, corpus="small.held_out"))["passage_id"].to_pylist()
    assert set(kept) == {row["document_id"] for row in rows} - out


def passages(folder, count, cut=1):
    texts = [row(PASSAGES, passage_id=f"p{at}", document_id=f"d{at // cut}", text=f"text {at}") for at in range(count)]
    tables.write(PASSAGES, folder / "p.parquet", texts)
    paths = [folder / f"{name}.parquet" for name in ("p", "documents", "known")]
    hold_out_documents(*paths, 0.5, 0.6, 300)
    rows = tables.read(HELD_OUT_DOCUMENTS, paths[1]).to_pylist()
    return {row["document_id"]: row["held_out"] for row in rows}, tables.read(PASSAGES, paths[2]).to_pylist()


def test_a_document_goes_with_all_its_passages_and_stays_when_others_come(tmp_path):
    few, _ = passages(tmp_path, 40, 2)
    many, kept = passages(tmp_path, 80, 2)
    assert few.items() <= many.items()
    assert {one["document_id"] for one in kept} == {name for name, out in many.items() if not out}
    assert len(kept) == 2 * sum(not out for out in many.values())


def test_a_corpus_of_one_document_is_refused(tmp_path):
    with pytest.raises(HoldingOutError, match=r"p.parquet: found 1 different documents, of which [01] would be"):
        passages(tmp_path, 1)
