"""What a part of a prompt does to what a model says: gradients against differences, greedy decoding as it is done."""

import numpy as np
import pytest
import torch

from models import one_thread, save_decoder  # noqa: F401  a fixture
from ragassay.models.likelihood import Scorer
from ragassay.models.local import LocalModel
from ragassay.studies.poisoning.attacks.victims import says, steering

PROMPT = "The ferry sails at nine. The bridge opened in spring. When does the ferry sail?"
PART = (10, 24)  # sails at nine.
SAID = " in spring"


@pytest.fixture(scope="module")
def scorer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("decoder")
    save_decoder(folder, [PROMPT] * 3, 300, 128)
    return Scorer(LocalModel("model little", {"model": str(folder), "options": {"device": "cpu"}}))


def test_what_a_token_promises_is_what_its_embedding_would_change(scorer):
    found = steering(scorer, SAID, PROMPT, PART)
    tokenizer, model = scorer.local.tokenizer, scorer.causal.model
    assert tokenizer.decode(found.tokens).strip() == PROMPT[slice(*PART)]
    table = model.get_input_embeddings().weight.detach()
    [row] = scorer.rows([SAID], [PROMPT])
    tokens = torch.from_numpy(row.tokens)
    place = next(at for at in range(len(tokens)) if (row.tokens[at : at + len(found.tokens)] == found.tokens).all())
    step, other = 1e-3, 5

    def likelihood(share):
        embedded = table[tokens].clone()
        embedded[place] += share * (table[other] - table[tokens[place]])
        logits = model(inputs_embeds=embedded[None]).logits[0, row.first - 1 : -1].double()
        return logits.log_softmax(1).gather(1, tokens[row.first :, None]).sum().item()

    with torch.inference_mode():
        slope = (likelihood(step) - likelihood(-step)) / (2 * step)
    assert found.promised[0, other].item() == pytest.approx(slope, rel=2e-2, abs=1e-4)
    assert np.allclose(found.promised[np.arange(len(found.tokens)), found.tokens], 0, atol=1e-5)


def test_greedy_decoding_says_what_the_model_generates(scorer):
    tokenizer, model = scorer.local.tokenizer, scorer.causal.model
    [row] = scorer.rows([SAID], [PROMPT])
    prompt, wanted = torch.from_numpy(row.tokens[: row.first])[None], int(row.tokens[row.first])
    assert not says(scorer, SAID, PROMPT)
    with torch.inference_mode():
        state = model(prompt, output_hidden_states=True).hidden_states[-1][0, -1]
        model.get_output_embeddings().weight[wanted] = 100 * state
    made = model.generate(prompt, max_new_tokens=1, do_sample=False, pad_token_id=0)[0, row.first :]
    assert made.tolist() == [wanted] and says(scorer, tokenizer.decode(made), PROMPT)
