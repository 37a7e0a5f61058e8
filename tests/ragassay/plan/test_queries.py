"""What is written, mixed and rated, and what cannot be."""

import copy

import pytest

from ragassay.config.schema import merged
from ragassay.config.settings import checked
from ragassay.plan import models, queries
from wildcards import Wildcards

MODEL = {"provider": "rules", "model": "careful", "price": {"input": 0, "output": 0}}
SCHEMA = merged()
LOG = {"before": {"a": 1}, "after": {"a": 0.5, "made": 0.5}, "first_day": "2026-11-01", "drift_day": 9}
RATED = {"corpus": "documents", "retriever": "bm25", "query_set": "a"}
CONFIG = {
    "models": {"careful": MODEL, "m": MODEL, "n": MODEL},
    "query_sets": {"a": {"files": ["a.csv"]}},
    "synthetic_queries": {"made": {"corpus": "documents", "model": "m"}, "taken": {"corpus": "documents"}},
    "query_logs": {"log": LOG},
    "lm_relevance": {"raters": ["m", "n"], "rated": [RATED], "passages": 3},
}


@pytest.fixture
def config():
    return checked(copy.deepcopy(CONFIG), [], SCHEMA)


def test_a_set_is_written_by_its_model_or_taken_from_its_corpus(config):
    assert queries.by_model(config) == ["made"] and queries.from_corpus(config) == ["taken"]
    job = Wildcards(query_set="made")
    assert queries.passages(config, job) == "results/passages/documents.parquet"
    assert models.provider_of(config, queries.writer, job) == ["ragassay.calls.providers.rules"]
    assert models.weights_of(config, queries.writer, job) == []
    assert models.access_of(config, queries.writer, job)["mode"] == "online"
    settings = queries.write_synthetic_queries(config, job)
    assert settings["model"]["name"] == "m" and settings["ledger"] == "ledger/write_synthetic_queries/made/m"
    assert (settings["count"], settings["examples"]) == (300, [])
    taken = queries.take_synthetic_queries(config, Wildcards(query_set="taken"))
    assert taken == {"count": 300, "taken": "conclusion"}


def test_a_log_is_mixed_from_all_its_sets_once(config):
    job = Wildcards(query_log="log")
    assert queries.mixed(config, job) == ["results/queries/a.parquet", "results/queries/made.parquet"]
    settings = queries.mix_query_log(config, job)
    assert settings == {**LOG, "days": 50, "queries": 1000, "seed": 0}


def test_a_users_log_is_read(config):
    config["query_logs"]["mine"] = {"files": ["log.csv"], "columns": {"date": "day", "text": "text"}}
    assert queries.logs(config, mixed=False) == ["mine"] and queries.logs(config, mixed=True) == ["log"]
    assert queries.log_files(config, Wildcards(query_log="mine")) == ["log.csv"]
    assert queries.read_query_log(config, Wildcards(query_log="mine"))["columns"]["date"] == "day"


def test_every_rater_rates_everything(config):
    assert list(queries.rated(config)) == [{"rater": "m", **RATED}, {"rater": "n", **RATED}]
    settings = queries.rate_relevance(config, Wildcards(rater="n", **RATED))
    assert (settings["shown"], settings["votes"], settings["model"]["name"]) == (3, 1, "n")
    assert settings["ledger"] == "ledger/rate_relevance/n/documents/bm25/a"


@pytest.mark.parametrize(
    ("section", "entry", "place", "problem"),
    [
        ("synthetic_queries", {"a": {"corpus": "documents"}}, "a", "found the name of another query set"),
        (
            "synthetic_queries",
            {"x": {"corpus": "docs"}},
            "corpus",
            "found the corpus 'docs', expected one of: documents",
        ),
        ("synthetic_queries", {"x": {"corpus": "documents", "model": "o"}}, "model", "found the model 'o', expected"),
        ("query_logs", {"x": LOG | {"before": {"b": 1}}}, "before", "found the query set 'b', expected one of: questi"),
        ("query_logs", {"x": LOG | {"after": {"a": 0.6}}}, "after", "found shares that add up to 0.6, expected 1"),
        ("query_logs", {"x": {"corpus": None}}, "x", "found no before, expected files of your own, or before, after"),
        ("query_logs", {"x": LOG | {"files": ["a.csv"]}}, "x", "found files and settings of a mixture"),
        ("query_logs", {"x": LOG | {"drift_day": 51}}, "drift_day", "found 51, expected a day from 2 to 50"),
        (
            "query_logs",
            {"x": LOG | {"first_day": "2026-02-30"}},
            "first_day",
            "found '2026-02-30', expected a date suc",
        ),
        ("lm_relevance", {"rated": [RATED | {"query_set": "b"}]}, "rated", "found the query set 'b', expected one of"),
    ],
)
def test_what_cannot_be_is_named(section, entry, place, problem):
    config = checked(copy.deepcopy(CONFIG) | {section: {**CONFIG[section], **entry}}, [], SCHEMA)
    [(path, text)] = queries.check(config)
    assert path[0] == section and path[-1] == place and text.startswith(problem)


def test_what_can_be_is_no_problem(config):
    assert list(queries.check(config)) == []
