"""Where corpora and targets come from, and what is refused before any job."""

import yaml
from snakemake.utils import update_config

from project import ROOT
from ragassay.config.schema import merged
from ragassay.config.settings import checked
from ragassay.plan import attacks, defences, models, search, targets
from wildcards import Wildcards

SCHEMA = merged()
READER = {"provider": "rules", "model": "careful", "price": {"input": 0, "output": 0}}
REWRITTEN = {"model": "careful", "count": 3}
BY_MODEL = {"model": "careful", "query_set": "asked"}
OWN = {
    "models": {"careful": READER},
    "corpora": {
        "texts": {"files": ["a.csv", "b.csv"]},
        "more": {"extends": "texts", "rewritten": REWRITTEN},
        "most": {"extends": "more", "rewritten": REWRITTEN},
    },
    "query_sets": {"asked": {"files": ["q.csv"]}},
    "datasets": {
        "brought": {"corpus": "texts", "targets": ["t.csv"]},
        "ruled": {"corpus": "texts", "by_rule": {}},
        "modelled": {"corpus": "more", "by_model": BY_MODEL},
    },
}


def config(**more):
    return checked(OWN | more, [], SCHEMA)


def test_an_extended_corpus_is_the_parts_of_the_other_and_one_that_a_model_writes():
    own = config()
    assert search.parts_of(own, "more") == ["texts+1", "texts+2", "more+1"]
    assert search.parts_of(own, "most") == ["texts+1", "texts+2", "more+1", "most+1"]
    assert search.parts(own) == ["texts+1", "texts+2"], "nothing else is read from files"
    assert search.in_parts(own) == ["texts", "more", "most"]
    assert targets.rewritten(own, Wildcards(corpus="most")) == "results/passages/more.parquet"
    settings = targets.rewrite_passages(own, Wildcards(corpus="more"))
    assert (settings["count"], settings["ledger"]) == (3, "ledger/rewrite_passages/more/careful")


def test_targets_come_from_files_from_rules_or_from_a_model():
    own = config()
    origins = {key: targets.made(own, key) for key in targets.ORIGINS}
    assert origins == {"targets": ["brought"], "by_rule": ["ruled"], "by_model": ["modelled"]}
    assert targets.make_targets(own, Wildcards(dataset="ruled"))["count"] == 400
    job = Wildcards(dataset="modelled")
    assert targets.queries(own, job) == "results/queries/asked.parquet"
    assert targets.passages(own, job) == "results/passages/more.parquet"
    assert models.provider_of(own, targets.target_writer, job) == ["ragassay.calls.providers.rules"]
    settings = targets.write_targets(own, job)
    assert (settings["agreement"], settings["tries"], settings["model"]["name"]) == ("closed_book", 0, "careful")
    assert targets.extended(own) == ["more"], "no dataset needs the other"


def test_the_papers_data_sets_lack_nothing_but_their_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files, own = [ROOT / "config" / name for name in ("config.yaml", "paper/scope.yaml", "paper/attacks.yaml")], {}
    for file in files:
        update_config(own, yaml.safe_load(file.read_text()))
    filled = checked(own, files, SCHEMA)
    assert [found for module in (targets, search, attacks, defences) for found in module.check(filled)] == []
    assert targets.made(filled, "by_model") == ["nq", "msmarco", "hotpotqa", "enq", "emsmarco"]
    assert targets.extended(filled) == ["enq", "emsmarco"] and len(attacks.cells(filled)) == 5 * 5
    assert search.parts_of(filled, "enq") == ["nq", "enq+1"]
