"""What is attacked with what, and what is refused before any job."""

import re

import pytest

from ragassay.config.schema import merged
from ragassay.config.settings import checked
from ragassay.config.shards import one_of
from ragassay.plan import attackers, attacks, defences, defended
from ragassay.studies.poisoning.attacks.attack import WRITER
from wildcards import Wildcards

NO_READER = {"kind": "garag", "settings": {"reader": "careful"}}
NOT_FITTED = {"kind": "adaptive_threshold", "settings": {"filter": "oracle"}}
NOBODY = {"kind": "jamming_optimised", "settings": {"responder": "embeded"}}
WITHOUT_GRADIENTS = {"kind": "poisonedrag_white", "settings": {"retriever": "bm25"}}
READER = {"provider": "rules", "model": "careful", "price": {"input": 0, "output": 0}}
CELL = {"datasets": ["mine"], "retrievers": ["bm25", "minilm"], "attacks": ["none", "loud"]}
OWN = {
    "models": {"careful": READER},
    "corpora": {"texts": {"files": ["a.csv"]}},
    "datasets": {"mine": {"corpus": "texts", "targets": ["t.csv"]}},
    "attacks": {"loud": {"kind": "jamming", "settings": {"texts": 2}}},
}


def config(*cells, **more):
    return checked(OWN | {"under_attack": {"cells": list(cells)}} | more, [], merged())


def problems(*cells, **more):
    own = config(*cells, **more)
    return [
        f"{'.'.join(map(str, key))}: {text}"
        for module in (attacks, attackers, defences, defended)
        for key, text in module.check(own)
    ]


def test_each_entry_is_all_combinations_of_its_lists_and_each_cell_is_there_once():
    own = config(CELL, CELL | {"attacks": ["none"], "defences": ["none", "oracle"], "responders": ["careful"]})
    assert [tuple(cell.values()) for cell in attacks.cells(own)] == [
        ("mine", retriever, one) for retriever in CELL["retrievers"] for one in CELL["attacks"]
    ]
    assert defences.answered(own).over("{retriever}/{defence}") == [
        f"{retriever}/{name}" for retriever in CELL["retrievers"] for name in ("none", "oracle")
    ]
    assert not problems(CELL)


def test_an_attack_gets_its_settings_and_only_those_that_edit_get_passages():
    own = config(CELL)
    loud = Wildcards(dataset="mine", attack="loud")
    assert attacks.poison_corpus(own, loud) == {"attack": "loud", "kind": "jamming", "own": {"texts": 2}}
    pattern = "results/neighbours/{corpus}/{retriever}/{query_set}.parquet"
    assert attackers.poison_inputs(own, pattern, loud) == []
    edited = Wildcards(dataset="mine", attack="edited")
    assert attackers.poison_inputs(own, pattern, edited) == ["results/neighbours/texts/bm25/mine.targets.parquet"]
    measured = attacks.measure_attacks(own)
    assert (measured["k"], measured["ks"], measured["texts"]) == (5, [1, 3, 5, 10], [1, 2, 3, 5, 8, 13])
    assert measured["wants"] == {"none": None, "loud": "declining"}


def test_an_attack_that_optimises_gets_the_retriever_that_it_meets_and_says_on_what_it_is_tried():
    few = {"white": {"kind": "poisonedrag_white", "settings": {"targets": 3}}}
    own, white = config(CELL | {"attacks": ["white"]}, attacks=few), Wildcards(dataset="mine", attack="white")
    settings = attackers.optimise_passages(own, white)
    assert settings["retriever"]["encoder"]["name"] == "minilm" and settings["own"]["steps"] == 30
    assert attacks.attacks(own, optimised=True) >= ["white"] and "white" not in attacks.attacks(own, optimised=False)
    keys = Wildcards(dataset="mine", attack="white", retriever="bm25", defence="none", responder="careful")
    for found in (attacks.retrieve_bm25(own, keys), defended.answer_attacked(own, keys)):
        assert found["tried"] == {"targets": 3}
    assert attacks.measure_attacks(own)["tried"] == {"white": {"targets": 3}}
    assert attacks.measure_attacks(config(CELL))["tried"] == {}


def test_texts_that_a_model_writes_are_a_table_of_their_own_and_those_of_a_user_are_files():
    loud = {"kind": "adaptive_paraphrase", "writer": "careful", "settings": {"texts": 2}}
    job = Wildcards(dataset="mine", attack="loud")
    own = config(CELL, attacks={"loud": loud})
    assert attacks.poison_texts(own, job) == ["results/attack_texts/mine/loud.parquet"]
    assert attacks.needing(own, WRITER).over("{dataset}/{attack}") == ["mine/loud"] and attacks.with_writer(own) == [
        "loud"
    ]
    settings = attacks.paraphrase_targets(own, job)
    assert (settings["texts"], settings["words"], settings["model"]["name"]) == (2, 30, "careful")
    assert settings["ledger"] == "ledger/paraphrase_targets/mine/loud/careful"
    manual = config(CELL, attacks={"loud": {"kind": "adaptive_manual", "files": ["a.csv"]}})
    assert attacks.poison_texts(manual, job) == ["a.csv"] and not attacks.needing(manual, WRITER)


@pytest.mark.parametrize(
    ("cell", "more", "line"),
    [
        ({"attacks": ["jaming"]}, {}, "under_attack.cells.0.attacks: found the attack 'jaming', expected one of"),
        ({"retrievers": ["bm26"]}, {}, "under_attack.cells.0.retrievers: found the retriever 'bm26', expected one of"),
        ({"defences": ["orakel"]}, {}, "under_attack.cells.0.defences: found the defence 'orakel', expected one of"),
        ({"attacks": ["adaptive_manual"]}, {}, "under_attack.cells.0.attacks: found adaptive_manual, which needs"),
        ({"attacks": ["adaptive_paraphrase"]}, {}, "under_attack.cells.0.attacks: found adaptive_paraphrase, which"),
        ({}, {"attacks": {"loud": {"kind": "jamming", "writer": "careful"}}}, "attacks.loud: found writer, which"),
        ({}, {"attacks": {"loud": {"kind": "adaptive_paraphrase"}}}, "attacks.loud: found no writer, which this kind"),
        ({}, {"attacks": {"loud": {"kind": "jamming", "settings": {"n": 1}}}}, "attacks.loud.settings: found the"),
        ({}, {"attacks": {"loud": {"kind": "jamming", "files": ["a.csv"]}}}, "attacks.loud: found files, which this"),
        ({}, {"attacks": {"loud": {"kind": "adaptive_manual"}}}, "attacks.loud: found no files, which this kind reads"),
        ({}, {"attacks": {"loud": NO_READER}}, "attacks.loud.settings.reader: found the reader 'careful', expected a"),
        ({}, {"attacks": {"loud": NOT_FITTED}}, "attacks.loud.settings.filter: found the filter 'oracle', expected a"),
        ({}, {"attacks": {"loud": NOBODY}}, "attacks.loud.settings.responder: found the model 'embeded', expected one"),
        ({}, {"attacks": {"loud": WITHOUT_GRADIENTS}}, "attacks.loud.settings.retriever: found the retriever 'bm25',"),
        ({}, {"attacks": {"loud": {"kind": "corpus_poisoning", "settings": {"aim": "declining"}}}},
         "attacks.loud.settings.aim: found the aim 'declining', expected one of: error, answer"),
        ({}, {"defences": {"mine": {"kind": "none", "settings": {"k": 1}}}}, "defences.mine.settings: none has no"),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_one_line(cell, more, line):
    [problem] = problems(CELL | cell, **more)
    assert problem.startswith(line)


def test_a_path_that_names_no_attack_fits_no_rule_and_is_one_line():
    own = config(CELL)
    assert not re.fullmatch(one_of(attacks.attacks(own)), "jaming") and re.fullmatch(
        one_of(attacks.attacks(own)), "loud"
    )
    with pytest.raises(
        attacks.NoAttack, match=r"below results: found the attack 'jaming', expected one of: .*jamming"
    ) as told:
        attacks.poison_corpus(own, Wildcards(dataset="mine", attack="jaming"))
    with pytest.raises(
        defences.NoDefence, match=r"below results: found the defence 'orakel', expected one of: .*oracle"
    ):
        defences.filter_retrieved(own, Wildcards(defence="orakel"))
    assert "\n" not in str(told.value)


def test_k_is_at_most_the_depth_and_looking_deeper_than_was_searched_is_refused():
    shared = {"cells": [CELL], "k": 20}
    assert "found 15, expected at least under_attack.k, which is 20" in problems(under_attack=shared)[0]
    shared = {"cells": [CELL], "depth": 500}
    assert "found 500, expected at most retrieval.neighbours, which is 100" in problems(under_attack=shared)[0]
    shared = {"cells": [CELL], "ks": [500]}
    assert "under_attack.ks: found 500, expected at most retrieval.neighbours" in problems(under_attack=shared)[0]


def test_a_defence_that_rewrites_questions_has_them_searched_for_again():
    rewriting = {"para": {"kind": "paraphrasing", "settings": {"model": "careful"}}}
    own = config(CELL | {"retrievers": ["minilm"], "defences": ["none", "para"]}, defences=rewriting)
    cell = Wildcards(dataset="mine", retriever="minilm", attack="loud", defence="para")
    assert defended.retrieved(own, cell) == "results/found_rewritten/mine/minilm/loud/para.parquet"
    assert defended.rewritten_neighbours(own, cell) == "results/neighbours/texts/minilm/mine.para.parquet"
    assert defended.rewritten(own).over("{dataset}.{defence}") == ["mine.para"]
    assert len(defended.rewritten(own)) == len(defended.as_asked(own)) == 2
    assert defended.rewrite_questions(own, cell)["ledger"] == "ledger/rewrite_questions/mine/minilm/loud/para/careful"


def test_a_defence_that_asks_is_told_its_prompts_and_others_none():
    own, cell = config(CELL), {"dataset": "mine", "retriever": "minilm", "attack": "loud", "responder": "careful"}
    asked, plain = (Wildcards(**cell, defence=name) for name in ("robustrag", "none"))
    assert [path.split("/")[-1] for path in defended.prompts(own, asked)] == [
        "name_keywords.yaml",
        "answer_from_keywords.yaml",
    ]
    assert defended.answer_attacked(own, asked)["own"]["aggregation"] == "keywords"
    assert defended.prompts(own, plain) == [] and "kind" not in defended.answer_attacked(own, plain)
    modules = defended.answering_kinds(own, asked)
    assert modules == ["ragassay.calls.providers.rules", "ragassay.studies.poisoning.defences.kinds.robustrag"]


@pytest.mark.parametrize(
    ("own", "retrievers", "line"),
    [
        ({"kind": "paraphrasing"}, ["minilm"], "defences.asks.settings.model: found no model, which rewrites"),
        ({"kind": "paraphrasing", "settings": {"model": "gpt"}}, ["minilm"], "defences.asks.settings.model: found the"),
        ({"kind": "paraphrasing", "settings": {"model": "careful"}}, ["bm25"],
         "under_attack.cells.0.retrievers: found asks, which searches again, and bm25, expected retrievers by vectors"),
        ({"kind": "chain", "settings": {"of": ["robustrag"]}}, ["minilm"],
         "defences.asks.settings: found robustrag, which asks a model; name it in cells by itself"),
    ],
)  # fmt: skip
def test_what_defences_that_ask_cannot_do_is_one_line(own, retrievers, line):
    found = problems(CELL | {"retrievers": retrievers, "defences": ["asks"]}, defences={"asks": own})
    assert len(found) == 1 and found[0].startswith(line), found


def test_a_general_trigger_that_no_question_holds_is_one_line(settings):
    """Without the word an attack finds nothing; beside a twin with the word, questions without it are the control."""
    cell = {"retrievers": ["minilm"], "attacks": ["general_trigger"], "defences": ["none"], "responders": ["careful"]}
    alone = settings({"under_attack": {"cells": [cell | {"datasets": ["demo"]}]}})
    [(place, line)] = attackers.check(alone)
    told = "found the attack general_trigger on demo, whose questions hold no trigger; attack a twin, too: datasets: {"
    assert place == ("under_attack", "cells") and line.startswith(told)
    both = settings({"under_attack": {"cells": [cell | {"datasets": ["demo", "demo_triggered"]}]}})
    assert list(attackers.check(both)) == []
