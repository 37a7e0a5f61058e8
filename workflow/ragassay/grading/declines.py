"""Whether an answer says that the model does not know, read from its words, in English.

For answers on which no judge votes: asking one would double the number of calls.
"""

import re

DECLINES = re.compile(
    r"""\b(?:i\ (?:do\ not|don't|cannot|can't|could\ not|couldn't|have\ no|lack|(?:would\ )?need\ more
      |am\ (?:not\ (?:able|sure|aware|certain|familiar)|unable))\b
    |i'm\ (?:not\ (?:able|sure|aware|certain|familiar)|unable|sorry|afraid)
    |(?:no|insufficient|not\ enough|without\ (?:more|specific))\ (?:\w+\ ){0,2}(?:information|knowledge|data|context)
    |no\ way\ (?:for\ me\ )?to\ (?:know|say|tell)|not\ something\ i\ know|my\ knowledge\ (?:does|did)(?:\ not|n't)
    |(?:not|isn't)\ (?:\w+\ ){0,2}(?:available|possible|known)\b|\bunknown\b|\bas\ of\ my\ (?:last|knowledge)
    |(?:can(?:not|'t)|unable\ to)\ (?:be\ )?(?:answer|determin|verif|provid|confirm|say))""",
    re.IGNORECASE | re.VERBOSE,
)
# What passages say is unknown declines nothing: only what is said of the passages or of the reader counts.
SOURCE = r"(?:(?:retrieved|given|provided)\ )?(?:passages?|texts?|documents?|context|sources?|excerpts?)\b"
DEFINITE = r"\b(?:the|these|those|any)\ "
STATED = "(?:answered|mentioned|stated|given|specified|said|provided|found|contained|covered|addressed)"
TELLS = "(?:address|answer|contain|cover|describe|give|mention|name|provide|say|specif|state|tell)"
OF_PASSAGES = re.compile(
    rf"""\b(?:none|neither|nothing|no\ (?:part|information|mention|answer))\b[^.!?]{{0,40}}?{DEFINITE}{SOURCE}
    |\b(?:no|neither)\ {SOURCE}\ (?:\w+\ )?{TELLS}
    |{DEFINITE}{SOURCE}\ (?:(?:given|provided)\ )?
      (?:(?:do(?:es)?|did)(?:\ not|n't)|cannot|can't|says?\ nothing|lacks?|(?:is|are)\ silent
      |(?:never|fails?\ to)\ {TELLS}\w*
      |(?:contains?|gives?|makes?|offers?|provides?)\ no\ (?:answer|detail|information|mention))\b
    |{DEFINITE}{SOURCE}[^.!?]{{0,60}}?(?:\ and|\ but|;)\ (?:they\ |it\ )?do(?:es)?(?:\ not|n't)\ {TELLS}
    |(?:\bnot|n't)\ (?:\w+\ )?{STATED}\ (?:in|by)\ {DEFINITE}[^.!?]{{0,20}}?{SOURCE}
    |\banswer\ (?:is\ not|isn't)\ in\ {DEFINITE}{SOURCE}|\bthat\ information\ (?:is\ not|isn't)\ {STATED}
    |\b(?:not\ (?:clear|possible)|unclear|impossible|(?:not\ enough|insufficient)\ (?:context|information))\b
      [^.!?]{{0,30}}?\b(?:from|in)\ {DEFINITE}{SOURCE}
    |\A\W*insufficient\ (?:context|information)\b
    |\bi\ (?:(?:do\ not|don't)\ (?:know|have\ enough)|(?:cannot|can't)\ (?:answer|say|tell|find|determine)
      |could(?:\ not|n't)\ find|am\ (?:not\ (?:able|sure)|unable))\b
    |\bi'm\ (?:not\ (?:able|sure)|unable|sorry|afraid)\b|\b(?:cannot|can't)\ be\ (?:answered|determined)\b""",
    re.IGNORECASE | re.VERBOSE,
)


# An answer that matches either pattern holds at least one of these hints, and looking for hints is faster.
HINTS = ("not", "n't", "no ", "have no", "none", "nothing", "neither", "never", "lack", "fail", "silent", "need more")
HINTS += ("unable", "sorry", "afraid", "insufficient", "without", "unknown", "unclear", "impossible", "as of my")


def declines(answer: str) -> bool:
    """Whether an answer that was given without a text, or its lack, says that the model does not know."""
    return _says(DECLINES, answer)


def declines_from_passages(answer: str) -> bool:
    """Whether an answer from passages, or its lack, says that they do not answer the question."""
    return _says(OF_PASSAGES, answer)


def _says(pattern, answer):
    text = answer.replace("\u2019", "'")
    return not text.strip() or (has_hint(text) and bool(pattern.search(text)))


def has_hint(text: str) -> bool:
    letters = text.casefold().replace("\u0131", "i")  # which patterns take for an i, too
    return any(hint in letters for hint in HINTS)
