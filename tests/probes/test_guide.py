"""The guide docs/revprag.md as its reader does it: its configuration is planned, and its Python judges a generation."""

import shlex
import shutil

import pytest

from fitted import write_recording
from project import planned
from ragassay.base.errors import AssayError
from workshop import pages, write_targets

STUDY = {"pair_prompts", "answer_prompts", "collect_activations", "train_probes", "measure_revprag"}
STUDY |= {"scrutinise_answers", "mask_passages", "transfer_probes", "project_activations"}


def test_the_configuration_of_the_guide_plans_the_study(project, study):
    write_targets(project / "data")
    write_recording(project / "data/qwen.safetensors")
    shutil.copytree(study.model["model"], project / "models/llama")
    first, *others = pages("revprag")["yaml"]
    (project / "mine.yaml").write_text(first)
    more = [f"more{number}.yaml" for number in range(len(others))]
    for name, text in zip(more, others, strict=True):
        (project / name).write_text(text)
    program, *arguments = shlex.split(next(block for block in pages("revprag")[""] if "mine.yaml" in block))
    assert program == ".venv/bin/snakemake"
    plan = planned(project, *arguments, *more)
    assert plan.keys() >= STUDY and (plan["train_probes"], plan["transfer_probes"]) == (3, 1)
    assert plan["answer_attacked"] == 3 and plan["collect_activations"] == 3  # of three attacks that are compared


def test_the_python_of_the_guide_judges_a_generation(study, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "results/probes/mine/minilm/poisonedrag_black/llama"
    folder.mkdir(parents=True)
    for name in ("heads.safetensors", "card.json"):
        shutil.copy(study.folder / name, folder)
    (tmp_path / "models").mkdir()
    (tmp_path / "models/llama").symlink_to(study.model["model"])
    monkeypatch.chdir(tmp_path)
    found, [block] = {}, pages("revprag")["python"]
    exec(block, found)
    score, poisoned = capsys.readouterr().out.split()
    assert float(score) == found["judgement"].score and poisoned in ("True", "False")
    weights = folder / "heads.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    with pytest.raises(AssayError, match="train them again"):
        found["Probe"].load(folder)
