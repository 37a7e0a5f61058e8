"""What is refused before any job: names that nothing has, and settings that do not go together, each as one line."""

import re

import pytest

from ragassay.config.schema import merged
from ragassay.config.settings import ConfigError, checked
from ragassay.plan import references
from ragassay.plan.measures import SWEEPS

MODEL = {"provider": "rules", "model": "careful", "price": {"input": 0, "output": 0}}
FILES = {"files": ["a.csv"]}
REWRITTEN = {"model": "careful", "count": 3}
BY_MODEL = {"model": "careful", "query_set": "asked"}
CELL = {"datasets": ["mine"], "retrievers": ["minilm"], "attacks": ["none", "loud"], "defences": ["both"]}
READ = {"datasets": ["mine"], "retrievers": ["minilm"], "attacks": ["loud"], "responders": ["local"]}
SET = {"corpus": "texts", "in_knowledge": "asked", "near": ["near"], "synthetic": "made"}
LOG = {"before": {"asked": 1}, "after": {"asked": 0.5, "made": 0.5}, "first_day": "2026-11-01", "drift_day": 9}
RATED = {"corpus": "documents", "retriever": "bm25", "query_set": "asked"}
BASE = {
    "models": {"careful": MODEL, "local": MODEL | {"provider": "transformers", "model": "results/models/demo-lm"}},
    "corpora": {"texts": FILES, "more": {"extends": "texts", "rewritten": REWRITTEN}},
    "query_sets": {"asked": FILES, "near": FILES},
    "synthetic_queries": {"made": {"corpus": "texts", "model": "careful"}},
    "query_logs": {"log": LOG},
    "lm_relevance": {"raters": ["careful"], "rated": [RATED]},
    "relevance": {"sets": {"one": SET}},
    "datasets": {"mine": {"corpus": "texts", "targets": ["t.csv"]}},
    "attacks": {"loud": {"kind": "jamming", "settings": {"texts": 2}}},
    "defences": {"both": {"kind": "chain", "settings": {"of": ["duplicates", "ppl"]}}},
    "scorers": {"gpt2": {"kind": "causal", "model": "gpt2", "settings": {"max_tokens": 512}}},
    "under_attack": {"cells": [CELL]},
    "revprag": {"cells": [READ], "defences": ["raguard"]},
}


def problems(settings, base=BASE):
    """The lines about settings that are laid over others; lists and entries are replaced."""
    own = base | {
        section: base.get(section, {}) | value if isinstance(value, dict) else value
        for section, value in settings.items()
    }
    try:
        config = checked(own, [], merged())
    except ConfigError as error:
        return [line.partition(": ")[2] for line in str(error).splitlines()]
    return list(dict.fromkeys(f"{'.'.join(map(str, key))}: {text}" for key, text in references.wrong_settings(config)))


def attack(kind, **entry):
    """An attack of this kind, whether a cell names it or not."""
    return {"attacks": {"loud": {"kind": kind} | entry}}


def defence(kind, cell=None, **settings):
    """A defence in a cell."""
    given = {"defences": BASE["defences"] | {"mine": {"kind": kind, "settings": settings}}}
    return given | {"under_attack": {"cells": [CELL | {"defences": ["mine"]} | (cell or {})]}}


def cell(**lists):
    return {"under_attack": {"cells": [CELL | lists]}}


def compared(**own):
    return {"revprag": {"generalisation": {"mine": READ | {"across": "attack"} | own}}}


def probe(**entry):
    return {"revprag": {"probes": {"mine": entry}}}


def corpus(**own):
    return {"corpora": BASE["corpora"] | {"c": own}}


def dataset(**own):
    return {"datasets": BASE["datasets"] | {"d": {"corpus": "texts"} | own}}


def relevance(**own):
    return {"relevance": {"sets": {"one": SET | own}}}


def log(**own):
    return {"query_logs": {"log": LOG | own}}


def retriever(**own):
    return {"retrievers": {"own": own}}


def question_set(**own):
    return {"question_sets": {"gold": {"documents": ["t.csv"], "questions": ["q.csv"]} | own}}


def test_what_goes_together_is_no_problem():
    assert problems({}) == [] and problems({}, base={}) == []


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"scope": {"judges": ["carefull"]}}, "scope.judges: found the model 'carefull', expected one of: careful, lo"),
        ({"retrieval": {"retrievers": ["mini"]}}, "retrieval.retrievers: found the retriever 'mini', expected one of:"),
        ({"query_sets": {"asked": FILES | {"corpora": ["text"]}}}, "query_sets.asked.corpora: found the corpus 'text'"),
        ({"synthetic_queries": {"made": {"corpus": "docs"}}}, "synthetic_queries.made.corpus: found the corpus 'docs'"),
        ({"synthetic_queries": {"made": {"corpus": "texts", "model": "o"}}}, "synthetic_queries.made.model: found the"),
        (log(before={"b": 1}), "query_logs.log.before.b: found the query set 'b', expected one of: questions, asked,"),
        ({"lm_relevance": {"rated": [RATED | {"query_set": "b"}]}}, "lm_relevance.rated.query_set: found the query se"),
        ({"lm_relevance": {"rated": [RATED | {"retriever": "b"}]}}, "lm_relevance.rated.retriever: found the retrieve"),
        (relevance(corpus="text"), "relevance.sets.one.corpus: found the corpus 'text', expected one of: documents, t"),
        (relevance(near=["neat"]), "relevance.sets.one.near: found the query set 'neat', expected one of: questions,"),
        (relevance(synthetic="maid"), "relevance.sets.one.synthetic: found the query set 'maid', expected one of"),
        (corpus(extends="text", rewritten=REWRITTEN), "corpora.c.extends: found the corpus 'text', expected one of: d"),
        (dataset(corpus="text", by_rule={}), "datasets.d.corpus: found the corpus 'text', expected one of: documents"),
        (dataset(snapshot="text", by_rule={}), "datasets.d.snapshot: found the corpus 'text', expected one of"),
        (dataset(by_model=BY_MODEL | {"query_set": "askd"}), "datasets.d.by_model.query_set: found the query set 'ask"),
        (retriever(kind="dense", encoder="mini"), "retrievers.own.encoder: found the encoder 'mini', expected one of:"),
        (attack("poisonedrag_white", settings={"retriever": "bm26"}), "attacks.loud.settings.retriever: found the ret"),
        (attack("garag", settings={"reader": "gpt"}), "attacks.loud.settings.reader: found the model 'gpt', expected"),
        (attack("jamming_optimised", settings={"responder": "x"}), "attacks.loud.settings.responder: found the model"),
        (attack("adaptive_threshold", settings={"filter": "x"}), "attacks.loud.settings.filter: found the defence 'x'"),
        (defence("ppl", poisoned_null="lout"), "defences.mine.settings.poisoned_null: found the attack 'lout', expect"),
        (defence("ppl", scorer="gpt3"), "defences.mine.settings.scorer: found the scorer 'gpt3', expected one of: gpt"),
        (defence("chain", of=["pppl"]), "defences.mine.settings.of: found the defence 'pppl', expected one of: both"),
        (defence("paraphrasing", model="gpt"), "defences.mine.settings.model: found the model 'gpt', expected one of"),
        (cell(attacks=["jaming"]), "under_attack.cells.attacks: found the attack 'jaming', expected one of: loud"),
        (cell(retrievers=["bm26"]), "under_attack.cells.retrievers: found the retriever 'bm26', expected one of: bm25"),
        (cell(defences=["orakel"]), "under_attack.cells.defences: found the defence 'orakel', expected one of: both"),
        ({"revprag": {"defences": ["ragard"]}}, "revprag.defences: found the defence 'ragard', expected one of: both"),
        (compared(probe="logistc"), "revprag.generalisation.mine.probe: found the probe 'logistc', expected one of: l"),
        (compared(attacks=["loudest"]), "revprag.generalisation.mine.attacks: found the attack 'loudest', expected on"),
        (compared(retrievers=["minilmm"]), "revprag.generalisation.mine.retrievers: found the retriever 'minilmm', ex"),
        ({"detectors": {"use": ["overlapp"]}}, "detectors.use: found the detector 'overlapp', expected one of: sbert_"),
    ],
)  # fmt: skip
def test_a_name_that_nothing_has_is_one_line(settings, line):
    [problem] = problems(settings)
    assert problem.startswith(line) and ", expected one of: " in problem


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        (corpus(columns={}), "corpora.c: found neither files nor beir, expected one of them"),
        (corpus(files=["a.csv"], beir="nowhere"), "corpora.c: found files and beir, expected one of them"),
        (corpus(beir="docs"), "corpora.c.beir: found no file docs/corpus.jsonl, expected one"),
        (corpus(extends="c", rewritten=REWRITTEN), "corpora.c.extends: found 'c', which leads back to c, expected"),
        (corpus(extends="texts"), "corpora.c: found no rewritten, expected what a model rewrites of texts"),
        (corpus(files=["a.csv"], rewritten=REWRITTEN), "corpora.c: found rewritten, which needs extends"),
        (corpus(extends="texts", files=["a.csv"], rewritten=REWRITTEN), "corpora.c: found files and extends, expected"),
        (corpus(extends="texts", rewritten=REWRITTEN, passages={"words": 9}), "corpora.c: found passages, which a cor"),
        ({"corpora": BASE["corpora"] | {"x.held_out": FILES}}, "corpora.x.held_out: found a name that ends with .held"),
        ({"corpora": BASE["corpora"] | {"documents": FILES}}, "corpora.documents: found the name 'documents', which t"),
        ({"query_sets": BASE["query_sets"] | {"questions": FILES}}, "query_sets.questions: found the name 'questions'"),
        ({"retrievers": {"bm25": {"kind": "bm25"}}}, "retrievers.bm25: found the name 'bm25', which the study uses"),
        ({"retrievers": {"minilm": {"kind": "bm25"}}}, "retrievers.minilm: found the name of an encoder, which is a"),
        (retriever(kind="dense"), "retrievers.own: found no encoder, which dense needs"),
        (retriever(kind="dense", encoder="minilm", k1=1), "retrievers.own.k1: found a setting that dense has not, exp"),
        (retriever(kind="bm25", titles="pair"), "retrievers.own.titles: found pair, expected none or before"),
        (retriever(kind="vectors", passages={"texts": ["a.csv"]}, queries={}), "retrievers.own.passages.texts: found"),
        (question_set(judges={"careful": "j"}), "question_sets.gold.judges.careful: found the name of the model 'care"),
        ({"question_sets": {"careful": question_set()["question_sets"]["gold"]}}, "question_sets.careful: found the n"),
        ({"question_sets": {"asked": question_set()["question_sets"]["gold"]}}, "question_sets.asked: found a name th"),
        (question_set(columns={"questions": {"in_scope": "a", "out_of_scope": "b"}}), "question_sets.gold.columns.que"),
        ({"scope": {"questions": {"in_scope_per_document": 0}, "near_misses": {"tries": 1}}},
         "scope.near_misses.tries: found tries without in-scope"),
        ({"detectors": {"methods": {"own": {"kind": "appended_token", "encoders": ["minilm"]}}, "use": ["own"]}},
         "detectors.methods.own.encoders: found the model 'minilm', expected one of: careful"),
        ({"synthetic_queries": {"near": {"corpus": "documents"}} | BASE["synthetic_queries"]},
         "synthetic_queries.near: found the name of another query set"),
        (log(after={"asked": 0.6}), "query_logs.log.after: found shares that add up to 0.6, expected 1"),
        ({"query_logs": {"log": {"corpus": None}}}, "query_logs.log: found no before, expected files of your own, or"),
        (log(files=["a.csv"]), "query_logs.log: found files and settings of a mixture, expected files or before"),
        (log(drift_day=51), "query_logs.log.drift_day: found 51, expected a day from 2 to 50"),
        (log(first_day="2026-02-30"), "query_logs.log.first_day: found '2026-02-30', expected a date such as 2026-11-"),
        (log(corpus="vetted"), "query_logs.log.corpus: found the corpus 'vetted', expected one of: texts"),
        ({"relevance": {"ks": [100]}}, "relevance.ks: found 100, expected less than retrieval.neighbours, which is 10"),
        (relevance(answers={"query_sets": ["made"]}), "relevance.sets.one.answers.query_sets: found the query set 'ma"),
        ({"relevance": {"sets": {"one": SET | {"answers": {"query_sets": ["near"]}}},
                        "answers": {"responders": ["careful"], "retrievers": ["bm25_by_idf"]}, "fused": ["minilm"]}},
         "relevance.answers.retrievers: found the retriever 'bm25_by_idf', expected one of: minilm"),
        (dataset(), "datasets.d: found none of them, expected one of targets, by_rule, by_model"),
        (dataset(by_rule={}, targets=["t.csv"]), "datasets.d: found targets and by_rule, expected one of targets"),
        ({"query_sets": BASE["query_sets"] | {"mine.targets": FILES}}, "datasets.mine: found a query set mine.targets"),
        (cell(attacks=["table"]), "under_attack.cells.0.attacks: found table, which needs files"),
        (cell(attacks=["adaptive_paraphrase"]), "under_attack.cells.0.attacks: found adaptive_paraphrase, which needs"),
        (attack("jamming", writer="careful"), "attacks.loud: found writer, which this kind does not read"),
        (attack("adaptive_paraphrase"), "attacks.loud: found no writer, which this kind reads"),
        (attack("jamming", settings={"n": 1}), "attacks.loud.settings: found the setting 'n', expected one of: texts"),
        (attack("jamming", files=["a.csv"]), "attacks.loud: found files, which this kind does not read"),
        (attack("table"), "attacks.loud: found no files, which this kind reads"),
        (attack("garag", settings={"reader": "careful"}), "attacks.loud.settings.reader: found the reader 'careful',"),
        (attack("adaptive_threshold", settings={"filter": "oracle"}), "attacks.loud.settings.filter: found the filter"),
        (defence("trustrag", encoder="minilm") | attack("adaptive_threshold", settings={"filter": "mine"}),
         "attacks.loud.settings.filter: found the filter 'mine', which compares the vectors of its encoder 'minilm'"),
        (attack("poisonedrag_white", settings={"retriever": "bm25"}), "attacks.loud.settings.retriever: found the ret"),
        (attack("corpus_poisoning", settings={"aim": "declining"}), "attacks.loud.settings.aim: found the aim 'declin"),
        (attack("general_trigger"), "under_attack.cells: found the attack loud on mine, whose questions hold no trigg"),
        (defence("none", k=1), "defences.mine.settings: none has no settings"),
        (defence("ppl", n=1), "defences.mine.settings: found the setting 'n', expected one of: alpha"),
        (defence("duplicates", similarity=None), "defences.mine.settings: similarity: found nothing, expected a value"),
        (defence("chain"), "defences.mine.settings: found a chain without links"),
        (defence("chain", of=["both"]), "defences.mine.settings: found the chain both, expected defences that are non"),
        (defence("chain", of=["mine"]), "defences.mine.settings: found the chain mine, expected defences that are non"),
        (defence("chain", of=["robustrag"]), "defences.mine.settings: found robustrag, which asks a model; name it in"),
        ({"defences": {"second": {"kind": "ppl", "settings": {"scorer": "gpt2"}},
                       "both": {"kind": "chain", "settings": {"of": ["ppl", "second"]}}}},
         "under_attack.cells.0.defences: found both with the scorers ngram, gpt2, expected one for all links of a cha"),
        (defence("paraphrasing"), "defences.mine.settings.model: found no model, which rewrites questions; name one"),
        (defence("paraphrasing", {"retrievers": ["bm25"]}, model="careful"),
         "under_attack.cells.0.retrievers: found mine, which searches again, and bm25, expected retrievers by vectors"),
        (cell(defences=["chain"]), "under_attack.cells.0.defences: found chain, which has no links"),
        (cell(defences=["trustrag"], retrievers=["bm25"]), "under_attack.cells.0.defences: found trustrag, which look"),
        (cell(defences=["question_share"], screened={}), "under_attack.cells.0.defences: found question_share, which"),
        (cell(defences=["echo"], screened={}), "under_attack.cells.0.defences: found echo, which judges by questions"),
        (cell(defences=["ppl"], retrievers=["bm25"], screened={}), "under_attack.cells.0.retrievers: found bm25, expe"),
        ({"under_attack": {"k": 20}, "revprag": {"cells": []}},
         "under_attack.depth: found 15, expected at least under_attack.k, whi"),
        ({"under_attack": {"depth": 500}}, "under_attack.depth: found 500, expected at most retrieval.neighbours, whi"),
        ({"under_attack": {"ks": [500]}}, "under_attack.ks: found 500, expected at most retrieval.neighbours, which i"),
        ({"scorers": {"one": {"kind": "ngram", "model": "x"}}}, "scorers.one: found a model, but this kind is trained"),
        ({"scorers": {"one": {"kind": "causal"}}}, "scorers.one: found no model, which this kind needs"),
        ({"scorers": {"one": {"kind": "ngram", "settings": {"n": 3}}}}, "scorers.one.settings: found the setting 'n'"),
        ({"revprag": {"cells": [READ, READ | {"k": 2}]}}, "revprag.cells: found k 2 and 5 for mine/minilm/loud, expec"),
        ({"revprag": {"cells": [READ | {"k": 5000}], "defences": []}}, "revprag.cells: found k 5000, expected at most"),
        ({"revprag": compared(probe="lens")["revprag"] | {"probes": {"lens": {"kind": "lens"}}}},
         "revprag.generalisation.mine.probe: found lens, which reads the output layer of one model"),
        (compared(responders=["careful"]), "revprag.generalisation.mine.responders: found careful, whose activations"),
        (probe(kind="lens", layers=[1]), "revprag.probes.mine.layers: found layers [1], expected none: lens reads the"),
        (probe(kind="certainty", layers=[1]), "revprag.probes.mine.layers: found layers [1], expected none: certainty"),
        (probe(kind="mlp", settings={"support": 10}), "revprag.probes.mine.settings: found the setting 'support', exp"),
        (probe(kind="difference", settings={"rate": 1}), "revprag.probes.mine.settings: difference has no settings"),
        ({"revprag": {"conditions": ["irrelevant"], "defences": []}}, "revprag.conditions: found none with poison, wh"),
        ({"revprag": {"conditions": ["matched"]}}, "revprag.defences: found no condition retrieved, whose passages ar"),
        ({"revprag": {"defences": ["robustrag"]}}, "revprag.defences: found robustrag, which asks a model, expected d"),
        ({"revprag": {"defences": ["chain"]}}, "revprag.defences: found chain, which has no links"),
        ({"revprag": {"cells": [READ | {"k": 20}]}}, "revprag.defences: found prompts of 20 passages, expected at mos"),
        ({"crawl": {"own_feeds": [{"url": "https://a.example/f", "topic": "scince"}]}},
         "crawl.own_feeds: found the topic 'scince', expected one of: business"),
        ({"release": {"sources": {"default": {"texts": True, "licence": "cc0-1.0"}}}},
         "release.sources.default.texts: found true, expected f"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_one_line(settings, line):
    [problem] = problems(settings)
    assert problem.startswith(line)


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        (defence("ppl", alpha=0), "defences.mine.settings.alpha: found 0 (a whole number), expected a number above 0"),
        (defence("ppl", alpha="a"), "defences.mine.settings.alpha: found 'a' (text), expected a number"),
        (defence("ppl", quantile="low"), "defences.mine.settings.quantile: found 'low' (text), expected one of linear"),
        (defence("raguard", criteria=["tss"]), "defences.mine.settings.criteria.0: found 'tss' (text), expected one o"),
        (defence("raguard", criteria=[]), "defences.mine.settings.criteria: found [] (a list), expected not to be emp"),
        (defence("raguard", scorer=["ngram"]), "defences.mine.settings.scorer: found ['ngram'] (a list), expected tex"),
        ({"scorers": {"one": {"kind": "ngram", "settings": {"order": 0}}}},
         "scorers.one.settings.order: found 0 (a whole number), expected a whole number of at least 1"),
        (attack("jamming", settings={"texts": "two"}), "attacks.loud.settings.texts: found 'two' (text), expected a w"),
        (attack("garag", settings={"mutation": 1.5}), "attacks.loud.settings.mutation: found 1.5 (a number), expected"),
        (attack("jamming_optimised", settings={"refusal": "no"}), "attacks.loud.settings.refusal: found 'no' (text),"),
        (probe(kind="triplet", settings={"support": 1}), "revprag.probes.mine.settings.support: found 1 (a whole numb"),
        (probe(kind="triplet", settings={"widths": []}), "revprag.probes.mine.settings.widths: found [] (a list), exp"),
        (probe(kind="logistic", settings={"strengths": [0]}), "revprag.probes.mine.settings.strengths.0: found 0 (a w"),
        (probe(kind="triplet", settings={"margin": None}), "revprag.probes.mine.settings.margin: found nothing, expec"),
    ],
)  # fmt: skip
def test_a_setting_of_the_wrong_kind_is_one_line(settings, line):
    [problem] = problems(settings)
    assert problem.startswith(line)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("table\tat\n", "1: found the columns ['table', 'at'], expected"),
        ("{}figure_3\tx\t\tloud\t\tdeep\t\t\t\n", "2: invalid literal for int"),
        ('{}figure_3\tx\t\tloud\t\t5\t\t\t{{"alfa": 1}}\n', "2: found the setting 'alfa', expected one of"),
        ("{}figure_3\tx\t\tloud\t\t5\t\t1.5\t\n", "2: found a depth below 1, or a contamination that is no share"),
        ("{}figure_3\tx\t\tjaming\t\t5\t\t\t\n", "found the attack 'jaming', expected one of"),
        ("{}figure_4\tx\t\tloud\t\t5\t9\t\t\n", "found 9 texts of loud, which plants at most 2 for a target"),
        ("{}figure_3\tx\t\tloud\t\t500\t\t\t\n", "found the depth 500, expected at most retrieval.neighbours, 100"),
        ('{}figure_3\tx\t\tloud\t\t5\t\t\t{{"alpha": 2}}\n', "alpha: found 2 (a whole number), expected a number of"),
        ('{}a\tx\t\tloud\t\t5\t\t\t{{"poisoned_null": "loud"}}\n', "2: found poisoned_null, expected a share of poiso"),
        (
            '{}a\tx\ttrustrag\tloud\t\t5\t\t\t{{"encoder": "simcse"}}\n',
            "2: found the encoder 'simcse', but sweeps compare vectors of the retriever",
        ),
        ("{}figure_2\tx\tpple\tloud\t\t5\t\t\t\n", "2: kind: found the name 'pple', expected one of"),
        ("{}figure_2\tx\tchain\tloud\t\t5\t\t\t\n", "2: found the kind chain, expected one that judges passages by"),
        ('{}figure_3\tx\t\tloud\t\t5\t\t\t{{"scorer": "gpt3"}}\n', "found the scorer 'gpt3', expected one of"),
    ],
)
def test_a_table_of_sweeps_that_cannot_be_used_is_one_line(text, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sweeps.tsv").write_text(text.format("\t".join(SWEEPS) + "\n"))
    [problem] = problems({"raguard": {"sweeps": "sweeps.tsv"}} | cell(defences=["raguard"]))
    assert problem.startswith("raguard.sweeps: ") and line in problem


@pytest.mark.parametrize("model", ["resources/demo/demo-lm", "gpt2"])
def test_no_passage_is_scored_by_a_model_that_has_read_it(model):
    """The demo's model has read the demo; of another one, its entry says what it has read, or what that extends."""
    read = {"scorers": {"one": {"kind": "causal", "model": model, "has_read": ["texts"] if model == "gpt2" else []}}}
    read |= {"corpora": BASE["corpora"] | {"texts": {"files": ["resources/demo/articles"], "columns": {"id": "url"}}}}
    line = "defences.mine.settings: found one, which has read the corpus of mine and would know its passages by heart"
    for settings in (read, read | {"datasets": {"mine": {"corpus": "more", "targets": ["t.csv"]}}}):
        assert problems(settings | defence("ppl", scorer="one")) == [f"{line}; name another scorer"]
    alarming = {"defences": BASE["defences"] | {"mine": {"kind": "ppl", "settings": {"scorer": "one"}}}}
    assert problems(read | alarming | {"revprag": {"defences": ["mine"]}}) == [f"{line}; name another scorer"]


def test_two_corpora_that_extend_each_other_are_refused():
    both = {name: {"extends": other, "rewritten": REWRITTEN} for name, other in (("a", "b"), ("b", "a"))}
    lines = problems({"corpora": BASE["corpora"] | both})
    assert len(lines) == 2 and "corpora.a.extends: found 'b', which leads back to a, expected another" in lines[0]


@pytest.mark.parametrize(
    "cells", [cell(retrievers=["given"]), {"revprag": {"cells": [READ | {"retrievers": ["given"]}]}}]
)
def test_vectors_from_elsewhere_can_embed_nothing_that_is_planted(cells):
    [problem] = problems({"retrievers": {"given": {"kind": "vectors", "passages": {}, "queries": {}}}, **cells})
    assert re.match(r"\w+\.cells\.0\.retrievers: found given, whose vectors were computed elsewhere", problem)


def test_a_log_needs_a_gate_that_can_embed_queries():
    own = {"retrievers": {"given": {"kind": "vectors", "passages": {}, "queries": {}}}, **log(corpus="texts")}
    [problem] = problems(own | {"relevance": {"retrievers": ["given"]}})
    assert problem.startswith("query_logs.log: found given, whose vectors were computed elsewhere, so that no gate can")
