"""The paper's Tables 2 and 3 and Figure 1, and more of their kind; 95 % intervals with the same draws for all cells.
Table 2: how often responders decline or correct out-of-scope questions, and what declining costs on in-scope ones.
Table 3: what worked examples and more votes do for the judge of defusion. Figure 1: models that are simply asked what
is in scope, beside shared words. A table gets the questions part by part, such as shard by shard, and keeps sums."""

import json
from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.calls.parsers.result import Abstain, answer_part
from ragassay.grading.declines import declines_from_passages
from ragassay.metrics.panel import Panel
from ragassay.metrics.resampling import Judge, corrected_rate, share_interval
from ragassay.metrics.sums import Estimates, Totals
from ragassay.schemas.report import Section
from ragassay.schemas.scope_answers import DEFUSION_VOTES
from ragassay.studies.scope.verdict_matrix import (
    AFTER,
    NO_GOLD,
    UNASKED,
    JudgedCell,
    Questions,
    aligned,
    coded,
    numeric,
    period,
)

SECTION = Section("responses")
EVERY = "every question"
OVER_TOPICS = {"average": np.mean, "lowest": np.min, "highest": np.max, "deviation": np.std}
FEWER, ALL_VOTES = (1, 3, 9), 2**30
SIZES = (*FEWER, ALL_VOTES)
OWN = "as configured"
VOTES = pa.schema({"response": pa.string(), "doc_id": pa.string(), "verdict": pa.bool_()}.items())
OVERLAP = "shared words alone"
PART, TOPIC = "part", "topic"  # of questions


class Table2:
    """The rows of the tables table_2 and cells about one generator's questions."""

    def __init__(self, generator: str, cells: list[JudgedCell], times: int, seed: int):
        self.generator, self.cells, self.draws, self.totals = generator, cells, (times, seed), Totals()
        self.responses = {}  # (prompt, responder) -> how many responses are not empty, and how many were cut off

    def add(self, questions: Questions, verdicts: dict, marks: dict, responses: dict) -> None:
        """`verdicts` are cell -> codes; `marks` are parts to look at apart: name -> mask, questions x cells;
        `responses` are (prompt, responder) -> rows of them.
        """
        codes, topics = matrix(questions, verdicts, self.cells), questions.topics[questions.owners]
        wanted = questions.out & questions.kept
        asked = codes[wanted] != UNASKED
        masks = {(PART, name): part[wanted] & asked for name, part in ({EVERY: wanted[:, None]} | marks).items()}
        masks |= {(TOPIC, topic): (topics[wanted] == topic)[:, None] & asked for topic in set(topics[wanted])}
        panel = questions.panel(*self.draws)
        self.totals.add_means(panel.part(wanted), numeric(codes[wanted]), masks)
        for cell, rows in responses.items():
            counts = counts_of(questions, rows)
            self.responses[cell] = np.add(self.responses.get(cell, (0, 0)), counts)
        refused, masks = refusals(questions, self.cells, responses)
        self.totals.add_means(panel, refused, {(PART, name): mask for name, mask in masks.items()})

    def rows(self, judges: dict[str, Judge]) -> Iterator[dict]:
        """`judges` is how each judge does on gold."""
        estimates = self.totals.estimates()
        parts, topics = (
            {name: estimates[kind, name] for of, name in estimates if of == kind} for kind in (PART, TOPIC)
        )
        topics = dict(sorted(topics.items()))
        least, most = parts[EVERY].bounds()
        for at, cell in enumerate(self.cells):
            keys = {"at": at, "generator": self.generator, **cell._asdict()}
            every = parts[EVERY].row(at)
            counts = {name: every[name] for name in ("n", "abstained")}
            for topic, estimates in topics.items():
                yield SECTION.row("table_2", keys | {"topic": topic}, "accuracy", **estimates.row(at))
            for name, numbers in _over_topics(list(topics.values()), at).items() if topics else ():
                yield SECTION.row("table_2", keys, name, **numbers, **counts)
            answered, truncated = map(int, self.responses.get((cell.prompt, cell.responder), (0, 0)))
            n_asked = sum(counts.values())
            numbers = {"asked": n_asked, "answered": answered, "truncated": truncated, "parsed": counts["n"]}
            numbers |= {"abstained": counts["abstained"]}
            numbers |= {"at_least": least[at], "at_most": most[at]}  # all that abstained, against or for
            yield from SECTION.rows("cells", keys, numbers, n_asked)
            for name, estimates in parts.items():
                yield SECTION.row("cells", keys, "accuracy" if name == EVERY else name, **estimates.row(at))
            value = low = high = None
            if every["value"] is not None:
                drawn, clusters = parts[EVERY].drawn[:, at], int(parts[EVERY].clusters[at])
                judge = judges.get(cell.judge, NO_GOLD)
                value, low, high = corrected_rate(every["value"], drawn, judge, self.draws[1], clusters)
            yield SECTION.row("cells", keys, "corrected", value, 0 if value is None else every["n"], low, high)


def matrix(questions: Questions, verdicts: dict, cells: list[JudgedCell]) -> np.ndarray:
    """questions x cells: the codes of all verdicts."""
    unasked = np.full(len(questions.ids), UNASKED, np.int8)
    return np.stack([verdicts.get(cell, unasked) for cell in cells], axis=1)


def parts_of(questions: Questions, cells: dict, hard, cutoffs: dict) -> dict:
    """Parts of the questions to look at apart: the hard ones, and those that the responder cannot have read about."""
    after = {
        responder: np.array([period(day, cutoffs.get(responder)) == AFTER for day in questions.published], bool)
        for responder in {cell.responder for cell in cells}
    }
    unread = np.stack([after[cell.responder][questions.owners] for cell in cells], axis=1)
    return {"hard": hard[:, None], "after_cutoff": unread}


def counts_of(questions: Questions, responses) -> tuple[int, int]:
    """How many responses to kept out-of-scope questions are not empty, and were cut off."""
    wanted = questions.ids.filter(pa.array(questions.out & questions.kept))
    responses = responses.filter(pc.is_in(responses["question_id"], value_set=wanted))
    answered = pc.not_equal(pc.utf8_trim_whitespace(responses["text"]), "")
    return tuple(pc.sum(column, min_count=0).as_py() for column in (answered, responses["truncated"]))


def refusals(questions: Questions, cells: list[JudgedCell], responses: dict) -> tuple[np.ndarray, dict]:
    """questions x cells: which responses to in-scope questions refuse to answer; and the masks of all of them and of
    those to kept questions. An empty response is no refusal.
    """
    refused, asked = np.full((len(questions.ids), len(cells)), np.nan), np.zeros((len(questions.ids), len(cells)), bool)
    wanted = questions.ids.filter(pa.array(~questions.out))
    for (prompt, responder), rows in responses.items():
        rows = rows.filter(pc.is_in(rows["question_id"], value_set=wanted))
        texts = zip(rows["text"].to_pylist(), rows["finish_reason"].to_pylist(), strict=True)
        sides = np.array([_refused(answer_part(*text)) for text in texts], float)
        of_cell = [at for at, cell in enumerate(cells) if (cell.prompt, cell.responder) == (prompt, responder)]
        refused[:, of_cell] = aligned(questions.ids, rows["question_id"], sides, np.nan)[:, None]
        asked[:, of_cell] = questions.are_in(rows["question_id"])[:, None]
    return refused, {"refused": asked, "refused_kept": asked & questions.kept[:, None]}


def _refused(part):
    """1 if a response declines, 0 if it answers, NaN if there is none."""
    if isinstance(part, Abstain):
        return 1.0 if part.reason == "refusal" else np.nan
    return float(declines_from_passages(part))


def basis_rows(judge: str, by_rules: bool, responders, labelled: int, questions: int) -> Iterator[dict]:
    """What the numbers rest on: whether the study's own judge is a set of rules, whether it also responds, and how many
    labels of people there are.
    """
    numbers = {"rules": float(by_rules), "responds": float(judge in responders), "labelled": labelled}
    yield from SECTION.rows("basis", {"judge": judge}, numbers, questions)


def _over_topics(topics: list[Estimates], at: int) -> dict:
    """Mean, extremes and deviation of the topics' rates, as in the paper; the mean with its interval."""
    rates = np.array([estimates.values[at] for estimates in topics])
    drawn = np.stack([estimates.drawn[:, at] for estimates in topics], axis=1)  # draws x topics
    defined = rates[~np.isnan(rates)]
    if not len(defined):
        return {name: {"value": None} for name in OVER_TOPICS}
    values = {name: {"value": float(of(defined))} for name, of in OVER_TOPICS.items()}
    there = ~np.isnan(drawn)
    totals = np.where(there, drawn, 0).sum(axis=1)
    means = np.divide(totals, there.sum(axis=1), out=np.full(len(totals), np.nan), where=there.any(axis=1))
    items, documents = (sum(int(getattr(part, name)[at]) for part in topics) for name in ("counts", "clusters"))
    low, high = share_interval(values["average"]["value"], means, documents, items)
    return values | {"average": values["average"] | {"low": low, "high": high}}


def judge_rows(names, judges: dict[str, Judge]) -> Iterator[dict]:
    """The rows of the table judges."""
    for name in sorted(names):
        judge = judges.get(name, NO_GOLD)
        for rate, n in (("sensitivity", judge.yes), ("specificity", judge.no)):
            yield SECTION.row("judges", {"judge": name}, rate, getattr(judge, rate), n)


class Table3:
    """The rows of table_3. `ways` to ask are variants of the prompt, the study's own under an empty name."""

    def __init__(self, ways: Iterable[str], least_share: float, times: int, seed: int):
        self.ways = sorted(set(ways), key=lambda way: (way == "", way))
        self.least_share, self.draws, self.totals = least_share, (times, seed), Totals()
        self.most = dict.fromkeys(self.ways, 0)  # way -> most votes on a response

    def add(self, votes: dict[str, pa.Table], gold: dict) -> None:
        """`votes` are those of each way, as `votes_by_way` has them; `gold` is response -> what people say."""
        if not self.ways:
            return
        of_ways = [self._sides(way, votes[way] if way in votes else VOTES.empty_table()) for way in self.ways]
        names, documents = (pa.chunked_array(parts).combine_chunks() for parts in list(zip(*of_ways, strict=True))[:2])
        responses = names.unique()
        panel = Panel(documents.take(pc.index_in(responses, value_set=names)).to_pylist(), *self.draws)
        sides = [aligned(responses, names, of_way, np.nan) for names, _, of_way in of_ways]
        voted = [np.asarray(pc.is_in(responses, value_set=names)) for names, _, _ in of_ways]
        labels = (pa.array(part, pa.string()) for part in (gold, gold.values()))
        truths = {"accuracy": aligned(responses, next(labels), numeric(coded(next(labels))), np.nan)}
        truths["agreement"] = sides[-1][:, -1] if "" in votes else np.full(len(responses), np.nan)
        sides, voted = np.concatenate(sides, axis=1), np.stack(voted, axis=1).repeat(len(SIZES), axis=1)
        for name, truth in truths.items():
            right = np.where(np.isnan(sides), np.nan, sides == truth[:, None])
            self.totals.add_means(panel, right, {name: voted & ~np.isnan(truth)[:, None]})

    def _sides(self, way, votes):
        """The responses, their documents, and responses x sizes what the first votes say: 1 is defused, 0 is not."""
        runs = pc.run_end_encode(votes["response"].combine_chunks())
        ends = np.asarray(runs.run_ends)
        lengths = np.diff(ends, prepend=0)
        starts = ends - lengths
        numbers = np.arange(votes.num_rows) - starts.repeat(lengths)
        verdicts = [np.asarray(pc.fill_null(pc.equal(votes["verdict"], side), False)) for side in (True, False)]
        sides = []
        for size in SIZES:
            yes, no = (np.add.reduceat(given & (numbers < size), starts, dtype=int) for given in verdicts)
            is_label = (yes != no) & (yes + no >= self.least_share * np.minimum(lengths, size))
            sides.append(np.where(is_label, yes > no, np.nan))
        self.most[way] = int(lengths.max(initial=self.most[way]))
        return runs.values, votes["doc_id"].combine_chunks().take(pa.array(starts)), np.stack(sides, axis=1)

    def rows(self) -> Iterator[dict]:
        estimates = self.totals.estimates()
        for at, way in enumerate(self.ways, 1):
            for votes in sorted({size for size in (*FEWER, self.most[way]) if 0 < size <= self.most[way]}):
                keys = {"at": at, "examples": way or OWN, "votes": votes}
                column = (at - 1) * len(SIZES) + SIZES.index(votes if votes in FEWER else ALL_VOTES)
                for name in ("accuracy", "agreement"):
                    yield SECTION.row("table_3", keys, name, **estimates[name].row(column))


def votes_by_way(paths) -> dict[str, pa.Table]:
    """The way to ask (a variant of the prompt, empty for the study's own) -> response, document and verdict of each
    vote, those on a response in their order.
    """
    keys, columns = ["variant", "responder", "prompt"], ["question_id", "doc_id", "verdict"]
    by_way = {}
    for (variant, *cell), rows in tables.by_keys(DEFUSION_VOTES, paths, keys, columns).items():
        rows = rows.append_column("response", response_name(rows["question_id"], *cell))
        by_way.setdefault(way_of(variant), []).append(rows.drop_columns("question_id"))
    return {way: pa.concat_tables(parts) for way, parts in by_way.items()}


def way_of(variant: str) -> str:
    return variant.removeprefix("_")


def response_name(question, responder, prompt):
    return pc.binary_join_element_wise(question, responder, prompt, "\n")


class Detection:
    """The rows of the table detection about one generator's questions; `judge` has chosen those that are kept."""

    def __init__(self, generator: str, models: list[str], judge: str, times: int, seed: int):
        self.generator, self.models, self.judge, self.draws = generator, [*models, OVERLAP], judge, (times, seed)
        self.totals = Totals()

    def add(self, questions: Questions, labels: dict, overlap, hard, gold) -> None:
        """`labels` are model -> codes of questions, `gold` those of what people say; `overlap` are scores of the
        control, NaN without one, `hard` is a mask of questions that the control cannot tell apart.
        """
        control = np.where(np.isnan(overlap), UNASKED, overlap > 0.5)
        codes = matrix(questions, labels | {OVERLAP: control}, self.models)
        scored = codes != UNASKED  # only kept questions have a score; models may have been asked about some
        verdicts, settled = numeric(codes), numeric(gold)
        has_chosen = np.array([model == self.judge for model in self.models], bool)

        def asked(mask, without_judge=True):
            return mask[:, None] & scored & ~(has_chosen & without_judge)

        kept = questions.kept
        views = {"meant": asked(np.ones(len(kept), bool), without_judge=False)}
        views |= {"kept": asked(kept), "hard": asked(kept & hard)}
        sides = {"found": asked(kept & questions.out), "false_alarms": asked(kept & ~questions.out)}
        panel = questions.panel(*self.draws)
        self.totals.add_means(panel, _right(verdicts, questions.out.astype(float)), views)
        self.totals.add_means(panel, _right(verdicts, settled), {"gold": asked(~np.isnan(settled), False)})
        self.totals.add_means(panel, verdicts, sides)

    def rows(self) -> Iterator[dict]:
        for view, estimates in self.totals.estimates().items():
            for at, model in enumerate(self.models):
                keys = {"at": at, "generator": self.generator, "model": model}
                yield SECTION.row("detection", keys, view, **estimates.row(at))


def figure_1(rows):
    """Rows of the table detection under the name that the paper has for them; they are about one generator."""
    for row in rows:
        keys = {name: key for name, key in json.loads(row["keys"]).items() if name != "generator"}
        yield row | {"table": "figure_1", "keys": json.dumps(keys, ensure_ascii=False)}


def _right(verdicts, truth):
    """questions x models: whether a verdict is right, NaN where there is none."""
    return np.where(np.isnan(verdicts), np.nan, verdicts == truth[:, None])
