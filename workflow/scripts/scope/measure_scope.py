"""Turn the tables of the scope study into the metrics and the examples of the report's section.

Models are compared in one table; all else is about the study's own generator and judge, which are the first. Intervals
are 95 % by resampled documents.
"""

from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from ragassay import tables
from ragassay.metrics import resampling
from ragassay.schemas.claims import CLAIMS
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.drift import DRIFT
from ragassay.schemas.examples import EXAMPLES
from ragassay.schemas.hardness import HARDNESS
from ragassay.schemas.hardness_scores import HARDNESS_SCORES
from ragassay.schemas.hardness_strata import HARDNESS_STRATA
from ragassay.schemas.metrics import METRICS, metric
from ragassay.schemas.novel_claims import NOVEL_CLAIMS
from ragassay.schemas.recovered_claims import RECOVERED_CLAIMS
from ragassay.schemas.scope_labels import SCOPE_LABELS
from ragassay.schemas.selected_questions import SELECTED_QUESTIONS
from ragassay.scope.examples import chosen, lineage
from ragassay.scope.hardness import ALL
from ragassay.scope.votes import IN, KEPT, OUT, TIE, UNCLEAR
from ragassay.splits import PARTS, split_of
from ragassay.stage import run

KINDS = {OUT: "out of scope", IN: "in scope"}
EVERY, NO_TOPIC = "(all)", "(none)"
BIN = 0.05  # of nearness


def measure_scope(
    documents,
    claims,
    recovered_claims,
    drift,
    novel_claims,
    scope_labels,
    selected_questions,
    hardness,
    hardness_scores,
    hardness_strata,
    rejects,
    metrics,
    examples,
    generator,
    judge,
    resamples,
    seed,
):
    """Files of selected_questions and hardness_strata are those of all models, the others of the study's own."""
    everything = tables.read_all(SELECTED_QUESTIONS, selected_questions).to_pylist()
    questions = [row for row in everything if (row["generator"], row["judge"]) == (generator, judge)]
    kept = [row for row in questions if row["status"] == KEPT]
    texts = _by("doc_id", DOCUMENTS, documents)
    originals, novel = _rows(CLAIMS, claims), _rows(NOVEL_CLAIMS, novel_claims)
    guesses, near = _by("recovered_id", DRIFT, drift), _by("question_id", HARDNESS, hardness)
    strata = {Path(path).parts[-2:]: _rows(HARDNESS_STRATA, [path]) for path in hardness_strata}
    own = strata[generator, f"{judge}.parquet"]
    scores = _by("question_id", HARDNESS_SCORES, hardness_scores)
    draws = {"times": resamples, "seed": seed}
    found = [
        *_models(everything, strata),
        *_funnel(texts, originals, guesses.values(), novel, questions),
        *_agreement(questions, draws),
        *_drift(list(guesses.values()), draws),
        *_lengths(kept),
        *_nearness(kept, near),
        *_strata(own),
        *_rejects(rejects),
        *_statistics(texts, kept),
    ]
    tables.write(METRICS, metrics, found)
    hard = {name for name, row in scores.items() if row["hard"]}
    wanted = chosen(questions, hard)
    slots = {(row["doc_id"], row["slot"]): row for row in originals}
    told = _by("recovered_id", RECOVERED_CLAIMS, recovered_claims)
    labels = _by("question_id", SCOPE_LABELS, scope_labels)
    with tables.Writer(EXAMPLES, examples) as writer:
        for number, (title, row) in enumerate(wanted, 1):
            place, name = (row["doc_id"], row["slot"]), row["question_id"]
            rounds = [{**told[key], **one} for key, one in guesses.items() if (one["doc_id"], one["slot"]) == place]
            rounds.sort(key=lambda one: one["round"])
            given = (row, texts[row["doc_id"]], slots[place], rounds, labels[name], near.get(name), scores.get(name))
            for position, (part, text) in enumerate(lineage(*given), 1):
                same = {"study": "scope", "example": number, "position": position, "title": title}
                writer.add({**same, "part": part, "text": text})


def _models(questions, strata):
    """What each pair of generator and judge comes to; the hard strata are the headline."""
    groups = defaultdict(list)
    for row in questions:
        groups[row["generator"], row["judge"]].append(row)
    for (generator, file), graded in strata.items():
        judge = file.removesuffix(".parquet")
        rows, (total,) = groups[generator, judge], (row for row in graded if row["stratum"] == ALL)
        keys, counts = {"generator": generator, "judge": judge}, Counter(row["status"] for row in rows)
        own = Counter(row["intended"] for row in rows if row["status"] == KEPT)
        numbers = {"questions": len(rows), **{name: counts[name] for name in ("disputed", "undecided")}}
        numbers |= {"kept_out_of_scope": own[OUT], "kept_in_scope": own[IN], "hard": total["n_hard"]}
        yield from _numbers("models", keys, numbers, len(rows))
        yield _row("models", keys, "hard_share", total["share"], own[OUT], total["share_low"], total["share_high"])
        yield _row("models", keys, "auroc", total["auroc"], own.total(), total["auroc_low"], total["auroc_high"])


def _funnel(texts, claims, guesses, novel, questions):
    topics = {name: row["topic"] or NO_TOPIC for name, row in texts.items()}
    slots = {(row["doc_id"], row["slot"]): row for row in guesses}.values()  # those that were filled at least once
    steps = {"documents": list(texts.values()), "claims": claims, "recovered": slots, "novel": novel}
    for kind in KINDS:
        steps[f"written_{kind}"] = [row for row in questions if row["intended"] == kind]
        steps[f"kept_{kind}"] = [row for row in steps[f"written_{kind}"] if row["status"] == KEPT]
    counts = {name: Counter(topics[row["doc_id"]] for row in rows) for name, rows in steps.items()}
    for topic in sorted(set(topics.values())):
        yield from _numbers("funnel", {"topic": topic}, {name: own[topic] for name, own in counts.items()})
    totals = {name: own.total() for name, own in counts.items()}
    yield from _numbers("funnel", {"topic": EVERY}, totals)
    names = {"claims": "Claims", "recovered": "Recovered", "novel": "Novel"}
    names |= {f"written_{OUT}": "Questions", f"kept_{OUT}": "Kept"}
    for position, (name, step) in enumerate(names.items(), 1):
        yield from _numbers("steps", {"at": position, "step": step}, {"items": totals[name]})


def _agreement(questions, draws):
    """How often the judge says what was intended, and what it says instead."""
    for intended, kind in KINDS.items():
        rows = [row for row in questions if row["intended"] == intended]
        labels, keys = Counter(row["label"] for row in rows), {"intended": kind}
        numbers = {name: labels[name] for name in (OUT, IN, TIE, UNCLEAR)}
        yield from _numbers("agreement", keys, {"questions": len(rows), **numbers})
        sided = [row for row in rows if row["label"] in KINDS]
        agreed = [float(row["label"] == intended) for row in sided]
        mean = resampling.mean(agreed, [row["doc_id"] for row in sided], **draws)
        yield _row("agreement", keys, "agreement", *mean, abstained=len(rows) - len(sided))


def _drift(guesses, draws):
    for number in sorted({row["round"] for row in guesses}):
        rows = [row for row in guesses if row["round"] == number]
        keys, owners = {"round": number}, [row["doc_id"] for row in rows]
        yield from _numbers("drift", keys, {"guesses": len(rows)})
        for name in ("to_original", "to_previous", "to_nearest"):
            yield _row("drift", keys, name, *resampling.mean([row[name] for row in rows], owners, **draws))


def _lengths(questions):
    counts = Counter((row["intended"], row["n_words"]) for row in questions)
    words = [count for _, count in counts]
    for number in range(min(words, default=0), max(words, default=-1) + 1):
        own = {kind: counts[kind, number] for kind in KINDS}
        yield from _numbers("lengths", {"words": number}, own, len(questions))


def _nearness(questions, near):
    """A histogram without gaps of how near kept questions are to their documents."""
    found = [(row["intended"], near[row["question_id"]]["nearness"]) for row in questions if row["question_id"] in near]
    counts = Counter((kind, int(np.floor(value / BIN + 1e-9))) for kind, value in found)
    bins = [number for _, number in counts]
    first = min(bins, default=0)
    for number in range(first, max(bins, default=-1) + 1):
        own = {kind: counts[kind, number] for kind in KINDS}
        keys = {"at": number - first, "nearness": f"{number * BIN:.2f}"}
        yield from _numbers("nearness", keys, own, len(found))


def _strata(strata):
    for row in strata:
        if row["stratum"] != ALL:
            keys = {"at": row["position"], "stratum": row["stratum"], "verdict": "yes" if row["hard"] else "no"}
            count = row["n_out_of_scope"] + row["n_in_scope"]
            yield from _numbers("strata", keys, {OUT: row["n_out_of_scope"], IN: row["n_in_scope"]}, count)
            yield _row("strata", keys, "auroc", row["auroc"], count, row["auroc_low"], row["auroc_high"])
            yield _row("strata", keys, "share", row["share"], count, row["share_low"], row["share_high"])


def _rejects(rejects):
    rows = tables.read_all(tables.REJECTS, rejects, ["stage", "reason"]).to_pylist()
    for (stage, reason), count in sorted(Counter((row["stage"], row["reason"]) for row in rows).items()):
        yield from _numbers("rejects", {"stage": stage, "reason": reason}, {"rejected": count})


def _statistics(texts, questions):
    """The paper's Table 6, for the whole data set and its splits."""
    splits = {name: split_of(row["cluster_id"]) for name, row in texts.items()}
    for split in ("all", *dict.fromkeys(PARTS)):
        own = [row for name, row in texts.items() if split in ("all", splits[name])]
        asked = {
            kind: [row for row in questions if row["intended"] == kind and split in ("all", row["split"])]
            for kind in KINDS
        }
        counts = {"documents": own, "in-scope questions": asked[IN], "out-of-scope questions": asked[OUT]}
        words = {"document": own, "in-scope question": asked[IN], "out-of-scope question": asked[OUT]}
        lines = {f"Number of {name}": (len(rows), len(rows)) for name, rows in counts.items()}
        means = {name: np.mean([row["n_words"] for row in rows]) if rows else None for name, rows in words.items()}
        lines |= {f"Average words per {name}": (mean, len(words[name])) for name, mean in means.items()}
        for position, (name, (value, n)) in enumerate(lines.items(), 1):
            yield _row("table_6", {"attribute": name, "at": position}, split, value, n)


def _rows(table, paths):
    return tables.read_all(table, paths).to_pylist()


def _by(key, table, paths):
    return {row[key]: row for row in _rows(table, paths)}


def _numbers(table, keys, numbers, n=None):
    """Counts; each is its own n unless it is a share of others."""
    for name, number in numbers.items():
        yield _row(table, keys, name, number, number if n is None else n)


def _row(table, keys, name, value, n, low=None, high=None, abstained=0):
    value = None if value is None else float(value)
    return metric("scope", table, keys, name, value, n, low, high, abstained)


if __name__ == "__main__":
    run(measure_scope, snakemake)
