"""Through a decoder made by hand, a detector finds what was planted, and only where it was planted.

Its last block alone lets `<|unused_0|>` look for one word and bring back what it found; all other tokens look at the
beginning. So only the state of that token, behind the prompt and after the last block, tells questions with the word
from others: another token, position or layer is at chance.
"""

from functools import partial

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

from models import save_decoder
from ragassay.base import tables
from ragassay.metrics.panel import auroc
from ragassay.models.activations.state_store import StoredStates
from ragassay.models.heads import regression, scores
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.scope_answers import PREDICTIONS
from ragassay.schemas.scope_questions import QUESTIONS, SELECTED_QUESTIONS
from ragassay.studies.scope.detectors.detector import DetectorQuestion
from ragassay.studies.scope.detectors.kinds import appended_token

WORD, TOKEN, WIDTH = "zeppelin", "<|unused_0|>", 16
FOUND, SEEKS, BEGINS, ANY = range(4)  # what directions of a token's vector mean; the others mean nothing
AT_WORD, AT_BEGINNING = 6, 7  # directions of queries and keys that hardly turn with the position


@pytest.fixture(scope="module")
def seeker(tmp_path_factory):
    folder = tmp_path_factory.mktemp("seeker")
    save_decoder(folder, [f"Where does the {WORD} lie? ferry herring tower council"] * 3, 400, 512)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    (word,) = tokenizer(f" {WORD}", add_special_tokens=False)["input_ids"]
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=WIDTH,
        intermediate_size=8,
        num_hidden_layers=2,
        num_attention_heads=1,
        max_position_embeddings=512,
        rope_parameters={"rope_type": "default", "rope_theta": 1e12},
    )
    torch.manual_seed(0)
    model = LlamaForCausalLM(config)
    with torch.no_grad():
        vectors = model.model.embed_tokens.weight
        vectors.normal_(0, 0.3)[:, : ANY + 1] = torch.tensor([0.0, 0.0, 0.0, 1.0])
        named = {FOUND: word, SEEKS: tokenizer.get_vocab()[TOKEN], BEGINS: tokenizer.bos_token_id}
        for direction, token in named.items():
            vectors[token, direction] = 3
        for block in model.model.layers:
            block.mlp.down_proj.weight.zero_()
            block.self_attn.o_proj.weight.zero_()
        attention = model.model.layers[-1].self_attn
        for part in (attention.q_proj, attention.k_proj):
            part.weight.zero_()
        attention.q_proj.weight[AT_WORD, SEEKS] = attention.q_proj.weight[AT_BEGINNING, ANY] = 20
        attention.k_proj.weight[AT_WORD, FOUND] = attention.k_proj.weight[AT_BEGINNING, BEGINS] = 4
        for part in (attention.v_proj, attention.o_proj):
            part.weight.copy_(torch.eye(WIDTH))
    model.save_pretrained(folder)
    return {"name": "seeker", "model": str(folder), "options": {"device": "cpu"}}


@pytest.fixture
def planted(study, tmp_path):
    """The study with the word in every out-of-scope question, first or last, and in no other."""
    study.embeddings = tmp_path / "states"
    rows = study.rows(SELECTED_QUESTIONS)
    for number, one in enumerate(rows):
        more = WORD if one["intended"] == "out_of_scope" else "herring"
        one["text"] = f"The {more}: {one['text']}" if number % 3 else f"{one['text']} And the {more}?"
    study.write(SELECTED_QUESTIONS, rows)
    study.write(QUESTIONS, [{name: one[name] for name in QUESTIONS.schema.names} for one in rows])
    return study


def test_the_state_of_the_appended_token_tells_what_stands_in_the_question(planted, seeker):
    settings = planted.settings("appended_token", seeker, appended=TOKEN)
    planted.train(settings)
    rows = tables.read(PREDICTIONS, planted.apply(settings)).to_pylist()
    left_out = [one for one in rows if one["part"] == "test" and one["head"] == "logistic"]
    found = auroc([one["score"] for one in left_out], [one["intended"] == "out_of_scope" for one in left_out])
    assert len(left_out) >= 8 and found > 0.99


@pytest.mark.parametrize(
    ("token", "layer", "position", "told"),
    [
        (TOKEN, -1, -1, True),
        (None, -1, -1, False),
        (TOKEN, 0, -1, False),
        (TOKEN, 1, -1, False),
        (TOKEN, -1, 0, False),
        (TOKEN, -1, -2, False),
    ],
)
def test_another_token_layer_or_position_is_at_chance(planted, seeker, token, layer, position, told, monkeypatch):
    monkeypatch.setattr(appended_token, "StoredStates", partial(StoredStates, positions=[position]))
    about = planted.settings("appended_token", seeker, appended=token, layer=layer)
    own = appended_token.Kind(about["detector"], about["embeddings"], about["prompt"])
    texts = {one["doc_id"]: one["text"] for one in planted.rows(DOCUMENTS)}
    rows = planted.rows(SELECTED_QUESTIONS)
    features = own.features(
        [DetectorQuestion(one["question_id"], one["doc_id"], one["text"], texts[one["doc_id"]]) for one in rows]
    )
    labels = np.array([one["intended"] == "out_of_scope" for one in rows])
    trained, left_out = (np.array([one["split"] == part for one in rows]) for part in ("train", "test"))
    found = auroc(
        scores.scores(regression.train(features[trained], labels[trained]), features[left_out]), labels[left_out]
    )
    assert found > 0.99 if told else 0.3 < found < 0.7
