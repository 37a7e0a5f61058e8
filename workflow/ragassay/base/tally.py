"""Count what a stage can use and what it has to reject, and stop the stage if most is rejected: later numbers would
look like any others. Rejected is what failed; what a rule excludes by design has passed. Stages that ask a model hand
their tally to `ragassay.calls.complete`; the others call `check` before their tables are written."""

from collections import Counter

from ragassay.base.errors import AssayError
from ragassay.base.stage import log

FEWEST = 20  # items of which a share says something
FIRST_ANSWERS = 20  # that all bring nothing: others of this model and prompt will not, either
SHOWN = 80  # characters of an answer
MANY_CRASHES, CRASHES = 3, 0.01  # so many, and this share, are worth a warning
NAMED = 5  # refusals that the log names


def alarm(items: str, seen: int, crashes: int, example: str) -> None:
    """Warn where what nobody foresaw is more than an accident: each cost itself alone, but together they cost much."""
    if crashes >= max(MANY_CRASHES, seen * CRASHES):
        log.warning(
            "%d of %d %s crashed what read them, such as %s; the rest went on. %s",
            crashes,
            seen,
            items,
            example,
            "Look whether somebody attacks, or report it as a bug",
        )


class MostRejected(AssayError):
    """Most of what a stage looked at is of no use; the message names the commonest reason and an example."""


class Tally:
    def __init__(self, source: str, items: str, most_rejected: float, remedy: str):
        """`source` is what gave the items: a model, files. With 1 as `most_rejected` nothing stops."""
        self.source, self.items, self.most_rejected, self.remedy = source, items, most_rejected, remedy
        self.kept = self.answers = self.refusals = 0
        self.reasons, self.examples = Counter(), {}

    @classmethod
    def of_answers(cls, model: str, items: str, most_rejected: float) -> "Tally":
        remedy = "Change the model, its sampling or the prompt; all answers are in the ledger and not asked again"
        return cls(f"model {model}", items, most_rejected, remedy)

    @property
    def rejected(self) -> int:
        return self.reasons.total()

    def keep(self, count: int = 1) -> None:
        self.kept += count

    def reject(self, item: str, reason: str, detail: str = "", answer=None) -> None:
        """`answer` is what came from the model, if it was asked."""
        self.reasons[reason] += 1
        if reason not in self.examples:
            begins = f"the answer begins {answer.text[:SHOWN]!r}" if answer and answer.text else ""
            self.examples[reason] = "; ".join(filter(None, (f"{item}: {detail}" if detail else item, begins)))

    def hear(self, doc_id: str, answers) -> None:
        """Take note of the answers to one request; the log says which documents the provider refused, and why."""
        self.answers += 1
        if words := next((answer.detail for answer in answers if answer.detail), ""):
            self.refusals += 1
            if self.refusals <= NAMED:
                log.info("the provider refused a request about %s: %s", doc_id, words)

    def go_on(self) -> None:
        """Raise if asking on is hopeless."""
        if self.answers >= FIRST_ANSWERS and self._nothing_kept():
            raise self._error()

    def check(self) -> None:
        """Raise if most is rejected, now that all is counted. Of few rows that are read some may be, but not all; of
        few answers all may be: a shard may be one document that is too short, or that no content filter lets pass.
        """
        if self.refusals > NAMED:
            log.info("the provider refused %d requests more", self.refusals - NAMED)
        seen = self.kept + self.rejected
        alarm(self.items, seen, self.reasons["crash"], self.examples.get("crash", ""))
        if seen < FEWEST:
            stops = self._nothing_kept() and not self.answers
        else:
            stops = self.rejected > self.most_rejected * seen
        if stops:
            raise self._error()

    def _nothing_kept(self):
        return self.rejected and not self.kept and self.most_rejected < 1

    def _error(self):
        [(reason, count)] = self.reasons.most_common(1)
        rejected, seen = self.rejected, self.kept + self.rejected
        return MostRejected(
            f"{self.source}: {rejected} of {seen} {self.items} rejected, expected at most {self.most_rejected:.0%};"
            f" {count} as {reason}, such as {self.examples[reason]}. {self.remedy}. To go on with the others, raise"
            " most_rejected in the configuration (1 never stops)"
        )


def reject(stage: str, row: dict, item: str, reason: str, detail: str) -> dict:
    """A row of the table rejects; `row` is the row with the shard that the item belongs to."""
    return {"stage": stage, "shard": row["shard"], "item": item, "reason": reason, "detail": detail}
