"""What stages of detectors are told, by the names that a target has."""

import pytest

from ragassay.config.schema import merged
from ragassay.config.settings import checked
from ragassay.plan import detectors
from wildcards import Wildcards


@pytest.fixture
def config():
    return checked({}, [], merged())


@pytest.mark.parametrize("of", [detectors.modules, detectors.weights, detectors.train_detector])
@pytest.mark.parametrize(
    ("name", "encoder", "found"),
    [
        ("overlop", "minilm", "the detector 'overlop', expected one of: sbert_nli, similarity, question_alone, over"),
        ("overlap", "minlm", "the encoder 'minlm', expected one of: minilm (did you mean minilm?)"),
    ],
)
def test_a_target_that_names_an_unknown_detector_or_encoder_is_refused(config, of, name, encoder, found):
    with pytest.raises(detectors.UnknownName) as caught:
        of(config, Wildcards(detector=name, encoder=encoder))
    where = "a path below results/detectors or results/predictions"
    assert str(caught.value).startswith(f"{where}: found {found}")
