"""Completions for tests of the parsers: verdicts and lists in the shapes that models produce, rendered from what they
say, and mutations of which we know whether they leave it as it was, destroy it, or do we know not what.
"""

import json
import re

ITEMS = [
    "The bell of Tolven rang twice.", 'She said "no" in 2024. Nobody had asked.',
    "It rose by 3.5 percent to No. 4 of the table.", "Who came to the harbour at 5:30?",
    "Version 2 was sold for 7 crowns (1 of 12)!", "The score was 2-1 after extra time.",
    "The ferry, which was late, carried 1,204 people.", "“A quiet night,” he wrote.", "Was it 19 or 20 people?",
    "Zoë's café opened on 3 Oct. at noon.",
]  # fmt: skip
MARKERS = [
    "{}. ", "{}) ", "{}: ", "({}) ", "[{}] ", "**{}.** ", "**{})** ", "{} - ", "#{} ", "{}.\t", "- {}. ", "### {}. ",
    "Claim {}: ", "**Claim {}:** ", "Question {}. ", "**{}**. ", "{}.) ", "{}\ufe0f\u20e3 ", "> {}. ", "{}\uff0e",
    "  {}. ",
]  # fmt: skip
GAPS = ["\n", "\n\n", "  \n", "\r\n", "\n\n\n"]
OPENINGS = ["", "Here are the claims:\n", "Sure! In 2024 there were 3 of them.\n\n", "```\n", "## Claims\n\n"]
CLOSINGS = ["", "\n", "\n\nLet me know if you need more.", "\n```", "\nI hope this helps!", "  \n\n---\n"]
FULL_WIDTH = {ord("0") + digit: 0xFF10 + digit for digit in range(10)}

REASONS = [
    "", "The document says nothing about it. ", "One might say yes, but there is no mention of a price in the text. ",
    "There is no reason to say yes; the text of 2024 names Dr. Orr only.\n\n",
    "Whether the answer is yes or no depends on the second sentence. ",
    "Step 1: find the date. Is it there? It is.\nStep 2: compare. ",
    "I cannot find the year in the text, yet the month is there. ",
]  # fmt: skip
FINALS = [
    "{}", "{}.", "The answer is: {}.", "**{}**", '"{}"', "Answer: {}", "**Verdict:** {}!", "Therefore, {}.",
    "Answer - {}.", "So the answer is {}.", "Final answer: **{}**", "Verdict:\n{}", "<answer>{}</answer>",
    '{{"answer": "{}"}}', "({})", "\\boxed{{{}}}",
]  # fmt: skip
HARMLESS = [
    "{}", "{} ", "{}\n\n", "\n{}", "{}\n```", "{}\u200b", "{}\n---\n", "\ufeff{}", "{}</s>",
    "<think>yes or no?</think>\n{}",
]  # fmt: skip
LOOKALIKES = [
    "casino", "yesterday", "nope", "Oui", "Nein", "n\u043e", "\u2116", "yeſ", "maybe", "unknown", "", "N/A", "5",
    "не", "はい", "piano",
]  # fmt: skip
AFTERTHOUGHTS = [
    " {} and {other}.", " {}/{other}", " {}, wait, {other}.", " {}. {other}.", " {} - because the text says so.",
    " not {}.", " {}?", " {}, but only in part.", " {}. That is, if the date is right.", " {}\nAnswer: {other}",
    " It is not a clear {}.", " I would not say {}.", " {other}.\n{}.",
    " The answer is {other}, since it is named.\n{}.",
]  # fmt: skip
NOISE = [
    "\x00", "\u202e", "\u200f", "\u200b", "\ud800", "\n", " ", "**", "1.", "2) ", "\uff11\uff0e", "yes", "no", "```",
    "- ", "</think>", "(3) ", "\u2028", "\r", "\t", "é", "名", ":", ".", '"', "#", "Claim 2: ", "I cannot ",
    "The answer is ", "<|end|>", "\U0001f600",
]  # fmt: skip


def numbered(random, marker=None):
    """Items by their numbers, and an answer that lists them."""
    numbers = sorted(random.sample(range(1, 13), random.randint(2, 6)))
    if random.random() < 0.6:
        numbers = list(range(1, len(numbers) + 1))
    items = dict(zip(numbers, random.sample(ITEMS, len(numbers)), strict=True))
    return items, listed(random, items, marker)


def listed(random, items, marker=None):
    marker, gap = marker or random.choice(MARKERS), random.choice(GAPS)
    digits = (lambda n: str(n).translate(FULL_WIDTH)) if random.random() < 0.1 else str
    lines = [marker.format(digits(number)) + item for number, item in items.items()]
    closing = random.choice(CLOSINGS)
    return random.choice(OPENINGS) + gap.join(lines) + closing


def spell(random, value):
    word = "yes" if value else "no"
    full_width = "".join(chr(ord(letter) + 0xFEE0) for letter in word)
    return random.choice([word, word.upper(), word.capitalize(), full_width])


def judged(random):
    """A verdict, and the reasons and the final statement that say it."""
    value = random.random() < 0.5
    return value, random.choice(REASONS), random.choice(FINALS).format(spell(random, value))


def destroyed(random):
    """An answer like those of `judged`, but without a single final verdict."""
    value, reasons, final = judged(random)
    word, other = spell(random, value), spell(random, not value)
    kind = random.randrange(6)
    if kind == 0:
        return reasons + random.choice(FINALS).format(random.choice(LOOKALIKES))
    if kind == 1:
        return reasons + random.choice(AFTERTHOUGHTS).format(word, other=other).lstrip(random.choice(["", " "]))
    if kind == 2:
        place = random.randint(1, len(word) - 1)
        broken = (
            word[:place] + random.choice(["\x00", "\u200b", "-", "a", " ", "\u0338", "\ud800", "\n"]) + word[place:]
        )
        return reasons + random.choice(FINALS).format(broken)
    if kind == 3:
        return reasons + random.choice("\u202e\u202d\u2067\u202b") + final
    if kind == 4:
        start = re.search(r"(?i)(yes|no|[ｙＹ]\w+|[ｎＮ]\w)\W*(?:answer\W*)?\Z", final).start()
        return (reasons + final[: random.randint(0, start)])[: None if reasons else start]
    return (
        reasons
        + final
        + random.choice([" Or the opposite?", " That is my guess", ", perhaps", "\nOn the other hand,", " (unsure)"])
    )


def noisy(random, text, most=8):
    """The text with random insertions, deletions, repetitions and a cut."""
    for _ in range(random.randint(1, most)):
        place, other = sorted(random.randint(0, len(text)) for _ in range(2))
        kind = random.randrange(5)
        if kind == 0:
            text = text[:place] + random.choice(NOISE) * random.choice([1, 1, 2, 50]) + text[place:]
        elif kind == 1:
            text = text[:place] + text[min(other, place + 12) :]
        elif kind == 2:
            text = text[:other] + text[place:other][:400] + text[other:]
        elif kind == 3:
            text = (
                text[:place]
                + chr(random.choice([random.randint(0, 0x2FF), random.randint(0, 0x10FFFF)]))
                + text[place:]
            )
        else:
            text = text[: max(place, 1)]
    return text


def last_word(text):
    """What any reader would call the last word, in small ASCII letters where it has a full-width form."""
    text = re.sub(r"<\|[^|<>]*\|>|</[a-z]+>", " ", text)
    narrow = "".join(chr(ord(sign) - 0xFEE0) if "！" <= sign <= "～" else sign for sign in text)
    return (re.findall(r"[^\W_]+", narrow.lower()) or [""])[-1]


VALUES = [
    0.25,
    1,
    -3,
    True,
    None,
    [],
    {},
    ["red", "it's blue"],
    {"a": [1]},
    "",
    'It is "new".',
    "a {b} c",
    "naïve\n\U0001f600",
]


def rendered_object(random):
    """An object, and an answer that holds it in one of the forms that models use."""
    value = {name: random.choice([*VALUES, *ITEMS]) for name in random.sample(["score", "question", "why"], 2)}
    text = random.choice([json.dumps(value), json.dumps(value, indent=2, ensure_ascii=False), python_literal(value)])
    if random.random() < 0.3:
        text = text[:-1] + ",}"
    opening, closing = random.choice([("", ""), ("```json\n", "\n```"), ("Here {it} is:\n", "\nBye."), ("[", "]")])
    return value, opening + text + closing


def python_literal(value):
    return repr(value) if "\\" not in repr(value) else json.dumps(value)


def destroyed_object(random):
    """An answer like those of `rendered_object`, of which no reader could tell what the object is."""
    value, text = rendered_object(random)
    kind = random.randrange(4)
    if kind == 0:
        return text[: text.rindex("}")]
    if kind == 1:
        return text + "\n" + json.dumps(value | {"score": "another"})
    if kind == 2:
        return json.dumps(value).replace(": ", " ", 1) + " {score: maybe}"
    return json.dumps(value)[:-1] + ', "why": "one", "why": "two"}'
