"""What is answered behind RAGuard under other settings; the same passages are asked about once."""

import pytest

from passages import TEXTS, write_passages
from project import ROOT
from ragassay.base import tables
from ragassay.schemas.defences import SWEEP_ANSWERS, SWEEP_SHOWN
from ragassay.schemas.report import CALLS
from scripts.measures.answer_sweeps import answer_sweeps
from targets import READER, write_poison, write_targets

POISON = [("bridge", "The lighthouse fell in the storm.")]
SHOWN = {("figure_2", "1"): ["poison-0"], ("figure_2", "3"): ["p2"], ("figure_3", "5"): ["p2"], ("alpha", "1"): []}


@pytest.fixture
def rows(tmp_path):
    def place(name):
        return tmp_path / f"{name}.parquet"

    write_targets(place("targets"))
    write_passages(place("passages"), TEXTS)
    write_poison(place("poison"), POISON)
    shown = [
        {"sweep": sweep, "at": at, "kind": "raguard", "attack": "bare", "target_id": "bridge", "passages": names}
        for (sweep, at), names in SHOWN.items()
    ]
    tables.write(SWEEP_SHOWN, place("shown"), shown)
    prompts = [ROOT / f"resources/prompts/{name}.yaml" for name in ("respond_passages", "answer_closed_book")]
    files = [place("targets"), place("shown"), place("passages"), [place("poison")], *prompts]
    asked = (READER, str(tmp_path / "ledger/answer_sweeps"), {"temperature": 0}, False, 1)
    answer_sweeps(*files, place("answers"), place("calls"), *asked)
    assert tables.read(CALLS, place("calls"))["samples"].to_pylist() == [3]
    return {(row["sweep"], row["at"]): row for row in tables.read(SWEEP_ANSWERS, place("answers")).to_pylist()}


def test_each_setting_has_the_outcome_of_its_passages(rows):
    found = {key: (row["outcome"], row["poisoned"]) for key, row in rows.items()}
    assert found["figure_2", "1"] == ("target", 1) and found["alpha", "1"] == ("refusal", 0)
    assert found["figure_2", "3"] == found["figure_3", "5"] == ("correct", 0)
