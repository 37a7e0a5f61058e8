"""The keys of the scope study's tables: what a whole study consists of, and what names may stand in a path."""

import re

from ragassay.plan import hardness, questions
from wildcards import Wildcards

SHARDS = {"s1": {}, "s2": {}}


def test_every_table_has_all_keys_and_the_studys_own_the_first_of_each_part(config):
    every, own = questions.every(config, SHARDS), questions.own(config, SHARDS)
    assert every == {
        "generator": ["a", "b"],
        "judge": ["c", "a"],
        "responder": ["a", "b"],
        "prompt": ["basic", "cot"],
        "shard": ["s1", "s2"],
    }
    assert own == every | {"generator": ["a"], "judge": ["c"], "responder": ["a"]}
    first = hardness.measure_scope(config)
    assert [first[role] for role in ("generator", "judge")] == [own[role][0] for role in ("generator", "judge")]


def test_judges_and_responders_say_what_is_out_of_scope_and_nobody_twice(config):
    assert questions.deciding(config) == ["c", "a", "b"]


def test_responders_vote_on_all_questions_on_those_that_people_label_or_not_at_all(config):
    def samples(switch):
        config["scope"]["judging"]["responders"] = switch
        asked = [("a", "c"), ("a", "a"), ("a", "b"), ("mine", "b")]
        return [questions.sample(config, Wildcards(generator=name, judge=judge)) for name, judge in asked]

    assert samples("all") == [[], [], [], []]
    assert samples("labelled") == [[], [], ["results/annotation_items/a/c.parquet"], []]
    assert samples("none") == [[], [], [], []] and questions.deciding(config) == ["c", "a"]


def test_all_that_models_may_write_bounds_the_requests_for_a_document(config):
    config["scope"]["claims"]["claims_per_document"] = 2
    found = questions.most_requests(config)
    assert (found["recover_claims"], found["write_questions"], found["judge_defusion"]) == (3 * 2, 2, 2)
    assert found["write_near_misses"] == 1  # a try, of which each counts its own requests
    assert found["judge_scope"] == found["respond"] == found["answer_closed_book"] == 2 + 5
    config["scope"]["responding"]["in_scope_share"] = 0
    assert (questions.most_requests(config)["respond"], questions.most_requests(config)["judge_scope"]) == (2, 7)
    config["scope"]["questions"]["in_scope_per_document"] = 0
    assert (questions.most_requests(config)["write_questions"], questions.most_requests(config)["respond"]) == (1, 2)


def test_questions_lie_elsewhere_while_near_misses_are_to_come(config):
    table, near = "results/{}/{{generator}}/{{shard}}.parquet", config["scope"]["near_misses"]
    assert (questions.written_questions(config), questions.generating(config)[-1]) == (
        table.format("questions"),
        "write_questions",
    )
    near["tries"] = 3
    assert questions.written_questions(config) == table.format("written_questions")
    assert questions.generating(config)[-1] == "write_near_misses"
    settings = questions.write_near_misses(config, Wildcards(generator="a", shard="s1"))
    assert (
        settings["ledger"] == "ledger/write_near_misses/a/s1"
        and settings["most_words"] == 18
        and settings["tries"] == 3
    )


def test_a_path_has_names_of_models_of_question_sets_and_of_what_those_recorded(config):
    forms = questions.wildcards(config)
    fits = {
        role: [name for name in ("a", "mine", "old", "old-judge", "x") if re.fullmatch(form, name)]
        for role, form in forms.items()
    }
    assert fits == {"generator": ["a", "mine"], "judge": ["a", "old-judge"], "responder": ["a", "old"]}
