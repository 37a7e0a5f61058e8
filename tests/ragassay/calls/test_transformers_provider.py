"""Local weights through the transformers library: batches, samples, seeds, and what cannot be used."""

import asyncio
import shutil
from types import SimpleNamespace

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from models import save_decoder_in_cache
from ragassay.calls.complete import complete
from ragassay.calls.model import Model, ModelError, Request
from ragassay.calls.providers.transformers import Provider, _Draw

WORDS = ["<pad>", "</s>", "<unk>", *"the a ferry quay marks of in to Sallow Tolven glacier lost won is was and".split()]


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    """A folder with random weights and a word-level tokenizer, in the usual format."""
    folder = tmp_path_factory.mktemp("weights")
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokens = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **tokens).save_pretrained(folder)
    torch.manual_seed(1)
    size = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = LlamaConfig(vocab_size=len(WORDS), max_position_embeddings=64, eos_token_id=1, pad_token_id=0, **size)
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def ask(weights, ledger, requests, **options):
    free = {"input": 0, "output": 0}
    settings = {"concurrency": 8, "price": free, "options": {"device": "cpu", **options}}
    return list(complete(requests, Model("local", "transformers", str(weights), **settings), ledger))


def identity(model, **options):
    return Provider(Model("local", "transformers", str(model), options={"device": "cpu", **options})).identity()


def request(text, samples=1, **sampling):
    return Request([{"role": "user", "content": text}], {"max_tokens": 8, **sampling}, samples)


TEXTS = ["the ferry", "the quay of Sallow is in Tolven and the glacier was lost", "a glacier", "Tolven won the marks"]


def test_rows_of_a_batch_do_not_change_each_other(weights, tmp_path):
    for temperature in (0.0, 0.9):
        requests = [request(text, 3, temperature=temperature) for text in TEXTS]
        together = ask(weights, tmp_path / f"together{temperature}", requests, rows=16)
        alone = ask(weights, tmp_path / f"alone{temperature}", requests, rows=1)
        assert together == alone


def test_a_tokenizer_without_a_token_for_padding_pads_with_the_end(weights, tmp_path):
    shutil.copytree(weights, tmp_path / "model")
    tokenizer = PreTrainedTokenizerFast.from_pretrained(weights)
    tokenizer.pad_token = None
    tokenizer.save_pretrained(tmp_path / "model")
    requests = [request(text, temperature=0.0) for text in TEXTS]
    assert ask(tmp_path / "model", tmp_path / "a", requests) == ask(weights, tmp_path / "b", requests)


def test_the_greedy_answer_is_the_models_own(weights, tmp_path):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(weights), AutoModelForCausalLM.from_pretrained(weights)
    for text in TEXTS:
        inputs = tokenizer(text + "\n", return_tensors="pt")
        made = model.generate(**inputs, max_new_tokens=8, do_sample=False)[0, inputs["input_ids"].shape[1] :]
        expected = tokenizer.decode(made, skip_special_tokens=True)
        assert ask(weights, tmp_path / text, [request(text, temperature=0.0)])[0][0].text == expected


def test_samples_differ_and_a_second_run_gives_the_same(weights, tmp_path):
    first = ask(weights, tmp_path / "a", [request("the ferry", 6, temperature=1.0)])
    assert len({answer.text for answer in first[0]}) > 3
    assert ask(weights, tmp_path / "b", [request("the ferry", 6, temperature=1.0)]) == first
    assert ask(weights, tmp_path / "c", [request("the ferry", 6, temperature=1.0, seed=2)]) != first


@pytest.mark.parametrize("top_p", [1.0, 0.6])
def test_draws_follow_the_models_distribution(weights, tmp_path, top_p):
    """One token, many samples: frequencies against the softmax of the logits, of the tokens that reach top_p."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(weights), AutoModelForCausalLM.from_pretrained(weights)
    chances = model(**tokenizer("the ferry\n", return_tensors="pt")).logits[0, -1].div(0.7).softmax(-1).tolist()
    total, likeliest = 0.0, []
    for number in sorted(range(len(chances)), key=chances.__getitem__, reverse=True):
        if total < top_p:
            likeliest.append(number)
            total += chances[number]
    chances = [chance / total if number in likeliest else 0.0 for number, chance in enumerate(chances)]
    sampling = {"temperature": 0.7, "top_p": top_p, "max_tokens": 1}
    answers = ask(weights, tmp_path, [request("the ferry", 3000, **sampling)], rows=500)[0]
    for number, word in enumerate(WORDS[3:], 3):
        share = sum(answer.text == word for answer in answers) / 3000
        assert abs(share - chances[number]) < 4 * (chances[number] * (1 - chances[number]) / 3000) ** 0.5 + 1e-3
        assert share == 0 or number in likeliest


def test_top_p_keeps_the_likely_tokens_only(weights, tmp_path):
    answers = ask(weights, tmp_path, [request("the ferry", 200, temperature=1.0, top_p=0.05, max_tokens=1)], rows=200)
    assert len({answer.text for answer in answers[0]}) == 1
    draw = _Draw([SimpleNamespace(prompt="the ferry", number=0)], {"top_p": 0.5})
    assert draw(None, torch.zeros(1, 2)).isinf().sum() == 1, "of two alike the first reaches a half"


def test_finish_reasons(weights, tmp_path):
    answers = ask(weights, tmp_path, [request(text, 20, temperature=1.5) for text in TEXTS])
    assert {answer.finish_reason for row in answers for answer in row} == {"stop", "length"}


def test_an_unknown_sampling_setting_is_told(weights, tmp_path):
    expected = "the sampling setting logit_bias, expected max_tokens, seed, temperature, top_p"
    with pytest.raises(ModelError, match=expected):
        ask(weights, tmp_path, [request("the ferry", logit_bias={})])


def test_a_prompt_that_is_too_long_abstains_and_its_neighbours_in_the_batch_are_answered(weights, tmp_path):
    (first,), (long,), (last,) = ask(weights, tmp_path, [request(text) for text in ("the ferry", "the " * 80, "the")])
    assert (long.text, long.finish_reason) == ("", "too_long")
    assert long.detail == "the prompt has 80 tokens and may be answered with 8, the model takes 64 in all"
    assert first.finish_reason in ("stop", "length") and last.finish_reason in ("stop", "length")


def test_two_snapshots_under_one_name_are_two_models(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    identities = []
    for seed, commit in enumerate(["1" * 40, "2" * 40]):
        save_decoder_in_cache(tmp_path, commit, ["ferry quay harbour"], 300, 128, seed=seed)
        identities.append(identity("some/decoder"))
    assert identities[0] != identities[1]
    by_commit = [identity("some/decoder", revision=commit) for commit in ("1" * 40, "2" * 40)]
    assert by_commit == identities  # files count, not by which name they were asked for
    assert identity(tmp_path / "models--some--decoder/snapshots" / ("1" * 40)) == identities[0]


def test_a_chat_template_shapes_what_is_asked(weights, tmp_path):
    model = shutil.copytree(weights, tmp_path / "model")
    (model / "chat_template.jinja").write_text("glacier\n")
    asked = request("the ferry", temperature=0.0)
    shaped, plain = ask(model, tmp_path / "a", [asked]), ask(weights, tmp_path / "b", [asked])
    assert shaped == ask(weights, tmp_path / "c", [request("glacier", temperature=0.0)]) != plain


def test_prompts_are_read_once_and_never_while_others_are_padded(weights, tmp_path, monkeypatch):
    padded, call = [], PreTrainedTokenizerFast.__call__

    def watched(self, *texts, padding=False, **more):
        padded.append(padding)
        return call(self, *texts, padding=padding, **more)

    monkeypatch.setattr(PreTrainedTokenizerFast, "__call__", watched)
    sampling = {"temperature": 0, "max_tokens": 2}
    requests = [Request([{"role": "user", "content": "the ferry " * n}], sampling) for n in range(1, 13)]
    ask(weights, tmp_path, requests, rows=2)
    assert padded == [False] * len(requests)


def test_one_that_nobody_waits_for_any_more_takes_nothing_from_its_batch_and_no_row_starves(weights, monkeypatch):
    provider = Provider(Model("local", "transformers", str(weights), options={"device": "cpu", "rows": 2}))
    batches, generate = [], provider._generate

    def slowly(batch):
        batches.append([len(row.tokens) for row in batch])
        loop.call_soon_threadsafe(impatient.cancel)
        return generate(batch)

    async def asked():
        nonlocal loop, impatient
        loop = asyncio.get_running_loop()
        texts = ["the ferry was lost in the quay of Tolven", *TEXTS[:1] * 3, "a glacier was lost in the quay of Tolven"]
        waiting = [asyncio.create_task(provider.send(request(text).messages, {"max_tokens": 2}, [0])) for text in texts]
        impatient = waiting[0]
        return await asyncio.gather(*waiting, return_exceptions=True)

    loop = impatient = None
    monkeypatch.setattr(provider, "_generate", slowly)
    first, *others = asyncio.run(asked())
    assert isinstance(first, asyncio.CancelledError) and len({type(other) for other in others}) == 1
    assert [len(provider.read(body)[0]) for body, _ in others] == [1] * 4
    assert [max(batch) - min(batch) for batch in batches] == [0, 0, 0] and max(batches[0]) > 5
