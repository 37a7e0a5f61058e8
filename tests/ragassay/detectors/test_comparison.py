"""Methods side by side: right by question, seeds averaged, documents resampled."""

import numpy as np
import pytest

from ragassay.detectors.comparison import Method, Questions


def rows(count=40):
    kinds = ("in_scope", "out_of_scope")
    return [{"question_id": f"q{n:03}", "doc_id": f"d{n // 8}", "intended": kinds[n % 2]} for n in range(count)]


def method(right, seeds=1):
    found = Method()
    for row in rows():
        truth = row["intended"] == "out_of_scope"
        for seed in range(seeds):
            said = truth if right(int(row["question_id"][1:]), seed) else not truth
            found.add(row["question_id"], said, 1.0 if said else -1.0)
    return found


def test_accuracy_is_the_mean_over_seeds():
    questions = Questions(rows(), 50, 0)
    half = method(lambda number, seed: seed == 0, seeds=2)
    assert questions.accuracy(half.right(questions)) == (0.5, 0.5, 0.5)
    assert questions.auroc(half.score(questions))[0] == 0.5


def test_intervals_are_as_wide_as_documents_differ():
    questions = Questions(rows(), 500, 0)
    by_document = method(lambda number, _: number // 8 < 3)  # three of five documents
    by_question = method(lambda number, _: number % 5 < 3)  # as many questions, of all documents
    wide, narrow = (questions.accuracy(one.right(questions)) for one in (by_document, by_question))
    assert wide[0] == narrow[0] == pytest.approx(0.6)
    assert wide[2] - wide[1] > 3 * (narrow[2] - narrow[1])


def test_a_difference_is_paired():
    questions = Questions(rows(), 100, 0)
    better, worse = method(lambda number, _: number // 8 < 3), method(lambda number, _: number // 8 < 3 and number % 8)
    value, low, _ = questions.difference(better.right(questions), worse.right(questions))
    assert value == pytest.approx(3 / 40) and low >= 0


def test_what_a_method_says_nothing_of_is_left_out():
    questions, silent = Questions(rows(), 10, 0), Method()
    silent.add("q001", True, 2.0)
    right = silent.right(questions)
    assert np.isnan(right).sum() == 39 and questions.accuracy(right)[0] == 1.0


def test_of_no_questions_nothing_is_known():
    assert Questions([], 10, 0).accuracy(np.empty(0)) == (None, None, None)
