"""A model on this machine: one way to its files, its numbers, what it is, and the text of a prompt, which is the same
each day and puts system messages into the first one for templates that refuse them.
"""

import datetime
import shutil

import jinja2
import pytest
import torch
from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast
from transformers.utils import chat_template_utils

from models import save_decoder
from ragassay.calls.model import Model, provider_for
from ragassay.models import files
from ragassay.models.activations.state_store import Decoder
from ragassay.models.encoders.encoder import Encoder
from ragassay.models.files import WeightsError
from ragassay.models.local import ChatError, LocalModel, prompt_date, rendered


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A little random decoder in half precision, as many models are shipped."""
    place = tmp_path_factory.mktemp("model")
    save_decoder(place, ["ferry quay harbour"], 300, 128)
    loaded_model = LocalModel("model little", {"model": str(place)}).causal()
    loaded_model.half().save_pretrained(place)
    return place


def local(folder, **options):
    return LocalModel("model little", {"model": str(folder), "options": {"device": "cpu", **options}})


def test_half_precision_on_disk_is_computed_in_float32_on_a_processor(folder):
    model = local(folder)
    trunk, causal = model.trunk(), model.causal()
    assert {weight.dtype for weight in (*trunk.parameters(), *causal.parameters())} == {torch.float32}
    assert not trunk.training and not causal.training and not hasattr(trunk, "lm_head")
    tokens = torch.tensor([[5, 6, 7]])
    assert causal(tokens).logits.shape == (1, 3, model.config.vocab_size)
    assert torch.allclose(trunk(tokens).last_hidden_state, causal.model(tokens).last_hidden_state)


def test_an_option_chooses_other_numbers(folder):
    model = local(folder, dtype="bfloat16")
    assert next(model.causal().parameters()).dtype == torch.bfloat16 and model.identity["dtype"] == "bfloat16"
    asked = Model("little", "transformers", str(folder), options={"device": "cpu", "dtype": "bfloat16"})
    provider = provider_for(asked)
    assert provider.weights.dtype == torch.bfloat16 and provider.identity()["dtype"] == "bfloat16"


def test_responder_detector_and_encoder_know_one_model_by_the_same_files(folder):
    options = {"device": "cpu"}
    provider = provider_for(Model("a", "transformers", str(folder), options=options)).identity()
    decoder = Decoder("model b", {"model": str(folder), "options": options}).identity
    encoder = Encoder("c", "transformers", str(folder), options).identity
    assert provider["files"] == decoder["files"] == encoder["files"] == files.digest(folder)
    assert provider["dtype"] == decoder["dtype"] == "float32"
    shared = provider.keys() & decoder.keys()
    assert {key: provider[key] for key in shared} == {key: decoder[key] for key in shared} and "files" in shared


def test_a_batch_has_more_tokens_on_a_gpu_unless_an_option_says_how_many(folder):
    assert local(folder).batch_tokens(7, 70) == 7
    assert local(folder, device="cuda").batch_tokens(7, 70) == 70
    assert local(folder, device="cuda", batch_tokens=9).batch_tokens(7, 70) == 9


def damaged(folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-500])


def without_a_tokenizer(folder):
    for path in folder.glob("tokenizer*"):
        path.unlink()


def with_a_broken_configuration(folder):
    (folder / "config.json").write_text('{"model_type": "no such family"}')


@pytest.mark.parametrize(
    ("spoil", "options", "ask", "told"),
    [
        (damaged, {}, LocalModel.trunk, "cannot load the weights of .*damaged or was copied in part"),
        (damaged, {}, LocalModel.causal, "cannot load the weights of .*damaged or was copied in part"),
        (without_a_tokenizer, {}, lambda model: model.tokenizer, "cannot load the tokenizer of "),
        (with_a_broken_configuration, {}, lambda model: model.config, "cannot load the configuration of .*no such fam"),
        (None, {"dtype": "int8"}, LocalModel.trunk, "found dtype 'int8', expected one of float32, bfloat16, float16"),
        (None, {"device": "xpu:7"}, LocalModel.causal, "found device 'xpu:7', which cannot be used here"),
    ],
)
def test_what_cannot_be_loaded_is_one_line_with_the_models_name(folder, tmp_path, spoil, options, ask, told):
    place = shutil.copytree(folder, tmp_path / "model")
    if spoil:
        spoil(place)
    with pytest.raises(WeightsError, match=f"^model little: .*{told}") as refused:
        ask(local(place, **options))
    assert "\n" not in str(refused.value)


SYSTEM, USER = {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where is the ferry?"}
LAST = "{{ messages[-1]['content'] }}"
LLAMA = "{% if date_string is not defined %}{% set date_string = strftime_now('%d %b %Y') %}{% endif %}"
HEAD = "{% macro head() %}{{ strftime_now('%Y-%m-%d') }}{% endmacro %}"
ASK = HEAD + "{% if strftime_now is defined %}{{ head() }}{% endif %}"
STRICT = "{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}"


def tokenizer(template):
    made = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.BPE()))
    made.chat_template = template
    return made


@pytest.fixture
def day(monkeypatch):
    """A function that sets the day that templates would see."""

    def at(number):
        class Clock(datetime.datetime):
            @classmethod
            def now(cls, tz=None):
                return cls(2031, 3, number, tzinfo=tz)

        monkeypatch.setattr(chat_template_utils, "datetime", Clock)

    return at


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (LLAMA + "{{ date_string }} " + LAST, "26 Jul 2024 Where is the ferry?"),
        (ASK + " " + LAST, "2024-07-26 Where is the ferry?"),
        ("  {{ strftime_now('on %A, %d %B') }}\n" + LAST, "  on Friday, 26 July\nWhere is the ferry?"),
    ],
)
def test_each_day_is_the_same_to_a_template(day, template, expected):
    for number in (7, 8):
        day(number)
        templated = tokenizer(template)
        plain = templated.apply_chat_template([USER], tokenize=False)
        assert rendered("m", templated, [USER]) == expected != plain
    assert prompt_date(templated) == {"date": "2024-07-26"} and prompt_date(tokenizer(LAST)) == {}


def test_a_template_is_otherwise_applied_as_it_is():
    templated = tokenizer("\n {% for one in messages %}[{{ one.role }}] {{ one.content }}\n{% endfor %}{{ day }}")
    expected = templated.apply_chat_template([SYSTEM, USER], tokenize=False, add_generation_prompt=True)
    assert rendered("m", templated, [SYSTEM, USER]) == expected
    assert rendered("m", tokenizer(None), [SYSTEM, USER]) == "Be brief.\n\nWhere is the ferry?\n"


def test_a_system_text_that_is_refused_begins_the_users():
    templated = tokenizer(STRICT + "{% for one in messages %}<{{ one.role }}>{{ one.content }}{% endfor %}")
    more = [{"role": "assistant", "content": "There."}, USER]
    found = rendered("m", templated, [SYSTEM, USER, *more])
    assert found == ("<user>Be brief.\n\nWhere is the ferry?<assistant>There.<user>Where is the ferry?")


@pytest.mark.parametrize("template", ["{{ raise_exception('never') }}", STRICT.replace("==", "!="), "{% if %}"])
def test_a_template_that_refuses_all_is_told(template):
    with pytest.raises(ChatError, match=r"m: its chat template refuses") as told:
        rendered("m", tokenizer(template), [SYSTEM, USER] if "never" in template else [USER])
    assert isinstance(told.value.__cause__, jinja2.TemplateError)
