"""What people say of a set's questions and responses: the label that their votes settle, and how often it contradicts
the set's own labels.
"""

from collections import Counter, defaultdict

from ragassay.base.stage import log
from ragassay.studies.scope.questions.votes import KINDS


def settled(labels: list[dict]) -> dict[tuple[str, str], str | None]:
    """(question, responder) -> people's label of the response or, without a responder, of the question's scope: the
    label they agreed on together, otherwise the majority; None for a tie.
    """
    votes = defaultdict(dict)
    for row in labels:
        votes[row["question_id"], row["responder"]][row["annotator"]] = row["label"]
    found = {}
    for item, own in votes.items():
        ranked = Counter(own.values()).most_common()
        tie = len(ranked) > 1 and ranked[0][1] == ranked[1][1]
        found[item] = own.get("") or (None if tie else ranked[0][0])
    return found


def warn_of_contradictions(name: str, pairs: list[tuple]) -> int:
    """Of how many questions of a set people say the opposite of the label; `pairs` are the label and what people say.
    If that is most of them, the column of labels may say which questions are in scope, and be read the wrong way round.
    """
    sided = [pair for pair in pairs if set(pair) <= KINDS.keys()]
    opposite = sum(label != people for label, people in sided)
    if 2 * opposite > len(sided):
        log.warning(
            "question set %s: people say the opposite of %d of the %d labels that they voted on; a column that says"
            " which questions are in scope is named as question_sets.%s.columns.questions.in_scope",
            *(name, opposite, len(sided), name),
        )
    return opposite
