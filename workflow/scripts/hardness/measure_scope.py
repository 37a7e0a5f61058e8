"""Turn the tables of the scope study into the metrics and the examples of the report's section.

Models are compared in one table; everything else is about the study's own generator and judge, which are the first.
Intervals are 95 %, from resampled documents. A hash of the ids chooses the few questions that are shown with their
lineage: one from a hard stratum, another kept one, one that the judge disputed, each of a different document.
"""

from collections.abc import Iterator

import numpy as np

from ragassay.base import tables
from ragassay.base.chance import lot
from ragassay.base.stage import run
from ragassay.documents.ids import PARTS, split_of
from ragassay.metrics.panel import Panel
from ragassay.schemas.documents import DOCUMENTS, NO_TOPIC
from ragassay.schemas.hardness import HARDNESS, HARDNESS_SCORES, HARDNESS_STRATA
from ragassay.schemas.relevance import DRIFT
from ragassay.schemas.report import EXAMPLES, METRICS, Section
from ragassay.schemas.scope_questions import CLAIMS, NOVEL_CLAIMS, RECOVERED_CLAIMS, SCOPE_LABELS, SELECTED_QUESTIONS
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
TITLES = {"hard": "kept, in a hard stratum", KEPT: "kept", DISPUTED: "disputed by the judge"}


def measure_scope(
    documents, claims, recovered_claims, drift, novel_claims, scope_labels, selected_questions, hardness,
    hardness_scores, hardness_strata, rejects, metrics, examples, generator, judge, resamples, seed,
):  # fmt: skip
    """Files of selected_questions and hardness_strata are of all models, the others of the study's own."""
    everything = tables.frame(SELECTED_QUESTIONS, selected_questions)
    questions = _of_models(everything, generator, judge)
    kept = questions[questions["status"] == KEPT]
    strata = tables.frame(HARDNESS_STRATA, hardness_strata)
    texts = tables.frame(DOCUMENTS, documents).drop_duplicates("doc_id", keep="last")
    originals = tables.frame(CLAIMS, claims)
    guesses, near = tables.frame(DRIFT, drift), tables.frame(HARDNESS, hardness)
    rows = [
        *model_rows(everything, strata),
        *funnel_rows(texts, originals, guesses, tables.frame(NOVEL_CLAIMS, novel_claims), questions),
        *agreement_rows(questions, resamples, seed),
        *drift_rows(guesses, resamples, seed),
        *length_rows(kept),
        *nearness_rows(kept, near),
        *stratum_rows(_of_models(strata, generator, judge)),
        *reject_rows(tables.read_all(tables.REJECTS, rejects).to_pandas()),
        *table_6(texts, kept),
    ]
    tables.write(METRICS, metrics, rows)
    recovered, labels = tables.frame(RECOVERED_CLAIMS, recovered_claims), tables.frame(SCOPE_LABELS, scope_labels)
    scores = tables.frame(HARDNESS_SCORES, hardness_scores)
    tables.write(
        EXAMPLES, examples, example_rows(questions, texts, originals, recovered, guesses, labels, near, scores)
    )


def _of_models(rows, generator, judge):
    return rows[(rows["generator"] == generator) & (rows["judge"] == judge)]


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


def drift_rows(guesses, times: int, seed: int) -> Iterator[dict]:
    """How far recovered claims are from the original ones, round by round."""
    for number, rows in guesses.groupby("round"):
        yield from SECTION.rows("drift", {"round": number}, {"guesses": len(rows)})
        means = Panel(rows["doc_id"], times, seed).mean(rows[SIMILARITIES])
        for at, name in enumerate(SIMILARITIES):
            yield SECTION.row("drift", {"round": number}, name, **means.row(at))


def length_rows(kept) -> Iterator[dict]:
    for words, counts in _histogram(kept["n_words"], kept["intended"]):
        yield from SECTION.rows("lengths", {"words": words}, counts, len(kept))


def nearness_rows(kept, hardness) -> Iterator[dict]:
    """How near kept questions are to the nearest claim of their document."""
    near = kept[["question_id", "intended"]].merge(hardness[["question_id", "nearness"]], on="question_id")
    bins = np.floor(near["nearness"] / BIN + 1e-9).astype(int)
    for at, (number, counts) in enumerate(_histogram(bins, near["intended"])):
        yield from SECTION.rows("nearness", {"at": at, "nearness": f"{number * BIN:.2f}"}, counts, len(near))


def _histogram(bins, kinds) -> Iterator[tuple[int, dict]]:
    """The counts of each kind in each bin, empty bins between full ones included."""
    counts = bins.groupby([kinds, bins]).size()
    for number in range(bins.min(), bins.max() + 1) if len(bins) else ():
        yield number, {kind: int(counts.get((kind, number), 0)) for kind in KINDS}


def stratum_rows(strata) -> Iterator[dict]:
    for row in strata[strata["stratum"] != ALL].itertuples():
        keys = {"at": row.position, "stratum": row.stratum, "verdict": VERDICTS[row.grade]}
        counts = {OUT: row.n_out_of_scope, IN: row.n_in_scope}
        yield from SECTION.rows("strata", keys, counts, sum(counts.values()))
        for name in ("auroc", "question_alone", "share"):
            value, low, high = (getattr(row, f"{name}{end}") for end in ("", "_low", "_high"))
            yield SECTION.row("strata", keys, name, value, sum(counts.values()), low, high)


def example_rows(questions, documents, claims, recovered, drift, labels, hardness, scores) -> Iterator[dict]:
    """The rows of the table examples, from pandas frames."""
    guesses = recovered[["recovered_id", "text"]].merge(drift, on="recovered_id").sort_values("round")
    hard = set(scores.loc[scores["hard"].eq(True), "question_id"])
    for number, (title, question) in enumerate(chosen(_records(questions), hard), 1):
        slot, asked = ["doc_id", "slot"], ["question_id"]
        given = _alike(documents, question, ["doc_id"])[0], _alike(claims, question, slot)[0]
        given += _alike(guesses, question, slot), _alike(labels, question, asked)[0]
        given += tuple(next(iter(_alike(rows, question, asked)), None) for rows in (hardness, scores))
        for position, (part, text) in enumerate(lineage(question, *given), 1):
            same = {"study": "scope", "example": number, "position": position, "title": title}
            yield {**same, "part": part, "text": text}


def chosen(questions: list[dict], hard: set[str]) -> list[tuple[str, dict]]:
    """(title, question) of at most three; `hard` are ids of questions in hard strata."""
    pools = {name: [] for name in TITLES}
    for row in sorted(questions, key=lambda row: lot("example", row["question_id"])):
        if row["intended"] == OUT and row["status"] in (KEPT, DISPUTED):
            pools["hard" if row["status"] == KEPT and row["question_id"] in hard else row["status"]].append(row)
    examples, used = [], set()
    for wanted in ("hard", KEPT, DISPUTED):
        candidates = ((name, row) for name in (wanted, KEPT, "hard") for row in pools[name])
        name, row = next(((name, row) for name, row in candidates if row["doc_id"] not in used), (None, None))
        if row:
            used.add(row["doc_id"])
            examples.append((TITLES[name], row))
    return examples


def lineage(question, document, claim, guesses, label, hardness, score) -> Iterator[tuple[str, str]]:
    """(kind, text) of each passage, in the order of their creation. `guesses` are the recovered claims of the slot with
    their similarity, round by round; `hardness` and `score` may be None.
    """
    yield "Headline", document["title"] or "(none)"
    date = document["published_at"]
    yield "Published", f"{document['site'] or 'no site'}, {date.date().isoformat() if date else 'no date'}"
    yield "Document", document["text"]
    yield f"Claim in slot {claim['slot']}", claim["text"]
    for guess in guesses:
        novel = "; not supported, so asked about" if guess["recovered_id"] == question["recovered_id"] else ""
        yield f"Round {guess['round']}, similarity {guess['to_original']:.2f}{novel}", guess["text"]
    yield "Question", question["text"]
    votes = f"{label['out_votes']} out of scope, {label['in_votes']} in scope, {label['abstained']} without a verdict"
    yield f"Votes of {question['judge']}", votes
    yield "Outcome", f"{question['status']}, labelled {question['label']}, split {question['split']}"
    if hardness:
        scored = score is not None and score["score"] is not None
        alone = f"; out of scope by shared words alone: {score['score']:.2f}" if scored else ""
        yield "Nearness", f"{hardness['nearness']:.2f} to its document's nearest claim{alone}"


def _alike(rows, question, names):
    """The rows that are about the same as a question."""
    for name in names:
        rows = rows[rows[name] == question[name]]
    return _records(rows)


def _records(rows):
    """Rows of a frame as dicts; what is missing is None."""
    return rows.astype(object).where(rows.notna(), None).to_dict("records")


if __name__ == "__main__":
    run(measure_scope, snakemake)
