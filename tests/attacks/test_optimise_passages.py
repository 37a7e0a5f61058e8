"""Passages that are optimised, from tables: for few targets, kept target by target, the same after a kill."""

import json
import multiprocessing
import os
import signal

import numpy as np
import pytest
import torch

from models import one_thread, save_decoder, save_encoder  # noqa: F401  a fixture
from passages import TEXTS, write_passages
from project import ROOT
from ragassay.base import tables, variants
from ragassay.calls._estimating import FOLDER
from ragassay.grading.matches import contains
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.schemas.attacks import POISONED_PASSAGES, TARGETS
from ragassay.schemas.corpora import NEIGHBOURS
from ragassay.schemas.report import CALLS
from ragassay.studies.poisoning.attacks import attack, loudness
from ragassay.studies.poisoning.attacks.attack import (
    ANSWER,
    FILTER,
    KINDS,
    READER,
    RESPONDER,
    RETRIEVER,
    AttackError,
    Tools,
    tried,
    triggered,
    wants,
)
from ragassay.studies.poisoning.attacks.attack import kind_of as kind_of_attack
from ragassay.studies.poisoning.attacks.victims import AttackedReader
from ragassay.studies.poisoning.defences.defence import kind_of
from rows import row
from scripts.attacks.fit_defence import fit_defence
from scripts.attacks.optimise_passages import optimise_passages
from targets import TARGET_ROWS, targets

SMALL = {  # settings that do little
    "poisonedrag_white": {"texts": 1, "steps": 3, "candidates": 4},
    "adaptive_threshold": {"texts": 1, "candidates": 6, "k": 1},
    "corpus_poisoning": {"clusters": 1, "tokens": 5, "steps": 3, "candidates": 4},
    "garag": {"population": 4, "generations": 3, "parents": 2, "children": 3, "perturbation": 0.5},
    "jamming_optimised": {"tokens": 3, "steps": 2, "candidates": 3, "k": 2},
    "general_trigger": {"trigger": "storm", "tokens": 3, "steps": 3, "candidates": 4},
}
PROMPT = ROOT / "resources/prompts/respond_passages.yaml"
OPTIMISED = [name for name in variants.names(KINDS) if RETRIEVER in kind_of_attack(name)({}).needs]


@pytest.fixture(scope="module")
def entries(tmp_path_factory):
    """A little random reader and a little random encoder."""
    words = " ".join([*TEXTS.values(), *(one["question"] for one in TARGET_ROWS)]).lower().replace(".", " ")
    reader = {"model": str(tmp_path_factory.mktemp("decoder")), "options": {"device": "cpu"}}
    save_decoder(reader["model"], [*TEXTS.values()] * 3, 400, 1024)
    return reader, save_encoder(tmp_path_factory.mktemp("encoder") / "bert", words.split())


@pytest.fixture(scope="module")
def guard(tmp_path_factory):
    """A fitted defence that counts the question's words in passages."""
    folder = tmp_path_factory.mktemp("guard")
    asked = [row(TARGETS, target_id=f"q{at}", question=f"When did the ferry {at} sail at nine?") for at in range(40)]
    tables.write(TARGETS, folder / "targets.parquet", asked)
    found = [
        row(NEIGHBOURS, query_id=f"q{at}", rank=rank, passage_id=f"p{rank}", score=1 / rank)
        for at in range(40)
        for rank in (1, 2, 3)
    ]
    tables.write(NEIGHBOURS, folder / "neighbours.parquet", found)
    files = (folder / "targets.parquet", folder / "neighbours.parquet", write_passages(folder / "p.parquet", TEXTS))
    kind, path = "question_share", folder / "results/guards/mine/little/question_share.json"
    about = (3, "little", {}, "cosine", "", {"way": "even_words", "least": 4, "window": 5}, {}, "")
    fit_defence(*files, [], [], path, kind, kind_of(kind).SETTINGS | {"alpha": 0.2}, *about)
    return path


@pytest.fixture
def optimised(files, entries, guard, tmp_path):
    """A function that runs the stage and gives the bytes and the rows that it wrote."""
    found = [("bridge", 1, "p4"), ("bridge", 2, "p3"), ("ferry", 1, "p1")]
    rows = [row(NEIGHBOURS, query_id=query, rank=rank, passage_id=name, score=0.5) for query, rank, name in found]
    tables.write(NEIGHBOURS, files("neighbours"), rows)
    reader, entry = entries
    retriever = {"encoder": entry, "query_encoder": entry, "embeddings": str(tmp_path / "e"), "similarity": "cosine"}

    def run(kind, folder="optimised", **own):
        settings = kind_of_attack(kind).SETTINGS | SMALL[kind] | own
        inputs = (files("targets"), [files("passages")], [files("neighbours")], PROMPT, files("poison"), files("calls"))
        needed = kind_of_attack(kind)(settings).needs
        about = {"reader": {"name": "little", "entry": reader, "in_lines": False}} if READER in needed else {}
        if RESPONDER in needed:
            own = {"name": "careful", "provider": "rules", "model": "careful", "price": {"input": 0, "output": 0}}
            ledger = str(tmp_path / "ledger/optimise_passages/mine")
            asked = {"ledger": ledger, "in_lines": False, "sampling": {"temperature": 0}}
            about |= {"model": own, "responder": asked}
        about |= {"filters": [{"path": guard, "scorer": None}]} if FILTER in needed else {}
        optimise_passages(*inputs, "mine", kind, settings, retriever, tmp_path / folder, **about)
        return files("poison").read_bytes(), tables.read(POISONED_PASSAGES, files("poison")).to_pylist()

    return run


def _killed(run, kind):
    """The process is killed as soon as the first unit is kept."""
    torch.set_num_threads(1)  # a forked child waits forever for threads that its parent had
    write = attack.write_text

    def write_and_die(path, text):
        write(path, text)
        if path.name != "attack.json":
            os.kill(os.getpid(), signal.SIGKILL)

    attack.write_text = write_and_die
    run(kind, "killed")


@pytest.mark.parametrize("kind", OPTIMISED)
def test_what_was_killed_goes_on_and_gives_the_same_bytes(optimised, kind, tmp_path, caplog):
    caplog.set_level("INFO", "ragassay")
    job = multiprocessing.get_context("fork").Process(target=_killed, args=(optimised, kind))
    job.start()
    job.join()
    assert job.exitcode == -signal.SIGKILL
    again, rows = optimised(kind, "killed")
    assert "texts, made before" in caplog.text and rows
    whole, _ = optimised(kind, "whole")
    assert again == whole and sum(one["forwards"] for one in rows) > 0


@pytest.mark.parametrize("kind", OPTIMISED)
def test_passages_of_attacks_that_want_an_answer_state_it(optimised, kind):
    _, rows = optimised(kind)
    wrong = {one["target_id"]: [one["target"], *one["target_aliases"]] for one in targets()}
    if wants(kind, kind_of_attack(kind).SETTINGS | SMALL[kind]) == ANSWER:
        assert all(any(contains(row["text"], one) for one in wrong[row["target_id"]]) for row in rows)


def test_a_search_finds_the_vectors_of_what_is_planted(optimised, entries, tmp_path):
    _, rows = optimised("adaptive_threshold")
    embedder = Embedder(Encoder(**entries[1]), tmp_path / "e")
    embedder.embed([row["text"] for row in rows], "passage")
    assert rows and embedder.computed == 0


def test_an_attack_on_few_targets_says_how_few(optimised, caplog):
    caplog.set_level("INFO", "ragassay")
    _, rows = optimised("poisonedrag_white", targets=1)
    assert len({one["target_id"] for one in rows}) == 1 and "tried on 1 of 2 targets" in caplog.text


def test_other_settings_are_made_anew(optimised, caplog):
    caplog.set_level("INFO", "ragassay")
    optimised("poisonedrag_white")
    caplog.clear()
    optimised("poisonedrag_white", seed=1)
    assert "made before" not in caplog.text
    optimised("poisonedrag_white", seed=1)
    assert caplog.text.count("made before") == 2


@pytest.mark.parametrize("kind", ["adaptive_threshold", "jamming_optimised"])
def test_texts_are_made_anew_when_questions_find_something_else(optimised, files, kind, caplog):
    caplog.set_level("INFO", "ragassay")
    optimised(kind)
    other = {"p4": "p2", "p3": "p4", "p1": "p3"}
    rows = [
        one | {"passage_id": other[one["passage_id"]]}
        for one in tables.read(NEIGHBOURS, files("neighbours")).to_pylist()
    ]
    tables.write(NEIGHBOURS, files("neighbours"), rows)
    optimised(kind)
    assert "2 of 2: " in caplog.text and "made before" not in caplog.text
    optimised(kind)
    assert caplog.text.count("made before") == 2


def test_corpus_poisoning_knows_other_questions_than_it_is_measured_on(optimised):
    [shared] = optimised("corpus_poisoning")[1]
    assert shared["target_id"] is None and shared["forwards"] > 3
    behind = optimised("corpus_poisoning", aim="answer")[1]
    [name] = tried(["bridge", "ferry"], known=0.5)
    [own] = [one for one in targets() if one["target_id"] == name]
    assert sorted(one["text"] for one in behind) == sorted(f"{shared['text']} {text}" for text in own["texts"])
    assert {one["target_id"] for one in behind} == {name}
    assert sum(one["forwards"] for one in behind) == shared["forwards"]


def test_a_general_trigger_is_the_same_for_questions_with_it_and_without_it(optimised, files):
    plain = [one["text"] for one in optimised("general_trigger", "plain")[1]]
    rows = [row | {"question": triggered(row["question"], "storm")} for row in targets()]
    tables.write(TARGETS, files("targets"), rows)
    assert plain == [one["text"] for one in optimised("general_trigger", "triggered")[1]]
    assert len(plain) == 5 and all(text.split(" ", 3)[-1] for text in plain)
    [name] = tried(["bridge", "ferry"], known=0.5)
    [text] = optimised("general_trigger", aim="answer")[1]
    assert text["target_id"] == name


@pytest.mark.parametrize("aim", ["declining", "answer"])
def test_words_before_a_command_make_the_model_obey_it(optimised, entries, aim):
    reader, own = AttackedReader("little", entries[0], PROMPT, in_lines=False), {"obeying_steps": 6, "aim": aim}
    plain, obeyed = (
        min(optimised("general_trigger", obeying=count, **own)[1], key=lambda row: row["text"].split()[-1])
        for count in (0, 3)
    )
    [name] = tried(["bridge", "ferry"], known=0.5)  # it is measured on, so that the other question is known
    [asked] = [one for one in targets() if (one["target_id"] == name) == (aim == "answer")]
    said = asked["target"] if aim == "answer" else "I don't know"
    front, command = plain["text"].split(" ")[:3], plain["text"].split(" ", 3)[-1]
    assert obeyed["text"].startswith(" ".join(front)) and obeyed["text"].endswith(command)
    texts = [[" ".join([*front, "! ! !", command])], [obeyed["text"]]]
    before, after = reader.log_likelihoods(triggered(asked["question"], "storm"), texts, said)
    assert after > before and obeyed["forwards"] > plain["forwards"]


def test_what_a_stand_in_answered_is_not_kept(optimised, tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER, str(tmp_path))
    rows = optimised("jamming_optimised", "estimated")[1]
    counted = [json.loads(path.read_text())["requests"] for path in tmp_path.glob("*.json")]
    assert len(counted) == 2 and sum(counted) == sum(row["calls"] for row in rows)
    assert not list((tmp_path / "estimated").rglob("*.json"))
    optimised("poisonedrag_white", "estimated")
    assert list((tmp_path / "estimated").rglob("*.json"))


def test_what_the_model_was_asked_is_counted(optimised, files):
    optimised("poisonedrag_white")
    assert tables.read(CALLS, files("calls")).num_rows == 0
    rows = optimised("jamming_optimised")[1]
    [counted] = tables.read(CALLS, files("calls")).to_pylist()
    assert counted["requests"] == sum(row["calls"] for row in rows) > 0
    optimised("jamming_optimised")  # all is kept, nothing is asked
    assert tables.read(CALLS, files("calls")).to_pylist() == [counted]


@pytest.mark.parametrize("kind", ["corpus_poisoning", "general_trigger"])
def test_an_attacker_who_knows_no_question_is_told(optimised, kind):
    with pytest.raises(AttackError, match=r"that the attacker knows, expected .* the setting known"):
        optimised(kind, known=0)


def test_garag_puts_typos_into_the_passage_that_answers_and_spares_the_answer(optimised, tmp_path):
    rows = {one["target_id"]: one for one in optimised("garag")[1]}
    assert {name: one["made_from"] for name, one in rows.items()} == {"bridge": "p4", "ferry": "p1"}
    for name, answer in (("bridge", "bridge"), ("ferry", "nine")):
        clean, text = TEXTS[rows[name]["made_from"]].split(), rows[name]["text"].split()
        changed = [at for at, pair in enumerate(zip(clean, text, strict=True)) if pair[0] != pair[1]]
        assert changed and len(changed) <= len(clean) / 2 and answer in rows[name]["text"]
        assert 2 * 4 <= rows[name]["forwards"] <= 2 * (4 + 3 * 3)


class Ruler:
    """A filter that removes what is too similar; it stands in for a fitted guard."""

    identity, asked, beside = "ruler", 0, 0

    def passes(self, question, texts, vectors, wanted, beside):
        self.asked += len(texts)
        return vectors @ wanted < 0.9


class Line:
    """A retriever in whose only direction texts are as similar as the share of the question's words that they have."""

    def questions(self, texts):
        return np.ones((len(texts), 1))

    def passages(self, texts):
        return np.array([[loudness.question_words(targets()[0]["question"], text)] for text in texts])

    stored = passages


@pytest.mark.parametrize(("knowledge", "found"), [("filter", 0.8), ("retriever", 0.6)])
def test_the_text_just_under_the_threshold_is_chosen_of_those_that_are_found(tmp_path, knowledge, found):
    own = kind_of_attack("adaptive_threshold").SETTINGS | {"knowledge": knowledge, "texts": 1, "k": 1}
    clean, ruler = {"bridge": [{"passage_id": "p", "text": "The storm.", "score": 0.3}]}, Ruler()
    tools = Tools(retrieved=clean, retriever=Line(), filters=[ruler], finished=attack.Finished(tmp_path, own))
    [one] = kind_of_attack("adaptive_threshold")(own).fit(tools).poison(targets()[:1])
    assert loudness.question_words(targets()[0]["question"], one.text) == found
    assert ruler.asked == (one.forwards if knowledge == "filter" else 0) and 30 <= one.forwards <= 40
    assert one.method == "question_parts" and TARGET_ROWS[0]["texts"][0].split(".")[0] in one.text


class Picky(Ruler):
    """A filter that leaves texts with this word, and, where it compares, those that have nothing clean beside them."""

    def __init__(self, word, beside=0):
        self.word, self.beside = word, beside

    def passes(self, question, texts, vectors, wanted, beside):
        alone = bool(beside) and not any(row["text"] == "The choir sings." for row in beside)
        return [self.word in text or alone for text in texts]


FAR = {"passage_id": "p", "text": "The choir sings.", "score": -1.0}


def adapted(tmp_path, *filters, retrieved=(FAR,), **more):
    """What is planted for the bridge against these filters."""
    own = kind_of_attack("adaptive_threshold").SETTINGS | {"texts": 1, "k": 1, "candidates": 12} | more
    finished = attack.Finished(tmp_path / "-".join(each.word for each in filters), own)
    tools = Tools(retrieved={"bridge": [*retrieved]}, retriever=Line(), filters=[*filters], finished=finished)
    return list(kind_of_attack("adaptive_threshold")(own).fit(tools).poison(targets()[:1]))


def test_an_attacker_who_asks_says_which_of_many_attacks_a_filter_leaves(tmp_path):
    words = {"latest data": "outdated", "\u200b": "hidden", "\u00ed": "accents", "sings. The": "graft"}
    assert {word: adapted(tmp_path, Picky(word))[0].method for word in words} == words


def test_against_several_filters_the_text_that_most_of_them_leave_is_planted(tmp_path):
    both = adapted(tmp_path, Picky("latest data"), Picky("out of date"), Picky("\u200b"))
    assert [one.method for one in both] == ["outdated"]


def test_if_a_filter_that_compares_leaves_nothing_as_many_texts_as_it_looks_at_are_planted(tmp_path):
    made = adapted(tmp_path, Picky("nowhere", beside=3))
    assert [one.method for one in made] == ["flood"] * 4 and len({one.text for one in made}) == 4
    [one] = adapted(tmp_path, Picky("nobody"))
    assert one.method not in (None, "flood"), "a filter of single texts is not fooled by many"


def test_a_flood_does_not_hide_clean_passages_that_are_nearer_to_the_question(tmp_path):
    near = [FAR | {"score": 2.0}, FAR | {"text": "The ferry sails."}]
    [one] = adapted(tmp_path, Picky("nowhere", beside=3), retrieved=near, k=2)
    assert one.method != "flood"


def test_no_two_texts_of_a_target_are_the_same(tmp_path):
    made = adapted(tmp_path, Picky("latest data"), texts=2)
    assert made[0].method == "outdated" and len({one.text for one in made}) == 2


def test_a_fitted_guard_is_asked_about_each_text(optimised):
    quiet, loud = (
        {row["target_id"]: row["text"] for row in optimised("adaptive_threshold", knowledge=name)[1]}
        for name in ("filter", "retriever")
    )
    assert quiet.keys() == loud.keys() == {"bridge", "ferry"}
