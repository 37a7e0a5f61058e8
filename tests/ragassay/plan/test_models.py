"""Models as they are asked: what they are and how they are called are kept apart, and unknown ones are refused."""

import pytest

from project import ROOT
from ragassay.plan import models
from ragassay.plan.report import model_note, parameters, render_page
from wildcards import Wildcards


def test_what_a_model_is_and_how_it_is_called_make_up_its_entry(config):
    entry = config["models"]["a"]
    about, access = models.model(config, "a"), models.access_of(config, "judge", Wildcards(judge="a"))
    assert not about.keys() & access.keys()
    asked = {key: value for key, value in entry.items() if key != "note"}
    assert {**about, **access} == {"name": "a", "register": "ledger/models/a", **asked}
    shown = models.shown(config)["models"]["a"]
    assert shown == {key: entry[key] for key in entry if key not in access}


def test_the_note_on_a_model_counts_its_parameters():
    entry = {"note": "a toy.", "model": str(ROOT / "resources/demo/demo-lm")}
    card = (ROOT / "resources/demo/demo-lm/README.md").read_text()
    models = {"demo-lm": entry, "other": {"note": None, "model": "gpt"}, "far": {"note": "big.", "model": "gpt"}}
    assert model_note({"models": models}, "demo-lm") == "demo-lm is a toy. It has 1.4 million parameters."
    assert "1,424,512 parameters" in card
    assert parameters(ROOT / "resources/demo/demo-lm/model.safetensors") == 1_424_512
    assert render_page({"models": {}, "encoders": {}, "report": {"title": "T"}}, {}, [], {})["notes"] == {}
    assert [model_note({"models": models}, name) for name in ("other", "far")] == ["", "far is big."]


def test_a_cutoff_changes_nothing_for_stages_that_ask(config):
    assert models.model(config, "b").keys() == models.model(config, "a").keys()


def test_a_stage_that_asks_has_a_ledger_of_its_own_for_each_job(config):
    wildcards = Wildcards(generator="a", judge="c", shard="s")
    asking = models.asking(config, "judge_scope", "judge", wildcards)
    assert asking == {"model": models.model(config, "c"), "ledger": "ledger/judge_scope/a/c/s", "most_rejected": 0.5}


@pytest.fixture
def weights(tmp_path, monkeypatch):
    """Where the folder `weights` has files, some of which are not read, and `reader` is one by chance."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reader").mkdir()
    for file in ("chat_template.jinja", "config.json", "inner/model.safetensors", "README.md", "training.log"):
        path = tmp_path / "weights" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return ["weights/chat_template.jinja", "weights/config.json", "weights/inner/model.safetensors"]


@pytest.mark.parametrize("name", ["own", "a", "mine"])
def test_only_models_on_this_machine_have_weights_to_wait_for(config, weights, name):
    expected = {"own": ["results/models/demo-lm"]}  # which this workflow makes
    assert models.weights_of(config, "generator", Wildcards(generator=name)) == expected.get(name, [])


def test_the_files_of_a_folder_are_inputs_and_a_model_of_the_hub_has_none(config, weights):
    entry = config["models"]["own"]
    assert models.weights(entry | {"model": "weights"}) == weights
    assert models.weights(entry | {"model": "gpt2"}) == models.weights(entry | {"model": "package:x/weights"}) == []
    config["encoders"]["mine"] = {"kind": "transformers", "model": "weights"}
    assert models.encoder_weights(config, "mine") == weights and models.encoder_weights(config) == []
    assert models.encoder_of(config, "encoder", models.encoder_weights, Wildcards(encoder="mine")) == weights


def test_the_module_of_the_provider_is_that_of_the_models_entry(config):
    found = [models.provider_of(config, "judge", Wildcards(judge=name, generator="a")) for name in ("c", "own")]
    assert found == [["ragassay.calls.providers.rules"], ["ragassay.calls.providers.transformers"]]


def test_only_models_on_this_machine_take_a_core(config):
    config["models"]["far"] = config["models"]["a"] | {"provider": "openai"}
    found = [models.threads_of(config, "judge", Wildcards(judge=name)) for name in ("c", "own", "far")]
    assert found == [1, 1, 0]


@pytest.mark.parametrize("of", [models.provider_of, models.access_of, models.threads_of])
def test_a_target_that_asks_what_is_no_model_is_refused_in_one_line(config, of):
    """The names of question sets and of what they recorded fit the same wildcards."""
    with pytest.raises(models.UnknownModel) as caught:
        of(config, "responder", Wildcards(responder="old"))
    assert str(caught.value) == "a path below results: found the model 'old', expected one of: careful, a, b, c, own"
