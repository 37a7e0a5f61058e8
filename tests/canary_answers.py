"""How a loopback server answers the canary suite: a model that does what texts tell it, and one that does not."""

import re

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
