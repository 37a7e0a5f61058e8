"""What a configuration plans for the report and its pages of single rows."""

from types import SimpleNamespace

import pytest

from ragassay.config.settings import ConfigError
from ragassay.plan import explorers, gates, report
from wildcards import Wildcards

REGISTERED = {"documents": {}, "crawl": {"shown": False}, "scope": {"examples": "results/examples/scope.parquet"}}


def named(*sections):
    return {"report": {"sections": list(sections)}}


def test_all_sections_with_something_to_show_are_shown_unless_some_are_named():
    assert report.sections(named(), REGISTERED) == ["documents", "scope"]
    assert report.sections(named("scope", "crawl", "documents"), REGISTERED) == ["scope", "documents"]


def test_a_section_that_is_named_brings_those_that_describe_more_of_its_metrics():
    more = {"scope_data": {"metrics": "scope"}, "scope_people": {"metrics": "scope", "shown": False}}
    registered = REGISTERED | more | {"calls": {}}
    assert report.sections(named("calls", "scope"), registered) == ["calls", "scope", "scope_data"]
    assert report.sections(named("scope_data"), registered) == ["scope_data"]
    assert report.sections(named(), registered) == ["documents", "scope", "scope_data", "calls"]


def test_a_section_that_no_study_registers_is_refused_in_one_line():
    with pytest.raises(ConfigError) as caught:
        report.sections(named("documents", "scop"), REGISTERED)
    expected = "expected one of: documents, crawl, scope (did you mean scope?)"
    assert str(caught.value) == f"report.sections: found the section 'scop', {expected}"


def test_sections_stand_on_the_page_of_their_study_which_the_first_one_heads_for_another():
    registered = {"answers": {"page": "scope", "metrics": "scope"}, "scope": {}, "calls": {}}
    pages = report.page_of([*registered], registered)
    assert pages == {"answers": "scope", "scope": "scope", "calls": "calls"}
    inputs = report.page_inputs(pages, registered, {})["scope"]
    assert inputs["figures"] == ["<report>/figures/scope", "<report>/figures/answers"], "the head comes first"
    assert inputs["metrics"] == ["results/metrics/scope.parquet"] * 2
    assert report.metrics(SimpleNamespace(section="answers"), registered) == "results/metrics/scope.parquet"
    assert report.page_of(["answers", "calls"], registered) == {"answers": "answers", "calls": "calls"}


def test_each_configuration_has_a_report_of_its_own():
    def folder(name, *files):
        return report.places({"report": {"name": name}}, ["config/config.yaml", *files])["report"]

    assert folder(None) == folder("") == folder("", "mine.yaml") == "results/report"
    assert folder(None, "studies/mine.yaml", "more.yaml") == "results/report/mine"
    assert folder("paper", "mine.yaml") == "results/report/paper"
    with pytest.raises(ConfigError, match=r"my own\.yaml: found the file's name 'my own', .* set report\.name"):
        folder(None, "my own.yaml")


SHARDS = {"s": {}, "t": {}}


def test_every_generator_and_judge_has_a_page_and_so_has_every_question_set(config):
    pages = explorers.questions(config)
    pairs = [f"All questions, {pair}" for pair in ("a/a", "b/c", "b/a")]
    assert list(pages) == ["All questions", *pairs, "Questions of mine"]
    assert pages["All questions"] == "a/c" and pages["Questions of mine"] == "mine/c"
    assert explorers.pages(config)["All questions"] == "explorer/a/c.html"


@pytest.mark.parametrize(
    ("sections", "pages"), [(["relevance"], 0), (["relevance", "scope"], 4), (["question_sets"], 1)]
)
def test_a_report_about_other_sections_has_none(config, sections, pages):
    assert len(explorers.questions(config | {"report": {"sections": sections}})) == pages


def test_a_page_shows_the_votes_of_all_judges_and_a_set_those_that_came_with_it(config):
    votes = explorers.scope_votes(config, SHARDS, Wildcards(generator="a", judge="c"))
    assert votes == [f"results/scope_votes/a/{judge}/{shard}.parquet" for judge in "ca" for shard in "st"]
    votes = explorers.scope_votes(config, SHARDS, Wildcards(generator="mine", judge="c"))
    assert votes == [f"results/scope_votes/mine/{judge}/mine.parquet" for judge in ("c", "a", "old-judge")]


def test_detectors_are_those_that_the_report_shows_and_trained_on_the_page_s_questions(config):
    mine, study = Wildcards(generator="mine", judge="c"), Wildcards(generator="a", judge="c")
    assert "results/predictions/overlap/minilm/a/c/a/may.parquet" in explorers.predictions(config, {"may": {}}, study)
    asked = explorers.predictions(config, {"may": {}}, mine)
    assert {path.split("/")[4] for path in asked} == {"a", "b"}
    assert all(path.endswith("/mine.parquet") for path in asked)
    assert explorers.predictions(config | {"report": {"sections": ["scope"]}}, {"may": {}}, study) == []
    config["question_sets"]["mine"]["detectors"] = False
    assert explorers.predictions(config, {"may": {}}, mine) == []


def test_a_question_set_has_no_claims_and_people_may_have_voted_on_it(config):
    mine, study = Wildcards(generator="mine", judge="c"), Wildcards(generator="a", judge="c")
    pattern = "results/claims/{generator}/{shard}.parquet"
    graded = "results/hardness_scores/{generator}/{judge}.parquet"
    assert [explorers.of_study(config, SHARDS, each, mine) for each in (pattern, graded)] == [[], []]
    assert explorers.of_study(config, SHARDS, pattern, study) == [f"results/claims/a/{shard}.parquet" for shard in "st"]
    assert explorers.of_study(config, SHARDS, graded, study) == ["results/hardness_scores/a/c.parquet"]
    assert explorers.of_set(config, "labels/{generator}", mine) == ["labels/mine"]
    assert explorers.of_set(config, "labels/{generator}", study) == explorers.gold(config, study) == []


def test_what_to_do_about_a_set_is_about_its_own_settings(config):
    settings = explorers.list_questions(config, Wildcards(generator="mine", judge="c"), [])
    assert "question_sets.mine.responding" in settings["remedies"]["responses"]
    assert settings["subject"] == "Questions of the set mine, judged by c."
    settings = explorers.list_questions(config, Wildcards(generator="a", judge="c"), [])
    assert "scope.responders" in settings["remedies"]["responses"] and settings["subject"].startswith("Questions by a")


def test_attacks_have_a_page_where_something_is_attacked_and_the_report_shows_it(settings):
    config = settings()
    assert explorers.pages(config)["All attacks"] == "explorer/attacks.html"
    assert "All attacks" not in explorers.pages(config | {"report": {"sections": ["scope"]}})
    assert "All attacks" in explorers.pages(config | {"report": {"sections": ["raguard"]}})
    config["under_attack"]["cells"] = []
    assert "All attacks" not in explorers.pages(config)


def test_the_page_of_attacks_knows_what_each_wants_and_where_its_passages_are(settings):
    config = settings()
    params = explorers.list_attacks(config, [])
    assert params["wants"]["none"] is None and params["wants"]["jamming"] == "declining"
    assert params["wants"]["poisonedrag_black"] == "answer"
    assert params["corpora"]["demo"] == "short_articles" and params["k"] <= params["depth"]


def test_a_gate_is_asked_about_questions_where_the_report_shows_relevance(settings):
    config, page = settings(), Wildcards(generator="natural", judge="careful")
    assert explorers.gated(config, page) == ["results/gated_questions/natural/careful.parquet"]
    assert explorers.gated(config | {"report": {"sections": ["scope"]}}, page) == []
    assert list(gates.gate_questions(config)["retrievers"]) == ["minilm", "bm25_by_idf"]
    config["retrievers"] = {"elsewhere": {"kind": "vectors", "passages": {}, "queries": {}}}
    config["relevance"]["fused"] = ["elsewhere"]
    assert gates.gate_questions(config)["retrievers"] == {} and explorers.gated(config, page) == []
