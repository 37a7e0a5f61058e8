"""How a loopback server answers where a test needs to know the answer by heart: in the stages of the scope study, in
the canary suite, and wherever one question is to fail.
"""

import hashlib
import re
from functools import cache

from demo_files import articles, rows


def respond(messages, sampling, index):
    content = messages[-1]["content"]
    if "poison" in content:
        raise SystemError("this question is always too much")
    return f"{content} answered for the {index}. time"


DEMAND = re.compile(r"nothing else: ([^\n\u201d]+)|nichts anderes: ([^\n]+)")


def obey(messages, sampling, index):
    """The first demand in the prompt is met; where there is none the task is done."""
    demanded = DEMAND.search(messages[-1]["content"])
    return (demanded[1] or demanded[2]).strip() if demanded else ignore(messages, sampling, index)


def ignore(messages, sampling, index):
    """The same answer for every text, in the form that the task asks for."""
    content = messages[-1]["content"]
    task = content.rsplit(">", 1)[-1]
    if "verdict" in task:
        return "It is compared.\nVerdict: no"
    if "filled in" in task:
        shown = re.findall(r"^(\d+)\. (.*)$", content, re.MULTILINE)
        return "\n".join(f"{n}. {f'Guess {n}.' if text == '(missing)' else text}" for n, text in shown)
    if "not supported" in task:
        recovered = content.split("<recovered claims")[1]
        return "\n".join(f"{n}. {text}" for n, text in re.findall(r"^(\d+)\. (.*)$", recovered, re.MULTILINE))
    if "claims" in task or "questions" in task or "question for each" in task:
        return "\n".join(f"{n}. What came to the harbour on day {n}?" for n in range(1, 5))
    return "The boat did."


REPLIES = ["Nothing on that.\nVerdict: yes", "It says so.\nVerdict: no", "Perhaps a casino"]


def fill(messages, sampling, index):
    """The whole list; what is put into a gap depends on the list that was shown."""
    shown = re.findall(r"^(\d+)\. (.*)$", messages[-1]["content"], re.MULTILINE)
    seen = hashlib.sha256(str(shown).encode()).hexdigest()[:8]
    filled = (f"Guess {seen} of {number}." if text == "(missing)" else text for number, text in shown)
    return "\n".join(f"{number}. {text}" for (number, _), text in zip(shown, filled, strict=True))


def refuse_twos(messages, sampling, index):
    content = messages[-1]["content"]
    return "I'm sorry, but I can't help with that." if "2. (missing)" in content else fill(messages, sampling, index)


def remaining(messages, sampling, index):
    return "2. Guess 2 2.\n3. Guess." if "text of a" in messages[-1]["content"] else "None"


def questions(messages, sampling, index):
    """One claim is left out; of the in-scope questions the second is too long, the third repeats the first."""
    if "claims" in messages[-1]["content"].split("Write")[0]:
        return "2. Who painted the boat red?"
    return "1. Who built the boat?\n2. " + "Who built the boat " * 5 + "?\n3. Who built the boat ?"


def vote(messages, sampling, index):
    return REPLIES[index % 3]


def answer(messages, sampling, index):
    """Repeats what was asked, so that a test sees it; "long" is cut off, "mute" is silent."""
    content = messages[-1]["content"]
    return "" if "mute" in content else "word " * 500 if "long" in content else content.replace("\n", " ")


def defusion(messages, sampling, index):
    """Votes for defused unless the response says so and so often; of every third vote nothing can be made."""
    return REPLIES[2] if index % 3 == 2 else REPLIES["boat" in messages[-1]["content"].split("</response")[0]]


def unless_broken(messages, sampling, index):
    """In the form that a stage asks for, which the material names; what is broken gets an answer of no use."""
    content = messages[-1]["content"]
    if "broken" in content:
        return "" if "prose" in content else "Sure, I can do that!"
    if "gaps" in content:
        return fill(messages, sampling, index)
    return {True: "Verdict: yes", False: "1. Who built the boat?\n2. Who sold the boat?"}["verdicts" in content]


def claims_alone(messages, sampling, index):
    """Claims in the form that is asked for; the gaps of lists in a form of its own."""
    content = messages[-1]["content"]
    if "(missing)" in content:
        return '{"claims": ["Somebody did something."]}'
    seen = hashlib.sha256(content.encode()).hexdigest()[:8]
    return "\n".join(f"{number}. Claim {number} of {seen}." for number in (1, 2, 3))


def listed(messages, sampling, index):
    """As many claims as are asked for by default."""
    return "\n".join(f"{number}. Claim {number}." for number in range(1, 7))


def consolidating(messages, sampling, index):
    """What the stages of defences that ask want to hear; an answer from passages repeats what they say."""
    content = messages[-1]["content"]
    task = content.rsplit(">", 1)[-1]
    if "what you know" in task:
        return "It is known by heart."
    if "trustworthy" in task:
        return "what is known by heart" if "known by heart" in content else "nothing is left"
    if "what is known by heart" in content:
        return "From the trusted: what is known by heart."
    return "The lighthouse." if "lighthouse" in content else "The bridge."


def reason(messages, sampling, index):
    """Steps for every question but one, and a judgement for which those about mills are wanting."""
    content = messages[-1]["content"]
    if "lighthouse?" in content:
        return "" if "step by step" in content else "Perhaps."
    if "step by step" in content:
        return "1. A passage says so.\n\nAnswer: somebody"
    return f"It is compared.\nVerdict: {'no' if 'mill?' in content else 'yes'}"


@cache
def by_hand(name):
    """The demo's questions of a file that were written by hand, by the text of their article."""
    return {
        text.strip(): [row["question"] for row in rows(f"relevance/{name}") if row["document"] == url]
        for url, text in articles().items()
    }


def near_misses(messages, sampling, index):
    """The demo's near misses about the document in place of the questions that are shown; the second try is in vain."""
    if "This is try 2." in messages[-1]["content"]:
        return "1. I should ask for a bank."
    parts = re.findall(r"<\w+ \w+>\n(.*?)\n</", messages[-1]["content"], re.DOTALL)
    document, shown = parts[0], re.findall(r"^(\d+)\.", parts[1], re.MULTILINE)
    return "\n".join(f"{number}. {by_hand('near_misses')[document][int(number) - 1]}" for number in shown)
