"""Who takes part in a question set, by its switches, and what that asks for."""

import pytest

from conftest import ROOT
from ragassay.annotation.settings import labelled, of_generator
from ragassay.config import ConfigError, checked
from ragassay.question_sets import settings

MODEL = {"provider": "embedded", "model": "reader", "price": {"input": 0, "output": 0}}
SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"


class Wildcards(dict):
    """As Snakemake gives them: by key and by attribute."""

    __getattr__ = dict.__getitem__


def configuration(sets, **more):
    files = {"documents": ["d.csv"], "questions": ["q.csv"]}
    scope = {"generators": ["a", "b"], "judges": ["j"], "responders": ["j", "r"]}
    scope |= {"responding": {"prompts": ["basic", "two_shot"]}, "annotation": {"folder": "nobody_labelled_here"}}
    config = {"models": dict.fromkeys("abjr", MODEL), "scope": scope}
    config["question_sets"] = {name: files | own for name, own in sets.items()}
    return checked(config | more, [], SCHEMA)


def rows(columns):
    return list(zip(*columns.values(), strict=True))


def test_responders_take_part_only_where_a_set_says_so():
    config = configuration({"x": {"responders": {"old": "said"}, "judges": {"k": "told"}}, "y": {"responding": True}})
    assert rows(settings.asked_judges(config)) == [("x", "j"), ("y", "j"), ("y", "r")]
    assert rows(settings.set_judges(config)) == [("x", "j"), ("x", "k"), ("y", "j"), ("y", "r")]
    assert rows(settings.set_judges(config, ["x"])) == [("x", "j"), ("x", "k")]
    own = [("y", who, prompt) for who in "jr" for prompt in ("basic", "two_shot")]
    assert rows(settings.own_responses(config)) == own
    assert rows(settings.set_responses(config)) == [("x", "old", "recorded", "j"), *((*row, "j") for row in own)]


def test_detectors_and_retrievers_take_part_unless_a_set_says_no():
    methods = {"nli": {"kind": "sentence_pair", "encoders": ["minilm"]}}
    sets = {"x": {}, "y": {"detectors": False, "retrieval": False}}
    config = configuration(sets, detectors={"methods": methods, "use": ["nli"]})
    assert rows(settings.predictions(config)) == [("nli/minilm", name, "j", "x") for name in "ab"]
    assert rows(settings.predictions(config, ["y"])) == []
    assert {name for name, _ in rows(settings.searches(config))} == {"x"}


def test_people_have_a_section_where_they_voted():
    config = configuration({"x": {}, "y": {"human_votes": ["v.csv"]}, "z": {"annotators": {"ann": "by_ann"}}})
    assert settings.with_people(config) == ["y", "z"] and "agreement" in settings.sections(config)
    assert settings.sections(configuration({"x": {}})) == ["question_sets"]


@pytest.mark.parametrize("section", ["corpora", "query_sets"])
def test_a_set_has_a_name_of_its_own_among_what_is_searched(section):
    with pytest.raises(ConfigError, match=f"found a name that {section} have, too"):
        configuration({"x": {}}, **{section: {"x": {"files": ["f.csv"]}}})


def test_people_label_recorded_responses_and_those_that_were_given_here():
    config = configuration(
        {"x": {"responders": {"old": "said"}, "responding": True}, "y": {"responders": {"old": "s"}}}
    )
    pattern = "{generator}/{responder}/{prompt}/{shard}"

    def found(name, pattern=pattern):
        return of_generator(config, ["s", "t"], pattern, Wildcards(generator=name))

    own = [f"{who}/{prompt}" for who in "jr" for prompt in ("basic", "two_shot")]
    assert found("x") == ["x/old/recorded/x", *(f"x/{one}/x" for one in own)]
    assert found("y") == ["y/old/recorded/y"] and found("y", "{generator}/{shard}") == ["y/y"]
    assert found("a") == [f"a/{one}/{shard}" for shard in "st" for one in own]


def test_whoever_has_labels_is_found_generators_and_sets_alike(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = configuration({"x": {}, "y": {}})
    assert labelled(config) == {"generator": [], "judge": []}
    for name in ("b", "y"):
        (tmp_path / f"nobody_labelled_here/{name}/j").mkdir(parents=True)
        (tmp_path / f"nobody_labelled_here/{name}/j/events.jsonl").touch()
    assert labelled(config) == {"generator": ["b", "y"], "judge": ["j", "j"]}
    assert labelled(config, config["scope"]["generators"])["generator"] == ["b"]
    assert settings.with_people(config) == ["y"]
