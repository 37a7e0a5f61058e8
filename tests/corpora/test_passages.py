"""Passages: read, cut, joined, made of documents, rewritten, and held out."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from files_of_users import docx
from growth import peak
from passages import write_passages
from ragassay.base import _sorted_runs, tables
from ragassay.base.errors import AssayError
from ragassay.base.tables import TableError
from ragassay.base.tally import MostRejected
from ragassay.corpora.corpus import CorpusError, cuts
from ragassay.documents.sources import document_files
from ragassay.schemas.corpora import HELD_OUT_DOCUMENTS, PASSAGES, REWRITTEN_PASSAGES
from ragassay.schemas.documents import DOCUMENTS
from rows import place, row
from scripts.corpora.collect_passages import collect_passages
from scripts.corpora.hold_out_documents import HoldingOutError, hold_out_documents
from scripts.corpora.join_passages import join_passages
from scripts.corpora.read_passages import read_passages
from scripts.corpora.rewrite_passages import rewrite_passages
from study import document
from targets import READER


def test_documents_of_all_shards_are_passages(tmp_path):
    tables.write(DOCUMENTS, tmp_path / "1.parquet", [document("b", "Two."), document("a", "One.")])
    tables.write(DOCUMENTS, tmp_path / "2.parquet", [document("b", "Two."), document("c", "Three.")])
    collect_passages([tmp_path / "1.parquet", tmp_path / "2.parquet"], [], tmp_path / "passages.parquet")
    rows = tables.read(PASSAGES, tmp_path / "passages.parquet").to_pylist()
    assert [(row["passage_id"], row["text"], row["source"]) for row in rows] == [
        ("a", "One.", "s"),
        ("b", "Two.", "s"),
        ("c", "Three.", "s"),
    ]


def test_a_document_of_an_earlier_part_is_no_passage_of_a_later_one(tmp_path):
    tables.write(DOCUMENTS, tmp_path / "1.parquet", [document("b", "Two."), document("a", "One.")])
    tables.write(DOCUMENTS, tmp_path / "2.parquet", [document("b", "Two."), document("c", "Three.")])
    collect_passages([tmp_path / "2.parquet"], [tmp_path / "1.parquet"], tmp_path / "passages.parquet")
    assert tables.read(PASSAGES, tmp_path / "passages.parquet")["passage_id"].to_pylist() == ["c"]


def test_parts_become_one_table_and_an_id_is_in_one_of_them(tmp_path):
    parts = [write_passages(tmp_path / "1.parquet", {"b": "B."}), write_passages(tmp_path / "2.parquet", {"a": "A."})]
    join_passages(parts, tmp_path / "all.parquet")
    assert tables.read(PASSAGES, tmp_path / "all.parquet")["passage_id"].to_pylist() == ["a", "b"]
    with pytest.raises(TableError, match=r"two rows of table passages have the same key .*'b'"):
        join_passages([*parts, parts[0]], tmp_path / "all.parquet")


COLUMNS = {"id": "_id", "document_id": "document", "text": "text", "title": "title", "source": "source"}


def read(folder, *lines, **cut):
    (folder / "corpus.csv").write_text("".join(f"{line}\n" for line in lines))
    read_passages([str(folder / "corpus.csv")], folder / "passages.parquet", COLUMNS, cut or None)
    return tables.read(PASSAGES, folder / "passages.parquet").to_pylist()


def test_a_corpus_in_a_file(tmp_path):
    rows = read(tmp_path, "_id,document,title,text", "2,d,,Second.", "1,,One,First.")
    assert rows == [
        {"passage_id": "1", "document_id": "1", "title": "One", "text": "First.", "source": None},
        {"passage_id": "2", "document_id": "d", "title": None, "text": "Second.", "source": None},
    ]


def test_long_texts_are_cut_and_know_their_document(tmp_path):
    rows = read(tmp_path, "_id,title,text", "a,One,One two. Three four. Five six.", "b,,Short.", words=4, overlap=2)
    assert [(row["passage_id"], row["document_id"], row["title"], row["text"]) for row in rows] == [
        ("a#1", "a", "One", "One two. Three four."),
        ("a#2", "a", "One", "Three four. Five six."),
        ("b", "b", None, "Short."),
    ]


def test_a_row_of_a_corpus_that_cannot_be_used_costs_itself_and_most_rows_the_corpus(tmp_path, caplog):
    rows = [b'{"_id": "%d", "text": "Text %d."}' % (at, at) for at in range(60)]
    broken = [
        b'{"_id": "x", "text": ',
        b'{"_id": "y", "text": "\xff"}',
        b'{"text": "No id."}',
        b"[" * 5000 + b"]" * 5000,
    ]
    file, passages = tmp_path / "corpus.jsonl", tmp_path / "p.parquet"
    file.write_bytes(b"\n".join([*rows[:30], *broken, *rows[30:]]))
    read, warnings = [], []
    caplog.set_level("INFO", logger="ragassay")
    for number in range(2):
        read_passages([str(file)], passages, COLUMNS, share=(number, 2), most_rejected=0.5)
        read += tables.read(PASSAGES, passages)["passage_id"].to_pylist()
    warnings = [entry.message for entry in caplog.records if "cannot be used" in entry.message]
    assert (
        sum(int(warning.partition(" of ")[0]) for warning in warnings) == caplog.text.count(f"left out {file} row") == 4
    )
    assert f"{file} row 31: not JSON" in "".join(warnings)
    assert sorted(read) == sorted(map(str, range(60)))
    with pytest.raises(MostRejected, match=r"4 of 64 rows rejected, expected at most 1%.*row 31: not JSON"):
        read_passages([str(file)], passages, COLUMNS, most_rejected=0.01)


@pytest.mark.parametrize("parts", [1, 4])
def test_a_corpus_is_refused_in_parts_as_it_is_whole(tmp_path, parts):
    rows = ['{"_id": "%d", "text": "Text %s."}' % (at, "\\ud800" if at % 2 else "") for at in range(1000)]  # noqa: UP031
    (tmp_path / "corpus.jsonl").write_text("\n".join(rows))
    for number in range(parts):
        with pytest.raises(MostRejected, match=r"rows rejected, expected at most 30%"):
            share = {"share": (number, parts), "most_rejected": 0.3}
            read_passages([str(tmp_path / "corpus.jsonl")], tmp_path / "p.parquet", COLUMNS, **share)


@pytest.mark.parametrize("with_ids", [True, False])
def test_a_row_without_text_is_reported_for_one_of_all_parts(tmp_path, caplog, with_ids):
    """The one that it is in, if it has an id, else the first one."""
    lines = [("_id", "text"), ("e", ""), *((str(at), f"Text {at}.") for at in range(20))]
    (tmp_path / "corpus.csv").write_text("\n".join(",".join(line) if with_ids else line[1] or '""' for line in lines))
    columns = COLUMNS | {"id": "_id" if with_ids else ""}
    for number in range(3):
        read_passages([str(tmp_path / "corpus.csv")], tmp_path / "p.parquet", columns, share=(number, 3))
    [warning] = [entry.message for entry in caplog.records if entry.levelname == "WARNING"]
    assert "1 of 21 rows have no text" in warning


@pytest.mark.parametrize("with_ids", [True, False])
def test_the_shares_of_a_file_are_the_whole_file_however_many_there_are(tmp_path, with_ids):
    texts = [f"Text {at % 40}. And more of it." for at in range(60)]  # without ids, the same texts are one
    lines = ["_id,text", *(f"{at},{text}" for at, text in enumerate(texts))] if with_ids else ["text", *texts]
    (tmp_path / "corpus.csv").write_text("\n".join(lines))
    columns = COLUMNS | {"id": "_id" if with_ids else ""}
    cut = {"words": 4, "overlap": 0}

    def parts(count):
        for number in range(count):
            file = tmp_path / f"{number}.parquet"
            read_passages([str(tmp_path / "corpus.csv")], file, columns, cut, share=(number, count))
            yield tables.read(PASSAGES, file).to_pylist()

    [whole] = parts(1)
    assert len(whole) == 2 * (60 if with_ids else 40)
    for count in (2, 5):
        cuts = list(parts(count))
        rows = [row for part in cuts for row in part]
        assert sorted(rows, key=lambda row: row["passage_id"]) == whole and all(cuts)
        of_documents = [{row["document_id"] for row in part} for part in cuts]
        assert sum(map(len, of_documents)) == len(set().union(*of_documents)), "no document is in two parts"


def test_ids_that_repeat_are_in_one_part_and_refused_and_a_part_without_texts_too(tmp_path):
    (tmp_path / "corpus.csv").write_text("_id,text\n7,First.\n7,Second.\n")
    errors = []
    for number in (0, 1):
        with pytest.raises(AssayError) as error:
            read_passages([str(tmp_path / "corpus.csv")], tmp_path / "p.parquet", COLUMNS, share=(number, 2))
        errors.append(str(error.value).removeprefix(f"{tmp_path}/"))
    assert sorted(errors)[0].startswith("corpus.csv row 2: found the id '7' of")
    assert sorted(errors)[1].startswith("corpus.csv: found 2 rows, none of them in part ")
    assert errors[1].endswith("expected at least one; cut it into fewer `parts`") or errors[0].endswith("`parts`")


def test_a_title_stands_in_for_a_text(tmp_path):
    assert read(tmp_path, "_id,title,text", "a,Only a title,")[0]["text"] == "Only a title"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["1,First.", "1,Second."], "corpus.csv row 2: found the id '1' of .*corpus.csv row 1, expected each once"),
        (["1, ", "2,"], "corpus.csv row 1: found nothing in 'text', nor in any other row, expected texts"),
        ([" ,First."], "corpus.csv row 1: found nothing in '_id', expected a value"),
        (["1"], "corpus.csv row 1: found 1 cells, expected 2"),
        ([], "corpus.csv: found no row, expected at least one"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path, lines, message):
    with pytest.raises(AssayError, match=message) as error:
        read(tmp_path, "_id,text", *lines)
    assert "\n" not in str(error.value)


def test_rows_without_text_are_left_out_and_counted(tmp_path, caplog):
    rows = read(tmp_path, "_id,text", "1,First.", "2,", "3, ", "4,Fourth.")
    assert [row["passage_id"] for row in rows] == ["1", "4"]
    assert "corpus.csv row 2: found nothing in 'text'; 2 of 4 rows have no text and are left out" in caplog.text


def test_files_of_a_folder_are_called_by_their_paths_and_titles(tmp_path, caplog):
    (tmp_path / "handbook/more").mkdir(parents=True)
    (tmp_path / "handbook/leave.md").write_text("---\ntitle: Leave\n---\nTen days.")
    (tmp_path / "handbook/own.md").write_text("---\n_id: page-1\n---\n# Pay\n\nOn the 25th.")
    (tmp_path / "handbook/more/travel.docx").write_bytes(docx(("Title", "Travel"), ("", "By train.")))
    (tmp_path / "handbook/cut.pdf").write_bytes(b"%PDF-1.4")
    folder = tmp_path / "handbook"
    read_passages(document_files(folder), tmp_path / "passages.parquet", COLUMNS, below=[str(folder)])
    rows = tables.read(PASSAGES, tmp_path / "passages.parquet").to_pylist()
    assert {row["passage_id"]: (row["title"], row["source"]) for row in rows} == {
        "leave.md": ("Leave", "leave.md"),
        "more/travel.docx": ("Travel", "more/travel.docx"),
        "page-1": ("Pay", "own.md"),
    }
    assert f"left out {folder / 'cut.pdf'}: unreadable: found no whole PDF" in caplog.text


def test_a_corpus_of_which_no_file_can_be_read_is_an_error(tmp_path):
    (tmp_path / "cut.pdf").write_bytes(b"%PDF-1.4")
    with pytest.raises(AssayError, match=r"cut.pdf: found no whole PDF .*; and no other file can be used"):
        read_passages([str(tmp_path / "cut.pdf")], tmp_path / "passages.parquet", COLUMNS)


NAMES = ("rewritten_passages", "rejects", "calls", "new_passages")
TEXTS = {
    "d#1": "Nobody said how many boats were bought. The town gets 12 more in spring.",
    "d#2": "The company said that the ferry is to be built in Dray.",
    "e#1": "Xyz!",
    "f#1": "Several people stayed because the storm began in the evening.",
}


@pytest.fixture
def rewrite(tmp_path):
    def rewrite(texts=TEXTS, count=9, seed=0):
        rows = [
            row(PASSAGES, passage_id=name, document_id=name[0], title="T", text=text) for name, text in texts.items()
        ]
        tables.write(PASSAGES, tmp_path / "passages.parquet", rows)
        paths = {name: tmp_path / f"{name}.parquet" for name in NAMES}
        settings = {"model": READER, "ledger": str(tmp_path / "ledger"), "sampling": {}, "corpus": "more"}
        prompt = "resources/prompts/rewrite_passage.yaml"
        settings |= {"count": count, "seed": seed, "most_rejected": 0.5}
        rewrite_passages(tmp_path / "passages.parquet", prompt, **paths, **settings)
        kinds = (PASSAGES, REWRITTEN_PASSAGES, tables.REJECTS)
        names = ("new_passages", "rewritten_passages", "rejects")
        return [tables.read(kind, paths[name]).to_pylist() for kind, name in zip(kinds, names, strict=True)]

    return rewrite


def test_each_new_passage_knows_its_source_and_belongs_to_its_document(rewrite):
    passages, sources, rejects = rewrite()
    source = {one["passage_id"]: one["source_passage"] for one in sources}
    assert sorted(source.values()) == ["d#1", "d#2", "f#1"] and len(passages) == 3
    for one in passages:
        assert one["passage_id"].startswith("rewritten-") and one["document_id"] == source[one["passage_id"]][0]
        assert one["text"] != TEXTS[source[one["passage_id"]]] and one["title"] == "T"
    assert [(one["item"], one["reason"], one["shard"]) for one in rejects] == [("e#1", "other_length", "more")]


def test_as_many_are_drawn_as_asked_for_by_their_ids_alone(rewrite):
    def drawn(**own):
        return {one["source_passage"] for one in rewrite(**own)[1]} | {one["item"] for one in rewrite(**own)[2]}

    two = drawn(count=2)
    assert len(two) == 2 and len({frozenset(drawn(count=2, seed=seed)) for seed in range(3)}) > 1
    assert drawn(texts=TEXTS | {"g#1": "Nobody often said so."}, count=2) <= two | {"g#1"}


def test_a_corpus_without_passages_is_told(rewrite):
    with pytest.raises(CorpusError, match="found no passage, expected at least one"):
        rewrite(texts={})


def test_documents_are_held_out_with_their_near_duplicates(study):
    rows = tables.read(HELD_OUT_DOCUMENTS, study / "held_out_documents/small.parquet").to_pylist()
    out = {row["document_id"] for row in rows if row["held_out"]}
    assert len(rows) == 120 and 40 < len(out) < 80
    assert rows[1]["cluster_id"] == "d000" and ("d000" in out) == ("d001" in out)
    kept = tables.read(PASSAGES, place(study, PASSAGES, corpus="small.held_out"))["passage_id"].to_pylist()
    assert {name.removesuffix("#0") for name in kept} == {row["document_id"] for row in rows} - out


def passages(folder, count, cut=1):
    texts = [row(PASSAGES, passage_id=f"p{at}", document_id=f"d{at // cut}", text=f"text {at}") for at in range(count)]
    tables.write(PASSAGES, folder / "p.parquet", texts)
    paths = [folder / f"{name}.parquet" for name in ("p", "documents", "known")]
    hold_out_documents(*paths, 0.5, 0.6, 300)
    rows = tables.read(HELD_OUT_DOCUMENTS, paths[1]).to_pylist()
    return {row["document_id"]: row["held_out"] for row in rows}, tables.read(PASSAGES, paths[2]).to_pylist()


def test_a_document_goes_with_all_its_passages_and_stays_when_others_come(tmp_path):
    few, _ = passages(tmp_path, 40, 2)
    many, kept = passages(tmp_path, 80, 2)
    assert few.items() <= many.items()
    assert {one["document_id"] for one in kept} == {name for name, out in many.items() if not out}
    assert len(kept) == 2 * sum(not out for out in many.values())


def test_documents_whose_passages_lie_apart_are_whole(tmp_path):
    """By the names of their passages, those of two documents take turns; the documents say the same."""
    dice = random.Random(0)
    told = [" ".join(dice.choices("abcdefghij", k=12)) for _ in range(30)]
    texts = [(f"p{at:02}-{copy}", f"{'xy'[copy]}{at % 3}", text) for at, text in enumerate(told) for copy in (0, 1)]
    rows = [row(PASSAGES, passage_id=name, document_id=owner, text=text) for name, owner, text in texts]
    tables.write(PASSAGES, tmp_path / "p.parquet", rows)
    hold_out_documents(*(tmp_path / f"{name}.parquet" for name in ("p", "documents", "known")), 0.5, 0.9, 300)
    found = tables.read(HELD_OUT_DOCUMENTS, tmp_path / "documents.parquet").to_pydict()
    assert found["document_id"] == ["x0", "x1", "x2", "y0", "y1", "y2"]
    assert found["cluster_id"] == ["x0", "x1", "x2"] * 2


def test_memory_grows_by_keys_and_signatures_and_not_by_texts(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "BATCH_ROWS", 32)
    monkeypatch.setattr(_sorted_runs, "RUN_BYTES", 200_000)
    dice, length, most = random.Random(0), 8_000, {}
    for count in (100, 500):
        folder = tmp_path / str(count)
        with tables.Writer(PASSAGES, folder / "p.parquet") as writer:
            for at in range(count):
                text = f"{dice.getrandbits(4 * length):x}"
                text = " ".join(text[start : start + 7] for start in range(0, length, 7))
                writer.add(row(PASSAGES, passage_id=f"p{at:04}", document_id=f"d{at:04}", text=text))
        paths = [folder / f"{name}.parquet" for name in ("p", "documents", "known")]
        most[count] = peak(lambda paths=paths: hold_out_documents(*paths, 0.5, 0.6, 300))
    assert most[500] - most[100] < 400 * length / 4


def test_a_corpus_of_one_document_is_refused(tmp_path):
    with pytest.raises(HoldingOutError, match=r"p.parquet: found 1 different documents, of which [01] would be"):
        passages(tmp_path, 1)


def test_with_a_share_of_0_nothing_is_held_out_of_however_few_documents(tmp_path):
    tables.write(PASSAGES, tmp_path / "p.parquet", [row(PASSAGES, passage_id="p", document_id="d", text="A text.")])
    paths = [tmp_path / f"{name}.parquet" for name in ("p", "documents", "left")]
    hold_out_documents(*paths, 0, 0.6, 300)
    assert [row["held_out"] for row in tables.read(HELD_OUT_DOCUMENTS, paths[1]).to_pylist()] == [False]
    assert tables.read(PASSAGES, paths[2]).equals(tables.read(PASSAGES, paths[0]))


SENTENCES = st.lists(st.integers(1, 12), max_size=12)


def cut(text, *limits):
    return [text[start:end] for start, end in cuts(text, *limits)]


@given(SENTENCES, st.integers(1, 20), st.integers(0, 25))
def test_nothing_is_lost_and_no_limit_passed(sentences, words, overlap):
    numbers = iter(range(1000))
    text = " ".join(" ".join(f"W{next(numbers)}" for _ in range(length)) + "." for length in sentences)
    seen = -1
    for passage in cut(text, words, overlap):
        own = [int(word.strip("W.")) for word in passage.split()]
        assert own == list(range(own[0], own[-1] + 1)) and len(own) <= words
        assert seen - overlap < own[0] <= seen + 1 and own[-1] > seen
        seen = own[-1]
    assert seen == sum(sentences) - 1


def test_sentences_stay_whole_where_they_fit_and_are_repeated_whole():
    text = "One two three. Four five. Six seven eight nine ten eleven. Twelve."
    assert cut(text, 5) == ["One two three. Four five.", "Six seven eight nine ten", "eleven. Twelve."]
    assert cut(text, 6, 2) == ["One two three. Four five.", "Six seven eight nine ten eleven.", "Twelve."]
    assert cut(text, 100) == [text] and cut("", 5) == []
