"""Read the one yes or no with which a model's answer ends. The last statement must be the verdict and nothing else,
bare or behind a lead-in from a closed list; the reasoning before it may hold no verdict that contradicts. A verdict
that comes first and is then explained is not accepted: what follows may take it back. English only."""

import re

from ragassay.calls.parsers.result import UNSEEN, Abstain, Ok, answer_part, refuses, total

# Full-width forms and capitals, and nothing else: full Unicode folding makes "no" of a numero sign.
FOLD = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " ", 0x2019: "'"}
FOLD |= {code: chr(code).lower() for code in range(ord("A"), ord("Z") + 1)}
FOLD |= {code: chr(code - 0xFEE0).lower() for code in range(0xFF21, 0xFF3B)}
BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")  # what a reader sees is not what is written

STATEMENT_END = re.compile(
    r"""(?<![.!?。])(?<!\bdr)(?<!\bmr)(?<!\bmrs)(?<!\bms)(?<!\bvs)(?<!\be\.g)(?<!\bi\.e)
    [.!?。]++["'”)\]}*_`]*+(?=\s)|[\n\r\x0b\x0c\x85\u2028\u2029]""",
    re.VERBOSE,
)
TAG = re.compile(r"</?[a-z][a-z_]{0,20}>|\\(?:boxed|text|textbf)\b")
LONGEST = 160  # characters of a statement that can be a verdict
D = rf"""[\s"'\u2018\u201c\u201d\u201e«»()\[\]{{}}<>*_`\#$|{UNSEEN}]*+"""  # decoration
THEREFORE = rf"""(?:
    (?:and|so|then|therefore|thus|hence|overall|finally|ultimately|accordingly|consequently|to\ conclude
      |as\ a\ result|in\ (?:conclusion|summary|short|the\ end)|for\ this\ reason|(?:given|based\ on)\ (?:this|that)
    ){D},?{D}){{0,2}}"""
LABEL = rf"""(?:(?:my|the|our|final|overall|correct|short)\s++){{0,3}}
    (?:a(?=\s*:)|(?:answer|verdict|judge?ment|decision|conclusion|response|result|output)
      (?:\s++to\s++(?:the|this|your)\s++question)?)(?!\w){D}(?:yes\s?(?:/|or)\s?no{D})?"""
IS = rf"(?:(?:(?:would|must|should)\s++be|is|therefore|thus|clearly|simply|=|:|->?|[\u2013\u2014\u2192]){D}){{1,3}}"
SAY = rf"i(?:'d|'ll|\s(?:would|will|must|therefore))?\s(?:say|answer|respond|conclude|vote){D}[:,]?{D}"
VERDICT = re.compile(
    rf"(?:[-•]\s)?{D}{THEREFORE}(?P<lead>{LABEL}{IS}|{SAY})?(?<!\w)(?P<verdict>yes|no)(?:[.!。]|{D})*", re.VERBOSE
)
LEAD_ALONE = re.compile(rf"{D}{LABEL}(?:{IS})?", re.VERBOSE)
OPENING = re.compile(rf"{D}(?P<verdict>yes|no){D}(?:[,.!;:\u2014\u2013-]|\Z)", re.VERBOSE)
MENTION = re.compile(r"(?<!\w)(yes|no)(?=[^\w\s]|\s*(?:$|[^\w\s]|(?:and|or|nor|but|yes|no)\b))")
ANNOUNCED = re.compile(
    rf"(?<!\w){LABEL}{IS}(?<!\w)(?P<verdict>yes|no)(?=\W*\Z|{D}[^\w\s]|\s+(?:because|since|as|due)\b)", re.VERBOSE
)
SUPPOSED = re.compile(r"\b(?:if|whether|would|could|unless)\b|\?\W*\Z")
CLOSING_LINE = re.compile(rf"[\s`~*_=\-#|{{}}()\[\]$<>{UNSEEN}]*+")


@total
def parse_verdict(text: str | None, finish_reason: str = "stop") -> Ok | Abstain:
    """`Ok(True)` for yes, `Ok(False)` for no, or why there is no single final verdict."""
    answer = answer_part(text, finish_reason, as_written=True)  # a hidden character in a verdict is a doubt
    if isinstance(answer, Abstain):
        return answer
    if finish_reason == "length":  # "Yes" may have gone on "and no"
        return Abstain("truncated")
    statements = _statements(answer.translate(FOLD))
    final = _verdict(statements[-1]) if statements and not BIDI.search(answer[-2 * LONGEST :]) else None
    if final is None:
        return Abstain(_reason(answer, statements))
    value, explicit = final
    explicit = explicit or (
        len(statements) > 1 and _short(statements[-2]) and bool(LEAD_ALONE.fullmatch(statements[-2]))
    )
    if _contradicted(statements[:-1], "no" if value else "yes", explicit):
        return Abstain("two_verdicts")
    if not explicit and refuses(answer, task_only=True):
        return Abstain("refusal")
    return Ok(value)


def ballot(row: dict, answers, tally) -> list[dict]:
    """The votes of a judge on the question of `row`, from its answers to one request: a verdict each, or the reason why
    there is none, as the columns that the tables of votes share.
    """
    tally.hear(row["doc_id"], answers)
    votes = []
    for number, answer in enumerate(answers, 1):
        parsed = parse_verdict(answer.text, answer.finish_reason)
        if isinstance(parsed, Abstain):
            verdict, reason = None, parsed.reason
            tally.reject(f"{row['question_id']} vote {number}", reason, answer.detail, answer)
        else:
            verdict, reason = parsed.value, None
            tally.keep()
        votes.append({"vote": number, "verdict": verdict, "abstained": reason, "detail": answer.detail or None})
    return votes


def _statements(text):
    """Sentences and lines, in order, without empty ones; the last one holds words."""
    statements, start = [], 0
    for match in STATEMENT_END.finditer(text):
        statements.append(text[start : match.end()].strip())
        start = match.end()
    statements.append(text[start:].strip())
    while statements and CLOSING_LINE.fullmatch(statements[-1]):
        statements.pop()
    return [statement for statement in statements if statement]


def _short(statement):
    return len(statement) <= LONGEST


def _verdict(statement):
    """Its value and whether a lead-in says that it is the answer, or None if it is not a verdict."""
    if not _short(statement):
        return None
    match = VERDICT.fullmatch(TAG.sub(" ", statement))
    return match and (match["verdict"] == "yes", bool(match["lead"]))


def _contradicted(statements, other, explicit):
    """A verdict of the other kind: announced as such, or at the very beginning, or anywhere if the final one is bare
    and so may be the answer to some question of the reasoning.
    """
    for number, statement in enumerate(statements):
        if other not in statement:
            continue
        opening = OPENING.match(statement)
        if opening and opening["verdict"] == other:
            answers_a_question = number > 0 and statements[number - 1].endswith("?")
            if number == 0 or not explicit or (_verdict(statement) and not answers_a_question):
                return True
        announced = any(match["verdict"] == other for match in ANNOUNCED.finditer(statement))
        if announced and not SUPPOSED.search(statement):
            return True
    return False


def _reason(answer, statements):
    if refuses(answer):
        return "refusal"
    mentioned = set(MENTION.findall(statements[-1])) if statements else set()
    return "two_verdicts" if len(mentioned) == 2 else "no_verdict"
