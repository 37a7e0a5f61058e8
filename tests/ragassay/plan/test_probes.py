"""Settings of probes: what is compared, what is refused before any job, and the paper's own."""

import yaml

from project import ROOT
from ragassay.base import variants
from ragassay.config.schema import merged
from ragassay.plan import attacks, defences, models, probes, search, targets
from wildcards import Wildcards

SCHEMA = merged()
CELLS = {"datasets": ["demo_facts"], "retrievers": ["minilm"]}
CELLS |= {"attacks": ["poisonedrag_black"], "responders": ["demo-lm"]}


def test_a_comparison_has_the_files_of_all_its_cells(settings):
    compared = CELLS | {"across": "attack", "attacks": ["poisonedrag_black", "edited"]}
    cells = [CELLS, CELLS | {"attacks": ["edited", "jamming"]}]
    config = settings({"revprag": {"cells": cells, "generalisation": {"attacks": compared}}})
    wildcards = Wildcards({"generalisation": "attacks"})
    paths = probes.generalised(config, "{dataset}/{retriever}/{attack}/{responder}", wildcards)
    assert paths == ["demo_facts/minilm/poisonedrag_black/demo-lm", "demo_facts/minilm/edited/demo-lm"]
    assert probes.generalisations(settings({"revprag": {"cells": []}})) == []
    given = probes.transfer_probes(config, wildcards)
    assert [cell["attack"] for cell in given["cells"]] == ["poisonedrag_black", "edited"]
    assert given["across"] == "attack" and given["conditions"] == ["retrieved", "matched"]


def test_prompts_show_as_many_passages_as_the_study_of_attacks_unless_their_cell_says_otherwise(settings):
    wildcards = Wildcards({"dataset": "demo_facts", "retriever": "minilm", "attack": "poisonedrag_black"})
    for own, k in ((CELLS, 4), (CELLS | {"k": 2}, 2)):
        config = settings({"under_attack": {"k": 4}, "revprag": {"cells": [own]}})
        assert probes.pair_prompts(config, wildcards)["k"] == k and list(probes.check(config)) == []


def test_the_demos_small_model_is_shown_three_passages_wherever_it_answers(settings):
    config = settings()
    asked = [entry for entry in config["revprag"]["cells"] if "demo-lm" in entry["responders"]]
    assert [entry["k"] for entry in asked] == [3]
    assert not any("demo-lm" in entry["responders"] for entry in config["under_attack"]["cells"])
    assert "demo-lm" not in config["relevance"]["answers"]["responders"]


def test_baselines_are_asked_only_where_they_are_wanted(settings):
    assert not probes.scrutinised(settings())
    config = settings({"revprag": {"baselines": ["scrutiny"]}})
    assert probes.scrutinised(config).column("dataset") == ["demo_facts"]
    cell = Wildcards({key.removesuffix("s"): own[0] for key, own in CELLS.items()})
    [path] = probes.baselines(config, cell)
    assert path == "results/baseline_scores/demo_facts/minilm/poisonedrag_black/demo-lm/scrutiny.parquet"


def test_what_probes_look_at_is_read_in_one_pass(settings):
    kind, base = {"kind": "logistic"}, {"site": "residual", "position": "last_prompt", "layers": None}
    entries = {"a": kind, "b": kind | {"site": "mlp", "layers": [-1, 2]}, "c": kind | {"site": "mlp", "layers": [2, 3]}}
    entries |= {"d": kind | {"position": "first_generated"}}
    first, *beside = probes.readings(settings({"revprag": {"probes": entries}}))
    assert first == base | {"as_released": False}
    assert beside == [base | {"site": "mlp", "layers": [-1, 2, 3]}, base | {"position": "first_generated"}]
    released = {"activations": {"as_released": True}, "probes": {name: entries[name] for name in "bd"}}
    assert len(probes.readings(settings({"revprag": released}))) == 1


def test_every_setting_of_a_kind_is_described():
    entry = SCHEMA["properties"]["revprag"]["properties"]["probes"]["additionalProperties"]["properties"]
    for kind in variants.names(probes.KINDS):
        assert variants.load(probes.KINDS, kind, "kind").Kind.SETTINGS.keys() <= entry["settings"]["properties"].keys()


def test_the_papers_probes_lack_nothing_but_files_and_weights(tmp_path, monkeypatch, settings):
    names = [ROOT / "config" / name for name in ("paper/scope.yaml", "paper/attacks.yaml", "paper/revprag.yaml")]
    monkeypatch.chdir(tmp_path)
    config = settings(*(yaml.safe_load(name.read_text()) for name in names))
    assert [found for module in (targets, search, attacks, probes) for found in module.check(config)] == []
    cells = probes.cells(config)
    paper = [cell for cell in cells if cell.dataset != "demo_facts"]
    assert len(paper) == 15 + 9 + 4 + 18 and len({cell.responder for cell in paper}) == 5
    assert {cell.dataset for cell in paper} == {"nq", "hotpotqa", "msmarco"}
    assert len({cell.retriever for cell in paper}) == 5
    assert len({cell.attack for cell in paper}) == 1 + 6 and len(probes.generalisations(config)) == 4 + 2
    read = [(each["site"], each["position"], each["layers"]) for each in probes.readings(config)]
    beside = [("mlp", "last_prompt", None), ("residual", "last_prompt", None)]
    assert read == [("mlp", "first_generated", None), *beside], "one pass gives all of them"


def test_a_cell_reads_what_each_defence_says_without_the_attack_and_under_it(settings):
    cell = Wildcards({key.removesuffix("s"): names[0] for key, names in CELLS.items()})
    compared = settings({"revprag": {"cells": [CELLS], "defences": ["raguard", "echo"]}})
    files = [f"results/filtered/demo_facts/minilm/{attack}.parquet" for attack in ("none", "poisonedrag_black")]
    assert probes.filtered(compared, cell) == files
    clean = Wildcards(dataset="demo_facts", retriever="minilm", attack="none")
    assert [judging.defence for judging in defences.judging(compared, clean)] == ["echo", "raguard"]
    assert probes.beside_defences(compared).column("responder") == ["demo-lm"]
    assert not probes.beside_defences(settings({"revprag": {"defences": []}}))


def test_a_responder_may_be_recorded_and_a_file_that_is_none_is_refused_before_any_job(settings, tmp_path):
    (tmp_path / "m.safetensors").write_bytes(b'\x08\0\0\0\0\0\0\0{"a":{}}')
    model = {"provider": "recorded", "model": str(tmp_path / "m.safetensors")}
    cells = {"cells": [CELLS | {"responders": ["m"]}]}
    config = settings({"models": {"m": model}, "revprag": cells})
    assert list(probes.check(config)) == [] and models.weights(config["models"]["m"]) == [model["model"]]
    problems = [problem for place, problem in models.check(config) if place == ("models", "m", "model")]
    assert len(problems) == 1 and "cannot read it" in problems[0] and problems[0].endswith("ragassay exam MODEL")
    config = settings({"models": {"m": model}, "revprag": cells | {"baselines": ["masking"]}})
    [(_, problem)] = probes.check(config)
    assert problem == "found masking, which asks what is not recorded of m, expected none"
