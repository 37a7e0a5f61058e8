"""Activations of answered prompts: those of the model's own hidden states, each computed once."""

import numpy as np
import pytest
import torch
from transformers import AutoModel

from probe_study import PROMPTS
from ragassay.calls.prompts import Prompt
from ragassay.models.activations.sites import ActivationsError
from ragassay.models.activations.state_store import Decoder
from ragassay.schemas.attacks import TARGETS
from ragassay.schemas.probes import ACTIVATIONS, PROMPT_PAIRS
from ragassay.studies.poisoning.probes.reading import Reading


def test_they_are_the_states_of_the_last_token_of_each_prompt(study):
    decoder = Decoder("model tiny", study.model)
    states = Reading().resolved(decoder).store(decoder, study.embeddings)
    rows = study.rows(ACTIVATIONS)
    pairs = study.rows(PROMPT_PAIRS)
    questions = {row["target_id"]: row["question"] for row in study.rows(TARGETS)}
    assert len(rows) == len(pairs) > len({row["key"] for row in rows})
    trunk = AutoModel.from_pretrained(study.model["model"])
    for at in (0, 5, len(rows) - 1):
        messages = Prompt.load(PROMPTS[0]).messages(
            passages=pairs[at]["passages"], question=questions[pairs[at]["target_id"]]
        )
        tokens = decoder.tokens(messages)
        with torch.inference_mode():
            hidden = trunk(torch.tensor([tokens]), output_hidden_states=True).hidden_states
        expected = np.stack([layer[0, -1].numpy() for layer in hidden[1:]])
        found = states.read([bytes.fromhex(rows[at]["key"])])[0, :, 0]
        assert len(tokens) == rows[at]["tokens"] and np.abs(found - expected).max() < 5e-3


def test_a_layer_that_the_model_lacks_is_refused(study):
    with pytest.raises(ActivationsError, match="found layer 9 at the site mlp, expected one from -2 to 2 and not 0"):
        study.collect({"site": "mlp", "layers": [9]})
