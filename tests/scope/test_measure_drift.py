"""measure_drift: how far a guess is from the claim in its slot, from what stood there last, and from all claims."""

import pytest

from ragassay import tables
from ragassay.schemas.claims import CLAIMS
from ragassay.schemas.drift import DRIFT
from ragassay.schemas.recovered_claims import RECOVERED_CLAIMS
from rows import row
from scope_study import MINILM
from scripts.scope.measure_drift import measure_drift

CLAIM = "The ferry Sallow Star costs 57 million marks."
OTHER = "Bees make honey all summer."
GUESSES = [(1, 1, "The ferry Sallow Star costs 60 million marks."), (2, 1, OTHER), (2, 2, OTHER)]


@pytest.fixture
def drift(tmp_path):
    tables.write(
        CLAIMS, tmp_path / "claims", [row(CLAIMS, doc_id="d", slot=n + 1, text=t) for n, t in enumerate((CLAIM, OTHER))]
    )
    guesses = [row(RECOVERED_CLAIMS, doc_id="d", round=turn, slot=slot, text=text) for turn, slot, text in GUESSES]
    tables.write(RECOVERED_CLAIMS, tmp_path / "recovered", guesses)
    measure_drift(tmp_path / "claims", tmp_path / "recovered", tmp_path / "drift", MINILM, str(tmp_path / "embeddings"))
    found = tables.read(DRIFT, tmp_path / "drift").to_pylist()
    return {(row["round"], row["slot"]): row for row in found}


def test_each_guess_is_compared_with_first_last_and_nearest(drift):
    first, second, same = drift[1, 1], drift[2, 1], drift[2, 2]
    assert 0.8 < first["to_original"] == first["to_previous"] == first["to_nearest"] < 1
    assert second["to_original"] < 0.3 and second["to_previous"] < 0.3 and second["to_nearest"] == 1
    assert (same["to_original"], same["to_previous"], same["to_nearest"]) == (1, 1, 1)
