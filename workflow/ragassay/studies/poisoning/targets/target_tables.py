"""The two tables of every stage that makes targets: those that can be used, and what was dropped, with its reason."""

import contextlib
from collections import Counter

from ragassay.base import tables
from ragassay.base.stage import log
from ragassay.base.tally import Tally
from ragassay.documents.ids import reject
from ragassay.schemas.attacks import TARGETS
from ragassay.studies.poisoning.attacks.questions import triggered
from ragassay.studies.poisoning.targets.hygiene import Problem


class TargetTables(contextlib.ExitStack):
    def __init__(self, stage: str, dataset: str, targets, rejects, tally: Tally, trigger: str | None = None):
        """With a trigger, all questions have that word."""
        super().__init__()
        self.stage, self.dataset, self.tally, self.flags, self.trigger = stage, dataset, tally, Counter(), trigger
        self.kept, self.rejected = tables.Writer(TARGETS, targets), tables.Writer(tables.REJECTS, rejects)

    def __enter__(self):
        for table in (self.kept, self.rejected):
            self.enter_context(table)
        return self

    def take(self, row: dict | None, problems: list[Problem], answer=None) -> None:
        """A row of targets, if there is one, and what could not be used; `answer` is what came from a model, if so."""
        for problem in problems:
            self.tally.reject(problem.item, problem.reason, problem.detail, answer)
            self.exclude(problem)
        if row:
            self.tally.keep(1 + len(row["texts"]))
            self.flags.update(row["flags"])
            self.kept.add(row | {"question": triggered(row["question"], self.trigger)} if self.trigger else row)

    def exclude(self, problem: Problem) -> None:
        """What is dropped by design has not failed: it is a reject and does not count against the source."""
        self.rejected.add(reject(self.stage, {"shard": self.dataset}, *problem))

    def tell(self) -> None:
        """What was written, for the log, once both tables are."""
        flags = ", ".join(f"{count} with {name}" for name, count in sorted(self.flags.items()) if name)
        log.info("%d targets with %d texts, %s", self.kept.written, self.flags.total(), flags or "none with a flag")
