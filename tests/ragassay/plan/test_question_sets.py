"""Who takes part in a question set, by its switches, and what that asks for."""

from contextlib import closing

from ragassay.config.schema import merged
from ragassay.config.settings import checked
from ragassay.people.click_log import Log
from ragassay.plan import question_sets
from ragassay.plan.labels import labelled, tables_of
from wildcards import Wildcards

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
