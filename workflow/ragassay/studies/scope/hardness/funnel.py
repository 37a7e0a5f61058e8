"""From documents to kept questions, step by step: the counts of the report's section on scope, on pandas frames."""

from collections.abc import Iterator

from ragassay.documents.ids import PARTS, split_of
from ragassay.metrics.panel import Panel
from ragassay.schemas.documents import NO_TOPIC
from ragassay.schemas.report import Section
from ragassay.studies.scope.hardness.strata import ALL
from ragassay.studies.scope.questions.votes import DISPUTED, IN, KEPT, KINDS, OUT, TIE, UNCLEAR, UNDECIDED

SECTION = Section("scope")
EVERY = "(all)"
HYPHENATED = {IN: "in-scope", OUT: "out-of-scope"}
STEPS = {"claims": "Claims", "recovered": "Recovered", "novel": "Novel"}
STEPS |= {f"written_{OUT}": "Questions", f"kept_{OUT}": "Kept"}


def model_rows(questions, strata) -> Iterator[dict]:
    """The results of each pair of generator and judge; the hard strata are the headline."""
    for total in strata[strata["stratum"] == ALL].itertuples():
        rows = questions[(questions["generator"] == total.generator) & (questions["judge"] == total.judge)]
        status, kept = rows["status"].value_counts(), rows.loc[rows["status"] == KEPT, "intended"].value_counts()
        numbers = {"questions": len(rows), **{name: status.get(name, 0) for name in (DISPUTED, UNDECIDED)}}
        numbers |= {"kept_out_of_scope": kept.get(OUT, 0), "kept_in_scope": kept.get(IN, 0), "hard": total.n_hard}
        keys, outs = {"generator": total.generator, "judge": total.judge}, int(kept.get(OUT, 0))
        yield from SECTION.rows("models", keys, numbers, len(rows))
        yield SECTION.row("models", keys, "hard_share", total.share, outs, total.share_low, total.share_high)
        for name in ("auroc", "question_alone"):
            ends = getattr(total, f"{name}_low"), getattr(total, f"{name}_high")
            yield SECTION.row("models", keys, name, getattr(total, name), int(kept.sum()), *ends)


def funnel_rows(documents, claims, guesses, novel, questions) -> Iterator[dict]:
    """Counts after each step, by topic."""
    topics = documents.set_index("doc_id")["topic"].fillna(NO_TOPIC)
    filled = guesses.drop_duplicates(["doc_id", "slot"])  # slots with a guess in any round
    steps = {"documents": documents, "claims": claims, "recovered": filled, "novel": novel}
    for kind in KINDS:
        written = questions[questions["intended"] == kind]
        steps |= {f"written_{kind}": written, f"kept_{kind}": written[written["status"] == KEPT]}
    counts = {name: rows["doc_id"].map(topics).value_counts() for name, rows in steps.items()}
    for topic in sorted(set(topics)):
        numbers = {name: int(of_topic.get(topic, 0)) for name, of_topic in counts.items()}
        yield from SECTION.rows("funnel", {"topic": topic}, numbers)
    totals = {name: len(rows) for name, rows in steps.items()}
    yield from SECTION.rows("funnel", {"topic": EVERY}, totals)
    for at, (name, step) in enumerate(STEPS.items(), 1):
        yield from SECTION.rows("steps", {"at": at, "step": step}, {"items": totals[name]})


def agreement_rows(questions, times: int, seed: int) -> Iterator[dict]:
    """How often the judge agrees with the intention, and what it says otherwise."""
    for intended, kind in KINDS.items():
        rows = questions[questions["intended"] == intended]
        labels, keys = rows["label"].value_counts(), {"intended": kind}
        numbers = {name: int(labels.get(name, 0)) for name in (OUT, IN, TIE, UNCLEAR)}
        yield from SECTION.rows("agreement", keys, {"questions": len(rows), **numbers})
        sided = rows[rows["label"].isin(list(KINDS))]
        agreed = Panel(sided["doc_id"], times, seed).mean(sided["label"] == intended).row()
        yield SECTION.row("agreement", keys, "agreement", **agreed | {"abstained": len(rows) - len(sided)})


def reject_rows(rejects) -> Iterator[dict]:
    """What each stage rejected, by reason."""
    for (stage, reason), count in rejects.groupby(["stage", "reason"]).size().items():
        yield from SECTION.rows("rejects", {"stage": stage, "reason": reason}, {"rejected": int(count)})


def table_6(documents, kept) -> Iterator[dict]:
    """The paper's Table 6, for the whole data set and its splits."""
    splits = documents["cluster_id"].map(split_of)
    for split in ("all", *dict.fromkeys(PARTS)):
        texts, asked = documents, kept
        if split != "all":
            texts, asked = documents[splits == split], kept[kept["split"] == split]
        items = {"document": texts}
        items |= {f"{name} question": asked[asked["intended"] == kind] for kind, name in HYPHENATED.items()}
        lines = {f"Number of {name}s": (len(rows), len(rows)) for name, rows in items.items()}
        lines |= {f"Average words per {name}": (rows["n_words"].mean(), len(rows)) for name, rows in items.items()}
        for at, (attribute, (value, n)) in enumerate(lines.items(), 1):
            yield SECTION.row("table_6", {"attribute": attribute, "at": at}, split, value, n)
