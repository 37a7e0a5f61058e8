"""What the sets of the relevance study need: their corpora with and without held-out documents, searches, settings;
whom it asks what, and which tables say what a corpus covers.
"""

import pytest

from ragassay.config.schema import merged
from ragassay.config.settings import checked
from ragassay.plan import coverage, explorers, gates, grading, queries, question_sets, relevance, search
from ragassay.plan.entries import having
from wildcards import Wildcards

SET = {"corpus": "mine", "in_knowledge": "known", "near": ["near"], "synthetic": "written"}


@pytest.fixture
def config():
    own = {"corpora": {"mine": {"files": ["a.csv"]}, "large": {"files": ["a.csv", "b.csv"]}}}
    own |= {"query_sets": {name: {"files": ["q.csv"]} for name in ("known", "near", "written")}}
    return checked(own | {"relevance": {"sets": {"one": SET, "two": SET | {"corpus": "large"}}}}, [], merged())


def test_a_corpus_is_searched_with_and_without_what_is_held_out(config):
    assert relevance.searched(config) == ["mine", "mine.held_out", "large", "large.held_out"]
    found = [tuple(cell.values()) for cell in relevance.searches(config)]
    assert len(found) == len(set(found)) == 2 * 3 * (3 + 1)
    assert ("mine", "bm25", "near") in found and ("mine.held_out", "minilm", "near") not in found
    assert ("large.held_out", "bm25_by_idf", "known") in found
    assert relevance.scored(config).column("retriever") == ["minilm"]


def test_a_set_may_have_retrievers_of_its_own(config):
    own = config["relevance"]["sets"]["two"] | {"retrievers": ["minilm", "bm25_by_idf"]}
    config["relevance"]["sets"]["two"] = own
    cells = [tuple(cell.values()) for cell in relevance.searches(config)]
    assert len(cells) == (3 + 2) * (3 + 1)
    assert ("mine", "bm25", "near") in cells and not {("large", "bm25", name) for name in ("near", "known")} & {*cells}
    assert relevance.measure_relevance(config)["sets"]["two"]["retrievers"] == ["minilm", "bm25_by_idf"]
    assert relevance.retrievers(config) == ["minilm", "bm25", "bm25_by_idf"] and [*relevance.check(config)] == []
    own["retrievers"] = ["bm25", "minilm"]
    [(place, problem)] = relevance.check(config)
    assert place == ("relevance", "sets", "two", "retrievers")
    assert "expected that of relevance.retrievers, min" in problem


def test_a_gate_searches_exactly(config):
    config["retrievers"]["near"] = {"kind": "dense", "encoder": "minilm", "index": {"factory": "Flat"}}
    config["relevance"]["retrievers"] = ["bm25", "near"]
    assert [*relevance.check(config)] == []
    config["relevance"]["retrievers"] = ["near", "bm25"]
    [(place, problem)] = relevance.check(config)
    assert place == ("relevance",) and problem.startswith("found near, which searches an index")


def test_sets_about_one_corpus_have_examples_of_their_own_but_for_the_same_queries(config):
    sets = config["relevance"]["sets"]
    sets |= {"three": sets["one"] | {"in_knowledge": "near", "near": []}, "four": sets["one"] | {"near": []}}
    pairs = [("mine", "known"), ("large", "known"), ("mine", "near")]
    expected = [[corpus, "minilm", queries_] for corpus, queries_ in pairs]
    assert relevance.choose_examples(config)["in_knowledge"] == expected
    searched = [tuple(cell.values()) for cell in relevance.example_searches(config)]
    assert searched == [(f"{corpus}.held_out", "minilm", queries_) for corpus, queries_ in pairs]


def test_a_gates_reader_reads_the_in_knowledge_queries_of_each_corpus_once(config):
    assert [*queries.rated(config)] == []
    config["relevance"]["gate"]["reader"] = "careful"
    config["lm_relevance"] |= {"raters": ["hasty"]}
    rated = {"corpus": "mine", "retriever": "minilm", "query_set": "near"}
    config["lm_relevance"]["rated"] = [rated]
    assert [tuple(cell.values()) for cell in queries.rated(config)] == [
        ("hasty", "mine", "minilm", "near"),
        ("careful", "mine", "minilm", "known"),
        ("careful", "large", "minilm", "known"),
    ]
    job = Wildcards(corpus="large", retriever="minilm")
    assert gates.gate_votes(config, job) == ["results/lm_relevance/careful/large/minilm/known.parquet"]
    assert gates.fit_gate(config, job)["read"] == 5


def test_searches_of_what_is_left_wait_for_the_vectors_of_the_whole(config):
    """They are among them, so that nothing is embedded twice."""
    waiting = [Wildcards(corpus=f"{name}.held_out", retriever="minilm") for name in ("mine", "large")]
    files = [own for one in waiting for own in search.awaited(config, {}, one) if own.startswith("results/")]
    assert files == [f"results/embedded_passages/{part}/minilm/none.parquet" for part in ("mine", "large+1", "large+2")]
    part = search.awaited(config, {}, Wildcards(corpus="large.held_out+2", retriever="minilm"))
    assert part[0] == "results/embedded_passages/large+2/minilm/none.parquet" and part[1:] == files[4:]


def test_stages_get_their_settings_and_inputs(config):
    settings = relevance.measure_relevance(config)
    assert settings["sets"]["one"] == SET | {"far": [], "retrievers": ["minilm", "bm25"]}
    assert settings["options"]["ks"] == [8, 16, 32, 64]
    wildcards = Wildcards(relevance_set="two")
    assert relevance.score_outliers(config, wildcards)["query_encoder"]["name"] == "minilm"
    assert relevance.outlier_inputs(config, "{query_set}", "query_set", wildcards) == ["known", "near", "written"]
    assert relevance.outlier_inputs(config, "{corpus}", "corpus", wildcards) == ["large", "large.held_out"]
    assert relevance.outlier_kinds(config) == ["ragassay.models.encoders.kinds.sentence_transformers"]


def test_without_vectors_no_outlier_is_looked_for(config):
    words = config | {"relevance": config["relevance"] | {"retrievers": ["bm25"], "fused": ["bm25"]}}
    assert relevance.with_vectors(config) == ["one", "two"] and relevance.with_vectors(words) == []
    assert relevance.outlier_kinds(words) == []


def test_a_gate_searches_with_its_own_retriever_and_those_that_are_fused(config):
    job = Wildcards(corpus="large", retriever="bm25")
    names = ["bm25", "minilm", "bm25_by_idf"]
    assert gates.gate_neighbours(config, job) == [f"results/neighbours/large/{name}/known.parquet" for name in names]
    settings = gates.fit_gate(config, job)
    assert list(settings["retrievers"]) == names and settings["statistic"] == "fused"
    assert settings["confidence"] is None
    assert settings["retrievers"]["bm25_by_idf"]["options"] == {"divide_by_idf": True}
    assert settings["retrievers"]["minilm"]["similarity"] == "cosine"
    assert gates.gate_kinds(config, job) == ["ragassay.models.encoders.kinds.sentence_transformers"]
    assert gates.gate_queries(config, job) == "results/queries/known.parquet"
    config["relevance"]["gate"]["statistic"] = "mss"
    assert list(gates.fit_gate(config, job)["retrievers"]) == ["bm25"] and gates.gate_kinds(config, job) == []


def test_only_logs_with_a_corpus_are_looked_at(config):
    assert not relevance.logs(config)
    config["query_logs"] = {"mine": {"corpus": "mine", "files": []}, "other": {"corpus": None, "files": []}}
    assert relevance.logs(config).over("{corpus}/{retriever}/{query_log}") == ["mine/minilm/mine"]


def test_corpora_have_gates_where_queries_can_be_embedded(config):
    assert gates.gates(config).over("{corpus}/{retriever}") == ["mine/minilm", "large/minilm"]
    elsewhere = {"v": {"kind": "vectors", "passages": {}, "queries": {}}}
    own = config["relevance"] | {"fused": ["v", "bm25"]}
    assert not gates.gates(config | {"relevance": own, "retrievers": elsewhere})
    assert relevance.sections(config) == ["relevance"]


ANSWERED = SET | {"far": ["far"], "answers": {"query_sets": ["known", "near"]}}
ASKED = {"responders": ["a", "b"], "retrievers": ["bm25", "minilm"]}
READER = {"provider": "rules", "model": "careful"}


@pytest.fixture
def asked_config():
    own = {"corpora": {"mine": {"files": ["a.csv"]}}}
    own["models"] = dict.fromkeys(["a", "b", "careful"], READER)
    own |= {"query_sets": {name: {"files": ["q.csv"]} for name in ("known", "near", "far", "written")}}
    return checked(own | {"relevance": {"sets": {"one": ANSWERED}, "answers": ASKED}}, [], merged())


def test_the_first_retriever_serves_everything_and_others_the_in_knowledge_set(asked_config):
    found = [tuple(cell.values()) for cell in grading.asked(asked_config)]
    assert [row[1:] for row in found if row[0] == "a"] == [
        ("mine", "bm25", "known"),
        ("mine", "bm25", "near"),
        ("mine.held_out", "bm25", "known"),
        ("mine", "minilm", "known"),
    ]
    assert [row[1:] for row in found if row[0] == "b"] == [row[1:] for row in found if row[0] == "a"]


def test_without_passages_a_set_is_asked_once(asked_config):
    assert grading.asked(asked_config).over("{responder}/{query_set}") == ["a/known", "a/near", "b/known", "b/near"]


def test_a_corpus_in_two_sets_is_asked_once(asked_config):
    asked_config["relevance"]["sets"]["two"] = asked_config["relevance"]["sets"]["one"]
    assert len(grading.asked(asked_config)) == 2 * 4


def test_nobody_is_asked_where_no_responder_or_no_query_set_is_named(asked_config):
    asked_config["relevance"]["sets"]["one"]["answers"]["query_sets"] = []
    asked_config["relevance"]["answers"]["retrievers"] = ["gone"]  # of another configuration, and of no use here
    assert grading.responders(asked_config) == [] and not list(grading.check(asked_config))
    asked_config["relevance"]["sets"]["one"]["answers"]["query_sets"] = ["known"]
    asked_config["relevance"]["answers"] = {"responders": [], "retrievers": []}
    assert not grading.asked(asked_config)


def test_the_gate_of_answers_has_its_own_retriever_and_alpha(asked_config):
    settings = grading.measure_answers(asked_config)
    assert settings["options"]["retrievers"] == ["bm25", "minilm"] and settings["alphas"] == {"one": 0.05}
    assert "answers" not in settings["sets"]["one"]
    asked_config["relevance"]["sets"]["one"]["answers"]["alpha"] = 0.2
    asked_config["relevance"]["answers"]["retrievers"] = []
    settings = grading.measure_answers(asked_config)
    assert settings["options"]["retrievers"] == ["minilm"] and settings["alphas"] == {"one": 0.2}


def test_stages_get_their_settings(asked_config):
    job = Wildcards(responder="a", corpus="mine", retriever="bm25", query_set="known")
    settings = grading.answer_from_passages(asked_config, job)
    assert settings["ledger"] == "ledger/answer_from_passages/a/mine/bm25/known" and settings["shown"] == 5
    assert not settings["about_known"] and settings["model"]["name"] == "a"
    job = Wildcards(responder="a", corpus="mine.held_out", retriever="bm25", query_set="known")
    assert grading.answer_from_passages(asked_config, job)["about_known"]


ENTRIES = {
    "corpora": {"pages": {"files": ["a.csv"]}},
    "relevance": {"sets": {"pages": {"corpus": "pages", "in_knowledge": "questions"}}},
    "question_sets": {"asked": {"documents": ["a.csv"], "questions": ["q.csv"], "nearest": {}, "detectors": False}},
    "query_logs": {name: {"files": ["l.csv"], "corpus": name} for name in ("pages", "articles")},
    "coverage": {"mine": {"question_set": "asked", "corpus": "pages", "query_log": "pages"}},
}


@pytest.fixture
def covered(settings):
    return settings(ENTRIES)


def test_a_set_is_held_against_the_gate_of_its_corpus(covered):
    [cell] = coverage.cells(covered)
    assert cell == {"name": "mine", "corpus": "pages", "retriever": "minilm", "generator": "asked", "judge": "careful"}
    gated = coverage.gated(covered, "{corpus}/{retriever}/{generator}", Wildcards(generator="asked"))
    assert gated == ["pages/minilm/asked"]
    assert coverage.gated(covered, "{corpus}", Wildcards(generator="natural")) == []
    assert coverage.logs(covered).column("query_log") == ["pages"]
    assert coverage.measure_coverage(covered)["entries"]["mine"]["query_log"] == "pages"


def test_its_questions_have_a_page_where_the_section_is_shown(covered):
    assert coverage.pages(covered) == ["asked/careful"]
    covered["report"]["sections"] = ["coverage"]
    assert explorers.questions(covered) == {"Questions of asked": "asked/careful"}
    covered["report"]["sections"] = ["documents"]
    assert explorers.questions(covered) == {}


def test_a_set_without_documents_is_placed_and_the_others_are_not(covered):
    assert having(covered["question_sets"], "nearest") == ["asked"]
    asked, natural = (Wildcards(question_set=name) for name in ("asked", "natural"))
    assert question_sets.placed_questions(covered, asked) == ["results/questions/asked/asked.parquet"]
    assert question_sets.placed_questions(covered, natural) == []
    settings = question_sets.place_questions(covered, Wildcards(question_set="asked"))
    assert settings["cut"] == {"words": 120, "overlap": 20} and settings["count"] == 3
    assert settings["encoder"]["name"] == "minilm" and settings["name"] == "asked"


def test_what_does_not_go_together_is_said(covered):
    assert list(coverage.check(covered)) == []
    covered["coverage"]["mine"]["query_log"] = "articles"
    [(key, problem)] = coverage.check(covered)
    assert key == ("coverage", "mine", "query_log") and "expected one of 'pages'" in problem
    covered["coverage"]["mine"] |= {"corpus": "short_articles", "query_log": None}
    [(key, problem)] = coverage.check(covered)
    assert key == ("coverage", "mine", "corpus") and "found the corpus of a relevance set 'short_articles'" in problem
    covered["question_sets"]["natural"]["columns"]["questions"]["doc_id"] = None
    assert ("question_sets", "natural", "columns", "questions", "doc_id") in dict(question_sets.check(covered))
