"""Numbered lists: hand-labelled answers in the shapes that models produce, recorded ones, and what holds for all."""

import hashlib
import json
import random
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from completions import listed
from project import ROOT
from ragassay.calls.parsers.numbered_lists import parse_numbered
from ragassay.calls.parsers.result import Abstain, Ok

GOLD = ROOT.parent / "shared" / "data" / "scopeqa_gold"
RECORDED = json.loads((Path(__file__).parent / "recorded_lists.json").read_text())
COLUMNS = ("claims", "hallucinated_claims", "in_scope_questions", "out_of_scope_questions")

TWO = {1: "It rang.", 2: "Nobody came."}
SHAPES = [
    "1. {}\n2. {}", "1) {}\n2) {}", "1: {}\n2: {}", "**1.** {}\n**2.** {}", "**1. {}**\n**2. {}**", "(1) {}\n(2) {}",
    "[1] {}\n[2] {}", "1 - {}\n2 - {}", "1 – {}\n2 – {}", "1— {}\n2— {}", "#1 {}\n#2 {}", "#1: {}\n#2: {}",
    "# 1. {}\n# 2. {}", "1.{}\n2.{}", "**1** {}\n**2** {}", "__1.__ {}\n__2.__ {}", "*1.* {}\n*2.* {}",
    "**1**. {}\n**2**. {}", "**1.** **{}**\n**2.** **{}**", "1. **{}**\n2. **{}**", "１．{}\n２．{}", "１）{}\n２）{}",
    "（１）{}\n（２）{}", "1、{}\n2、{}", "①{}\n② {}", "1️⃣ {}\n2️⃣ {}", "1\t{}\n2\t{}", "١. {}\n٢. {}",
    "Claim 1: {}\nClaim 2: {}", "**Claim 1:** {}\n**Claim 2:** {}", "**Claim 1**\n{}\n\n**Claim 2**\n{}",
    "### Claim 1\n{}\n### Claim 2\n{}", "Claim 1:\n\n{}\n\nClaim 2:\n\n{}",
    "Missing claim #1: {}\nMissing claim #2: {}", "Q1: {}\nQ2: {}", "Question 1. {}\nQuestion 2. {}", "1.\n{}\n2.\n{}",
    "1. {}\n\n2. {}", "1. {}\r\n2. {}\r\n", "  1. {}\n  2. {}", "1. {}\n   2. {}", "> 1. {}\n> 2. {}",
    "1. {}\n---\n2. {}", "\ufeff1. {}\n\u200e2. {}", "- 1. {}\n- 2. {}", "* **1.** {}\n* **2.** {}", "1. {}\n2) {}",
    "01. {}\n02. {}", "1.) {}\n2.) {}", "- {}\n- {}", "* {}\n* {}", "• {}\n• {}", "•{}\n•{}", "+ {}\n\n+ {}",
    "  - {}\n  - {}", "• {} • {}", "```\n1. {}\n2. {}\n```", "Here:\n```text\n1. {}\n2. {}\n```\nDone.",
    "Here are 2 claims:\n\n1. {}\n2. {}", "In 2024: two.\n1. {}\n2. {}",
    "1. {}\n2. {}\n\nLet me know if you need more.", "1. {}\n2. {}\nI hope this helps!",
    "1. {}\n2. {}\n\n---\n\nDone.\n\nBye.", "- {}\n- {}\nDone.", "1. {} 2. {}", "Here they are: 1. {} 2. {}",
    "Claims: 1. {}\n2. {}", "Claim 1: {} Claim 2: {}", "(1) {} (2) {}", "**1.** {} **2.** {}", "1. {} and 2. {}",
    "**1. {}** **2. {}**", "1) {} 2) {}", "<think>1. x\n2. y</think>\n1. {}\n2. {}", "1. {}\n2. {}</s>",
    "1. {}\n2. {}\n1. It rang.\n2. Nobody came.", "**Claims**\n\n1. {}\n\n**More**\n\n2. {}", "1. {}\n## More\n2. {}",
    "Here you are.\n\nClaims: 1. {} 2. {}", "Notes:\n- be short\n1. {}\n2. {}",
]  # fmt: skip
OTHERS = {
    "1. The \x1b[2J\u202emayor\u2066 o\u200bpened it.\u20282. He left\0 \U000e0041again.": {
        1: "The [2Jmayor opened it.", 2: "He left again.",
    },
    "<thi\u200bnk>1. Perhaps.</think\u00ad>1. The harbour.</s>\u200b": {1: "The harbour."},
    "2. B.\n5. E.\n6. F.": {2: "B.", 5: "E.", 6: "F."},
    "2. Paris\n5. London": {2: "Paris", 5: "London"},
    "2. B. 5. E. 6. F.\n9. I.": {2: "B.", 5: "E.", 6: "F.", 9: "I."},
    "1. A.\n2.\n3. C.": {1: "A.", 3: "C."},
    "10. J.\n11. K.": {10: "J.", 11: "K."},
    "1. A.": {1: "A."},
    "Here is the claim: 1. It rang.": {1: "It rang."},
    "1. (missing)\n2. B.": {1: "(missing)", 2: "B."},
    "1. The bell\nrang twice.\n2. Nobody\n   came.": {1: "The bell rang twice.", 2: "Nobody came."},
    "1. A\nit is.\n2. B.\n3. C.\nBye.": {1: "A it is.", 2: "B.", 3: "C. Bye."},
    "1. A.\n   - x\n   - y\n2. B.": {1: "A.\n- x\n- y", 2: "B."},
    "1. A.\n- x\n- y\n2. B.\n- z": {1: "A.\n- x\n- y", 2: "B.\n- z"},
    "1. A.\n   1. x\n   2. y\n2. B.\n   1. z": {1: "A.\n1. x\n2. y", 2: "B.\n1. z"},
    "1. A.\n(1) x\n(2) y\n2. B.": {1: "A.\n(1) x\n(2) y", 2: "B."},
    "1. A.\n  1. x\n  2. y\n2. B.": {1: "A.\n1. x\n2. y", 2: "B."},
    "- A.\n  - x\n- B.": {1: "A.\n- x", 2: "B."},
    "- A.\n  1. x\n  2. y\n- B.": {1: "A.\n1. x\n2. y", 2: "B."},
    "1. A.\n\n   More of A.\n\n2. B.\n\n   More of B.\n\nBye.": {1: "A.\nMore of A.", 2: "B.\nMore of B."},
    "1. A:\n\nOf a.\n\n2. B.\n\n3. C.\n\nBye.": {1: "A:\nOf a.", 2: "B.", 3: "C."},
    "2. It has part 2. It works.": {2: "It has part 2. It works."},
    "1.\n\nA.\n\nBye.": {1: "A."},
    "1.\n\nA.": {1: "A."},
    "- A.\n\nBye.": {1: "A."},
    "1. A.\n- x": {1: "A.\n- x"},
    "- A.\n  1. x": {1: "A.\n1. x"},
    "1. A.\n2. B.\n- x": {1: "A.", 2: "B.\n- x"},
    "1. A:\n\nOf a.\n\n2. B:\n\nOf b.\n\nBye.": {1: "A:\nOf a.", 2: "B:\nOf b."},
    "1. **Title**: text\n2. **Other**: text": {1: "**Title**: text", 2: "**Other**: text"},
    "**1. Title:** text\n**2. Other:** text": {1: "Title: text", 2: "Other: text"},
    "**1**. **A** is.\n**2**. **B** is.": {1: "**A** is.", 2: "**B** is."},
    "1. Paris 2. London 3. Rome": {1: "Paris", 2: "London", 3: "Rome"},
    "1. Paris, 2. London, 3. Rome": {1: "Paris", 2: "London", 3: "Rome"},
    "(1) Paris, (2) London, and (3) Rome": {1: "Paris", 2: "London", 3: "Rome"},
    "(1) Paris, (2) London": {1: "Paris", 2: "London"},
    "1. Who won? 2. Who lost? 3. Why?": {1: "Who won?", 2: "Who lost?", 3: "Why?"},
    "1. A.\n2. B. 3. C.\n4. D.": {1: "A.", 2: "B.", 3: "C.", 4: "D."},
    "1. A.\nIt went on. 2. B.": {1: "A. It went on.", 2: "B."},
    # numbers in sentences
    "1. It was in 2024. The rest came.\n2. B.": {1: "It was in 2024. The rest came.", 2: "B."},
    "1. It cost 3. Then it rose.\n2. B.": {1: "It cost 3. Then it rose.", 2: "B."},
    "1. It cost 3. Then it rose.": {1: "It cost 3. Then it rose."},
    "1. It uses version 2. It works.": {1: "It uses version 2. It works."},
    "1. It uses version 2. It works.\n2. B.": {1: "It uses version 2. It works.", 2: "B."},
    "1. It rose by\n20. Then it fell.\n2. B.": {1: "It rose by 20. Then it fell.", 2: "B."},
    "1. It cost\n3. Then it\nfell.": {1: "It cost 3. Then it fell."},
    "1. It rose by\n2024. Then it fell.\n2. B.": {1: "It rose by 2024. Then it fell.", 2: "B."},
    "1. It has 2.0 and 3.5.\n2. At 5:30. It was 2:1.": {1: "It has 2.0 and 3.5.", 2: "At 5:30. It was 2:1."},
    "1. No. 3 and No. 4.\n2. They are No. 3. So.\n3. C.": {1: "No. 3 and No. 4.", 2: "They are No. 3. So.", 3: "C."},
    "1. It won 2 - 1 in it.\n2. B.": {1: "It won 2 - 1 in it.", 2: "B."},
    "1. They met (2) or three times. (2) is less.\n2. B.": {1: "They met (2) or three times. (2) is less.", 2: "B."},
    "1. The menu: 1. soup. 2. fish. 3. pie.\n2. B.": {1: "The menu: 1. soup. 2. fish. 3. pie.", 2: "B."},
    "1. The menu: 1. soup. 2. fish.\nAll is fresh.": {1: "The menu: 1. soup. 2. fish. All is fresh."},
    "1. A.\n2. B. 3. C.\n3. D.": {1: "A.", 2: "B. 3. C.", 3: "D."},
    # a number that does not follow begins an item where most items do not end as sentences do
    "1. A.\n2. B\n5. C": {1: "A.", 2: "B", 5: "C"},
    "1. A.\n2. B\n5. C\nends.": {1: "A.", 2: "B 5. C ends."},
    "1. A.\n2. B\n3. C\n7. D.": {1: "A.", 2: "B", 3: "C 7. D."},
    "2. The menu: 1. soup. 2. fish. 3. pie.": {2: "The menu: 1. soup. 2. fish. 3. pie."},
    "Rules: 1. be short. 2. be true.\n\n1. A.\n2. B.": {1: "A.", 2: "B."},
    "1. It came on Oct. 3. It left.\n2. B.\n3. C.": {1: "It came on Oct. 3. It left.", 2: "B.", 3: "C."},
    "1. A costs 1,204. B.\n2. C.": {1: "A costs 1,204. B.", 2: "C."},
    "1. Who? (2) of them.": {1: "Who? (2) of them."},
    "I cannot find all six, but:\n1. A.\n2. B.": {1: "A.", 2: "B."},
    "1. I cannot help it, he said.": {1: "I cannot help it, he said."},
}  # fmt: skip
ABSTAINED = {
    "count_mismatch": [
        "No list here.", "1. A.\n1. B.\n2. C.", "1. A.\n2. B.\n1. X.", "5. E.\n1. A.", "1. A.\n3. C.\n2. B.",
        "1. Paris 2. London", "1. They are No. 2. It is so.", "* A.\n- B.", "1.5 million people came.",
        "1.1 A.\n1.2 B.", "It was sold in 2024. Nobody came.", "1.\n2.\n3.",
        "1. A.\n2. B.\n\nOn reflection:\n\n1) C.\n2) D.", "It came second. 2. It left",
        "1. It has part 2. Then part 3. And so.", "1. Paris 2. London 3. Rome.", "1. A. 1. B.", "1. Paris, 2. London",
        "2. A. 2. B.", "1. A.\n2. B. 2. C.\n3. D.", "2024. A.\n2025. B.", "1. A.\n\n(1) x\n(2) y\n\n2. B.",
        "1. a\n" * 3000, "-5 degrees\n-6 degrees", "(1 of 2)\n(2 of 2)",
    ],
    "refusal": [
        "I cannot do this.", "I'm sorry, but I can't help with that.",
        "I can't assist with that. I can:\n1. Sing.\n2. Dance.",
        "Sorry, I cannot provide such claims. Instead:\n- A.\n- B.",
    ],
    "empty": ["", None, "\n \n", "<think>1. A.\n2. B.", "<thi\u200bnk>1. A."],
    "provider_error": ['{"error": {"message": "1. A."}}'],
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_holds_the_same_two_items(shape):
    text = shape.replace("{}", TWO[1], 1).replace("{}", TWO[2], 1)
    assert parse_numbered(text) == Ok(TWO)
    assert parse_numbered(text, expected=2) == Ok(TWO)
    assert parse_numbered(text, expected=3) == parse_numbered(text, expected=1) == Abstain("count_mismatch")


@pytest.mark.parametrize("text", OTHERS)
def test_items_are_what_a_careful_reader_sees(text):
    assert parse_numbered(text) == Ok(OTHERS[text])
    for expected in (1, 2, 3, 4):
        fits = list(OTHERS[text]) == list(range(1, expected + 1))
        assert parse_numbered(text, expected=expected) == (Ok(OTHERS[text]) if fits else Abstain("count_mismatch"))


@pytest.mark.parametrize(("reason", "text"), [(reason, text) for reason, texts in ABSTAINED.items() for text in texts])
def test_what_is_no_list_or_two_at_once_is_not_one(reason, text):
    assert parse_numbered(text) == Abstain(reason)


@pytest.mark.parametrize(
    ("text", "kept", "of_two"),
    [
        ("1. It rang.\n2. Nobody came", {1: TWO[1]}, False),
        ("1. It rang.\n2. Nobody came.", {1: TWO[1]}, False),
        ("1. It rang.\n2. Nob", {1: TWO[1]}, False),
        ("1. It rang.\n2. Nobody came.\n3", TWO, True),
        ("1. It rang.\n2. Nobody came.\n**3", TWO, True),
        ("1. It rang.\n2. Nobody came.\n3. ", TWO, True),
        ("1. It rang.\n2. Nobody came.\n   1", {1: TWO[1]}, False),
        ("1. It rang.\n2. Nobody came.\n\nLet me", TWO, True),
        ("1. It rang.\n2. Nobody came.\n3. It", TWO, True),
        ("1. It rang. 2. Nobody", {1: TWO[1]}, False),
        ("- It rang.\n- Nobody", {1: TWO[1]}, False),
        ("- It rang.\n\nBye", {1: TWO[1]}, False),
        ("1. It rang.\n2. Nobody came.\nLet me", TWO, True),
        ("1. A.\n2", {1: "A."}, False),
    ],
)
def test_of_a_cut_answer_only_what_the_cut_cannot_have_touched_is_kept(text, kept, of_two):
    assert parse_numbered(text, "length") == Ok(kept, truncated=True)
    assert parse_numbered(text, "length", 2) == (Ok(TWO, truncated=True) if of_two else Abstain("truncated"))
    assert parse_numbered(text, "length", 4) == Abstain("truncated")


@pytest.mark.parametrize(
    ("text", "finish", "reason"),
    [
        ("1. It ra", "length", "truncated"),
        ("Here are", "length", "truncated"),
        ("", "length", "truncated"),
        ("1. A.\n2. B.", "content_filter", "refusal"),
        ("1. A.\n2. B.", "error", "provider_error"),
        ("1. A.\n2. B.", None, "provider_error"),
    ],
)
def test_how_an_answer_finished_counts(text, finish, reason):
    assert parse_numbered(text, finish) == Abstain(reason)


def test_more_items_than_expected_before_the_cut_are_a_mismatch():
    assert parse_numbered("1. A.\n2. B.\n3. C.\n4. D", "length", 2) == Abstain("count_mismatch")
    assert parse_numbered("1. A.\n3. C.\n4. D", "length", 3) == Abstain("truncated"), "the third may be all there is"


def test_items_can_be_written_as_utf_8():
    assert parse_numbered("1. A \ud800 b.\n2. \ud83d\ude00") == Ok({1: "A � b.", 2: "\U0001f600"})


BEFORE_NUMBER = "no nos fig figs vol vols p pp ch sec secs art arts para paras ca approx".split()
BEFORE_NUMBER += "jan feb mar apr jun jul aug sep sept oct nov dec".split()


@pytest.mark.parametrize("word", BEFORE_NUMBER)
def test_a_number_behind_an_abbreviation_may_belong_to_it(word):
    assert parse_numbered(f"1. It is in {word.capitalize()}. 2. So it is.") == Abstain("count_mismatch")
    assert parse_numbered(f"1. It is in {word}. 3. So it is.") == Ok({1: f"It is in {word}. 3. So it is."})
    assert len(parse_numbered(f"1. It is in x{word}. 2. So it is.").value) == 2


def lists_of_gold():
    for group in (1, 2):
        for row in pq.read_table(GOLD / f"documents_{group}.parquet", columns=["doc_id", *COLUMNS]).to_pylist():
            for column in COLUMNS:
                yield f"{row['doc_id']} {column}", RECORDED[row["doc_id"]][column], row[column]


def seen(items):
    """How many, and the start of a hash of numbers and items: enough to recognise them, nothing of their text."""
    return f"{len(items)} {hashlib.sha256(json.dumps(items).encode()).hexdigest()[:12]}"


def test_recorded_lists_parse_to_what_a_careful_reader_sees_whatever_their_markers_and_lines():
    given = [*lists_of_gold()]
    assert len(given) == 120 == sum(map(len, RECORDED.values()))
    for name, recorded, text in given:
        items = parse_numbered(text).value
        assert seen(items) == recorded, name
        assert parse_numbered(re.sub(r"\s*\n\s*", " ", text)).value == items, name
        for seed in range(3):
            assert parse_numbered(listed(random.Random(seed), items)).value == items, (name, seed)


PIECES = ["1", "2", "3", "12", ". ", ") ", ": ", "(", "**", "\n", "\n\n", "  ", "- ", "• ", "A.", "b", "Claim ", "#"]
PIECES += [" 2. "]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=15).map("".join), st.integers(1, 4))
def test_an_expected_count_only_refuses_and_numbers_rise(text, expected):
    free, bound = parse_numbered(text), parse_numbered(text, expected=expected)
    if isinstance(free, Ok):
        assert list(free.value) == sorted(free.value)
        assert all(item == item.strip() != "" for item in free.value.values())
    fits = isinstance(free, Ok) and list(free.value) == list(range(1, expected + 1))
    assert (bound == free) if fits else isinstance(bound, Abstain)
