"""What a configuration plans for documents, and what their files have to hold."""

import pytest

from ragassay.config.schema import merged
from ragassay.config.settings import checked
from ragassay.config.shards import read_shards
from ragassay.plan import contents, documents
from ragassay.plan.entries import having, lacking
from wildcards import Wildcards

TABLE = """shard\tdocuments\ttopics\tfirst_day\tlast_day\tper_topic
one\ttexts\t\t\t\t
two\t\tfood,travel\t2026-11-01\t2026-11-30\t20
three\t\t\t2026-12-01\t2026-12-31\t
"""


@pytest.fixture
def shards(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts/a.txt").write_text("A text.")
    (tmp_path / "shards.tsv").write_text(TABLE)
    return read_shards("shards.tsv")


def test_a_shard_is_of_files_or_crawled(shards):
    assert (having(shards, "documents"), lacking(shards, "documents")) == (["one"], ["two", "three"])
    assert documents.files(shards, Wildcards(shard="one")) == ["texts/a.txt"]


def test_indexes_of_all_earlier_shards_are_read_in_blocks_and_stay_when_shards_are_appended(monkeypatch):
    monkeypatch.setattr(documents, "BLOCK", 2)
    table = {name: {"before": list("abcdef"[:at])} for at, name in enumerate("abcdef")}

    def read(name):
        return documents.earlier(table, "{shard}", "up_to_{shard}", Wildcards(shard=name))

    assert list(map(read, "abc")) == [[], ["a"], ["up_to_b"]]
    assert read("f") == ["up_to_b", "up_to_d", "e"]
    assert documents.block(table, "{shard}", Wildcards(shard="d")) == ["c", "d"]
    assert documents.block(table, "{shard}", Wildcards(shard="a")) == ["a"]


@pytest.mark.parametrize(
    ("given", "trained_on"), [(1, ["one"]), (9, ["one", "two", "three"]), (["three", "one"], ["one", "three"])]
)
def test_detectors_are_trained_on_the_first_shards_or_on_those_that_are_named(config, shards, given, trained_on):
    config["detectors"]["trained_on"] = given
    assert documents.trained_on(config, shards, "detectors") == trained_on


def test_a_crawl_goes_by_its_row_but_not_by_the_shards_before_it(config, shards):
    settings = documents.crawl_shard(config, shards, Wildcards(shard="two"))
    assert settings["row"] == {name: value for name, value in shards["two"].items() if name != "before"}
    assert settings["ledger"] == "ledger/crawl_shard/two"
    extraction = documents.extract_articles(config, shards, Wildcards(shard="two"))
    assert (extraction["first_day"], extraction["last_day"]) == ("2026-11-01", "2026-11-30")


def test_coverage_is_of_each_crawled_shards_own_topics_or_of_all(config, shards):
    asked = documents.measure_crawl(config, shards)["asked"]
    assert asked["two"] == {"food": 20, "travel": 20}
    assert asked["three"] == dict.fromkeys(config["crawl"]["topics"], 0)


GOLD = {"documents": ["d.csv"], "questions": ["q.csv"]}


@pytest.fixture
def problems(tmp_path, monkeypatch):
    """The problems of files with these contents under a configuration."""
    monkeypatch.chdir(tmp_path)

    def of(config, **files):
        (tmp_path / "shards.tsv").write_text("shard\tdocuments\n")
        for name, text in files.items():
            (tmp_path / name.replace("_", ".")).write_text(text)
        filled = checked({"shards": "shards.tsv"} | config, [], merged())
        return [(".".join(key), problem) for key, problem in contents.check(filled)]

    return of


def gold(**more):
    return {"question_sets": {"gold": GOLD | more}}


def test_files_that_are_missing_are_no_matter_of_this(problems):
    assert problems(gold() | {"corpora": {"c": {"files": ["nowhere.csv"]}}}) == []


def test_files_of_a_release_that_is_replayed_are_stand_ins(problems):
    empty = {"query_sets": {"asked": {"files": ["a.csv"]}}}
    replayed = {"models": {"careful": {"provider": "rules", "model": "careful", "mode": "replay"}}}
    assert len(problems(empty, a_csv="")) == 1 and problems(empty | replayed) == []


def test_every_file_needs_its_columns_and_a_set_one_row(problems):
    corpus = {"query_sets": {"asked": {"files": ["a.csv", "b.csv"]}}}
    assert problems(corpus, a_csv="id,text\n", b_csv="id,text\n1,Why?\n") == []
    [(key, problem)] = problems(corpus, a_csv="id,text\n1,Why?\n", b_csv="id,question\n1,Why?\n")
    assert key == "query_sets.asked.files" and problem.startswith("b.csv: no column 'text' among id, question")
    [(_, problem)] = problems(corpus, a_csv="id,text\n", b_csv="id,text\n")
    assert problem == "a.csv, b.csv: found no row, expected at least one"


def test_a_small_question_set_is_read_to_its_end_and_of_a_large_one_the_beginning(problems, monkeypatch):
    files = {"d_csv": "doc_id,text\n1,A text.\n", "q_csv": "doc_id,question\n1,Why?\n2,Who?\n"}
    [(key, problem)] = problems(gold(), **files)
    assert key == "question_sets.gold.questions" and problem.startswith("q.csv row 2: found document '2', expected one")
    monkeypatch.setattr(contents, "WHOLE", 10)
    assert problems(gold(), **files) == []
    [(key, problem)] = problems(gold(), **files | {"d_csv": "doc_id,text\n1,\n"})
    assert key == "question_sets.gold.documents" and problem == "d.csv row 1: found nothing in 'text', expected a value"


@pytest.mark.parametrize(
    ("more", "column", "key"),
    [
        ({"judges": {"ours": "verdict"}}, "verdict", "questions"),
        ({"annotators": {"ann": "by_ann"}}, "by_ann", "questions"),
        ({"responders": {"bot": "said"}}, "said", "questions"),
        ({"human_votes": ["v.csv"]}, "label", "human_votes"),
        ({"responses": ["v.csv"], "responders": {"bot": "bot"}}, "responder", "responses"),
    ],
)
def test_columns_of_labels_and_responses_are_looked_for(problems, more, column, key):
    files = {"d_csv": "doc_id,text\n1,A text.\n", "q_csv": "doc_id,question,question_id\n1,Why?,q\n"}
    [(found, problem)] = problems(gold(**more), **files, v_csv="question_id\nq\n")
    assert found == f"question_sets.gold.{key}" and f"no column {column!r} among " in problem


def test_a_text_as_long_as_a_library_and_a_file_of_somebody_else_are_a_line(problems, tmp_path, monkeypatch):
    corpus = {"corpora": {"mine": {"files": ["all.txt"]}}}
    with (tmp_path / "all.txt").open("wb") as file:
        file.truncate(900_000_000)
    [(key, problem)] = problems(corpus)
    assert key == "corpora.mine.files"
    assert problem.startswith("all.txt: found a file of 900 MB, expected one document in each file; CSV or JSON")

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied", "asked.csv")

    monkeypatch.setattr(contents, "records", refuse)
    [(_, problem)] = problems({"query_sets": {"asked": {"files": ["asked.csv"]}}}, asked_csv="id,text\n")
    assert problem == "asked.csv: cannot be read (Permission denied), expected a file that you may read"


def test_texts_of_an_attack_have_their_columns(problems):
    own = {"attacks": {"mine": {"kind": "table", "files": ["a.csv"]}}}
    [(key, problem)] = problems(own, a_csv="target,text\n1,A text.\n")
    assert key == "attacks.mine.files" and problem.startswith("a.csv: no column 'target_id' among target, text")


def test_a_shard_is_refused_if_none_of_its_first_rows_can_be_used_and_no_job_has_read_it(problems, tmp_path):
    rows = "id,date,text\n" + "a,03.11.2026,A text.\n" * 19
    shard = {"shards": "own.tsv"}
    (tmp_path / "own.tsv").write_text("shard\tdocuments\none\tdocs.csv\n")
    [(key, problem)] = problems(shard, docs_csv=rows + "b,03.11.2026,A text.\n" * 5)
    assert key == "shards" and problem.startswith("shard one: docs.csv row 1: found '03.11.2026' in 'date', expected")
    assert problem.endswith("(20 of the first 20 rows, and none can be used)")
    assert problems(shard | {"most_rejected": 1}, docs_csv=rows) == []
    assert problems(shard, docs_csv=f"{rows}b,2026-11-03,A text.\n") == []
    (tmp_path / "results/articles").mkdir(parents=True)
    (tmp_path / "results/articles/one.parquet").touch()
    assert problems(shard, docs_csv=rows) == []
