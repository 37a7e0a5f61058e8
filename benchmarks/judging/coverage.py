"""How often intervals of few documents cover the truth: studies with a known truth, in which questions on a document
are alike. Beside each share, that of multinomial draws from a random generator, which need all clusters at once."""

from collections.abc import Iterator

import numpy as np
from scipy import stats

from common.figures import figure
from ragassay.metrics.panel import Panel

DOCUMENTS = (8, 12, 20, 30, 100)
STUDIES, DRAWS, QUESTIONS = 1000, 500, 6
RATES = ((0.5, 0.2), (0.8, 0.1), (0.97, 0.1))  # and how alike answers on a document are
MORE_OFTEN, APART, BY_DOCUMENT = 0.3, 1.0, 0.3  # of the second method; of the kinds' scores


class MultinomialPanel(Panel):
    """As many clusters as there are, with replacement. Intervals of its rates, made for draws by weights, lack the
    factor clusters / (clusters - 1), and cover up to .005 less than with it.
    """

    def draws(self):
        random = np.random.default_rng(self.seed)
        yield random.multinomial(self.clusters, np.full(self.clusters, 1 / self.clusters), self.times).astype(float)


def studies(documents: int, rate: float, likeness: float, questions: int, count: int) -> Iterator[tuple]:
    """(document of each question, whether it was answered right) of many studies."""
    random = np.random.default_rng(documents)
    for _ in range(count):
        sizes = random.integers(1, 2 * questions, documents)
        rates = random.beta(rate * (1 / likeness - 1), (1 - rate) * (1 / likeness - 1), documents)
        yield np.repeat(np.arange(documents), sizes), random.random(sizes.sum()) < np.repeat(rates, sizes)


def covered(documents: int, count: int, kind=Panel, draws: int = DRAWS) -> dict[str, float]:
    """The shares of intervals that hold the truth."""
    hits: dict[str, list[bool]] = {}
    for rate, likeness in RATES:
        for seed, (owners, right) in enumerate(studies(documents, rate, likeness, QUESTIONS, count)):
            row = kind(owners, draws, seed).mean(right).row()
            hits.setdefault(f"rate_{rate}", []).append(row["low"] <= rate <= row["high"])
    random = np.random.default_rng(1)
    for seed, (owners, right) in enumerate(studies(documents, 0.5, 0.1, QUESTIONS, count)):
        panel = kind(owners, draws, seed)
        better = right | (random.random(len(right)) < MORE_OFTEN)
        row = panel.difference(better.astype(float) - right).row()
        hits.setdefault("difference", []).append(row["low"] <= MORE_OFTEN / 2 <= row["high"])
        kinds = np.arange(len(owners)) % 2 == 0
        scores = random.normal(size=len(owners)) + APART * kinds + BY_DOCUMENT * random.normal(size=documents)[owners]
        row = panel.auroc(scores, kinds).row()
        truth = stats.norm.cdf(APART / np.sqrt(2 * (1 + BY_DOCUMENT**2)))
        hits.setdefault("auroc", []).append(row["low"] <= truth <= row["high"])
    return {name: float(np.mean(each)) for name, each in hits.items()}


def coverage() -> None:
    """The least and the most covered of these; of a thousand studies, .007 is chance."""
    for documents in DOCUMENTS:
        shares, before = covered(documents, STUDIES).values(), covered(documents, STUDIES, MultinomialPanel).values()
        figure(
            f"coverage_of_{documents}_documents_lowest",
            min(shares),
            "share",
            ">= 0.94" if documents < 100 else ">= 0.93",
            min(before),
        )
        figure(f"coverage_of_{documents}_documents_highest", max(shares), "share", "<= 0.97", max(before))
