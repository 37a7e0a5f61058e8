"""hold_out_documents: about half of the documents, near-duplicates together, none moved by others."""

import random

import pytest

from growth import peak
from ragassay.base import _sorted_runs, tables
from ragassay.schemas.corpora import HELD_OUT_DOCUMENTS, PASSAGES
from rows import place, row
from scripts.corpora.hold_out_documents import HoldingOutError, hold_out_documents


def test_documents_are_held_out_with_their_near_duplicates(study):
    rows = tables.read(HELD_OUT_DOCUMENTS, study / "held_out_documents/small.parquet").to_pylist()
    out = {row["document_id"] for row in rows if row["held_out"]}
    assert len(rows) == 120 and 40 < len(out) < 80
    assert rows[1]["cluster_id"] == "d000" and ("d000" in out) == ("d001" in out)
    kept = tables.read(PASSAGES, place(study, PASSAGES, corpus="small.held_out"))["passage_id"].to_pylist()
    assert {name.removesuffix("#0") for name in kept} == {row["document_id"] for row in rows} - out


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


def test_documents_whose_passages_lie_apart_are_whole(tmp_path):
    """By the names of their passages, those of two documents take turns; the documents say the same."""
    dice = random.Random(0)
    told = [" ".join(dice.choices("abcdefghij", k=12)) for _ in range(30)]
    texts = [(f"p{at:02}-{copy}", f"{'xy'[copy]}{at % 3}", text) for at, text in enumerate(told) for copy in (0, 1)]
    rows = [row(PASSAGES, passage_id=name, document_id=owner, text=text) for name, owner, text in texts]
    tables.write(PASSAGES, tmp_path / "p.parquet", rows)
    hold_out_documents(*(tmp_path / f"{name}.parquet" for name in ("p", "documents", "known")), 0.5, 0.9, 300)
    found = tables.read(HELD_OUT_DOCUMENTS, tmp_path / "documents.parquet").to_pydict()
    assert found["document_id"] == ["x0", "x1", "x2", "y0", "y1", "y2"]
    assert found["cluster_id"] == ["x0", "x1", "x2"] * 2


def test_memory_grows_by_keys_and_signatures_and_not_by_texts(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "BATCH_ROWS", 32)
    monkeypatch.setattr(_sorted_runs, "RUN_BYTES", 200_000)
    dice, length, most = random.Random(0), 8_000, {}
    for count in (100, 500):
        folder = tmp_path / str(count)
        with tables.Writer(PASSAGES, folder / "p.parquet") as writer:
            for at in range(count):
                text = f"{dice.getrandbits(4 * length):x}"
                text = " ".join(text[start : start + 7] for start in range(0, length, 7))
                writer.add(row(PASSAGES, passage_id=f"p{at:04}", document_id=f"d{at:04}", text=text))
        paths = [folder / f"{name}.parquet" for name in ("p", "documents", "known")]
        most[count] = peak(lambda paths=paths: hold_out_documents(*paths, 0.5, 0.6, 300))
    assert most[500] - most[100] < 400 * length / 4


def test_a_corpus_of_one_document_is_refused(tmp_path):
    with pytest.raises(HoldingOutError, match=r"p.parquet: found 1 different documents, of which [01] would be"):
        passages(tmp_path, 1)


def test_with_a_share_of_0_nothing_is_held_out_of_however_few_documents(tmp_path):
    tables.write(PASSAGES, tmp_path / "p.parquet", [row(PASSAGES, passage_id="p", document_id="d", text="A text.")])
    paths = [tmp_path / f"{name}.parquet" for name in ("p", "documents", "left")]
    hold_out_documents(*paths, 0, 0.6, 300)
    assert [row["held_out"] for row in tables.read(HELD_OUT_DOCUMENTS, paths[1]).to_pylist()] == [False]
    assert tables.read(PASSAGES, paths[2]).equals(tables.read(PASSAGES, paths[0]))
