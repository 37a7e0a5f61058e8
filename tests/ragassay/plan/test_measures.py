"""What defences are given, what is scored for them, and what is refused before any job."""

import yaml

from project import ROOT
from ragassay.base import variants
from ragassay.config.schema import merged
from ragassay.config.settings import checked, schema_problems
from ragassay.plan import attackers, attacks, defences, defended, measures, methods, search, targets
from wildcards import Wildcards

CELL = {"datasets": ["mine"], "retrievers": ["minilm"], "attacks": ["none", "jamming"], "defences": ["raguard", "both"]}
OWN = {
    "corpora": {name: {"files": [f"{name}.csv"]} for name in ("texts", "vetted")},
    "datasets": {"mine": {"corpus": "texts", "targets": ["t.csv"]}},
    "defences": {"both": {"kind": "chain", "settings": {"of": ["duplicates", "ppl"]}}},
    "scorers": {"gpt2": {"kind": "causal", "model": "gpt2", "settings": {"max_tokens": 512}}},
}
DEMO = "resources/demo/"


def config(cell=CELL, **more):
    return checked(OWN | {"under_attack": {"cells": [cell]}} | more, [], merged())


def cell(defence, attack="jamming"):
    return Wildcards(dataset="mine", retriever="minilm", attack=attack, defence=defence)


def test_what_a_defence_is_given_follows_from_what_it_looks_at():
    own = config(CELL | {"defences": ["trustrag", "raguard", "both"]})
    scores = "results/passage_scores/mine/ngram/{}.parquet".format
    assert defences.scores(own, cell("raguard")) == [scores("none"), scores("jamming")]
    assert defences.null_scores(own, cell("both")) == [scores("none")]
    assert defences.scores(own, cell("question_share")) == [] == defences.guard(own, cell("duplicates"))
    assert defences.guard(own, cell("both")) == ["results/guards/mine/minilm/both.json"]
    judges = defences.filter_retrieved(own, cell("none"))["defences"]
    assert list(judges) == ["both", "raguard", "trustrag"]
    assert judges["raguard"]["encoder"] == {} and judges["trustrag"]["encoder"]["name"] == "minilm"
    assert defences.of_all(own, cell("none"), of=defences.scores) == [scores("none"), scores("jamming")], "each once"
    kinds = [module.rpartition(".")[2] for module in defences.kinds(own, cell("both"))]
    assert kinds == ["chain", "duplicates", "ppl"]


def test_a_defence_may_compare_vectors_of_an_encoder_that_is_not_the_retrievers():
    simcse = {"kind": "transformers", "model": "princeton-nlp/sup-simcse-bert-base-uncased"}
    trustrag = {"kind": "trustrag", "settings": {"encoder": "simcse", "similarity": 0.88}}
    more = {"encoders": {"simcse": simcse}, "defences": {"published": trustrag, **OWN["defences"]}}
    settings = config(CELL | {"retrievers": ["minilm", "bm25"], "defences": ["published", "ragdefender"]}, **more)
    judges = defences.filter_retrieved(settings, cell("none"))["defences"]
    assert [judges[name]["encoder"]["name"] for name in ("published", "ragdefender")] == ["simcse", "minilm"]
    assert defences.fit_defence(settings, cell("published"))["encoder"]["name"] == "simcse"
    assert defences.kinds(settings, cell("published"))[-1] == "ragassay.models.encoders.kinds.transformers"
    problems = [problem for place, problem in defences.check(settings) if "cells" in place]
    assert problems == ["found ragdefender, which looks at vectors, and bm25, which has none"]
    chain = {"kind": "chain", "settings": {"of": ["published", "ragdefender"]}}
    settings = config(CELL, **more | {"defences": more["defences"] | {"both": chain}})
    [problem] = [problem for place, problem in defences.check(settings) if "cells" in place]
    assert problem.startswith("found both with more than one encoder, expected one for all links")


def test_a_chain_has_the_settings_of_its_links():
    links = defences.settings(config(), "both")["of"]
    assert [link["kind"] for link in links] == ["duplicates", "ppl"] and links[1]["settings"]["alpha"] == 0.025
    deep = config(defences={"both": {"kind": "chain", "settings": {"of": ["duplicates", "raguard"]}}})
    assert [defences.settings(own, "both")["doublings"] for own in (config(), deep)] == [0, 2]


def test_a_null_may_be_left_exposed_to_an_attack():
    exposed = {"kind": "raguard", "settings": {"poisoned_null": "jamming"}}
    own = config(defences={"exposed": exposed, **OWN["defences"]})
    found = [f"results/{name}.parquet" for name in ("retrieved/mine/minilm/jamming", "poisoned_passages/mine/jamming")]
    assert defences.poisoned_null(own, cell("exposed")) == found
    assert len(defences.null_scores(own, cell("exposed"))) == 2


def test_fitting_reads_the_snapshot_where_there_is_one():
    own = config(datasets={"mine": {"corpus": "texts", "snapshot": "vetted", "targets": ["t.csv"]}})
    pattern = "results/neighbours/{corpus}/{retriever}/{query_set}.parquet"
    assert defences.snapshot(own, pattern, cell("raguard")) == "results/neighbours/vetted/minilm/mine.targets.parquet"
    both = [f"results/passages/{name}.parquet" for name in ("texts", "vetted")]
    assert measures.passages(own, Wildcards(dataset="mine")) == both


def test_scorers_are_trained_here_or_read_elsewhere():
    own = config()
    trained, model = (Wildcards(dataset="mine", scorer=name, attack="none") for name in ("ngram", "gpt2"))
    assert measures.trained(own, trained) == ["results/scorers/mine/ngram"] and measures.trained(own, model) == []
    assert measures.train_scorer(own, trained)["settings"] == {"order": 2}
    found = measures.score_passages(own, model)
    assert found["settings"] == {"entry": {"model": "gpt2", "options": {}}, "max_tokens": 512} and found["of_corpus"]


def test_every_setting_of_a_kind_is_described():
    described = merged()["properties"]
    for section, kinds in methods.KINDS.items():
        allowed = described[section]["additionalProperties"]["properties"]["settings"]
        for kind in variants.names(kinds):
            defaults = variants.load(kinds, kind, section).Kind.SETTINGS
            assert defaults.keys() <= allowed["properties"].keys(), kind
            usual = {key: value for key, value in defaults.items() if key not in ("of", "model")}  # have to be given
            assert not list(schema_problems(usual, allowed)), kind


def test_sweeps_read_the_tables_of_their_attacks():
    wildcards = Wildcards(dataset="mine", retriever="minilm")
    own = config(CELL | {"retrievers": ["minilm", "bm25"], "defences": ["raguard"]})
    assert list(measures.swept(own)) == [{"dataset": "mine", "retriever": "minilm"}]
    assert not measures.swept(config(raguard={"sweeps": None}))
    assert not measures.swept(config(CELL | {"defences": ["ppl"]}))
    scores = measures.swept_scores(own, wildcards)
    assert scores == [f"results/passage_scores/mine/ngram/{name}.parquet" for name in ("none", "poisonedrag_black")]
    tables = {row["table"] for row in measures.sweep_raguard(own, wildcards)["rows"]}
    assert tables > {"figure_2", "figure_3", "table_7"}


def test_sweeps_of_attacks_by_a_trigger_are_for_questions_that_hold_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [["table_3", name, "", name, "", "15", "", "", ""] for name in ("general_trigger", "jamming")]
    lines = ["\t".join(row) for row in [measures.SWEEPS, *rows]]
    (tmp_path / "sweeps.tsv").write_text("\n".join(lines))
    datasets = {"triggered": {"corpus": "texts", "targets": ["t.csv"], "trigger": "xylophone"}}
    settings = config(raguard={"sweeps": "sweeps.tsv"}, datasets=OWN["datasets"] | datasets)
    pattern = "results/retrieved/{dataset}/{retriever}/{attack}.parquet"
    for dataset, attack in (("mine", "jamming"), ("triggered", "general_trigger")):
        wildcards = Wildcards(dataset=dataset, retriever="minilm")
        tables = measures.swept_tables(settings, pattern, wildcards)
        assert tables == [f"results/retrieved/{dataset}/minilm/{attack}.parquet"]
        assert [row["at"] for row in measures.sweep_raguard(settings, wildcards)["rows"]] == [attack]
    cells = [CELL | {"datasets": ["mine", "triggered"]}]
    shared = {"under_attack": {"cells": cells}, "datasets": OWN["datasets"] | datasets}
    settings = checked(OWN | shared | {"raguard": {"sweeps": "sweeps.tsv"}}, [], merged())
    assert measures.swept(settings).column("dataset") == ["mine", "triggered"]
    (tmp_path / "sweeps.tsv").write_text("\n".join([lines[0], lines[2]]))
    assert measures.swept(settings).column("dataset") == ["mine"], "no row is for questions with a trigger"


def test_no_defence_of_the_demo_stands_against_the_loudest_attack_alone():
    own = checked(yaml.safe_load((ROOT / "config/config.yaml").read_text()), [], merged())
    met = {}
    for cell in defences.filtered(own):
        met.setdefault(cell.defence, set()).add(cell.attack)
    judging = {name for name in met if (kind := defences.defence(own, name).type).COMPARES or kind.IS_FITTED}
    alone = [name for name in judging if met[name] - {"none"} == {"poisonedrag_black"}]
    assert {"ppl", "trustrag", "ragdefender"} <= judging and alone == ["oracle"]


def test_what_is_screened_and_by_what_queries():
    own = config(CELL | {"retrievers": ["minilm"], "defences": ["raguard"], "screened": {"queries": "mine.targets"}})
    cell = Wildcards(dataset="mine", retriever="minilm", attack="jamming", defence="raguard")
    assert defended.screened(own).column("attack") == CELL["attacks"]
    assert defended.screened_by(own, cell) == ["results/queries/mine.targets.parquet"]
    assert not defended.screened(config(CELL | {"defences": ["raguard"]}))
    assert defended.screened_by(config(CELL | {"defences": ["raguard"], "screened": {}}), cell) == []


def test_the_papers_tables_lack_nothing_but_files_and_weights(tmp_path, monkeypatch, settings):
    names = ("paper/scope.yaml", "paper/attacks.yaml", "paper/raguard.yaml", "paper/raguard_sweeps.tsv")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").symlink_to(ROOT / "config")
    own = settings(*(yaml.safe_load((ROOT / "config" / name).read_text()) for name in names[:3]))
    checked = (targets, search, attacks, defences, defended, measures)
    assert [found for module in checked for found in module.check(own)] == []
    cells = {(cell.dataset, cell.retriever, cell.attack, cell.defence) for cell in defences.filtered(own)}
    papers = {"none", "prompt_injection", "general_trigger", "jamming", "poisonedrag_black"}
    table_1 = {cell for cell in cells if cell[1] == "contriever-dot" and cell[2] in papers and cell[3] == "ppl_window"}
    assert len(table_1) == 5 * 4 + 5 * 2  # general triggers, and nothing planted, on questions that hold the word
    assert list(attackers.check(own)) == []
    rows = measures.sweep_rows(own["raguard"]["sweeps"])
    assert {row["table"] for row in rows} >= {"figure_2", "figure_3", "figure_4", "table_3", "table_7"}
    assert max(row["texts"] for row in rows) == 13 and len({row["scorer"] for row in rows}) == 3
