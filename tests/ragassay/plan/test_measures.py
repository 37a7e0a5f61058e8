"""What is attacked with what, what defences are given, what is scored for them, and what is refused before any job."""

import yaml

from project import ROOT
from ragassay.base import variants
from ragassay.config.schema import merged
from ragassay.config.settings import checked, schema_problems
from ragassay.plan import attackers, attacks, defences, defended, measures, methods, search, targets
from ragassay.studies.poisoning.attacks.attack import WRITER
from wildcards import Wildcards

CELL = {"datasets": ["mine"], "retrievers": ["minilm"], "attacks": ["none", "jamming"], "defences": ["raguard", "both"]}
OWN = {
    "corpora": {name: {"files": [f"{name}.csv"]} for name in ("texts", "vetted")},
    "datasets": {"mine": {"corpus": "texts", "targets": ["t.csv"]}},
    "defences": {"both": {"kind": "chain", "settings": {"of": ["duplicates", "ppl"]}}},
    "scorers": {"gpt2": {"kind": "causal", "model": "gpt2", "settings": {"max_tokens": 512}}},
}


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


PLANTED = {"datasets": ["mine"], "retrievers": ["bm25", "minilm"], "attacks": ["none", "loud"]}
ATTACKED = {
    "models": {"careful": {"provider": "rules", "model": "careful"}},
    "corpora": {"texts": {"files": ["a.csv"]}},
    "datasets": {"mine": {"corpus": "texts", "targets": ["t.csv"]}},
    "attacks": {"loud": {"kind": "jamming", "settings": {"texts": 2}}},
}


def attacked(*cells, **more):
    return checked(ATTACKED | {"under_attack": {"cells": list(cells)}} | more, [], merged())


def test_each_entry_is_all_combinations_of_its_lists_and_each_cell_is_there_once():
    own = attacked(PLANTED, PLANTED | {"attacks": ["none"], "defences": ["none", "oracle"], "responders": ["careful"]})
    assert [tuple(cell.values()) for cell in attacks.cells(own)] == [
        ("mine", retriever, one) for retriever in PLANTED["retrievers"] for one in PLANTED["attacks"]
    ]
    assert defences.answered(own).over("{retriever}/{defence}") == [
        f"{retriever}/{name}" for retriever in PLANTED["retrievers"] for name in ("none", "oracle")
    ]


def test_an_attack_gets_its_settings_and_only_those_that_edit_get_passages():
    own = attacked(PLANTED)
    loud = Wildcards(dataset="mine", attack="loud")
    assert attacks.poison_corpus(own, loud) == {"attack": "loud", "kind": "jamming", "settings": {"texts": 2}}
    pattern = "results/neighbours/{corpus}/{retriever}/{dataset}.targets.parquet"
    assert attackers.poison_inputs(own, pattern, loud) == []
    edited = Wildcards(dataset="mine", attack="edited")
    assert attackers.poison_inputs(own, pattern, edited) == ["results/neighbours/texts/bm25/mine.targets.parquet"]
    measured = attacks.measure_attacks(own)
    assert (measured["k"], measured["ks"], measured["texts"]) == (5, [1, 3, 5, 10], [1, 2, 3, 5, 8, 13])
    assert measured["wants"] == {"none": None, "loud": "declining"}


def test_an_attack_that_optimises_gets_the_retriever_that_it_meets_and_says_on_what_it_is_tried():
    few = {"white": {"kind": "poisonedrag_white", "settings": {"targets": 3}}}
    own, white = attacked(PLANTED | {"attacks": ["white"]}, attacks=few), Wildcards(dataset="mine", attack="white")
    settings = attackers.optimise_passages(own, white)
    assert settings["retriever"]["encoder"]["name"] == "minilm" and settings["settings"]["steps"] == 30
    assert attacks.attacks(own, optimised=True) >= ["white"] and "white" not in attacks.attacks(own, optimised=False)
    keys = Wildcards(dataset="mine", attack="white", retriever="bm25", defence="none", responder="careful")
    for found in (attacks.retrieve_bm25(own, keys), defended.answer_attacked(own, keys)):
        assert found["tried"] == {"targets": 3}
    assert attacks.measure_attacks(own)["tried"] == {"white": {"targets": 3}}
    assert attacks.measure_attacks(attacked(PLANTED))["tried"] == {}


def test_texts_that_a_model_writes_are_a_table_of_their_own_and_those_of_a_user_are_files():
    loud = {"kind": "adaptive_paraphrase", "writer": "careful", "settings": {"texts": 2}}
    job = Wildcards(dataset="mine", attack="loud")
    own = attacked(PLANTED, attacks={"loud": loud})
    assert attacks.poison_texts(own, job) == ["results/attack_texts/mine/loud.parquet"]
    assert attacks.needing(own, WRITER).over("{dataset}/{attack}") == ["mine/loud"]
    settings = attacks.paraphrase_targets(own, job)
    assert (settings["texts"], settings["words"], settings["model"]["name"]) == (2, 30, "careful")
    assert settings["ledger"] == "ledger/paraphrase_targets/mine/loud/careful"
    assert attacks.writing_prompt(own, job).endswith("resources/prompts/write_supporting_texts.yaml")
    worded = attacked(PLANTED, attacks={"loud": loud | {"settings": {"prompt": "write_wanted_texts"}}})
    assert attacks.writing_prompt(worded, job).endswith("resources/prompts/write_wanted_texts.yaml")
    manual = attacked(PLANTED, attacks={"loud": {"kind": "table", "files": ["a.csv"]}})
    assert attacks.poison_texts(manual, job) == ["a.csv"] and not attacks.needing(manual, WRITER)


def test_a_defence_that_rewrites_questions_has_them_searched_for_again():
    rewriting = {"para": {"kind": "paraphrasing", "settings": {"model": "careful"}}}
    own = attacked(PLANTED | {"retrievers": ["minilm"], "defences": ["none", "para"]}, defences=rewriting)
    cell = Wildcards(dataset="mine", retriever="minilm", attack="loud", defence="para")
    assert defended.found_rewritten(own, cell) == ["results/found_rewritten/mine/minilm/loud/para.parquet"]
    assert defended.rewritten(own).over("{dataset}.{defence}") == ["mine.para"]
    assert len(defended.rewritten(own)) == len(defended.as_asked(own)) == 2
    assert defended.rewrite_questions(own, cell)["ledger"] == "ledger/rewrite_questions/mine/minilm/loud/para/careful"


def test_a_defence_that_asks_is_told_its_prompts_and_others_none():
    own, cell = attacked(PLANTED), {"dataset": "mine", "retriever": "minilm", "attack": "loud", "responder": "careful"}
    asked, plain = (Wildcards(**cell, defence=name) for name in ("robustrag", "none"))
    names = [path.split("/")[-1] for path in defended.prompts(own, asked)]
    assert names == ["name_keywords.yaml", "answer_from_keywords.yaml"]
    assert defended.answer_attacked(own, asked)["settings"]["aggregation"] == "keywords"
    assert defended.prompts(own, plain) == [] and "kind" not in defended.answer_attacked(own, plain)
    modules = defended.answering_kinds(own, asked)
    assert modules == ["ragassay.calls.providers.rules", "ragassay.studies.poisoning.defences.kinds.robustrag"]


def test_a_general_trigger_that_no_question_holds_is_one_line(settings):
    """Without the word an attack finds nothing; beside a twin with the word, questions without it are the control."""
    cell = {"retrievers": ["minilm"], "attacks": ["general_trigger"], "defences": ["none"], "responders": ["careful"]}
    alone = settings({"under_attack": {"cells": [cell | {"datasets": ["demo"]}]}})
    [(place, line)] = attackers.check(alone)
    told = "found the attack general_trigger on demo, whose questions hold no trigger; attack a twin, too: datasets: {"
    assert place == ("under_attack", "cells") and line.startswith(told)
    both = settings({"under_attack": {"cells": [cell | {"datasets": ["demo", "demo_triggered"]}]}})
    assert list(attackers.check(both)) == []
