"""What defences are given, what is scored for them, and what is refused before any job."""

import re

import pytest
import yaml

from project import ROOT
from ragassay.base import variants
from ragassay.config.schema import merged
from ragassay.config.settings import ConfigError, checked, schema_problems
from ragassay.plan import attackers, attacks, defences, defended, measures, screening, search, targets
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


def problems(cell=CELL, **more):
    own = config(cell, **more)
    return [f"{'.'.join(map(str, key))}: {text}" for module in (defences, measures) for key, text in module.check(own)]


def cell(defence, attack="jamming"):
    return Wildcards(dataset="mine", retriever="minilm", attack=attack, defence=defence)


def test_what_a_defence_is_given_follows_from_what_it_looks_at():
    own = config()
    scores = "results/passage_scores/mine/ngram/{}.parquet".format
    assert defences.scores(own, cell("raguard")) == [scores("none"), scores("jamming")]
    assert defences.null_scores(own, cell("both")) == [scores("none")]
    assert defences.scores(own, cell("question_share")) == [] == defences.guard(own, cell("duplicates"))
    assert defences.guard(own, cell("both")) == ["results/guards/mine/minilm/both.json"]
    assert defences.filter_retrieved(own, cell("raguard"))["encoder"] == {}
    assert defences.filter_retrieved(own, cell("trustrag"))["encoder"]["name"] == "minilm"
    assert defences.kinds(own, cell("both"))[1:] == [
        f"ragassay.studies.poisoning.defences.kinds.{one}" for one in ("duplicates", "ppl")
    ]
    assert not problems()


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
    own, trained, model = (
        config(),
        *(Wildcards(dataset="mine", scorer=name, attack="none") for name in ("ngram", "gpt2")),
    )
    assert measures.trained(own, trained) == ["results/scorers/mine/ngram"] and measures.trained(own, model) == []
    assert measures.train_scorer(own, trained)["own"] == {"order": 2}
    found = measures.score_passages(own, model)
    assert found["own"] == {"entry": {"model": "gpt2", "options": {}}, "max_tokens": 512} and found["of_corpus"]


def planted(kind, **settings):
    return {"attacks": {"loud": {"kind": kind, "settings": settings}}}


def given(kind, **settings):
    return {"defences": {"both": {"kind": kind, "settings": settings}}}


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({"scorers": {"one": {"kind": "ngram", "model": "x"}}}, "scorers.one: found a model, but this kind is trained"),
        ({"scorers": {"one": {"kind": "causal"}}}, "scorers.one: found no model, which this kind needs"),
        ({"scorers": {"one": {"kind": "ngram", "settings": {"n": 3}}}}, "scorers.one.settings: found the setting 'n'"),
        (given("chain", of=["pppl"]), "defences.both.settings: found the defence 'pppl'"),
        (given("chain", of=["chain"]), "defences.both.settings: found the chain chain, expected defences"),
        (given("chain", of=["both"]), "defences.both.settings: found the chain both, expected defences"),
        (given("chain"), "defences.both.settings: found a chain without links"),
        (given("duplicates", similarity=None), "defences.both.settings: similarity: found nothing, expected a value"),
        (given("ppl", poisoned_null="jaming"), "defences.both.settings: poisoned_null: found the attack 'jaming'"),
        ({"cell": CELL | {"defences": ["chain"]}}, "under_attack.cells.0.defences: found chain, which has no links"),
        (given("ppl", scorer="gpt3"), "defences.both.settings: found the scorer 'gpt3'"),
        ({"cell": CELL | {"retrievers": ["bm25"], "defences": ["trustrag"]}},
         "under_attack.cells.0.defences: found trustrag, which looks at vectors, and bm25, which has none"),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_one_line(more, line):
    cell = CELL | {"defences": ["both"]} if "defences" in more else CELL
    found = problems(**{"cell": cell} | ({"defences": OWN["defences"]} if "cell" in more else {}) | more)
    assert found and found[0].startswith(line)


@pytest.mark.parametrize(
    ("more", "line"),
    [
        (given("ppl", alpha=0), "defences.both.settings.alpha: found 0 (a whole number), expected a number above 0"),
        (given("ppl", alpha="a"), "defences.both.settings.alpha: found 'a' (text), expected a number"),
        (given("ppl", quantile="low"), "defences.both.settings.quantile: found 'low' (text), expected one of linear"),
        (given("raguard", criteria=["tss"]), "defences.both.settings.criteria.0: found 'tss' (text), expected one of"),
        (given("raguard", criteria=[]), "defences.both.settings.criteria: found [] (a list), expected not to be empty"),
        (given("raguard", scorer=["ngram"]), "defences.both.settings.scorer: found ['ngram'] (a list), expected text"),
        (given("robustrag", aggregation="votes"), "defences.both.settings.aggregation: found 'votes' (text)"),
        (given("ppl", sample=0), "defences.both.settings.sample: found 0 (a whole number), expected a whole number of"),
        ({"scorers": {"one": {"kind": "ngram", "settings": {"order": 0}}}},
         "scorers.one.settings.order: found 0 (a whole number), expected a whole number of at least 1"),
        (planted("jamming", texts=0), "attacks.loud.settings.texts: found 0 (a whole number), expected a whole number"),
        (planted("jamming", texts="two"), "attacks.loud.settings.texts: found 'two' (text), expected a whole number"),
        (planted("garag", mutation=1.5), "attacks.loud.settings.mutation: found 1.5 (a number), expected a number"),
        (planted("adaptive_threshold", knowledge="all"), "attacks.loud.settings.knowledge: found 'all' (text)"),
        (planted("jamming_optimised", refusal="no"), "attacks.loud.settings.refusal: found 'no' (text), expected one"),
    ],
)  # fmt: skip
def test_a_setting_of_the_wrong_kind_is_one_line(more, line):
    with pytest.raises(ConfigError, match=re.escape(line)):
        config(**more)


def test_every_setting_of_a_kind_is_described():
    described = merged()["properties"]
    for section, kinds in (("defences", defences.KINDS), ("scorers", measures.KINDS), ("attacks", attacks.KINDS)):
        allowed = described[section]["additionalProperties"]["properties"]["settings"]
        for kind in variants.names(kinds):
            defaults = variants.load(kinds, kind, section).Kind.SETTINGS
            assert defaults.keys() <= allowed["properties"].keys(), kind
            usual = {key: value for key, value in defaults.items() if key not in ("of", "model")}  # have to be given
            assert not list(schema_problems(usual, allowed)), kind


def test_no_passage_is_scored_by_a_model_that_has_read_it():
    scorers = {"demo": {"kind": "causal", "model": f"{DEMO}demo-lm"}}
    scorers |= {"mine": {"kind": "causal", "model": "gpt2", "has_read": ["texts"]}}
    corpora = {"texts": {"files": [f"{DEMO}articles"]}}
    for name in scorers:
        own = {"both": {"kind": "ppl", "settings": {"scorer": name}}}
        found = problems(CELL | {"defences": ["both"]}, scorers=scorers, corpora=corpora, defences=own)
        assert found[0].startswith(f"defences.both.settings: found {name}, which has read the corpus of mine")
        more = corpora | {"texts": {"extends": "first", "rewritten": {"model": "careful"}}, "first": corpora["texts"]}
        if name == "demo":
            assert found == problems(CELL | {"defences": ["both"]}, scorers=scorers, corpora=more, defences=own)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("table\tat\n", "1: found the columns ['table', 'at'], expected"),
        ("{}figure_3\tx\tjamming\t\tdeep\t\t\t\n", "2: invalid literal for int"),
        ('{}figure_3\tx\tjamming\t\t5\t\t\t{{"alfa": 1}}\n', "2: found the setting 'alfa', expected one of"),
        ("{}figure_3\tx\tjamming\t\t5\t\t1.5\t\n", "2: found a depth below 1, or a contamination that is no share"),
        ("{}figure_3\tx\tjaming\t\t5\t\t\t\n", "found the attack 'jaming', expected one of"),
        ("{}figure_4\tx\tjamming\t\t5\t9\t\t\n", "found 9 texts of jamming, which plants at most 5 for a target"),
        ("{}figure_3\tx\tjamming\t\t500\t\t\t\n", "found the depth 500, expected at most retrieval.neighbours, 100"),
        ('{}figure_3\tx\tjamming\t\t5\t\t\t{{"alpha": 2}}\n', "alpha: found 2 (a whole number), expected a number of"),
        ('{}a\tx\tjamming\t\t5\t\t\t{{"poisoned_null": "jamming"}}\n', "2: found poisoned_null, expected a share of"),
        ('{}figure_3\tx\tjamming\t\t5\t\t\t{{"scorer": "gpt3"}}\n', "found the scorer 'gpt3', expected one of"),
    ],
)
def test_a_table_of_sweeps_that_cannot_be_used_is_one_line(text, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sweeps.tsv").write_text(text.format("\t".join(measures.SWEEPS) + "\n"))
    [problem] = problems(raguard={"sweeps": "sweeps.tsv"})
    assert line in problem


def test_sweeps_read_the_tables_of_their_attacks():
    wildcards = Wildcards(dataset="mine", retriever="minilm")
    own = config(CELL | {"retrievers": ["minilm", "bm25"], "defences": ["raguard"]})
    assert list(measures.swept(own)) == [{"dataset": "mine", "retriever": "minilm"}]
    assert not measures.swept(config(raguard={"sweeps": None})) and not measures.swept(
        config(CELL | {"defences": ["ppl"]})
    )
    scores = measures.swept_scores(own, wildcards)
    assert scores == [f"results/passage_scores/mine/ngram/{name}.parquet" for name in ("none", "poisonedrag_black")]
    assert {row["table"] for row in measures.sweep_raguard(own, wildcards)["rows"]} > {
        "figure_2",
        "figure_3",
        "table_7",
    }


def test_no_defence_of_the_demo_stands_against_the_loudest_attack_alone():
    own = checked(yaml.safe_load((ROOT / "config/config.yaml").read_text()), [], merged())
    met = {}
    for cell in defences.filtered(own):
        met.setdefault(cell.defence, set()).add(cell.attack)
    judging = {name for name in met if defences.kind_of(name).COMPARES or defences.kind_of(name).IS_FITTED}
    alone = [name for name in judging if met[name] - {"none"} == {"poisonedrag_black"}]
    assert {"ppl", "trustrag", "ragdefender"} <= judging and alone == ["oracle"]


def test_what_is_screened_and_by_what_queries():
    own = config(CELL | {"retrievers": ["minilm"], "defences": ["raguard"], "screened": {"queries": "mine.targets"}})
    cell = Wildcards(dataset="mine", retriever="minilm", attack="jamming", defence="raguard")
    assert screening.screened(own).column("attack") == CELL["attacks"]
    assert screening.queries(own, cell) == ["results/queries/mine.targets.parquet"]
    assert not screening.screened(config(CELL | {"defences": ["raguard"]}))
    assert screening.queries(config(CELL | {"defences": ["raguard"], "screened": {}}), cell) == []


@pytest.mark.parametrize(("defence", "retriever"), [("question_share", "minilm"), ("echo", "minilm"), ("ppl", "bm25")])
def test_what_cannot_screen_is_one_line(defence, retriever):
    own = config(CELL | {"retrievers": [retriever], "defences": [defence], "screened": {}})
    [(place, text)] = screening.check(own)
    wanted = (
        ("retrievers", "found bm25, expected one by") if defence == "ppl" else ("defences", f"found {defence}, which")
    )
    assert place[-1] == wanted[0] and text.startswith(wanted[1])


def test_the_papers_tables_lack_nothing_but_files_and_weights(tmp_path, monkeypatch, settings):
    names = ("paper.yaml", "paper_attacks.yaml", "paper_raguard.yaml", "paper_raguard_sweeps.tsv")
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
