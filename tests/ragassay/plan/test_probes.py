"""Settings of probes: what is compared, what is refused before any job, and the paper's own."""

import re

import pytest
import yaml

from project import ROOT
from ragassay.base import variants
from ragassay.config.schema import merged
from ragassay.config.settings import ConfigError
from ragassay.plan import attacks, probes, search, targets
from wildcards import Wildcards

SCHEMA = merged()
CELLS = {
    "datasets": ["demo_facts"],
    "retrievers": ["minilm"],
    "attacks": ["poisonedrag_black"],
    "responders": ["demo-lm"],
}


def test_a_comparison_has_the_files_of_all_its_cells(settings):
    compared = CELLS | {"across": "attack", "attacks": ["poisonedrag_black", "edited"]}
    cells = [CELLS, CELLS | {"attacks": ["edited", "jamming"]}]
    config = settings({"revprag": {"cells": cells, "generalisation": {"attacks": compared}}})
    wildcards = Wildcards({"generalisation": "attacks"})
    paths = probes.generalised(config, "{dataset}/{retriever}/{attack}/{responder}", wildcards)
    assert paths == ["demo_facts/minilm/poisonedrag_black/demo-lm", "demo_facts/minilm/edited/demo-lm"]
    assert probes.generalisations(settings({"revprag": {"cells": []}})) == []
    given = probes.transfer_probes(config, wildcards)
    assert [cell["attack"] for cell in given["cells"]] == ["poisonedrag_black", "edited"] and given[
        "across"
    ] == "attack"
    assert given["conditions"] == ["retrieved", "matched"]


def test_activations_of_the_prompt_alone_wait_for_no_answer(settings):
    cell = Wildcards({key.removesuffix("s"): own[0] for key, own in CELLS.items()})
    assert probes.begun(settings(), cell) == []
    for own in ({"position": "first_generated"}, {"as_released": True}):
        [path] = probes.begun(settings({"revprag": {"activations": own}}), cell)
        assert path == "results/prompt_answers/demo_facts/minilm/poisonedrag_black/demo-lm.parquet"


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


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ([CELLS, CELLS | {"k": 2}], "found k 2 and 5 for demo_facts/minilm/poisonedrag_black, expected one number"),
        ([CELLS | {"k": 5000}], "found k 5000, expected at most retrieval.neighbours"),
    ],
)
def test_a_number_of_passages_that_no_prompt_can_show_is_refused(settings, cells, told):
    [(place, message)] = probes.check(settings({"revprag": {"cells": cells}}))
    assert place == ("revprag", "cells") and told in message


def test_baselines_are_asked_only_where_they_are_wanted(settings):
    assert not probes.scrutinised(settings())
    config = settings({"revprag": {"baselines": ["scrutiny"]}})
    assert probes.scrutinised(config).column("dataset") == ["demo_facts"]
    cell = Wildcards({key.removesuffix("s"): own[0] for key, own in CELLS.items()})
    [path] = probes.baselines(config, cell)
    assert path == "results/baseline_scores/demo_facts/minilm/poisonedrag_black/demo-lm/scrutiny.parquet"


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ({"probe": "logistc"}, "did you mean logistic"),
        ({"probe": "lens"}, "found lens, which reads the output layer of one model"),
        ({"attacks": ["poisonedrag_blak"]}, "poisonedrag_black"),
        ({"responders": ["careful"]}, "whose activations nobody can read"),
        ({"retrievers": ["minilmm"]}, "minilm"),
    ],
)
def test_a_comparison_of_what_is_not_there_is_refused(settings, own, told):
    config = settings({"revprag": {"generalisation": {"mine": CELLS | {"across": "attack"} | own}}})
    [(place, message)] = probes.check(config)
    assert place[:3] == ("revprag", "generalisation", "mine") and told in message


@pytest.mark.parametrize(("kind", "read"), [("lens", "the last one"), ("certainty", "all")])
def test_layers_of_what_reads_the_output_layer_are_refused(settings, kind, read):
    config = settings({"revprag": {"probes": {"early": {"kind": kind, "layers": [1]}}}})
    [(place, message)] = probes.check(config)
    assert place == ("revprag", "probes", "early", "layers") and f"expected none: {kind} reads {read}" in message


@pytest.mark.parametrize(
    ("kind", "own", "line"),
    [
        ("triplet", {"support": 1}, "support: found 1 (a whole number), expected a whole number of at least 2"),
        ("triplet", {"widths": []}, "widths: found [] (a list), expected not to be empty"),
        ("mlp", {"dropout": 1}, "dropout: found 1 (a whole number), expected a number"),
        ("logistic", {"strengths": [0]}, "strengths.0: found 0 (a whole number), expected a number above 0"),
        ("triplet", {"margin": None}, "margin: found nothing, expected a number"),
        ("mlp", {"epochs": "many"}, "epochs: found 'many' (text), expected a whole number"),
    ],
)
def test_a_setting_of_a_probe_that_cannot_be_is_one_line(settings, kind, own, line):
    with pytest.raises(ConfigError, match=re.escape(f"revprag.probes.mine.settings.{line}")):
        settings({"revprag": {"probes": {"mine": {"kind": kind, "settings": own}}}})


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"probes": {"mine": {"kind": "mlp", "settings": {"support": 10}}}}, "found the setting 'support'"),
        ({"probes": {"mine": {"kind": "difference", "settings": {"rate": 1}}}}, "difference has no settings"),
        ({"conditions": ["irrelevant"]}, "found none with poison"),
    ],
)
def test_what_no_probe_can_be_fitted_with_is_one_line(settings, more, told):
    own = more if "probes" in more else more | {"defences": []}
    assert [text for _, text in probes.check(settings({"revprag": own})) if told in text]


def test_every_setting_of_a_kind_is_described():
    entry = SCHEMA["properties"]["revprag"]["properties"]["probes"]["additionalProperties"]["properties"]
    for kind in variants.names(probes.KINDS):
        assert variants.load(probes.KINDS, kind, "kind").Kind.SETTINGS.keys() <= entry["settings"]["properties"].keys()


def test_the_papers_probes_lack_nothing_but_files_and_weights(tmp_path, monkeypatch, settings):
    names = [ROOT / "config" / name for name in ("paper.yaml", "paper_attacks.yaml", "paper_probes.yaml")]
    monkeypatch.chdir(tmp_path)
    config = settings(*(yaml.safe_load(name.read_text()) for name in names))
    assert [found for module in (targets, search, attacks, probes) for found in module.check(config)] == []
    cells = probes.cells(config)
    paper = [cell for cell in cells if cell.dataset != "demo_facts"]
    assert len(paper) == 15 + 12 + 6 and len({cell.responder for cell in paper}) == 5
    assert {cell.dataset for cell in paper} == {"nq", "hotpotqa", "msmarco"} and len(
        {cell.retriever for cell in paper}
    ) == 5
    assert len({cell.attack for cell in paper if cell.attack.startswith("poisoned_")}) == 4
