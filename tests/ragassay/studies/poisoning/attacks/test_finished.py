"""What was made is made once, and for nothing else."""

import json

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


def test_what_a_unit_follows_from_is_written_down_and_its_order_does_not_count(tmp_path):
    about = {"steps": 2, "seed": 1}
    made(tmp_path, about, [{"target_id": "bridge", "number": 2}])
    assert made(tmp_path, dict(reversed(about.items())), [{"number": 2, "target_id": "bridge"}])[1] == []
    [folder] = tmp_path.iterdir()
    assert json.loads((folder / "attack.json").read_text()) == about


def test_what_a_stand_in_answered_is_not_kept(tmp_path):
    finished = Finished(tmp_path / "none", {}, keeps=False)
    assert len(list(finished.each(UNITS, lambda unit: [Poison(unit["target_id"], "text")]))) == 2
    assert not (tmp_path / "none").exists()


def test_a_damaged_file_is_told(tmp_path):
    made(tmp_path)
    for path in tmp_path.glob("*/*.json"):
        path.write_text(path.read_text()[:-3])
    with pytest.raises(AttackError, match=r"\.json: damaged .* delete it and its texts are made again"):
        made(tmp_path)
