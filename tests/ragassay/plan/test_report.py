"""Which sections the report shows."""

import pytest

from ragassay.config.settings import ConfigError
from ragassay.plan import report

REGISTERED = {"documents": {}, "crawl": {"shown": False}, "scope": {"examples": "results/examples/scope.parquet"}}


def named(*sections):
    return {"report": {"sections": list(sections)}}


def test_all_sections_with_something_to_show_are_shown_unless_some_are_named():
    assert report.sections(named(), REGISTERED) == ["documents", "scope"]
    assert report.sections(named("scope", "crawl", "documents"), REGISTERED) == ["scope", "documents"]


def test_a_section_that_no_study_registers_is_refused_in_one_line():
    with pytest.raises(ConfigError) as caught:
        report.sections(named("documents", "scop"), REGISTERED)
    expected = "expected one of: documents, crawl, scope (did you mean scope?)"
    assert str(caught.value) == f"report.sections: found the section 'scop', {expected}"
