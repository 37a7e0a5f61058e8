"""What far larger runs would cost follows from the figures of the benchmarks."""

import pytest

from ragassay.base.errors import AssayError
from tools import figures, scale


@pytest.fixture
def printed():
    return figures.figures()


def changed(printed, benchmark, figure, times):
    return printed | {
        benchmark: [[f[0], str(float(f[1]) * times), *f[2:]] if f[0] == figure else f for f in printed[benchmark]]
    }


def row(parts, part, beginning):
    return next(line for line in parts[part].splitlines() if line.startswith(f"| {beginning}"))


def test_tokens_and_prices_make_dollars(printed):
    ten = {"prompt_tokens_per_document": 20_000, "completion_tokens_per_document": 3_000}
    printed["scale"] = [[f[0], str(ten.get(f[0], f[1])), *f[2:]] for f in printed["scale"]]
    dollars = row(scale.parts(printed), "study", "dollars")
    assert dollars.endswith("| 48,000, 24,000 |")  # 200 billion at 0.15 a million and 30 billion at 0.6; batches half


@pytest.mark.parametrize(
    ("benchmark", "figure", "part", "beginning"),
    [
        ("scale", "requests_per_document", "study", "requests"),
        ("scale", "head_per_job", "limits", "plan in one head"),
        ("models", "embedded_documents", "search", "hours of a core to embed"),
        ("retrieval", "search_1k_in_1M_of_the_store", "limits", "exact search"),
        ("retrieval", "bm25_1k_in_50k", "search", "hours of a core to search with BM25"),
    ],
)
def test_a_figure_that_changes_changes_its_row(printed, benchmark, figure, part, beginning):
    before, after = scale.parts(printed), scale.parts(changed(printed, benchmark, figure, 3))
    assert row(before, part, beginning) != row(after, part, beginning)


def test_a_figure_that_is_missing_is_named(printed):
    printed["scale"] = [figure for figure in printed["scale"] if figure[0] != "vector_bytes"]
    with pytest.raises(AssayError, match=r"figures/scale.txt: found no figure vector_bytes.*; run make bench-scale"):
        scale.parts(printed)


@pytest.mark.parametrize(
    ("number", "words"), [(3.14159, "3.1"), (2.0, "2"), (54_321, "54,000"), (1.24e6, "1.2 million"), (2e9, "2 billion")]
)
def test_numbers_have_two_digits_that_count(number, words):
    assert scale._round(number) == words


def test_sizes_have_units():
    assert [scale._size(count) for count in (999, 1.5e3, 2e9, 7.77e11)] == ["1 kB", "1.5 kB", "2 GB", "780 GB"]
