"""Detectors of out-of-scope questions: kinds, what they know, and results."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics.pairwise import paired_cosine_distances

from ragassay.base.chance import split_of
from ragassay.models.encoders.embed import Embedder
from ragassay.models.encoders.encoder import Encoder
from ragassay.studies.scope.detectors.detector import DetectorQuestion, described, kind, trained_parts
from ragassay.studies.scope.detectors.detector_results import by_topic, compared, judged, role_of
from study import MINILM

SAME = {"similarity": 0.6, "cut_after_words": 30}
WORDS = "ferry quay glacier marks council storm harbour orchard lighthouse census bridge herring cheese tower".split()


def text(start, words):
    return " ".join(f"{WORDS[(start * 5 + at * at) % len(WORDS)]}{start}{at}" for at in range(words))


@pytest.fixture
def known():
    """Documents of the study, cut; enough for each part to have some."""
    rows = [{"doc_id": f"d{n}", "cluster_id": f"c{n}", "text": text(n, 30)} for n in range(40)]
    found = described(rows, SAME["cut_after_words"])
    assert {row["part"] for row in found} == {"train", "validation", "test"}
    return found


@pytest.mark.parametrize("number", [0, 7, 23])
def test_an_article_is_known_again_whole_with_a_headline_or_changed_a_little(known, number):
    whole = text(number, 80)
    changed = whole.replace(whole.split()[3], "otherwise")
    rows = [("whole", whole), ("cut", text(number, 30)), ("headline", f"A headline.\n\n{whole}"), ("changed", changed)]
    found = trained_parts([{"doc_id": name, "cluster_id": name, "text": own} for name, own in rows], known, **SAME)
    assert found == dict.fromkeys(found, split_of(f"c{number}"))


def test_what_is_not_known_is_unseen_and_a_cluster_counts(known):
    rows = [{"doc_id": "x", "cluster_id": "c3", "text": "Nothing alike."}]
    rows.append({"doc_id": "y", "cluster_id": "y", "text": text(99, 60)})
    assert trained_parts(rows, known, **SAME) == {"x": split_of("c3"), "y": "unseen"}


def test_a_text_that_is_near_to_several_is_where_it_can_do_most_harm(known):
    twins = [row | {"part": part} for row, part in zip([known[0]] * 3, ["test", "validation", "train"], strict=True)]
    twins = [row | {"doc_id": f"t{at}", "cluster_id": f"t{at}"} for at, row in enumerate(twins)]
    assert trained_parts([{"doc_id": "z", "cluster_id": "z", "text": text(0, 50)}], twins, **SAME) == {"z": "train"}


def test_nothing_is_known_of_no_documents(known):
    row = {"doc_id": "z", "cluster_id": "z", "text": text(0, 50)}
    assert trained_parts([], known, **SAME) == {} and trained_parts([row], [], **SAME) == {"z": "unseen"}


OVERLAP = "overlap control (e)"


def questions(count=40):
    rows = [
        {"question_id": f"q{n:03}", "doc_id": f"d{n // 8}", "out": n % 2 == 1, "topic": f"t{n % 3}"}
        for n in range(count)
    ]
    return pd.DataFrame(rows, columns=["question_id", "doc_id", "out", "topic"])


def answers(seeds=1, **methods):
    """`methods` say of the number of a question and the seed whether the answer is right."""
    rows = []
    for method, is_right in methods.items():
        for number, out in enumerate(questions()["out"]):
            for seed in range(seeds):
                answer = out if is_right(number, seed) else not out
                same = {"method": OVERLAP if method == "overlap" else method, "question_id": f"q{number:03}"}
                rows.append(same | {"out_of_scope": answer, "score": 1.0 if answer else -1.0})
    return pd.DataFrame(rows)


def found(given, own=None, times=50):
    """method -> metric -> row"""
    methods = {}
    for row in compared("figure_1", {}, questions() if own is None else own, given, times, 0):
        methods.setdefault(json.loads(row["keys"])["method"], {})[row["metric"]] = row
    return methods


def test_controls_and_models_that_were_asked_are_told_from_detectors():
    methods = ["overlap control (e)", "question alone (e)", "similarity threshold (e)", "m, asked directly"]
    methods += ["m, recorded", "states (e), regression", "a, asked directly (e)"]
    roles = ["control"] * 3 + ["asked directly", "recorded", "detector", "detector"]
    assert [role_of(method) for method in methods] == roles


def three_of_five_documents(number, _seed=0):
    return number // 8 < 3


def test_accuracy_is_the_mean_over_seeds():
    half = found(answers(2, half=lambda number, seed: seed == 0))["half"]
    assert [half["accuracy"][name] for name in ("value", "n")] == [0.5, 40]
    assert half["accuracy"]["low"] + half["accuracy"]["high"] == pytest.approx(1)
    assert half["auroc"]["value"] == 0.5


def test_a_difference_to_a_control_is_paired():
    rows = found(
        answers(better=three_of_five_documents, overlap=lambda number, _: number // 8 < 3 and number % 8), times=100
    )
    over = rows["better"]["over_overlap"]
    assert over["value"] == pytest.approx(3 / 40) and over["low"] >= 0 and over["n"] == 40
    assert rows[OVERLAP]["over_overlap"]["value"] is None, "a control is not compared with itself"
    assert rows["better"]["over_question"]["value"] is None, "this control is not used"


def test_a_method_abstains_where_it_was_asked_and_has_no_answer():
    given = answers(silent=lambda *_: True).astype({"out_of_scope": float})
    given.loc[given["question_id"] != "q001", ["out_of_scope", "score"]] = float("nan")
    rows = found(given[given["question_id"] < "q010"])["silent"]
    for name in ("accuracy", "auroc", "over_overlap"):
        assert (rows[name]["n"], rows[name]["abstained"]) == (1, 9), "30 questions were never put to it"
    assert rows["accuracy"]["value"] == 1.0 and rows["auroc"]["value"] is None


def test_the_auroc_is_that_of_the_mean_scores():
    given = answers(2, method=lambda number, _: True)
    given.loc[given["question_id"] == "q000", "score"] = [5.0, -1.0]  # on average above all that are out of scope
    assert found(given)["method"]["auroc"]["value"] == pytest.approx(19 / 20)


def test_topics_are_measured_apart():
    given = answers(method=lambda number, _: number % 3 == 0)
    rows = {json.loads(row["keys"])["topic"]: row for row in by_topic("topics", {}, questions(), given)}
    assert {topic: (row["value"], row["n"]) for topic, row in rows.items()} == {
        "t0": (1.0, 14),
        "t1": (0.0, 13),
        "t2": (0.0, 13),
    }


def test_without_questions_there_are_no_rows():
    assert found(answers(method=three_of_five_documents), questions(0)) == {}
    assert list(by_topic("topics", {}, questions(0), answers(method=three_of_five_documents))) == []


def test_models_that_were_asked_are_told_from_verdicts_that_came_with_a_set():
    labels = pd.DataFrame(
        {"judge": ["j", "j", "k"], "question_id": ["q1", "q2", "q3"], "label": ["in_scope", "tie", "out_of_scope"]}
    )
    rows = judged(labels.assign(margin=[-1.0, 0.0, 0.5]), ["j"])
    assert rows["method"].tolist() == ["j, asked directly"] * 2 + ["k, recorded"]
    assert rows["out_of_scope"].fillna(-1).tolist() == [0, -1, 1], "a tie is no answer"
    assert rows["score"].fillna(9).tolist() == [-1.0, 9, 0.5]


DOCUMENTS = ["The ferry waits at the quay. It costs 4 marks.", "The orchard is old. Nobody counts its trees."]
ASKED = [
    DetectorQuestion(f"q{number}", f"d{number % 2}", question, DOCUMENTS[number % 2])
    for number, question in enumerate(["Where does the ferry wait?", "How old is the orchard?", "What does it cost?"])
]
KINDS = ("sentence_pair", "similarity", "question_alone", "overlap")


@pytest.fixture
def embeddings(tmp_path):
    """A folder that has all texts as they are, put there without a role."""
    folder = tmp_path / "embeddings"
    sentences = [f"{part.rstrip('.')}." for text in DOCUMENTS for part in text.split(". ")]
    Embedder(Encoder(**MINILM), folder).embed([*DOCUMENTS, *sentences, *(one.question for one in ASKED)])
    return folder


def made(name, folder, **options):
    settings = {"detector": "d", "kind": name, "encoder": MINILM | {"options": {"device": "cpu"} | options}}
    return kind(settings | {"options": {}}, str(folder), "")


@pytest.mark.parametrize("name", KINDS)
def test_without_prefixes_all_vectors_are_found_again(name, embeddings):
    own = made(name, embeddings)
    assert len(own.features(ASKED)) == len(ASKED) and own.embedder.computed == 0
    assert "prefixes" not in own.identity()


def test_documents_are_passages_and_questions_queries(embeddings):
    own = made("sentence_pair", embeddings, prefixes={"passage": "passage: ", "query": "query: "})
    found = own.features(ASKED)
    assert own.embedder.computed == len(DOCUMENTS) + len(ASKED)
    passages = own.embedder.embed([f"passage: {one.document}" for one in ASKED]).astype(np.float32)
    queries = own.embedder.embed([f"query: {one.question}" for one in ASKED]).astype(np.float32)
    assert own.embedder.computed == len(DOCUMENTS) + len(ASKED)
    assert np.array_equal(found, np.concatenate([passages, queries, np.abs(passages - queries)], axis=1))
    assert own.identity()["prefixes"] == {"passage": "passage: ", "query": "query: "}


@pytest.mark.parametrize("name", ["similarity", "question_alone"])
def test_the_role_of_a_question_counts_for_each_kind(name, embeddings):
    own = made(name, embeddings, prefixes={"query": "query: "})
    assert not np.allclose(own.features(ASKED), made(name, embeddings).features(ASKED), atol=1e-3)


def test_overlap_is_that_of_hardness_whatever_the_roles(embeddings):
    own = made("overlap", embeddings, prefixes={"query": "query: ", "passage": "passage: "})
    assert np.array_equal(own.features(ASKED), made("overlap", embeddings).features(ASKED))
    assert own.embedder.computed == 0


def test_question_alone_embeds_no_document(tmp_path):
    own = made("question_alone", tmp_path)
    assert own.features(ASKED).shape == (3, 384) and own.embedder.computed == 3
    assert own.cut(ASKED) == (0, 0)


def test_similarity_is_the_distance_by_cosine(embeddings):
    own = made("similarity", embeddings)
    distances = paired_cosine_distances(own.documents(ASKED), own.questions(ASKED))
    assert own.features(ASKED) == pytest.approx(distances[:, None], abs=1e-6)
