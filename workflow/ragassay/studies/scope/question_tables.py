"""What the report's section says of how questions came to be: from documents to kept questions, how far claims drift,
how often the judge agrees, and the paper's Table 6. Each table gets a shard at a time and keeps counts and sums.
"""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from ragassay.base.chance import PARTS, split_of
from ragassay.metrics.panel import Panel
from ragassay.metrics.sums import Totals, exact
from ragassay.schemas.documents import NO_TOPIC
from ragassay.schemas.report import Section
from ragassay.studies.scope.strata import ALL
from ragassay.studies.scope.votes import DISPUTED, IN, KEPT, KINDS, OUT, TIE, UNCLEAR, UNDECIDED

SECTION = Section("scope")
EVERY = "(all)"
HYPHENATED = {IN: "in-scope", OUT: "out-of-scope"}
STEPS = {"claims": "Claims", "recovered": "Recovered", "novel": "Novel"}
STEPS |= {f"written_{OUT}": "Questions", f"kept_{OUT}": "Kept"}
SIMILARITIES = ["to_original", "to_previous", "to_nearest"]
BIN = 0.05  # of nearness
VERDICTS = {"hard": "yes", "easy": "no", "undecided": "undecided"}


class Models:
    """The results of each pair of generator and judge; the hard strata are the headline."""

    def __init__(self):
        self.counts = Counter()  # (generator, judge, status, or intention of kept ones)

    def add(self, questions) -> None:
        of_models, is_kept = questions.groupby(["generator", "judge"]), questions["status"] == KEPT
        self.counts.update(of_models["status"].value_counts().to_dict())
        self.counts.update(questions[is_kept].groupby(["generator", "judge"])["intended"].value_counts().to_dict())

    def rows(self, strata) -> Iterator[dict]:
        for total in strata[strata["stratum"] == ALL].itertuples():
            names = KEPT, DISPUTED, UNDECIDED, OUT, IN
            kept, disputed, undecided, outs, ins = (self.counts[total.generator, total.judge, name] for name in names)
            written = kept + disputed + undecided
            numbers = {"questions": written, DISPUTED: disputed, UNDECIDED: undecided}
            numbers |= {"kept_out_of_scope": outs, "kept_in_scope": ins, "hard": total.n_hard}
            keys = {"generator": total.generator, "judge": total.judge}
            yield from SECTION.rows("models", keys, numbers, written)
            yield SECTION.row("models", keys, "hard_share", total.share, outs, total.share_low, total.share_high)
            for name in ("auroc", "question_alone"):
                ends = getattr(total, f"{name}_low"), getattr(total, f"{name}_high")
                yield SECTION.row("models", keys, name, getattr(total, name), kept, *ends)


class Funnel:
    """Counts after each step, by topic."""

    def __init__(self):
        self.of_topics, self.totals = Counter(), Counter()

    def add(self, documents, claims, guesses, novel, questions) -> None:
        topics = documents.set_index("doc_id")["topic"].fillna(NO_TOPIC)
        filled = guesses.drop_duplicates(["doc_id", "slot"])  # slots with a guess in any round
        steps = {"documents": documents, "claims": claims, "recovered": filled, "novel": novel}
        for kind in KINDS:
            written = questions[questions["intended"] == kind]
            steps |= {f"written_{kind}": written, f"kept_{kind}": written[written["status"] == KEPT]}
        for name, rows in steps.items():
            self.totals[name] += len(rows)
            for topic, count in rows["doc_id"].map(topics).value_counts().items():
                self.of_topics[topic, name] += int(count)

    def rows(self) -> Iterator[dict]:
        for topic in sorted({topic for topic, _ in self.of_topics}):
            yield from SECTION.rows(
                "funnel", {"topic": topic}, {name: self.of_topics[topic, name] for name in self.totals}
            )
        yield from SECTION.rows("funnel", {"topic": EVERY}, dict(self.totals))
        for at, (name, step) in enumerate(STEPS.items(), 1):
            yield from SECTION.rows("steps", {"at": at, "step": step}, {"items": self.totals[name]})


class Agreement:
    """How often the judge agrees with the intention, and what it says otherwise."""

    def __init__(self, times: int, seed: int):
        self.draws, self.labels, self.written, self.totals = (times, seed), Counter(), Counter(), Totals()

    def add(self, questions) -> None:
        intended, label = (questions[name].to_numpy(object) for name in ("intended", "label"))
        right = np.where(np.isin(label, list(KINDS)), label == intended, np.nan)
        masks = {kind: intended == kind for kind in KINDS}
        for kind, mask in masks.items():
            self.written[kind] += int(mask.sum())
            self.labels.update((kind, of_kind) for of_kind in label[mask])
        self.totals.add_means(Panel(questions["doc_id"], *self.draws), right, masks)

    def rows(self) -> Iterator[dict]:
        for intended, estimates in self.totals.estimates().items():
            numbers = {name: self.labels[intended, name] for name in (OUT, IN, TIE, UNCLEAR)}
            keys = {"intended": KINDS[intended]}
            yield from SECTION.rows("agreement", keys, {"questions": self.written[intended], **numbers})
            yield SECTION.row("agreement", keys, "agreement", **estimates.row())


class Drift:
    """How far recovered claims are from the original ones, round by round."""

    def __init__(self, times: int, seed: int):
        self.draws, self.guesses, self.totals = (times, seed), Counter(), Totals()

    def add(self, guesses) -> None:
        rounds = guesses["round"].to_numpy()
        masks = {int(number): rounds == number for number in np.unique(rounds)}
        self.guesses.update({number: int(mask.sum()) for number, mask in masks.items()})
        values = exact(guesses[SIMILARITIES])
        counted = {number: mask[:, None] & ~np.isnan(values) for number, mask in masks.items()}
        self.totals.add_means(Panel(guesses["doc_id"], *self.draws), values, counted)

    def rows(self) -> Iterator[dict]:
        for number, means in self.totals.estimates().items():
            yield from SECTION.rows("drift", {"round": number}, {"guesses": self.guesses[number]})
            yield from SECTION.estimates("drift", {"round": number}, SIMILARITIES, means)


class Histograms:
    """The lengths of kept questions, and how near they are to the nearest claim of their document."""

    def __init__(self):
        self.lengths, self.nearness = Counter(), Counter()  # (kind, bin)

    def add(self, kept, hardness) -> None:
        near = kept[["question_id", "intended"]].merge(hardness[["question_id", "nearness"]], on="question_id")
        bins = np.floor(near["nearness"] / BIN + 1e-9).astype(int)
        self.lengths.update(zip(kept["intended"], kept["n_words"], strict=True))
        self.nearness.update(zip(near["intended"], bins, strict=True))

    def rows(self) -> Iterator[dict]:
        for words, counts in _bins(self.lengths):
            yield from SECTION.rows("lengths", {"words": words}, counts, self.lengths.total())
        for at, (number, counts) in enumerate(_bins(self.nearness)):
            keys = {"at": at, "nearness": f"{number * BIN:.2f}"}
            yield from SECTION.rows("nearness", keys, counts, self.nearness.total())


def _bins(counts) -> Iterator[tuple[int, dict]]:
    """The counts of each kind in each bin, empty bins between full ones included."""
    bins = {number for _, number in counts}
    for number in range(min(bins), max(bins) + 1) if bins else ():
        yield number, {kind: counts[kind, number] for kind in KINDS}


class Table6:
    """The paper's Table 6, for the whole data set and its splits."""

    def __init__(self):
        self.numbers, self.words = Counter(), Counter()  # (split, item)

    def add(self, documents, kept) -> None:
        documents = documents.assign(split=documents["cluster_id"].map(split_of))
        items = {"document": documents}
        items |= {f"{name} question": kept[kept["intended"] == kind] for kind, name in HYPHENATED.items()}
        for name, rows in items.items():
            for split, words in [("all", rows["n_words"]), *rows.groupby("split")["n_words"]]:
                self.numbers[split, name] += len(words)
                self.words[split, name] += int(words.sum())

    def rows(self) -> Iterator[dict]:
        items = ["document", *(f"{name} question" for name in HYPHENATED.values())]
        for split in ("all", *dict.fromkeys(PARTS)):
            counts = {name: self.numbers[split, name] for name in items}
            lines = {f"Number of {name}s": (count, count) for name, count in counts.items()}
            for name, count in counts.items():
                lines[f"Average words per {name}"] = self.words[split, name] / count if count else None, count
            for at, (attribute, (value, n)) in enumerate(lines.items(), 1):
                yield SECTION.row("table_6", {"attribute": attribute, "at": at}, split, value, n)


class Rejects:
    """What each stage rejected, by reason."""

    def __init__(self):
        self.counts = Counter()

    def add(self, rejects) -> None:
        self.counts.update(zip(rejects["stage"], rejects["reason"], strict=True))

    def rows(self) -> Iterator[dict]:
        for (stage, reason), count in self.counts.items():
            yield from SECTION.rows("rejects", {"stage": stage, "reason": reason}, {"rejected": count})


def stratum_rows(strata) -> Iterator[dict]:
    for row in strata[strata["stratum"] != ALL].itertuples():
        keys = {"at": row.position, "stratum": row.stratum, "verdict": VERDICTS[row.grade]}
        counts = {OUT: row.n_out_of_scope, IN: row.n_in_scope}
        yield from SECTION.rows("strata", keys, counts, sum(counts.values()))
        for name in ("auroc", "question_alone", "share"):
            value, low, high = (getattr(row, f"{name}{end}") for end in ("", "_low", "_high"))
            yield SECTION.row("strata", keys, name, value, sum(counts.values()), low, high)
