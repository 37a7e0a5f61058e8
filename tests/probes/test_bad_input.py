"""What a user can get wrong, or a model: one line with what was found, where, what was expected and what to do."""

import json
import re
import shutil

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from probe_study import LOGISTIC, WHERE
from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.models.activations.sites import ActivationsError
from ragassay.schemas.probes import ACTIVATIONS, PROBE_SCORES, PROMPT_ANSWERS
from ragassay.studies.poisoning.probes.samples import ProbeError

TRIPLET = LOGISTIC | {"kind": "triplet", **WHERE, "conditions": []}
SMALL = {"widths": [4], "epochs": 1, "batch": 8, "rate": 1e-3, "margin": 1.0, "dimensions": 4}


def test_fewer_answers_than_a_support_set_needs_are_one_line(study, tmp_path):
    probes = {"triplet": TRIPLET | {"settings": SMALL | {"support": 100}}}
    with pytest.raises(ProbeError, match="at least 52 of each for a support of 100; lower the setting") as error:
        study.train(tmp_path, probes=probes)
    assert "\n" not in str(error.value) and "triplet, released" in str(error.value)


def test_poisoned_answers_about_one_document_are_one_line(study, tmp_path):
    rows = study.rows(PROMPT_ANSWERS)
    for row in rows:
        if row["label"] == "poisoned" and row["target_id"] != "target-00":
            row["label"] = "undecided"
    line = "poisoned answers about 1 documents among .* expected some about at least 2 documents.*add targets"
    with study.changed(PROMPT_ANSWERS, rows), pytest.raises(ProbeError, match=line):
        study.train(tmp_path)


@pytest.fixture
def changed(study, tmp_path):
    """A function that copies the model, changes its weights or configuration, and names the copy."""

    def change(weights=None, **configuration):
        folder = tmp_path / "changed"
        shutil.copytree(study.model["model"], folder)
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | configuration))
        arrays = load_file(folder / "model.safetensors")
        arrays |= {name: np.full_like(arrays[name], value) for name, value in (weights or {}).items()}
        save_file(arrays, folder / "model.safetensors", metadata={"format": "pt"})
        return study.model | {"model": str(folder)}

    return change


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"weights": {"model.norm.weight": 1e6}},
         "found states at the site residual that are no finite numbers in float16 for"),
        ({"max_position_embeddings": 40}, "prompts that are too long, the longest of"),
    ],
)  # fmt: skip
def test_a_model_that_cannot_give_states_is_one_line_that_names_the_question(study, changed, tmp_path, wrong, told):
    before = study.place("activations").read_bytes()
    with pytest.raises(ActivationsError, match=re.escape(told)) as error:
        study.collect(model=changed(**wrong), embeddings=str(tmp_path / "embeddings"))
    line = str(error.value)
    assert line.startswith("model tiny: found") and "\n" not in line and "question target-" in line
    assert study.place("activations").read_bytes() == before


def test_a_probe_of_a_model_that_was_changed_since_is_refused(study, changed):
    from transformers import AutoModelForCausalLM

    from ragassay.services.probe import Probe

    other = AutoModelForCausalLM.from_pretrained(changed({"model.norm.weight": 2.0})["model"])
    with pytest.raises(AssayError, match=r"found files .* expected .* which the probe was fitted with; load"):
        Probe.load(study.folder).watching(other)


def test_a_probe_refuses_weights_in_another_number_format(study):
    """Fitted on a processor (float32), used on a graphics card (bfloat16): some scores would be others."""
    import torch
    from transformers import AutoModelForCausalLM

    from ragassay.services.probe import Probe

    rounded = AutoModelForCausalLM.from_pretrained(study.model["model"], dtype=torch.bfloat16)
    with pytest.raises(AssayError, match="found dtype 'bfloat16', expected 'float32', which the probe was fitted with"):
        Probe.load(study.folder).watching(rounded)


def test_a_prompt_that_is_too_long_costs_itself_and_is_counted(study, changed, tmp_path):
    before = study.rows(ACTIVATIONS)
    longest = sorted(row["tokens"] for row in before)[-5]
    few = {"model": changed(max_position_embeddings=longest - 1), "embeddings": str(tmp_path / "embeddings")}
    with study.changed(ACTIVATIONS):
        study.collect(**few)
        after = study.rows(ACTIVATIONS)
        study.train(tmp_path, **few)
    lost = [row for row in after if row["key"] is None]
    assert 5 <= len(lost) < len(after) / 2 and all(row["tokens"] >= longest for row in lost)
    names = ("target_id", "condition", "side")
    rows = tables.read(PROBE_SCORES, tmp_path / "probe_scores.parquet").to_pylist()
    scored, without = ({tuple(row[name] for name in names) for row in some} for some in (rows, lost))
    assert scored and not scored & without
