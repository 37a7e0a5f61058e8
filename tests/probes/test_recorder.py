"""A recording of a model: its answers, states and log-probabilities are those of the model, a kill costs a portion, and
what is damaged or of something else is one line."""

import gc
import json
import weakref

import numpy as np
import pytest
import torch
import transformers
import yaml

from demo.lm.tokens import trained
from probe_study import LOGISTIC, PROBES, PROMPTS, WHERE
from ragassay.base import card, tables
from ragassay.base.errors import AssayError
from ragassay.calls.prompts import PromptPair
from ragassay.calls.providers import transformers as transformers_provider
from ragassay.command import exam
from ragassay.models import recording
from ragassay.models.local import LocalModel
from ragassay.models.recording import Recording, RecordingError
from ragassay.schemas.attacks import TARGETS
from ragassay.schemas.probes import ACTIVATIONS, PROBE_SCORES, PROMPT_ANSWERS, PROMPT_PAIRS
from ragassay.studies.poisoning.probes import collecting, recorder
from ragassay.studies.poisoning.probes.recorder import Recorder
from rows import row

SAMPLING = {"temperature": 0, "max_tokens": 4}
SIZES = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4}
SIZES |= {"max_position_embeddings": 2048, "num_key_value_heads": 2}
PROMPT_PAIR = PromptPair.load(*PROMPTS, False)
QUESTIONS = ["Who keeps the old mill?", "Who keeps the ferry?"]


def recorded_by(folder, entry, readings=({},), sampling=SAMPLING):
    return Recorder("tiny", entry, PROMPT_PAIR, sampling, list(readings), str(folder / "e"), str(folder / "l"))


@pytest.fixture
def cells(tmp_path):
    """Two questions with passages of their own."""
    targets = [row(TARGETS, target_id=f"t{at}", question=question) for at, question in enumerate(QUESTIONS)]
    tables.write(TARGETS, tmp_path / "targets.parquet", targets)
    pairs = [
        row(
            PROMPT_PAIRS,
            target_id=f"t{at}",
            condition="matched",
            side=side,
            passages=[f"{name} keeps it.", "It rains."],
        )
        for at in range(len(QUESTIONS))
        for side, name in (("attacked", "Piet"), ("clean", "Anna"))
    ]
    tables.write(PROMPT_PAIRS, tmp_path / "prompt_pairs.parquet", pairs)
    return [(tmp_path / "targets.parquet", tmp_path / "prompt_pairs.parquet")]


@pytest.fixture
def file(cells, study, tmp_path):
    path = tmp_path / "recordings/tiny.safetensors"
    recorded_by(tmp_path, study.model).record(path, cells)
    return path


@pytest.mark.parametrize("family", ["Qwen2", "GPTNeoX"])
def test_a_file_holds_what_plain_transformers_computes_and_says_of_each_prompt(cells, tmp_path, family):
    torch.manual_seed(0)
    tokenizer = trained([*QUESTIONS, "Anna keeps it. It rains. Piet"], 400, 2048)
    config = getattr(transformers, f"{family}Config")(vocab_size=len(tokenizer), **SIZES)
    getattr(transformers, f"{family}ForCausalLM")(config).save_pretrained(tmp_path / "weights")
    tokenizer.save_pretrained(tmp_path / "weights")
    readings = [{"layers": [1, 3]}, {"layers": [3], "site": "mlp"}, {"layers": [2], "site": "attention"}]
    path = tmp_path / "tiny.safetensors"
    entry = {"model": str(tmp_path / "weights"), "options": {"device": "cpu"}}
    recorded_by(tmp_path, entry, readings).record(path, cells)
    opened = Recording.open(path)
    assert [each["width"] for each in opened.card["readings"]] == [32, 48, 32]
    assert opened.card["identity"]["dtype"] == "float32" and opened.card["versions"]["torch"] == torch.__version__
    assert len(opened.answers) == 2 + 4 and opened.arrays["states"].shape == (4, 2 * 32 + 48 + 32)
    tokenizer = transformers.AutoTokenizer.from_pretrained(tmp_path / "weights")  # Qwen2 has a class of its own
    model = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "weights")
    for passages in (["Anna keeps it.", "It rains."], []):
        messages = PROMPT_PAIR.messages(QUESTIONS[1], passages)
        number = opened.row(messages)
        text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        ids = torch.tensor([tokenizer(text, add_special_tokens=False)["input_ids"]])
        with torch.inference_mode():
            plain = model(ids, output_hidden_states=True)
            made = model.generate(ids, max_new_tokens=4, do_sample=False, pad_token_id=0)[0, ids.shape[1] :]
        answer = tokenizer.decode(made, skip_special_tokens=True)
        assert opened.answers[number]["text"] == answer
        if not passages:
            assert opened.arrays["places"][number] == -1
            continue
        states = opened.arrays["states"][opened.arrays["places"][number]].astype(np.float32)
        for at, layer in ((slice(0, 32), 1), (slice(32, 64), 3)):
            assert np.abs(states[at] - plain.hidden_states[layer][0, -1].numpy()).max() < 5e-3
        logs = plain.logits[0, -1].log_softmax(0)
        if answer.strip():
            surprise, entropy, _ = opened.certainties(number)
            assert surprise == pytest.approx(-float(logs.max()), abs=1e-4)
            assert entropy == pytest.approx(-float((logs.exp() * logs).sum()), abs=1e-4)


def test_the_study_reads_a_file_as_it_reads_the_model(study, tmp_path):
    """Answers and log-probabilities are the same, and probes that read the output layer are fitted, too."""
    path = tmp_path / "tiny.safetensors"
    recorded_by(tmp_path, study.model, [{}, {"site": "mlp"}]).record(
        path, [(study.place("targets"), study.place("prompt_pairs"))]
    )
    entry = {"name": "m", "provider": "recorded", "model": str(path), "options": {}}
    live = {"name": "m", "provider": "transformers", "model": study.model["model"], "options": {"device": "cpu"}}
    answers, activations = [], []
    with study.changed(PROMPT_ANSWERS), study.changed(ACTIVATIONS):
        for number, model in enumerate((live, entry)):
            price = {"price": {"input": 0, "output": 0}, "concurrency": 8}
            ledger = str(tmp_path / f"ledger/{number}")
            study.answer(model=model | price, ledger=ledger, sampling=SAMPLING)
            answers.append(study.rows(PROMPT_ANSWERS))
            study.collect([{}, {"site": "mlp"}], model=model, embeddings=str(tmp_path / f"states/{number}"))
            activations.append(study.rows(ACTIVATIONS))
    for first, second in zip(*answers, strict=True):
        counts = {"prompt_tokens", "completion_tokens"}
        assert {key: first[key] for key in first.keys() - counts} == {key: second[key] for key in first.keys() - counts}
    for first, second in zip(*activations, strict=True):
        for name in ("surprise", "entropy", "likelihood"):
            assert second[name] == (first[name] if first[name] is None else pytest.approx(first[name], abs=1e-4))
    with study.changed(ACTIVATIONS):
        study.collect([{}, {"site": "mlp"}], model=entry)
        inside = LOGISTIC | WHERE | {"site": "mlp", "conditions": ["matched"]}
        missing = LOGISTIC | WHERE | {"site": "attention", "conditions": ["matched"]}
        usual = {name: dict(PROBES[name]) for name in ("logistic", "lens", "certainty")}
        study.train(tmp_path, model=entry, probes=usual | {"inside": inside, "missing": missing})
    scores = tables.read(PROBE_SCORES, tmp_path / "probe_scores.parquet").to_pylist()
    assert {"logistic", "lens", "certainty", "inside"} <= {each["probe"] for each in scores}
    assert "missing" not in {each["probe"] for each in scores}


def test_a_kill_costs_no_more_than_a_portion(cells, study, tmp_path, monkeypatch):
    monkeypatch.setattr(recorder, "PORTION", 2)
    read, asked, computed = collecting.Collector.states_of, [], []

    def killed(collector, prompts):
        if asked:
            raise KeyboardInterrupt
        asked.append(prompts)
        return read(collector, prompts)

    monkeypatch.setattr(collecting.Collector, "states_of", killed)
    path = tmp_path / "tiny.safetensors"
    with pytest.raises(KeyboardInterrupt):
        recorded_by(tmp_path, study.model).record(path, cells)
    assert not path.exists()

    def counted(collector, prompts):
        result = read(collector, prompts)
        computed.append(collector.states.computed)
        return result

    monkeypatch.setattr(collecting.Collector, "states_of", counted)
    monkeypatch.setattr(transformers_provider.Provider, "_generate", None)  # every answer is in the ledger
    recorded_by(tmp_path, study.model).record(path, cells)
    assert computed == [0, 2]
    monkeypatch.undo()
    again = tmp_path / "again"
    recorded_by(again, study.model).record(again / "tiny.safetensors", cells)
    assert (Recording.open(path).arrays["keys"] == Recording.open(again / "tiny.safetensors").arrays["keys"]).all()


def test_a_file_that_would_be_too_large_to_read_is_refused_before_anything_is_asked(
    cells, study, tmp_path, monkeypatch
):
    path = tmp_path / "tiny.safetensors"
    monkeypatch.setattr(recording, "LARGEST", 1000)
    monkeypatch.setattr(recorder, "complete", lambda *_: pytest.fail("it is asked"))
    with pytest.raises(RecordingError, match=r"tiny\.safetensors: the file would have about .*; name fewer layers"):
        recorded_by(tmp_path, study.model).record(path, cells)


def test_the_trunk_and_the_whole_model_are_never_loaded_at_once(cells, study, tmp_path, monkeypatch):
    loaded, alive = LocalModel._loaded, weakref.WeakSet()
    most = []

    def counted(local, kind, **options):
        model = loaded(local, kind, **options)
        alive.add(model)
        gc.collect()
        most.append(len(alive))
        return model

    monkeypatch.setattr(LocalModel, "_loaded", counted)
    recorded_by(tmp_path, study.model).record(tmp_path / "tiny.safetensors", cells)
    assert len(most) == 4 and max(most) == 1, "answers, activations, log-probabilities and the output layer"


def _forged(path, facts=None, **arrays):
    """The same file with other facts and arrays, and digests as if these had been recorded."""
    from safetensors.numpy import save_file

    opened = Recording.open(path)
    arrays = opened.arrays | arrays
    kept = {name: part for name, part in opened.card.items() if name != card.DIGEST} | (facts or {})
    facts = card.signed(kept | {"arrays": recording._digest(arrays)})
    save_file(arrays, path, metadata={"card": json.dumps(facts)})


def refused(path):
    with pytest.raises(RecordingError) as error:
        Recording.open(path)
    line = str(error.value)
    assert line.startswith(f"{path}: ") and "\n" not in line and line.endswith("ragassay exam MODEL")
    return line


def test_a_damaged_file_is_one_line_wherever_it_is_damaged(file):
    content = file.read_bytes()
    for at in {3, 60, 900, *range(0, len(content), len(content) // 40), len(content) - 1}:
        file.write_bytes(content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :])
        refused(file)
        file.write_bytes(content[:at])
        refused(file)
    file.write_bytes(content)
    states = Recording.open(file).arrays["states"].copy()
    states[1, 3] = np.nan
    _forged(file, states=states)
    assert "states: found a number that is not finite" in refused(file)
    file.write_bytes(content)
    _forged(file, places=np.full(6, 9, np.int32))
    assert "places: found a number that is not" in refused(file)
    file.write_bytes(content)
    _forged(file, answers=np.frombuffer(json.dumps([["a", 1, None, None, ""]] * 6).encode(), np.uint8))
    assert "found answers to other prompts than its 6" in refused(file)
    for wrong in ({"readings": [{"site": "residual"}]}, {"identity": {"files": "x"}}, {"blocks": 0}, {"prompts": "p"}):
        file.write_bytes(content)
        _forged(file, wrong)
        assert f"{next(iter(wrong))}: found" in refused(file)
    with pytest.raises(RecordingError, match="no such file, expected a recording"):
        recording.read_card(file.with_name("none.safetensors"))


def test_numbers_that_are_not_finite_are_not_written(file, tmp_path):
    opened = Recording.open(file)
    facts = {name: part for name, part in opened.card.items() if name not in (card.DIGEST, "arrays", "format")}
    with pytest.raises(RecordingError, match="found a number in certainties that is not finite"):
        recording.write(tmp_path / "x", facts, opened.arrays | {"certainties": np.full((6, 3), np.inf, np.float32)})


def test_a_file_of_other_questions_prompts_passages_or_sampling_is_one_line(file, study, tmp_path):
    digests = [PROMPT_PAIR.digest([]), PROMPT_PAIR.digest([""])]
    opened = Recording.open(file)
    opened.check(digests, QUESTIONS)
    with pytest.raises(RecordingError, match="recorded with another prompt; record it again"):
        opened.check(["ab" * 32], QUESTIONS)
    with pytest.raises(RecordingError, match="recorded for another set of questions; record it again"):
        opened.check(digests, QUESTIONS[:1])
    with pytest.raises(RecordingError, match="recorded with other passages"):
        opened.row(PROMPT_PAIR.messages(QUESTIONS[0], ["Nobody keeps it."]))
    model = {"name": "m", "provider": "recorded", "model": str(file), "price": {"input": 0, "output": 0}}
    with study.changed(PROMPT_ANSWERS), pytest.raises(RecordingError, match="another set of questions"):
        study.answer(model=model, ledger=str(tmp_path / "l1"), sampling=SAMPLING)
    both = tmp_path / "study.safetensors"
    recorded_by(tmp_path / "s", study.model).record(both, [(study.place("targets"), study.place("prompt_pairs"))])
    with study.changed(PROMPT_ANSWERS), pytest.raises(AssayError, match="expected the first with"):
        study.answer(model=model | {"model": str(both)}, ledger=str(tmp_path / "l2"), sampling={"temperature": 0})
    collection = study.collection.read_bytes()
    with study.changed(ACTIVATIONS), pytest.raises(RecordingError, match="found residual at last_prompt, expected mlp"):
        study.collect([{"site": "mlp"}], model=model | {"model": str(both)}, embeddings=str(tmp_path / "e2"))
    assert study.collection.read_bytes() == collection


def test_the_command_records_what_the_configuration_asks_and_says_how_to_use_it(
    cells, study, tmp_path, monkeypatch, capsys
):
    entry = {"datasets": ["d"], "retrievers": ["r"], "attacks": ["a"], "responders": ["demo-lm"], "k": 2}
    base = {"site": "residual", "position": "last_prompt", "layers": None, "as_released": False}
    config = {"revprag": {"cells": [entry], "probes": {}, "activations": base}}
    config["under_attack"] = {"prompt": "passages", "sampling": SAMPLING}
    config["models"] = {"demo-lm": {"provider": "transformers", "model": "weights"}}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(exam, "configuration", lambda files: config)
    monkeypatch.setattr(exam, "TARGETS", "targets.parquet")
    monkeypatch.setattr(exam, "PAIRS", "prompt_pairs.parquet")
    ran = []
    monkeypatch.setattr(exam, "status_of", lambda command: ran.append(command) or 0)
    exam.run_exam(study.model["model"], "tiny", {"device": "cpu"}, ["mlp"], [], ["--cores", "1"])
    assert ran[0][-4:] == ["targets.parquet", "prompt_pairs.parquet", "--cores", "1"]
    opened = Recording.open("recordings/tiny.safetensors")
    layers = {each["site"]: each["layers"] for each in opened.card["readings"]}
    assert layers == {"residual": [1, 2], "mlp": [1, 2]}
    used = yaml.safe_load((tmp_path / "recordings/tiny.yaml").read_text())
    assert used["models"] == {"tiny": {"provider": "recorded", "model": "recordings/tiny.safetensors"}}
    assert used["revprag"]["cells"] == [entry, entry | {"responders": ["tiny"]}]
    assert "--configfile recordings/tiny.yaml" in capsys.readouterr().out
    config["models"] |= used["models"]  # recorded again under the same name, nothing stands in the way
    config["revprag"]["cells"] = []
    with pytest.raises(AssayError, match=r"revprag\.cells: found none"):
        exam.run_exam(study.model["model"], "tiny", {}, [], [], [])


@pytest.mark.parametrize(
    ("model", "name", "problem"),
    [
        ("weights", "demo-lm", "found 'demo-lm', which `models` already has"),
        ("weights", "an exam", "found 'an exam', expected a name that fits"),
        ("weights", "../up", "found '../up', expected a name that fits"),
        ("..", "", "found '', expected a name that fits"),
        ("a/demo-lm/", "", "found 'demo-lm', which `models` already has"),
        (".", "", "found 'here', which `models` already has"),
    ],
)
def test_a_name_that_results_cannot_have_is_refused_before_anything_is_loaded(
    tmp_path, monkeypatch, model, name, problem
):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    models = {
        "demo-lm": {"provider": "transformers", "model": "weights"},
        "here": {"provider": "recorded", "model": "recordings/other.safetensors"},
    }
    config = {"models": models, "revprag": {"cells": []}}
    monkeypatch.setattr(exam, "configuration", lambda files: config)
    with pytest.raises(exam.ExamError, match=problem):
        exam.run_exam(model, name, {}, [], [], [])


def test_a_large_model_is_read_at_four_layers():
    assert exam.spread(24) == [6, 12, 18, 24] and exam.spread(2) == [1, 2] and exam.spread(1) == [1]
