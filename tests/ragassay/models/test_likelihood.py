"""Log-likelihoods: those of a plain loop over the model's own logits, whatever stands beside a text in its batch."""

import copy
import random

import numpy as np
import pytest
import torch
import transformers

from demo.lm.tokens import trained
from models import WORDS, one_thread  # noqa: F401  a fixture
from ragassay.models import likelihood as module
from ragassay.models.likelihood import LikelihoodError, Scorer
from ragassay.models.local import LocalModel

LONGEST = 64
WIDTHS = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2, "max_position_embeddings": LONGEST}
SMALL = {**WIDTHS, "intermediate_size": 40, "num_key_value_heads": 1, "head_dim": 12}
LONG = {"rope_type": "longrope", "rope_theta": 1e4, "short_factor": [1.0] * 6, "long_factor": [1.0, 2.0] * 3}
FAMILIES = {
    "GPT2": {"n_embd": 24, "n_layer": 2, "n_head": 2, "n_positions": LONGEST},
    "OPT": {**WIDTHS, "ffn_dim": 40, "word_embed_proj_dim": 16},
    "Bloom": {"hidden_size": 24, "n_layer": 2, "n_head": 2},
    "Llama": SMALL,
    "Gemma2": {**SMALL, "final_logit_softcapping": 0.5},  # bends its logits
    "Cohere": {**SMALL, "num_key_value_heads": 2, "logit_scale": 0.3},  # scales them
    "Phi3": {**SMALL, "rope_parameters": LONG, "original_max_position_embeddings": 20},  # turns long texts otherwise
}


@pytest.fixture(scope="session")
def saved(tmp_path_factory):
    """A function that saves a little random model of a family, once, and returns it as an entry names it."""
    tokenizer, made = trained([" ".join(WORDS) + " 東京"], 300, LONGEST), {}

    def save(family="Llama", **tokens):
        key = (family, *tokens)
        if key not in made:
            folder, own_tokenizer = tmp_path_factory.mktemp(family), copy.deepcopy(tokenizer)
            torch.manual_seed(0)
            own = {"vocab_size": len(tokenizer), "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
            config = getattr(transformers, f"{family}Config")(**own, **FAMILIES[family])
            model = transformers.AutoModelForCausalLM.from_config(config)
            with torch.no_grad():
                model.get_output_embeddings().weight.mul_(20)  # so that tokens differ in how probable they are
            model.save_pretrained(folder)
            for name, value in tokens.items():
                setattr(own_tokenizer, name, value)
            own_tokenizer.save_pretrained(folder)
            made[key] = folder
        return LocalModel("model little", {"model": str(made[key]), "options": {"device": "cpu"}})

    return save


@pytest.fixture(scope="module")
def texts():
    draw = random.Random(0)
    return ["", "ferry", "Élan 東京 — naïve", *(" ".join(draw.choices(WORDS, k=k)) for k in (3, 9, 9, 2, 5, 7))]


def cut(local, text):
    return local.tokenizer(text, add_special_tokens=False)["input_ids"]


def loop(local, text, front=(1,)):
    """The values of one text's tokens behind those in front, from the logits of the whole model."""
    row = [*front, *text]
    with torch.inference_mode():
        chances = local.causal()(input_ids=torch.tensor([row])).logits[0].double().log_softmax(-1)
    return [float(chances[at - 1, row[at]]) for at in range(len(front), len(row))]


@pytest.mark.parametrize("family", FAMILIES)
def test_values_are_those_of_a_plain_loop(saved, texts, family, monkeypatch):
    monkeypatch.setattr(module, "ROWS", 7)  # texts do not fit into one piece
    local = saved(family)
    found = Scorer(local).of(texts)
    for text, one in zip(texts, found, strict=True):
        wanted = loop(local, cut(local, text))
        assert one.values.dtype == np.float32 and np.abs(one.values - wanted).max(initial=0) < 1e-5
        assert one.tokens == len(wanted) and one.total == pytest.approx(sum(wanted), abs=1e-5 * max(1, len(wanted)))
        assert one.cut == 0
    assert np.ptp(np.concatenate([one.values for one in found])) > 0.5  # not all the same


@pytest.mark.parametrize("family", ["GPT2", "Gemma2"])
def test_certainties_are_those_of_the_whole_models_logits(saved, family, monkeypatch):
    monkeypatch.setattr(module, "ROWS", 3)
    local, given, answers = saved(family), ["quay storm ", "ferry", "quay"], ["herring cheese", "", "storm quay bridge"]
    found = Scorer(local).certainties(answers, given)
    assert found.shape == (3, 3) and np.isnan(found[1]).all()
    for at in (0, 2):
        front = cut(local, given[at])
        with torch.inference_mode():
            logs = local.causal()(input_ids=torch.tensor([front])).logits[0, -1].double().log_softmax(-1)
        entropy = -float((logs.exp() * logs).sum())
        expected = [-float(logs.max()), entropy, -np.mean(loop(local, cut(local, answers[at]), front))]
        assert np.abs(found[at] - expected).max() < 1e-5
    assert Scorer(local).certainties([], []).shape == (0, 3)


@pytest.mark.parametrize("budget", [1, 30, 5000])
def test_neither_order_nor_batches_change_values(saved, texts, budget):
    local = saved("GPT2")
    local.entry["options"]["batch_tokens"] = budget
    expected, order = Scorer(saved("GPT2")).of(texts), list(range(len(texts)))[::-1]
    found = Scorer(local).of([texts[at] for at in order])
    for at, one in zip(order, found, strict=True):
        assert np.abs(one.values - expected[at].values).max(initial=0) < 1e-5


def test_a_text_behind_another_is_scored_behind_it_and_alone(saved, texts):
    local, given = saved(), ["herring cheese ", "", "Answer:", *["ferry"] * (len(texts) - 3)]
    for text, front, one in zip(texts, given, Scorer(local).of(texts, given), strict=True):
        wanted = loop(local, cut(local, text), cut(local, front) or [1])
        assert one.tokens == len(wanted) and np.abs(one.values - wanted).max(initial=0) < 1e-5


def test_one_pass_gives_both_halves_of_a_text(saved):
    first, second = "ferry quay harbour", " storm 東京 bridge"
    scorer = Scorer(saved())
    [whole] = scorer.of([first + second])
    [front], [rest] = scorer.of([first]), scorer.of([second], ["<|begin|>" + first])
    before, behind = (whole.between(*part) for part in ((0, len(first)), (len(first), len(first + second))))
    assert before.tokens == front.tokens and np.abs(before.values - front.values).max() < 1e-5
    assert behind.tokens == rest.tokens and np.abs(behind.values - rest.values).max() < 1e-5
    assert whole.total == pytest.approx(before.total + behind.total)


def test_without_a_start_token_the_first_token_is_not_scored(saved, texts):
    local = saved("Llama", bos_token=None)
    for text, one in zip(texts[1:], Scorer(local).of(texts[1:]), strict=True):
        first, *rest = cut(local, text)
        assert np.abs(one.values - loop(local, rest, [first])).max() < 1e-5
        assert one.ends[-1] == len(text) and one.tokens == len(one.ends)


def test_a_start_token_stands_before_what_is_given_unless_a_chat_template_made_it(saved):
    plain = saved("Llama", chat_template=None)
    [behind], [chat] = (Scorer(local).of(["ferry"], ["quay"]) for local in (plain, saved()))
    assert np.abs(behind.values - loop(plain, cut(plain, "ferry"), [1, *cut(plain, "quay")])).max() < 1e-5
    assert np.abs(chat.values - loop(plain, cut(plain, "ferry"), cut(plain, "quay"))).max() < 1e-5


def test_a_text_that_is_too_long_is_cut_and_says_so(saved, caplog):
    caplog.set_level("INFO", "ragassay")
    text = " ".join(WORDS * 6)
    scorer = Scorer(saved())
    count = len(scorer.local.tokenizer(text)["input_ids"])
    [one] = scorer.of([text])
    assert (one.tokens, one.cut) == (LONGEST - 1, count - LONGEST + 1)
    assert "1 texts are longer than the 64 tokens that are read" in caplog.text
    assert Scorer(saved(), longest=10).of([text])[0].tokens == 9


def test_what_cannot_be_scored_is_one_line(saved):
    with pytest.raises(LikelihoodError, match=r"little: text 2 stands behind .* tokens, expected fewer than 64"):
        Scorer(saved()).of(["ferry", "ferry"], ["quay", " ".join(WORDS * 6)])
    broken = Scorer(saved())
    with torch.no_grad():
        broken.causal.head.weight.fill_(torch.nan)
    with pytest.raises(LikelihoodError, match="little: found a log-probability that is not finite in float32"):
        broken.of(["ferry"])


def test_logits_are_made_for_a_few_tokens_at_a_time(saved, texts, monkeypatch):
    monkeypatch.setattr(module, "ROWS", 7)
    scorer, seen = Scorer(saved()), []
    scorer.of(["ferry"])
    scorer.causal.head.register_forward_hook(lambda _module, _input, output: seen.append(output.shape))
    found = scorer.of(texts)
    assert sum(rows for rows, _ in seen) == sum(one.tokens for one in found) and max(rows for rows, _ in seen) == 7


def test_of_nothing_is_nothing_and_no_weights_are_loaded(saved, monkeypatch):
    monkeypatch.setattr(LocalModel, "causal", lambda self: pytest.fail("there is nothing to score"))
    assert Scorer(saved()).of([]) == [] and Scorer(saved()).of([""])[0].tokens == 0
