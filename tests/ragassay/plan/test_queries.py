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
    columns = {"date": "day", "text": "text"}
    config["query_logs"]["mine"] = {"files": ["log.csv"], "columns": columns, "date_format": "%d.%m.%Y"}
    assert queries.logs(config, mixed=False) == ["mine"] and queries.logs(config, mixed=True) == ["log"]
    settings = queries.read_query_log(config, Wildcards(query_log="mine"))
    assert settings["name"] == "mine" and settings["columns"] == columns and settings["date_format"] == "%d.%m.%Y"


def test_every_rater_rates_everything(config):
    assert list(queries.rated(config)) == [{"rater": "m", **RATED}, {"rater": "n", **RATED}]
    settings = queries.rate_relevance(config, Wildcards(rater="n", **RATED))
    assert (settings["shown"], settings["votes"], settings["model"]["name"]) == (3, 1, "n")
    assert settings["ledger"] == "ledger/rate_relevance/n/documents/bm25/a"
