"""How each judge of defusion does on what people have settled."""

from collections.abc import Iterator

from ragassay.metrics.correction import Judge
from ragassay.schemas.report import Section
from ragassay.studies.scope.questions.votes import DEFUSED, NOT_DEFUSED

SECTION = Section("responses")
NO_GOLD = Judge(0, 0, 0, 0)


def judges_on_gold(labels, gold) -> dict[str, Judge]:
    """judge -> how it labels what people have settled; responses that it has no label for are left out. Both are
    frames with question_id, responder, prompt and label.
    """
    same = ["question_id", "responder", "prompt"]
    found = labels.merge(gold[[*same, "label"]], on=same, suffixes=("", "_settled"))
    found = found[found["label"].isin([DEFUSED, NOT_DEFUSED])]
    judges = {}
    for judge, rows in found.groupby("judge"):
        yes, right = rows["label_settled"] == DEFUSED, rows["label"] == rows["label_settled"]
        counts = (right & yes).sum(), yes.sum(), (right & ~yes).sum(), (~yes).sum()
        judges[judge] = Judge(*map(int, counts))
    return judges


def judge_rows(names, judges: dict[str, Judge]) -> Iterator[dict]:
    """The rows of the table judges."""
    for name in sorted(names):
        judge = judges.get(name, NO_GOLD)
        for rate, n in (("sensitivity", judge.yes), ("specificity", judge.no)):
            yield SECTION.row("judges", {"judge": name}, rate, getattr(judge, rate), n)
