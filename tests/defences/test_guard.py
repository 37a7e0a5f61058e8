"""The guide docs/defences.md as its reader follows it: its configuration is one, and its Python runs where it says."""

import json
import re
import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from models import save_decoder
from project import ROOT
from ragassay.base import tables
from ragassay.base.card import signed
from ragassay.config.schema import merged
from ragassay.config.settings import checked
from ragassay.plan import methods
from ragassay.schemas.corpora import PASSAGES
from ragassay.schemas.defences import PASSAGE_SCORES
from ragassay.services.guard import Guard
from ragassay.studies.poisoning.attacks.kinds.invisible import HIDDEN, WORD
from ragassay.studies.poisoning.attacks.victims import AttackedFilter
from ragassay.studies.poisoning.defences.defence import DefenceError
from ragassay.studies.poisoning.defences.kinds.echo import taken_up
from ragassay.studies.poisoning.defences.scorer import opened
from ragassay.studies.poisoning.defences.thresholds import ALL, fold_of
from study import MINILM
from workshop import pages

GUIDE = (ROOT / "docs/defences.md").read_text()
FOLDER = "results/guards/mine/minilm"


def test_the_guides_python_keeps_clean_texts_and_says_why_others_go(place, monkeypatch):
    monkeypatch.chdir(place)
    question = "Which harbour fell?"
    texts = [
        f"{question} The xylophone of Zanzibar.",
        "The old ferry and the tide.",
        "A choir in the cathedral of the island.",
    ]
    given = {"question": question, "texts": texts, "similarities": [0.9, 0.38, 0.35]}
    random = np.random.default_rng(0)
    corpus, questions = random.normal(size=(200, 8)), np.eye(8)
    given |= {"corpus_vectors": corpus / np.linalg.norm(corpus, axis=1)[:, None], "question_vectors": questions}
    given |= {"new_texts": ["The old ferry and the tide of morning."] * 2, "new_vectors": [questions[3], corpus[0] / 9]}
    for block in pages("defences")["python"]:
        exec(block, given)
    judged = given["screen"](given["new_texts"], given["new_vectors"])
    assert [one.reason.endswith("asked") for one in judged] == [True, False] and judged[0].criteria[-1].score == 1
    assert judged[0] in given["held"]
    assert given["kept"] == texts[1:] and given["guard"].depth == 3
    [(text, reason, score)] = given["reasons"]
    assert (text, reason) == (texts[0], "echo") and score > 0.9


def test_every_defence_has_a_line_in_the_guide():
    for name in methods.names(checked({}, [], merged()), "defences"):
        assert re.search(rf"^\|[^|]*`{name}`", GUIDE, re.MULTILINE), name


def test_a_guard_judges_as_the_defence_that_was_measured(place):
    guard = Guard.load(place / FOLDER / "question_share.json")
    question, texts = "Which harbour is old?", ["The harbour is old, which is so.", "A river."]
    shares = [judgement.criteria[0].score for judgement in guard(question, texts, [0.5, 0.4])]
    assert shares == [1.0, 0.0] and guard.needs == ()
    assert guard(question, [], []) == [] == guard.keep(question, [], [], 5)


def test_many_questions_are_judged_together_and_by_threads_as_one_by_one(place, scored):
    guard = Guard.load(place / FOLDER / "echo.json", scored / "scorer").warm_up()
    questions = [f"Which harbour is old, number {number}?" for number in range(12)]
    texts = [["The harbour is old.", f"{question} Zyzzyva.", "A river."] for question in questions]
    similarities = [[0.6, 0.5 + number / 100, 0.2] for number in range(12)]
    single = [guard(*of_one) for of_one in zip(questions, texts, similarities, strict=True)]
    assert guard(questions, texts, np.array(similarities)) == single and any(one.removed for one in single[0])
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(guard, questions, texts, similarities)) == single
    assert guard([], [], []) == []
    with pytest.raises(DefenceError, match="found 12 questions, expected texts and similarities of each"):
        guard(questions, texts[:3], similarities)


def test_characters_that_nobody_sees_change_no_judgement(place):
    guard, question = Guard.load(place / FOLDER / "question_share.json"), "Which old harbour fell in the storm?"
    text = f"{question} The island of Sallow."
    hidden = WORD.sub(rf"\1{HIDDEN}", text)
    assert hidden != text and taken_up(question, hidden) < taken_up(question, text)
    plain, same = guard(question, [text, hidden], [0.9, 0.9])
    assert plain == same and plain.criteria[0].score == 1
    assert guard(WORD.sub(rf"\1{HIDDEN}", question), [text], [0.9]) == [plain]


def test_what_a_guard_lacks_is_one_line(place, scored):
    with pytest.raises(DefenceError, match=r"echo\.json: found no scorer, expected ngram"):
        Guard.load(place / FOLDER / "echo.json")
    with pytest.raises(DefenceError, match=r"none\.json: cannot read it"):
        Guard.load(place / "none.json")
    guard = Guard.load(place / FOLDER / "raguard.json", scored / "scorer")
    with pytest.raises(DefenceError, match="found 2 texts and 1 similarities, expected one for each"):
        guard("A question?", ["One.", "Two."], [0.5])


@pytest.mark.parametrize(
    ("question", "texts", "similarities", "line"),
    [
        (None, ["One."], [0.5], "found None as question, expected a text"),
        ("A question?", "One.", [0.5] * 4, "found one text, expected a list of texts"),
        ("A question?", None, [0.5], "found NoneType as texts, expected a list of texts"),
        ("A question?", iter(["One."]), [0.5], "found list_iterator as texts, expected a list of texts"),
        ("A question?", ["One."], 0.5, "found 0.5 as similarities, expected one for each text"),
        ("A question?", ["One.", None], [0.5, 0.4], "found None as text 2, expected a text"),
        ("A question?", ["One.", "\udcff"], [0.5, 0.4], "found half a character in text 2, expected a text"),
        (
            "A question?",
            ["One.", "Two."],
            [0.5, np.nan],
            "found nan as similarity 2, expected a number as the search of its",
        ),
        ("A question?", ["One."], [np.float32(np.inf)], r"found np.float32\(inf\) as similarity 1"),
        ("A question?", ["One."], ["near"], "found 'near' as similarity 1"),
        ("A question?", ["One."], [57.3], r"found 57.3 as similarity 1, .* \(minilm, cosine\)"),
    ],
)
def test_a_guard_looks_past_nothing_that_it_cannot_judge(place, question, texts, similarities, line):
    guard = Guard.load(place / FOLDER / "question_share.json")
    with pytest.raises(DefenceError, match=f"question_share.json: {line}"):
        guard(question, texts, similarities)


def test_vectors_that_are_none_and_no_passages_at_all_are_one_line(place):
    guard = Guard.load(place / FOLDER / "question_share.json")
    for vectors in ([[0.1, np.nan]], [0.5], [["a", "b"]]):
        with pytest.raises(DefenceError, match="found vectors that are no rows of numbers, expected rows of one"):
            guard("A question?", ["One."], [0.5], vectors)
    with pytest.raises(DefenceError, match="found k 0, expected at least 1"):
        guard.keep("A question?", ["One."], [0.5], 0)


def test_an_attacker_hears_of_each_text_what_the_guard_says_of_it_among_what_is_found(place, scored):
    """Not among the attacker's other candidates: `echo` compares the passages of a question."""
    question, texts = "Which harbour, river or choir is old?", ["A choir fnord.", "A harbour fnord.", "A river fnord."]
    beside = [{"text": "The old ferry and the tide.", "score": score, "vector": [score]} for score in (0.1, 0.05)]
    filters = {kind: AttackedFilter(place / FOLDER / f"{kind}.json", scored / "scorer") for kind in ("echo", "raguard")}
    assert {kind: own.beside for kind, own in filters.items()} == {"echo": 2, "raguard": 0}
    judge, fold = filters["echo"].judge, fold_of(question)
    fitted, card = judge.defences[fold].fitted, json.loads((place / FOLDER / "echo.json").read_text())
    assert fitted == card["fitted"][fold] != card["fitted"][ALL], "which judges it later"
    [among, *_] = judge.judge(question, [texts[0], *(one["text"] for one in beside)], [0.4, 0.1, 0.05], fold=fold)
    [alike, *_] = judge.judge(question, texts, [0.4] * 3, fold=fold)
    fitted["criteria"]["echo"]["threshold"] = (among.criteria[0].score + alike.criteria[0].score) / 2
    assert alike.criteria[0].score < among.criteria[0].score
    assert not filters["echo"].passes(question, texts, np.full((3, 1), 0.4), np.ones(1), beside).any()


@pytest.mark.parametrize("kind", ["raguard", "echo", "question_share"])
def test_empty_and_one_word_texts_are_judged_and_where_all_go_nothing_is_kept(place, scored, kind):
    guard = Guard.load(place / FOLDER / f"{kind}.json", scored / "scorer")
    judgements = guard("Which harbour?", ["", "tide", "???", "Which harbour? Zyzzyva quuxes."], [0.5, 0.4, 0.3, 0.99])
    assert not judgements[0].removed and judgements[-1].removed
    assert all(np.isfinite(one.score) for own in judgements for one in own.criteria)
    loud = ["Which harbour? Zyzzyva quuxes brump.", "Which harbour? Xylitol wombat fnord."]
    assert guard.keep("Which harbour?", loud, [0.99, 0.98], 5) == []


def test_another_scorer_or_encoder_than_at_fitting_is_one_line(place, scored, tmp_path):
    path = place / FOLDER / "raguard.json"
    encoder = {"model": MINILM["model"]}
    assert Guard.load(path, scored / "scorer", encoder, encoder).depth == 3
    folder = tmp_path / "scorer"
    shutil.copytree(scored / "scorer", folder)
    Guard.load(path, folder)
    words = (folder / "words.json").read_text()
    (folder / "words.json").write_text(words.replace("ferry", "fairy"))
    with pytest.raises(DefenceError, match=r"raguard\.json: found the scorer \S*scorer with files '\w+', but it was"):
        Guard.load(path, folder)
    with pytest.raises(DefenceError, match=r"found the passage encoder package:\S+ with options \{'max_tokens': 16\}"):
        Guard.load(path, scored / "scorer", encoder | {"options": {"max_tokens": 16}})
    with pytest.raises(DefenceError, match=r"found the query encoder package:\S+ with prefix 'query: ', but it was"):
        Guard.load(path, scored / "scorer", encoder, encoder | {"options": {"prefixes": {"query": "query: "}}})


def test_a_language_model_reads_as_at_the_fitting_and_another_is_refused(place, tmp_path):
    for seed in (0, 1):
        save_decoder(tmp_path / str(seed), ["The old ferry and the tide."] * 3, 300, 64, seed)
    entry = {"model": str(tmp_path / "0"), "options": {"device": "cpu"}}
    fitted = opened("one", "causal", {"entry": entry | {"options": {"dtype": "bfloat16"}}, "max_tokens": 20}, None)
    card = json.loads((place / FOLDER / "raguard.json").read_text()) | {"scored_by": fitted.identity}
    (tmp_path / "guard.json").write_text(json.dumps(signed(card)))
    guard = Guard.load(tmp_path / "guard.json", entry)
    text = "The ferry. " * 9
    assert guard.surprises([text])[0].is_cut and guard._scorer.model.local.dtype == "bfloat16"
    wrong = {"model": str(tmp_path / "1")}, entry | {"options": {"dtype": "float32"}}
    for other, part in zip(wrong, ("files '\\w+'", "dtype 'float32', but it was fitted with 'bfloat16'"), strict=True):
        with pytest.raises(DefenceError, match=f"guard.json: found the scorer .* with {part}"):
            Guard.load(tmp_path / "guard.json", other)


def test_a_guard_of_words_has_no_encoder(place, tmp_path):
    card = json.loads((place / FOLDER / "question_share.json").read_text())
    (tmp_path / "guard.json").write_text(json.dumps(signed(card | {"retriever": "bm25", "encoders": {}})))
    with pytest.raises(DefenceError, match=r"guard\.json: found an encoder, but it was fitted with bm25"):
        Guard.load(tmp_path / "guard.json", encoder=MINILM)


DAMAGED = {
    "no thresholds": (lambda card: card["fitted"].update(all={}), "found no thresholds"),
    "no fold": (lambda card: card["fitted"].pop("3"), "fitted: found no thresholds for fold 3"),
    "no criterion": (lambda card: card["fitted"]["all"].update(criteria={}), "found thresholds {}, expected those of"),
    "no setting": (lambda card: card["settings"].pop("alpha"), "found no setting 'alpha'"),
    "no share": (lambda card: card["settings"].update(alpha=2), "found alpha 2 and trim 0.0, expected shares"),
    "no text": (lambda card: card["settings"].update(quantile=7), "found the setting quantile 7, expected one such as"),
    "no method": (lambda card: card["settings"].update(quantile="x"), "found the setting quantile 'x', expected one"),
    "strange": (lambda card: card["settings"].update(beta=1), "found a setting 'beta' that is none"),
    "far away": (lambda card: _criterion(card).update(threshold=1e9), "found the threshold 1000000000.0 of question_s"),
    "another search": (lambda card: card.update(similarity="near"), "similarity: found 'near', expected cosine or dot"),
    "another fold": (lambda card: card["fitted"].update(more={}), "fitted: found the folds"),
    "no kind": (lambda card: card.update(kind="magic"), "defences: found the name 'magic', expected one of"),
    "not a number": (lambda card: _criterion(card).update(threshold=float("nan")), "found no guard .found NaN"),
    "no number": (lambda card: _criterion(card).update(threshold="0.5"), "found the threshold '0.5' of question_share"),
    "no null": (lambda card: _criterion(card).update(null=[]), "expected a list of numbers as null of question_share"),
    "no order": (lambda card: _criterion(card)["null"].reverse(), "found numbers out of order"),
    "endless": (lambda card: _criterion(card).update(null=[0.5] * 2000), "found 2000 numbers, expected at most 1000"),
    "no texts": (lambda card: _criterion(card).pop("texts"), "found a threshold of question_share without the number"),
    "no reading": (lambda card: card.update(reading="deep"), "reading: found 'deep', expected way, least, window"),
    "no depth": (lambda card: card.update(depth=0), "depth: found 0, expected a number of passages"),
    "no way": (lambda card: _reading(card).update(way="deep"), "reading: found .*, expected way, least, window"),
    "no least": (lambda card: _reading(card).update(least=0), "reading: found .*, expected way, least, window"),
    "no window": (lambda card: _reading(card).update(window=0), "reading: found .*, expected way, least, window"),
    "half a reading": (lambda card: _reading(card).pop("way"), "reading: found .*, expected way, least, window"),
    "no folds": (lambda card: card.update(fitted=[]), "fitted: found no thresholds for fold any, expected all"),
    "a role": (lambda card: card.update(encoders={"x": {"kind": "y"}}), "encoders: found .*, expected encoders by the"),
    "no kinds": (lambda card: card.update(encoders={"query": {"kind": 1}}), "encoders: found .*, expected encoders by"),
    "no scorer": (lambda card: card.update(scored_by={"files": 1}), "scored_by: found .*, expected what a scorer is"),
    "no encoders": (lambda card: card.update(encoders={"passage": 1}), "encoders: found .*, expected encoders by the"),
}


def _reading(card):
    return card["reading"]


def _criterion(card):
    return card["fitted"]["all"]["criteria"]["question_share"]


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_guard_that_would_let_all_pass_is_refused(place, tmp_path, name):
    damage, line = DAMAGED[name]
    card = json.loads((place / FOLDER / "question_share.json").read_text())
    damage(card)
    (tmp_path / "guard.json").write_text(json.dumps(signed(card)))
    with pytest.raises(DefenceError, match=f"guard.json: {line}.*; fit it again"):
        Guard.load(tmp_path / "guard.json")


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({"scorer": {}}, r"found the scorer \{\}, expected a folder, or"),
        ({"encoder": {}}, r"found the encoder \{\}, expected"),
    ],
)
def test_what_is_no_entry_is_one_line(place, scored, more, line):
    with pytest.raises(DefenceError, match=rf"raguard\.json: {line}"):
        Guard.load(place / FOLDER / "raguard.json", **{"scorer": scored / "scorer"} | more)


def test_texts_of_the_corpus_are_scored_by_the_model_that_has_not_read_them(place, scored):
    scorer = Guard.load(place / FOLDER / "raguard.json", scored / "scorer")._scorer
    known = {
        row["passage_id"]: row["half"] for row in tables.read(PASSAGE_SCORES, scored / "clean.parquet").to_pylist()
    }
    texts = {row["passage_id"]: row["text"] for row in tables.read(PASSAGES, scored / "passages.parquet").to_pylist()}
    assert {name: scorer.half(text) for name, text in texts.items()} == known
    assert {scorer.half(f"A new text, number {at}.") for at in range(20)} == {0, 1}
