"""Sentences: hand-made hard cases, what holds for every text, and time that grows with the length of the text only."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth import is_proportional
from ragassay.text.sentences import sentences, spans

# Sentences are joined by one space and must be found again.
CASES = {
    "plain": ["The bell rang.", "Nobody came!", "Why?", "It was 1998."],
    "titles": ["Dr. Stroud met Mrs. Hale and Prof. J. Orr.", "They spoke of St. Orrin vs. Tolven."],
    "initials": ["J. R. R. Tolkien wrote it.", "A. B. Sund and Jean-P. Sartre sang."],
    "dotted acronyms": ["The U.S. Senate and the U.N. Council agreed.", "She has a Ph.D. from E.T.H. Zurich."],
    "abbreviations": ["See Fig. 3, No. 7, pp. 4-9, e.g. Sec. 2, etc. and so on.", "Inc. and Ltd. are forms."],
    "months and days": ["It closed on Sat. 3 Oct. 2026 at noon.", "It reopened on mid-Sept. 5."],
    "decimals": ["It rose 3.5 percent to 1,234.56.", "Version 2.0.1 came at .5 bar."],
    "addresses": ["Read www.tolven.example/a.b?c=d today.", "Mail a.b@c.example now."],
    "a.m.": ["She left at 2 a.m. and slept.", "It began at 7 p.m.", "The rest is known."],
    "quotes": ['"Stop!" she cried.', '"Is it?"', '"It is."', "Then 'so.'", "He left.", "“Go.”", "«Non.»", "‘No.’"],
    "brackets": ["It ended (at last).", "(It had rained.)", "[Sic.]", "Done."],
    "opening marks": ["He paused.", "— Then he ran.", "“Why?”", "(Nobody knew.)", "...", "And so on."],
    "ellipsis": ["Well... perhaps.", "Wait…", "No...", "It was... late."],
    "runs of marks": ["What?!", "No!!!", "Really?..", "Yes."],
    "small letters go on": ["He asked why? and left.", 'He paused. "and then?" he said.', "The iPod vs. iphone case."],
    "numbers begin": ["It was late.", "19 people came.", "2026 was dry."],
    "not English": ["Él vino.", "¿Por qué?", "Ärger folgte.", "Он пришёл.", "Да!"],
}


@pytest.mark.parametrize("expected", CASES.values(), ids=CASES.keys())
def test_hard_cases_are_found_again(expected):
    assert sentences(" ".join(expected)) == expected


@pytest.mark.parametrize("expected", CASES.values(), ids=CASES.keys())
def test_a_line_end_is_as_good_as_a_space(expected):
    assert sentences("\n".join(expected)) == expected


@pytest.mark.parametrize("gap", ["\n\n", "\n \t\n", "\n\n\n\n", "\r\n\r\n", "\n\u00a0\n", " \n\n "])
@pytest.mark.parametrize("expected", [["A headline", "a small letter"], ["By Dr.", "Orr"], ["Ends.", "and on"]])
def test_an_empty_line_always_ends_a_sentence(expected, gap):
    assert sentences(gap.join(expected)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("他来了。他走了！为什么？「好。」他说。", ["他来了。", "他走了！", "为什么？", "「好。」", "他说。"]),
        ("これは本です。はい。 Yes. 終", ["これは本です。", "はい。", "Yes.", "終"]),
        ("真的？！好。", ["真的？！", "好。"]),
    ],
)
def test_cjk_sentences_need_no_space_between(text, expected):
    assert sentences(text) == expected


@pytest.mark.parametrize("text", ["", " ", "\n\n", " \t\n \n\u3000"])
def test_white_space_has_no_sentence(text):
    assert sentences(text) == []


@pytest.mark.parametrize("text", ["no end", "a.b.c", "...", ".", "Mr.", "(", "“", "。"])
def test_a_text_without_an_inner_end_is_one_sentence(text):
    assert sentences(f"  {text}\n") == [text]


PIECES = st.sampled_from(
    ["Mr", "U.S", "a", "B", "7", ".", "!", "…", "。", "」", '"', "’", ")", "(", "—", " ", "\n", "\t"]
)


@given(st.text() | st.lists(PIECES).map("".join))
def test_spans_are_in_order_trimmed_and_cover_all_but_white_space(text):
    found = list(spans(text))
    edges = [0, *itertools.chain(*found), len(text)]
    assert edges == sorted(edges)
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in found)
    assert not "".join(text[end:start] for end, start in zip(edges[::2], edges[1::2], strict=True)).strip()


@given(st.lists(PIECES).map("".join), st.lists(PIECES).map("".join))
def test_what_stands_behind_an_empty_line_changes_nothing_before_it(before, behind):
    assert sentences(f"{before}\n\n{behind}") == sentences(before) + sentences(behind)


def count(text):
    return sum(1 for _ in spans(text))


def test_two_hundred_thousand_words_take_time_in_proportion_to_a_few():
    text = "It rained on Mr. Hale at 2.30 p.m. in Tolven, again. "
    assert count(text * 18_200) == 18_200
    assert is_proportional(lambda size: count(text * size), 500)


RUNS = [*'.…"\n 。」(', '."', ".)", ". ", "\n ", "a.", "A. ", "Mr.", "a.\u00a0", ".\n \n", "?! a"]


@pytest.mark.parametrize("piece", RUNS)
@pytest.mark.parametrize("end", ["", "x"])
def test_runs_of_marks_take_time_in_proportion_to_them(piece, end):
    assert is_proportional(lambda size: count("x" + piece * size + end), 5_000)


@pytest.mark.parametrize("marks_first", [True, False])
def test_many_ends_beside_much_text_take_no_longer(marks_first):
    def read(size):
        parts = ["?! a B. " * size, "word " * 80 * size]
        count("".join(parts if marks_first else reversed(parts)))

    assert is_proportional(read, 500)
