"""Saved heads: what is read is what was written, and a head of another training is refused."""

import numpy as np
import pytest

from ragassay.models.heads import heads_file, regression, scores


@pytest.fixture
def heads(data):
    made = data()
    return {("logistic", 0): regression.train(made.features, made.labels)}


def test_heads_round_trip_to_the_same_scores_and_bytes(heads, data, tmp_path):
    for name in ("a", "b"):
        heads_file.write(tmp_path / f"{name}.safetensors", tmp_path / f"{name}.json", heads, {"identity": {"x": 1}})
    found, about = heads_file.read(tmp_path / "a.safetensors", tmp_path / "a.json")
    given = data().features
    assert (scores.scores(found["logistic", 0], given) == scores.scores(heads["logistic", 0], given)).all()
    assert about["identity"] == {"x": 1} and np.std(scores.scores(heads["logistic", 0], given)) > 0.1
    for ending in ("safetensors", "json"):
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


@pytest.mark.parametrize("spoil", ["weights", "card", "missing"])
def test_heads_that_do_not_belong_to_their_card_are_refused(heads, tmp_path, spoil):
    weights, card = tmp_path / "heads.safetensors", tmp_path / "card.json"
    heads_file.write(weights, card, heads, {})
    if spoil == "weights":
        other = {("logistic", 0): {name: array + 1 for name, array in heads["logistic", 0].items()}}
        heads_file.write(weights, tmp_path / "other.json", other, {})
    elif spoil == "card":
        card.write_text("{}")
    else:
        weights.unlink()
    with pytest.raises(heads_file.HeadsFileError, match="train"):
        heads_file.read(weights, card)


def test_what_differs_from_the_training_is_named_with_both_values():
    trained = {"files": "ab", "dtype": "bfloat16", "layer": -1}
    heads_file.check("card.json", trained, dict(trained))
    told = "dtype was 'bfloat16' and is now 'float32'; token was 'nothing' and is now '<x>'; train them again or set "
    with pytest.raises(heads_file.HeadsFileError, match=rf"card\.json: .* other features: {told}.* dtype"):
        heads_file.check("card.json", trained, trained | {"dtype": "float32", "token": "<x>"})
    with pytest.raises(heads_file.HeadsFileError, match=r"layer was -1 and is now 'nothing'; train them again$"):
        heads_file.check("card.json", trained, {"files": "ab", "dtype": "bfloat16"})
