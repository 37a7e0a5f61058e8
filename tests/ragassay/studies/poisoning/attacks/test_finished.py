"""What was made is made once, and for nothing else."""

import pytest

from ragassay.studies.poisoning.attacks.attack import AttackError, Finished, Poison

UNITS = [{"target_id": "bridge"}, {"target_id": "ferry"}]


def made(folder, about=None, units=UNITS):
    calls = []

    def make(unit):
        calls.append(unit)
        return [Poison(unit["target_id"], f"text {len(calls)}", forwards=3)]

    return list(Finished(folder, about or {}).each(units, make)), calls


def test_each_unit_is_made_once_and_stays_in_order(tmp_path):
    first, calls = made(tmp_path)
    assert [one.target_id for one in first] == ["bridge", "ferry"] and calls == UNITS
    again, calls = made(tmp_path, units=UNITS[::-1])
    assert again == first[::-1] and calls == [] and again[0].forwards == 3


def test_other_settings_and_other_units_are_made_anew(tmp_path):
    made(tmp_path)
    assert len(made(tmp_path, {"steps": 2})[1]) == 2
    assert made(tmp_path, units=[{"target_id": "bridge", "question": "x"}])[1]


def test_a_damaged_file_is_told(tmp_path):
    made(tmp_path)
    for path in tmp_path.glob("*/*.json"):
        path.write_text(path.read_text()[:-3])
    with pytest.raises(AttackError, match=r"\.json: damaged .* delete it and its texts are made again"):
        made(tmp_path)
