"""Words, sentences and hidden characters of texts."""

import itertools
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth import is_proportional
from models import MINILM
from ragassay.models.encoders.encoder import Encoder
from ragassay.text.characters import csv_cell, fit, refusal, visible
from ragassay.text.sentences import sentences, spans
from ragassay.text.words import content, names, numbers, stem, tokens


def test_words_and_numbers_lose_possessive_endings_and_marks():
    assert tokens("The ferry's crew (of 1,200) didn\u2019t re-enter Brackwater\u2019s port at 7.30!") == (
        "The ferry crew of 1,200 didn\u2019t re-enter Brackwater port at 7.30".split()
    )


@pytest.mark.parametrize(
    ("forms", "other"), [(("costs", "Cost", "costing"), "coast"), (("ferry", "ferries"), "fair"), (("June",), "July")]
)
def test_forms_of_a_word_share_a_stem(forms, other):
    assert len({stem(form) for form in forms}) == 1 and stem(other) != stem(forms[0])


def test_function_words_and_question_words_carry_no_content():
    assert content("How much did the museum, which has trams, pay for what it does?") == ["museum", "trams", "pay"]
    assert content("What was it?") == []


def test_the_measures_load_nothing_of_the_reader_they_are_compared_with():
    module = "ragassay.studies.scope.controls"
    loaded = f"import sys, {module}; print(*[m for m in sys.modules if 'rules' in m])"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Did Ana Lindqvast of Tolven pay in June?", ["Ana Lindqvast of Tolven", "June"]),
        ("Which ferry sails?", []),
        ("Brackwater Council meets. Trams run.", ["Brackwater Council"]),
        (
            "The Sallow Star, built by Émile Łęcki, left the \u201cOld Quay\u201d.",
            ["Sallow Star", "Émile Łęcki", "Old Quay"],
        ),
        ("\u201cWho knows Ida Wren\u2019s boat?\u201d", ["Ida Wren"]),
        ("A man in small letters: ana lindqvast", []),
        ("", []),
    ],
)
def test_names(text, found):
    assert names(text) == found


def test_numbers():
    assert numbers("In 2026 it cost 1,200.50 marks, or 7% of B12 and 3-4 more.") == ["2026", "1,200.50", "7", "3"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Who sails at 9.40 p.m. (twice)?", "Who sails at 9.40 p.m. (twice)?"),
        ("fe\u200brr\u200by", "ferry"),
        ("fer\u00adry\ufeff \u2060quay", "ferry quay"),
        ("f\u0301e\u0301rry", "ferry"),
        ("Élan naïve ﬁve ①", "Elan naive five 1"),
        ("fer\x01ry\x7f", "ferry"),
        ("one\ttwo\nthree", "one\ttwo\nthree"),
        ("fer\u202e\u2066ry", "ferry"),
    ],
)
def test_what_nobody_sees_goes_and_letters_take_their_plainest_form(text, expected):
    assert visible(text) == expected


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_printable_ascii_stays_as_it_is(text):
    assert visible(text) == text


@given(st.text())
def test_twice_is_as_once(text):
    assert visible(visible(text)) == visible(text)


def test_no_character_that_the_demos_encoder_drops_is_left():
    """Else it hides the words of a text whose vector it leaves as it is."""
    kind = Encoder("minilm", "sentence_transformers", MINILM, {"device": "cpu"}).load()
    letters = [chr(code) for code in range(0x80, 0x10000) if not 0xD800 <= code < 0xE000]
    letters += [chr(code) for code in (*range(0x1D165, 0x1D16A), *range(0xE0000, 0xE0200))]
    [plain] = kind.tokens(["ferry"])
    read = kind.tokens([f"fer{letter}ry" for letter in letters])
    hidden = [letter for letter, tokens in zip(letters, read, strict=True) if tokens == plain]
    assert len(hidden) > 100 and [letter for letter in hidden if visible(f"fer{letter}ry") != "ferry"] == []


UNFIT = "\0 \x08 \x1b \x7f \x9b \u202e \u2066 \ufeff \ufffe \uffff \ufdd0 \ud800 \U000e0041 \U0010ffff".split(" ")
UNFIT += "\u00ad \u061c \u200b \u200e \u200f \u2060 \u2064 \u206a \u206f \u3164 \uffa0 \U0001d173".split(" ")


@pytest.mark.parametrize("sign", UNFIT)
def test_what_steers_or_hides_is_not_stored(sign):
    assert fit(f"fer{sign}ry\n") == "ferry\n"
    assert f"U+{ord(sign):04X}" in refusal(f"a{sign}b")
    assert refusal({"a": [1, {"b": f"x{sign}"}]}) and refusal({f"x{sign}": 1})
    assert csv_cell(f"{sign}=1+1") == "'=1+1" and csv_cell(sign) == ""


@pytest.mark.parametrize("sign", "\x0b \x1f \x85 \u2028".split(" "))
def test_other_ends_of_lines_become_one_and_hide_no_formula(sign):
    assert fit(f"a{sign}b") == "a\nb" and csv_cell(f"{sign}=1+1") == "'\n=1+1"


def test_a_text_keeps_the_ends_of_its_lines():
    assert fit("one\u2028two\u2029three\x0bfour\x85five\r\n") == "one\ntwo\nthree\nfour\nfive\r\n"
    assert "U+2028" in refusal("one\u2028two")


def test_what_languages_need_stays():
    texts = ["Änne\r\n\tO'Neil", "می\u200cخواهم", "👩\u200d👧", "שלום", "क्\u200dष", "ᠠ\u180eᠠ", "葛\U000e0100"]
    assert [fit(text) for text in texts] == texts and not refusal([*texts, 3, None, {"a": True}])


def test_cells_are_values_or_texts():
    assert [csv_cell(value) for value in (None, 0, 1.5, "", "a", "-1", "'t", "@x")] == [
        "",
        0,
        1.5,
        "",
        "a",
        "'-1",
        "''t",
        "'@x",
    ]


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
