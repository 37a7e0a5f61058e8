"""Which sections the report shows."""

from types import SimpleNamespace

import pytest

from ragassay.config.settings import ConfigError
from ragassay.plan import report

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
    page = SimpleNamespace(page="scope")
    assert report.of_page(page, "{section}.yaml", pages) == ["scope.yaml", "answers.yaml"], "the head comes first"
    assert report.metrics_of_page(page, registered, pages) == ["results/metrics/scope.parquet"] * 2
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
