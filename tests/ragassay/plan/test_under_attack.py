"""What is attacked with what, and what is refused before any job."""

from ragassay.config.schema import merged
from ragassay.config.settings import checked
from ragassay.plan import attackers, attacks, defences, defended
from ragassay.studies.poisoning.attacks.attack import WRITER
from wildcards import Wildcards

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


def test_each_entry_is_all_combinations_of_its_lists_and_each_cell_is_there_once():
    own = config(CELL, CELL | {"attacks": ["none"], "defences": ["none", "oracle"], "responders": ["careful"]})
    assert [tuple(cell.values()) for cell in attacks.cells(own)] == [
        ("mine", retriever, one) for retriever in CELL["retrievers"] for one in CELL["attacks"]
    ]
    assert defences.answered(own).over("{retriever}/{defence}") == [
        f"{retriever}/{name}" for retriever in CELL["retrievers"] for name in ("none", "oracle")
    ]


def test_an_attack_gets_its_settings_and_only_those_that_edit_get_passages():
    own = config(CELL)
    loud = Wildcards(dataset="mine", attack="loud")
    assert attacks.poison_corpus(own, loud) == {"attack": "loud", "kind": "jamming", "settings": {"texts": 2}}
    pattern = "results/neighbours/{corpus}/{retriever}/{dataset}.targets.parquet"
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
    assert settings["retriever"]["encoder"]["name"] == "minilm" and settings["settings"]["steps"] == 30
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
    assert attacks.needing(own, WRITER).over("{dataset}/{attack}") == ["mine/loud"]
    settings = attacks.paraphrase_targets(own, job)
    assert (settings["texts"], settings["words"], settings["model"]["name"]) == (2, 30, "careful")
    assert settings["ledger"] == "ledger/paraphrase_targets/mine/loud/careful"
    assert attacks.writing_prompt(own, job).endswith("resources/prompts/write_supporting_texts.yaml")
    worded = config(CELL, attacks={"loud": loud | {"settings": {"prompt": "write_wanted_texts"}}})
    assert attacks.writing_prompt(worded, job).endswith("resources/prompts/write_wanted_texts.yaml")
    manual = config(CELL, attacks={"loud": {"kind": "table", "files": ["a.csv"]}})
    assert attacks.poison_texts(manual, job) == ["a.csv"] and not attacks.needing(manual, WRITER)


def test_a_defence_that_rewrites_questions_has_them_searched_for_again():
    rewriting = {"para": {"kind": "paraphrasing", "settings": {"model": "careful"}}}
    own = config(CELL | {"retrievers": ["minilm"], "defences": ["none", "para"]}, defences=rewriting)
    cell = Wildcards(dataset="mine", retriever="minilm", attack="loud", defence="para")
    assert defended.found_rewritten(own, cell) == ["results/found_rewritten/mine/minilm/loud/para.parquet"]
    assert defended.rewritten(own).over("{dataset}.{defence}") == ["mine.para"]
    assert len(defended.rewritten(own)) == len(defended.as_asked(own)) == 2
    assert defended.rewrite_questions(own, cell)["ledger"] == "ledger/rewrite_questions/mine/minilm/loud/para/careful"


def test_a_defence_that_asks_is_told_its_prompts_and_others_none():
    own, cell = config(CELL), {"dataset": "mine", "retriever": "minilm", "attack": "loud", "responder": "careful"}
    asked, plain = (Wildcards(**cell, defence=name) for name in ("robustrag", "none"))
    names = [path.split("/")[-1] for path in defended.prompts(own, asked)]
    assert names == ["name_keywords.yaml", "answer_from_keywords.yaml"]
    assert defended.answer_attacked(own, asked)["settings"]["aggregation"] == "keywords"
    assert defended.prompts(own, plain) == [] and "kind" not in defended.answer_attacked(own, plain)
    modules = defended.answering_kinds(own, asked)
    assert modules == ["ragassay.calls.providers.rules", "ragassay.studies.poisoning.defences.kinds.robustrag"]


def test_a_general_trigger_that_no_question_holds_is_one_line(settings):
    """Without the word an attack finds nothing; beside a twin with the word, questions without it are the control."""
    cell = {"retrievers": ["minilm"], "attacks": ["general_trigger"], "defences": ["none"], "responders": ["careful"]}
    alone = settings({"under_attack": {"cells": [cell | {"datasets": ["demo"]}]}})
    [(place, line)] = attackers.check(alone)
    told = "found the attack general_trigger on demo, whose questions hold no trigger; attack a twin, too: datasets: {"
    assert place == ("under_attack", "cells") and line.startswith(told)
    both = settings({"under_attack": {"cells": [cell | {"datasets": ["demo", "demo_triggered"]}]}})
    assert list(attackers.check(both)) == []
