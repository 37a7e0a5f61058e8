"""Write the tables of an invented scope study of any size, for tests and measurements of what reads all shards at once.

    PYTHONPATH=workflow .venv/bin/python -m tools.synthetic_study DOCUMENTS FOLDER [PROCESSES]

A generator wrote three questions of each kind about every document, a judge voted on them, a responder answered, and a
detector scored them. Texts are random words. Rates differ from document to document around those of `TRUE`, with which
the numbers of a gather can be compared. A table of a shard follows from the number of the shard alone, so that shards
are written side by side.
"""

import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.base.chance import split_of
from ragassay.schemas import scope_answers as answers
from ragassay.schemas import scope_questions as asked
from ragassay.schemas.documents import DOCUMENTS
from ragassay.schemas.hardness import FEATURES, HARDNESS, HARDNESS_SCORES, HARDNESS_STRATA
from ragassay.schemas.relevance import DRIFT
from ragassay.schemas.report import CALLS
from ragassay.studies.scope.controls import fold
from ragassay.studies.scope.strata import ALL, EASY, HARD_GRADE, stratum_names
from ragassay.studies.scope.votes import DEFUSED, IN, KEPT, NOT_DEFUSED, OUT, status
from tools.synthetic_columns import ballots, each, filled, ids, logistic, majorities, rates, texts, verdicts

SHARD = 2_000  # documents, as docs/cluster.md advises
KEYS = {"generator": "writer", "judge": "judge", "responder": "responder", "prompt": "basic", "asked": "writer"}
KEYS |= {"detector": "probe", "encoder": "encoder"}
TABLES = (DOCUMENTS, asked.CLAIMS, asked.RECOVERED_CLAIMS, asked.NOVEL_CLAIMS, asked.QUESTIONS, asked.SCOPE_VOTES)
TABLES += (asked.SCOPE_LABELS, HARDNESS, HARDNESS_SCORES, HARDNESS_STRATA)  # some of those that are written
VARIANTS = ("", "_plain")  # in which defusion judges are asked
CLAIMS, ROUNDS, OF_A_KIND, VOTES = 6, 3, 3, 9
QUESTIONS = 2 * OF_A_KIND  # of a document
HEADS = {"logistic": 0, "mlp": 1}  # with the seed of each
TOPICS = np.array(["business", "health", "science", "sports"])
DAY, FIRST_DAY, DAYS = 86_400_000, 20_454, 365  # milliseconds; the first of 2026, in days since 1970
LIMITS = [0.5, 0.6, 0.7, 0.8]  # between strata, the default
FARTHEST = 0.3  # the least nearness
REJECTED = {"claims": "/writer", "documents": ""}  # stage -> the folder of its rejects below its own
TRUE = {
    "settled": 0.96,  # of all questions and responses, those with a majority
    "agreed_out": 0.85,  # of settled out-of-scope questions, those that the judge calls so
    "agreed_in": 0.95,
    "defused": 0.4,  # of settled responses to out-of-scope questions
    "declined": 0.3,  # of closed-book answers
    "control": 1.5,  # standard deviations between the kinds in the overlap control, but none in the nearest stratum
    "detector": 1.0,  # the same in the detector's scores
}


def write(documents: int, folder, processes: int = 1) -> None:
    """All tables, in the places below `folder` that they have below results/."""
    numbers = range(-(-documents // SHARD))
    sizes = [min(SHARD, documents - number * SHARD) for number in numbers]
    kept = Counter()
    whole = tables.Writer(HARDNESS_SCORES, place(folder, HARDNESS_SCORES))
    with ProcessPoolExecutor(processes) as pool, whole as writer:
        for scores in pool.map(_write_shard, numbers, sizes, [folder] * len(sizes)):
            kept.update(zip(scores["stratum"].to_pylist(), scores["intended"].to_pylist(), strict=True))
            writer.write(scores)
    tables.write(HARDNESS_STRATA, place(folder, HARDNESS_STRATA), list(_strata(kept)))
    epoch = {"head": "logistic", "percent": 100, "seed": 0, "epoch": 1, "kept": True}
    epoch |= {"documents": documents, "questions": kept.total()}
    training = answers.DETECTOR_TRAINING
    tables.write(training, place(folder, training), filled(training, 1, **epoch))


def shards(documents: int) -> list[str]:
    """Their names."""
    return [_name(number) for number in range(-(-documents // SHARD))]


def place(folder, table: tables.Table, shard: str = "", variant: str = "") -> Path:
    """Where a file of a table lies."""
    return Path(folder) / f"{table.path.format(**KEYS, shard=shard, variant=variant)}.parquet"


def rejects(folder, shard: str) -> list[Path]:
    return [Path(folder) / f"rejects/{stage}{inner}/{shard}.parquet" for stage, inner in REJECTED.items()]


def calls(folder, shard: str) -> Path:
    return Path(folder) / f"calls/judge_scope/{KEYS['generator']}/{KEYS['judge']}/{shard}.parquet"


def _name(number):
    return f"s{number:06}"


def _write_shard(number, count, folder):
    """Write the tables of a shard, and return its rows of the table that is of the whole study."""
    shard = Shard(number, count, folder)
    shard.write_documents()
    shard.write_claims()
    shard.write_questions()
    shard.write_labels()
    shard.write_answers()
    shard.write_counts()
    scores = shard.write_hardness()
    shard.write_predictions()
    return scores


class Shard:
    """The tables of one shard; each method needs those before it."""

    def __init__(self, number: int, count: int, folder):
        self.name, self.folder, self.random = _name(number), folder, np.random.default_rng([7, number])
        self.documents = np.arange(count) + number * SHARD  # documents x number
        self.made = {"generator": KEYS["generator"], "prompt": "digest"}

    def put(self, table, count, variant="", **columns) -> pa.Table:
        rows = filled(table, count, **columns)
        tables.write(table, place(self.folder, table, self.name, variant), rows)
        return rows

    def write_documents(self):
        random, count = self.random, len(self.documents)
        self.doc_ids, self.clusters = ids("doc", self.documents), ids("cluster", self.documents)
        names = {"doc_id": self.doc_ids, "cluster_id": self.clusters, "article_id": ids("art", self.documents)}
        sites = pa.array([f"site{site}.example" for site in range(50)]).take(pa.array(random.integers(50, size=count)))
        days = (FIRST_DAY + random.integers(DAYS, size=count)) * DAY
        origin = {"shard": self.name, "topic": TOPICS[random.integers(len(TOPICS), size=count)], "site": sites}
        origin |= {"published_at": pa.array(days).cast(tables.TIME), "content_hash": ids("hash", self.documents)}
        written = {"title": texts(random, count, 8), "text": texts(random, count, 12, sentences=25), "n_words": 300}
        self.put(DOCUMENTS, count, **names, **origin, **written)

    def write_claims(self):
        random, slots = self.random, np.tile(np.arange(CLAIMS) + 1, len(self.documents))
        numbers = np.repeat(self.documents * CLAIMS, CLAIMS) + slots - 1
        columns = {"claim_id": ids("claim", numbers), "doc_id": each(self.doc_ids, CLAIMS), "slot": slots}
        same = {"shard": self.name, **self.made}
        self.put(asked.CLAIMS, len(slots), **columns, text=texts(random, len(slots), 12), **same)
        count, rounds = len(slots) * ROUNDS, np.tile(np.arange(ROUNDS) + 1, len(slots))
        columns = {"claim_id": each(columns["claim_id"], ROUNDS), "text": texts(random, count, 12)}
        guesses = {"doc_id": each(self.doc_ids, CLAIMS * ROUNDS), "round": rounds, "slot": slots.repeat(ROUNDS)}
        guesses |= {"recovered_id": ids("recovered", numbers.repeat(ROUNDS) * ROUNDS + rounds - 1)}
        recovered = self.put(asked.RECOVERED_CLAIMS, count, **guesses, **columns, subset=1, **same)
        names = ("to_original", "to_previous", "to_nearest")
        similarities = {name: random.uniform(size=count).round(5) for name in names}
        self.put(DRIFT, count, **guesses, **similarities, encoder=KEYS["encoder"])
        is_novel = pa.array((rounds == ROUNDS) & (guesses["slot"] <= OF_A_KIND))
        novel = recovered.filter(is_novel).select(asked.NOVEL_CLAIMS.schema.names)
        tables.write(asked.NOVEL_CLAIMS, place(self.folder, asked.NOVEL_CLAIMS, self.name), novel)

    def write_questions(self):
        count = len(self.documents) * QUESTIONS
        places = np.tile(np.arange(QUESTIONS), len(self.documents))
        self.out, slots = places >= OF_A_KIND, places % OF_A_KIND + 1
        claims = self.documents.repeat(QUESTIONS) * CLAIMS + slots - 1
        is_in = pa.array(~self.out)
        nothing = pa.scalar(None)
        lineage = {"claim_id": ids("claim", claims), "recovered_id": ids("recovered", claims * ROUNDS + ROUNDS - 1)}
        lineage |= {"round": pa.array(np.full(count, ROUNDS))}
        lineage = {name: pc.if_else(is_in, nothing, column) for name, column in lineage.items()}
        self.questions = self.put(
            asked.QUESTIONS,
            count,
            question_id=ids("question", self.documents.repeat(QUESTIONS) * QUESTIONS + places),
            doc_id=each(self.doc_ids, QUESTIONS),
            shard=self.name,
            intended=np.where(self.out, OUT, IN),
            slot=slots,
            text=texts(self.random, count, 15),
            n_words=15,
            **lineage,
            **self.made,
        )

    def write_labels(self):
        """Votes on scope, their labels, and the status of each question."""
        random, count, judge = self.random, len(self.out), {"judge": KEYS["judge"], "prompt": "digest"}
        rate = np.where(self.out, self._rates("agreed_out"), self._rates("agreed_in"))
        agreed = random.uniform(size=count) < rate
        yes, no = ballots(random, self.out == agreed, TRUE["settled"], VOTES)
        columns = {name: self.questions[name] for name in ("question_id", "doc_id")}
        self._put_votes(asked.SCOPE_VOTES, columns, yes, no, **judge)
        self.labels = majorities(yes, no, OUT, IN)
        of_label = {"label": self.labels, "margin": (yes - no) / VOTES}
        votes = {"out_votes": yes, "in_votes": no, "abstained": VOTES - yes - no}
        self.put(asked.SCOPE_LABELS, count, **columns, **of_label, **votes, **judge)
        self.parts = np.array([split_of(cluster) for cluster in self.clusters.to_pylist()])
        intended = self.questions["intended"].to_pylist()
        self.status = np.array([status(*both) for both in zip(intended, self.labels.tolist(), strict=True)])
        same = dict(zip(self.questions.column_names, self.questions.columns, strict=True)) | of_label
        same |= {"split": self.parts.repeat(QUESTIONS), "status": self.status, "judge": KEYS["judge"]}
        self.put(asked.SELECTED_QUESTIONS, count, **same)

    def write_answers(self):
        """Responses, with votes on those to out-of-scope questions and their labels, and closed-book answers."""
        random, count = self.random, len(self.out)
        columns = {name: self.questions[name] for name in ("question_id", "doc_id")}
        same = {"responder": KEYS["responder"], "prompt": "digest", "finish_reason": "stop", "truncated": False}
        tokens = {"prompt_tokens": 500, "completion_tokens": 30}
        whose = {"responder": KEYS["responder"], "prompt_name": KEYS["prompt"]}
        self.put(answers.RESPONSES, count, **columns, text=texts(random, count, 25), **tokens, **same | whose)
        declined = pa.array(random.uniform(size=count) < TRUE["declined"])
        text = pc.if_else(declined, "I do not know.", texts(random, count, 12))
        self.put(answers.CLOSED_BOOK_ANSWERS, count, **columns, text=text, **tokens, **same)
        out = pa.array(self.out)
        columns = {name: column.filter(out) for name, column in columns.items()}
        whose |= {"judge": KEYS["judge"], "prompt": "digest"}
        for variant in VARIANTS:
            side = random.uniform(size=len(self.out)) < self._rates("defused")
            yes, no = ballots(random, side[self.out], TRUE["settled"], VOTES)
            self._put_votes(answers.DEFUSION_VOTES, columns, yes, no, variant=variant, **whose)
            if not variant:
                votes = {"defused_votes": yes, "not_defused_votes": no, "abstained": VOTES - yes - no}
                of_label = {"label": majorities(yes, no, DEFUSED, NOT_DEFUSED), "margin": (no - yes) / VOTES}
                self.put(answers.DEFUSION_LABELS, len(yes), **columns, **of_label, **votes, **whose)

    def write_hardness(self) -> pa.Table:
        """Also what the controls say of the kept questions."""
        random, count = self.random, len(self.out)
        nearness = random.uniform(FARTHEST, 1, size=count).round(5)
        names = stratum_names(LIMITS)
        strata = np.array(names)[np.searchsorted(LIMITS, nearness, side="right")]
        nearest = strata == names[-1]
        noise = random.standard_normal((len(FEATURES), count))
        noise[0] += TRUE["control"] * (self.out & ~nearest)
        same = {name: self.questions[name] for name in ("question_id", "doc_id", "intended")}
        same |= {"shard": self.name, "stratum": strata}
        of_claim = pa.array(nearness, mask=~self.out)
        measured = {"nearness": nearness, "nearness_mean": nearness, "n_entities": 2, "n_shared_entities": 1}
        measured |= {"claim_nearness": of_claim, "claim_nearness_mean": of_claim}
        measured |= dict(zip(FEATURES, noise.round(5), strict=True))
        clusters = each(self.clusters, QUESTIONS)
        self.put(HARDNESS, count, **same, **measured, cluster_id=clusters, encoder=KEYS["encoder"])
        folds = np.array([fold(cluster) for cluster in self.clusters.to_pylist()]).repeat(QUESTIONS)
        scores = {"score": logistic(noise[0]).round(6), "wording": random.uniform(size=count).round(6)}
        rows = filled(HARDNESS_SCORES, count, **same, **scores, fold=folds, hard=nearest)
        return rows.filter(pa.array(self.status == KEPT))

    def write_predictions(self):
        """What the detector's heads say of all questions."""
        same = {name: self.questions[name] for name in ("question_id", "doc_id", "intended", "shard")}
        same |= {"part": self.parts.repeat(QUESTIONS), "asked": KEYS["asked"]}
        parts = []
        for head, seed in HEADS.items():
            score = self.random.standard_normal(len(self.out)) + TRUE["detector"] * (self.out - 0.5)
            says = {"score": score, "probability": logistic(TRUE["detector"] * score), "out_of_scope": score > 0}
            parts.append(filled(answers.PREDICTIONS, len(score), **same, **says, head=head, seed=seed))
        tables.write(answers.PREDICTIONS, place(self.folder, answers.PREDICTIONS, self.name), pa.concat_tables(parts))

    def write_counts(self):
        """One reject of each stage that has some, and what the judge was paid."""
        for path in rejects(self.folder, self.name):
            row = {"stage": "synthetic", "shard": self.name, "item": "item", "reason": "empty", "detail": "nothing"}
            tables.write(tables.REJECTS, path, [row])
        count, numbers = len(self.out), dict.fromkeys(CALLS.schema.names, 0)
        numbers |= {"model": KEYS["judge"], "requests": count, "replies": count, "samples": VOTES * count}
        numbers |= {"dollars": count / 1000, "served_as": None}
        tables.write(CALLS, calls(self.folder, self.name), [numbers])

    def _put_votes(self, table, columns, yes, no, variant="", **same):
        count = len(yes) * VOTES
        voted = {name: each(column, VOTES) for name, column in columns.items()}
        given = verdicts(yes, no, VOTES)
        why = pc.if_else(given.is_null(), "empty", pa.scalar(None))
        numbers = np.tile(np.arange(VOTES) + 1, len(yes))
        self.put(table, count, variant, **voted, vote=numbers, verdict=given, abstained=why, **same)

    def _rates(self, name):
        """Of each question: that of its document."""
        return rates(self.random, TRUE[name], len(self.documents)).repeat(QUESTIONS)


def _strata(kept):
    """Rows of hardness_strata, from counts of kept questions by stratum and kind; the nearest alone is hard."""
    names = stratum_names(LIMITS)
    counts = {name: (kept[name, OUT], kept[name, IN]) for name in names}
    outs, ins = (sum(of_kind) for of_kind in zip(*counts.values(), strict=True))
    for position, (name, (out, within)) in enumerate([*counts.items(), (ALL, (outs, ins))]):
        is_hard, n_hard = name == names[-1], counts[names[-1]][0]
        row = dict.fromkeys(HARDNESS_STRATA.schema.names) | {"position": position, "stratum": name, "hard": is_hard}
        row |= {"grade": HARD_GRADE if is_hard else EASY, "n_out_of_scope": out, "n_in_scope": within}
        yield row | {
            "n_hard": n_hard if is_hard or name == ALL else 0,
            "share": n_hard / outs if name == ALL else out / outs,
        }


if __name__ == "__main__":
    write(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 1)
