"""What a configuration plans for questions, sets of them and responses."""

import re
from contextlib import closing
from types import SimpleNamespace

from ragassay.config.schema import merged
from ragassay.config.settings import checked
from ragassay.people.click_log import Log
from ragassay.plan import question_sets, questions
from ragassay.plan.documents import calls_of_shards
from ragassay.plan.people import labelled, tables_of
from wildcards import Wildcards

SHARDS = {"s1": {}, "s2": {}}


def test_every_table_has_all_keys_and_the_studys_own_the_first_of_each_part(config):
    every, own = questions.every(config, SHARDS), questions.own(config, SHARDS)
    roles = {"generator": ["a", "b"], "judge": ["c", "a"], "responder": ["a", "b"]}
    assert every == roles | {"prompt": ["basic", "cot"], "shard": ["s1", "s2"]}
    assert own == every | {"generator": ["a"], "judge": ["c"], "responder": ["a"]}
    first = questions.measure_scope(config)
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
    assert questions.written_questions(config) == table.format("questions")
    assert questions.generating(config)[-1] == "write_questions"
    near["tries"] = 3
    assert questions.written_questions(config) == table.format("written_questions")
    assert questions.generating(config)[-1] == "write_near_misses"
    settings = questions.write_near_misses(config, Wildcards(generator="a", shard="s1"))
    assert settings["ledger"] == "ledger/write_near_misses/a/s1"
    assert (settings["most_words"], settings["tries"]) == (18, 3)


def test_a_path_has_names_of_models_of_question_sets_and_of_what_those_recorded(config):
    forms, names = questions.wildcards(config), ("a", "mine", "old", "old-judge", "x")
    roles = ("generator", "judge", "responder")
    fits = {role: [name for name in names if re.fullmatch(forms[role], name)] for role in roles}
    assert fits == {"generator": ["a", "mine"], "judge": ["a", "old-judge"], "responder": ["a", "old"]}


MODEL = {"provider": "rules", "model": "careful", "price": {"input": 0, "output": 0}}
SCHEMA = merged()


def configuration(sets, **more):
    files = {"documents": ["d.csv"], "questions": ["q.csv"]}
    scope = {"generators": ["a", "b"], "judges": ["j"], "responders": ["j", "r"]}
    scope |= {"responding": {"prompts": ["basic", "two_shot"]}, "annotation": {"folder": "nobody_labelled_here"}}
    config = {"models": dict.fromkeys("abjr", MODEL), "scope": scope}
    config["question_sets"] = {name: files | own for name, own in sets.items()}
    return checked(config | more, [], SCHEMA)


def rows(grid):
    return [tuple(cell.values()) for cell in grid]


def test_responders_take_part_only_where_a_set_says_so():
    config = configuration({"x": {"responders": {"old": "said"}, "judges": {"k": "told"}}, "y": {"responding": True}})
    assert rows(question_sets.asked_judges(config)) == [("x", "j"), ("y", "j"), ("y", "r")]
    assert rows(question_sets.set_judges(config)) == [("x", "j"), ("x", "k"), ("y", "j"), ("y", "r")]
    assert rows(question_sets.set_judges(config, ["x"])) == [("x", "j"), ("x", "k")]
    own = [("y", who, prompt) for who in "jr" for prompt in ("basic", "two_shot")]
    assert rows(question_sets.own_responses(config)) == own
    assert rows(question_sets.set_responses(config)) == [("x", "old", "recorded", "j"), *((*row, "j") for row in own)]


def test_a_set_that_is_switched_off_is_absent():
    config = configuration({"x": {"used": False}, "y": {}})
    assert list(config["question_sets"]) == ["y"]
    assert rows(question_sets.set_judges(config)) == [("y", "j")]


def test_documents_are_the_files_that_are_named_and_those_of_folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("texts/b.md", "texts/inner/a.txt", "texts/.hidden.md", "one.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text")
    config = configuration({"x": {"documents": ["one.csv", "texts"]}})
    files = question_sets.documents(config, Wildcards(question_set="x"))
    assert files == ["one.csv", "texts/b.md", "texts/inner/a.txt"]


def test_detectors_and_retrievers_take_part_unless_a_set_says_no():
    methods = {"nli": {"kind": "sentence_pair", "encoders": ["minilm"]}}
    sets = {"x": {}, "y": {"detectors": False, "retrieval": False}}
    config = configuration(sets, detectors={"methods": methods, "use": ["nli"]})
    assert rows(question_sets.predictions(config)) == [("x", "nli/minilm", name, "j") for name in "ab"]
    assert rows(question_sets.predictions(config, ["y"])) == []
    assert {name for name, _ in rows(question_sets.searches(config))} == {"x"}


def test_people_have_a_section_where_they_voted():
    config = configuration({"x": {}, "y": {"human_votes": ["v.csv"]}, "z": {"annotators": {"ann": "by_ann"}}})
    assert question_sets.with_people(config) == ["y", "z"] and "agreement" in question_sets.sections(config)
    assert question_sets.sections(configuration({"x": {}})) == ["question_sets"]


def test_people_label_recorded_responses_and_those_that_were_given_here():
    config = configuration(
        {"x": {"responders": {"old": "said"}, "responding": True}, "y": {"responders": {"old": "s"}}}
    )
    pattern = "{generator}/{responder}/{prompt}/{shard}"

    def found(name, pattern=pattern):
        return tables_of(config, ["s", "t"], pattern, Wildcards(generator=name))

    own = [f"{who}/{prompt}" for who in "jr" for prompt in ("basic", "two_shot")]
    assert found("x") == ["x/old/recorded/x", *(f"x/{one}/x" for one in own)]
    assert found("y") == ["y/old/recorded/y"] and found("y", "{generator}/{shard}") == ["y/y"]
    assert found("a") == [f"a/{one}/{shard}" for shard in "st" for one in own]


def test_labels_of_people_are_found_for_generators_and_sets_alike(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = configuration({"x": {}, "y": {}})
    assert not labelled(config)
    for name in ("b", "y"):
        with closing(Log(tmp_path / f"nobody_labelled_here/{name}/j/events.jsonl")) as log:
            log.append({"event": "practice", "person": "Anna", "item": "label", "right": True})
    assert not labelled(config), "people who only practise have labelled nothing"
    for name in ("b", "y"):
        with closing(Log(tmp_path / f"nobody_labelled_here/{name}/j/events.jsonl")) as log:
            log.append({"event": "label", "person": "Anna", "item": "a", "label": "in_scope"})
    assert rows(labelled(config)) == [("b", "j"), ("y", "j")]
    assert labelled(config, config["scope"]["generators"]).column("generator") == ["b"]
    assert question_sets.with_people(config) == ["y"]


def test_each_way_to_ask_the_judge_has_its_votes(config):
    assert questions.variants(config) == ["", "_plain", "_short"]
    wildcards = [Wildcards(generator="g", judge="c", variant=variant) for variant in questions.variants(config)]
    assert [questions.judge_defusion(config, each)["votes"] for each in wildcards] == [5, 3, 9]


def test_a_variant_in_a_path_is_one_of_these_or_none(config):
    form = questions.wildcards(config)["variant"]
    assert [name for name in ("", "_plain", "plain", "_plainer") if re.fullmatch(form, name)] == ["", "_plain"]


def test_a_responder_is_asked_with_the_prompt_of_the_path(config):
    settings = questions.respond(config, Wildcards(generator="b", responder="a", prompt="cot", shard="s"))
    assert (settings["prompt_name"], settings["ledger"]) == ("cot", "ledger/respond/b/a/cot/s")


def test_a_share_of_in_scope_questions_is_asked_of_the_study_and_all_of_a_question_set(config):
    config["scope"]["responding"]["in_scope_share"] = 0.2
    for stage in (questions.respond, questions.answer_closed_book):
        asked = [Wildcards(generator=name, responder="a", prompt="cot", shard="s") for name in ("b", "mine")]
        assert [stage(config, wildcards)["in_scope_share"] for wildcards in asked] == [0.2, 1.0]


def test_nobody_is_asked_without_documents_if_that_is_switched_off(config):
    assert questions.knowing(config) == ["a", "b"]
    config["scope"]["closed_book"]["used"] = False
    assert questions.knowing(config) == []


def test_measuring_knows_the_cutoffs_of_responders(config):
    assert questions.measure_responses(config)["cutoffs"] == {"b": "2023-12-31"}


def test_measuring_knows_whether_the_first_judge_is_a_set_of_rules(config):
    first = config["scope"]["judges"][0]
    for provider in ("rules", "openai"):
        config["models"][first] = config["models"][first] | {"provider": provider}
        assert questions.measure_responses(config)["by_rules"] == (provider == "rules")


def test_calls_are_those_that_every_shard_has():
    rules, months = ("respond/g", "judge/g"), ("may", "june")
    of_shards = [f"results/calls/{rule}/{month}.parquet" for rule in rules for month in months]
    others = ["results/calls/answer_attacked/d/may.parquet", "results/calls/judge/g/natural.parquet"]
    asked = {"shards": {"may": {}, "june": {}}, "wildcards": SimpleNamespace(), "calls": [*of_shards, *others]}
    assert calls_of_shards(**asked) == of_shards, "a model called may made no calls of a shard"
