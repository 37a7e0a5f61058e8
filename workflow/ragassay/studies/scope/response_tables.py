"""The paper's Tables 2 and 3 and Figure 1, and more of their kind; 95 % intervals with the same draws for all cells.
Table 2: how often responders decline or correct out-of-scope questions, and what declining costs on in-scope ones.
Table 3: what worked examples and more votes do for the judge of defusion. Figure 1: models that are simply asked what
is in scope, beside shared words. A table gets the questions part by part, such as shard by shard, and keeps sums."""

import json
from collections.abc import Iterator

import numpy as np

from ragassay.base import tables
from ragassay.calls.parsers.result import Abstain, answer_part
from ragassay.grading.declines import declines_from_passages
from ragassay.metrics.panel import Panel
from ragassay.metrics.resampling import Judge, corrected_rate, share_interval
from ragassay.metrics.sums import Estimates, Totals
from ragassay.schemas.report import Section
from ragassay.schemas.scope_answers import DEFUSION_VOTES
from ragassay.studies.scope.verdict_matrix import AFTER, NO_GOLD, UNASKED, JudgedCell, Questions, defused, period
from ragassay.studies.scope.votes import DEFUSED, IN, NOT_DEFUSED, OUT, defusion_label

SECTION = Section("responses")
EVERY = "every question"
OVER_TOPICS = {"average": np.mean, "lowest": np.min, "highest": np.max, "deviation": np.std}
FEWER = (1, 3, 9)
ALL_VOTES = 0
OWN = "as configured"
DEFUSED_SIDES = {DEFUSED: 1.0, NOT_DEFUSED: 0.0}
OVERLAP = "shared words alone"
SCOPE_SIDES = {OUT: 1.0, IN: 0.0}


class Table2:
    """The rows of the tables table_2 and cells about one generator's questions."""

    def __init__(self, generator: str, cells: list[JudgedCell], times: int, seed: int):
        self.generator, self.cells, self.draws = generator, cells, (times, seed)
        self.totals, self.topics, self.refusals = Totals(), Totals(), Totals()
        self.responses = {}  # (prompt, responder) -> how many responses are not empty, and how many were cut off

    def add(self, questions: Questions, verdicts: dict, marks: dict, responses) -> None:
        """`verdicts` are cell -> codes; `marks` are parts to look at apart: name -> mask, questions x cells;
        `responses` is a frame of them.
        """
        codes, topics = matrix(questions, verdicts, self.cells), questions.topics[questions.owners]
        wanted = questions.out & questions.kept
        asked = codes[wanted] != UNASKED
        parts = {name: part[wanted] & asked for name, part in ({EVERY: wanted[:, None]} | marks).items()}
        by_topic = {topic: (topics[wanted] == topic)[:, None] & asked for topic in set(topics[wanted])}
        panel, values = questions.panel(*self.draws).part(wanted), defused(codes[wanted])
        self.totals.add(panel.summed(values, parts))
        self.topics.add(panel.summed(values, by_topic))
        for cell, counts in counts_of(questions, responses).items():
            self.responses[cell] = np.add(self.responses.get(cell, (0, 0)), counts)
        refused, masks = refusals(questions, self.cells, responses)
        self.refusals.add(questions.panel(*self.draws).summed(refused, masks))

    def rows(self, judges: dict[str, Judge]) -> Iterator[dict]:
        """`judges` is how each judge does on gold."""
        parts, topics = self.totals.estimates(), dict(sorted(self.topics.estimates().items()))
        refused = self.refusals.estimates()
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
            for name, estimates in (parts | refused).items():
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
    return {"hard": questions.are_in(hard)[:, None], "after_cutoff": unread}


def counts_of(questions: Questions, responses) -> dict:
    """(prompt, responder) -> how many responses to kept out-of-scope questions are not empty, and were cut off."""
    responses = responses[responses["question_id"].isin(questions.ids[questions.out & questions.kept])]
    counted = responses.assign(answered=responses["text"].str.strip() != "")
    sums = counted.groupby(["prompt", "responder"])[["answered", "truncated"]].sum()
    return {
        cell: (int(row.answered), int(row.truncated)) for cell, row in zip(sums.index, sums.itertuples(), strict=True)
    }


def refusals(questions: Questions, cells: list[JudgedCell], responses) -> tuple[np.ndarray, dict]:
    """questions x cells: which responses to in-scope questions refuse to answer; and the masks of all of them and of
    those to kept questions. An empty response is no refusal.
    """
    refused, asked = np.full((len(questions.ids), len(cells)), np.nan), np.zeros((len(questions.ids), len(cells)), bool)
    responses = responses[responses["question_id"].isin(questions.ids[~questions.out])]
    for (prompt, responder), given in responses.groupby(["prompt", "responder"]):
        places = questions.ids.get_indexer(given["question_id"])
        parts = zip(given["text"], given["finish_reason"], strict=True)
        sides = np.array([_refused(answer_part(text, reason)) for text, reason in parts])
        for at in (at for at, cell in enumerate(cells) if (cell.prompt, cell.responder) == (prompt, responder)):
            asked[places, at], refused[places, at] = True, sides
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
    """The rows of table_3."""

    def __init__(self, least_share: float, times: int, seed: int):
        self.least_share, self.draws = least_share, (times, seed)
        self.totals, self.most = Totals(), {}  # way -> most votes on a response

    def add(self, votes: dict, owners: dict, gold: dict) -> None:
        """`votes` are way to ask -> response -> verdicts in their order, the study's own way under an empty name;
        `owners` response -> document, `gold` response -> what people say.
        """
        responses = sorted(owners)
        panel = Panel([owners[response] for response in responses], *self.draws)
        truths = {"accuracy": gold, "agreement": self._labels(votes.get("", {}), None)}
        truths = {name: _defused_sides(responses, labels) for name, labels in truths.items()}
        for way, verdicts in votes.items():
            self.most[way] = max([self.most.get(way, 0), *map(len, verdicts.values())])
            voted = np.array([response in verdicts for response in responses], bool)
            for size in (*FEWER, ALL_VOTES):
                sides = _defused_sides(responses, self._labels(verdicts, size or None))
                for name, truth in truths.items():
                    right, asked = np.where(np.isnan(sides), np.nan, sides == truth), voted & ~np.isnan(truth)
                    self.totals.add(panel.summed(right, {(way, size, name): asked}))

    def _labels(self, verdicts, size):
        """By the first votes."""
        return {name: defusion_label(given[:size], self.least_share)["label"] for name, given in verdicts.items()}

    def rows(self) -> Iterator[dict]:
        estimates = self.totals.estimates()
        for at, way in enumerate(sorted(self.most, key=lambda way: (way == "", way)), 1):
            for votes in sorted({size for size in (*FEWER, self.most[way]) if 0 < size <= self.most[way]}):
                keys = {"at": at, "examples": way or OWN, "votes": votes}
                for name in ("accuracy", "agreement"):
                    size = votes if votes in FEWER else ALL_VOTES
                    yield SECTION.row("table_3", keys, name, **estimates[way, size, name].row())


def votes_by_way(paths) -> tuple[dict, dict]:
    """The way to ask (a variant of the prompt, empty for the study's own) -> response -> its verdicts in their order;
    and response -> document. A response is named by question, responder and prompt.
    """
    votes, owners = {}, {}
    for keys, rows in tables.each(DEFUSION_VOTES, paths, ["question_id", "doc_id", "verdict"]):
        of_way = votes.setdefault(keys["variant"].removeprefix("_"), {})
        for question, document, verdict in zip(*rows.to_pydict().values(), strict=True):
            response = question, keys["responder"], keys["prompt"]
            of_way.setdefault(response, []).append(verdict)
            owners[response] = document
    return votes, owners


def _defused_sides(responses, labels):
    """1 for each response that is defused, 0 for each that is not, NaN without a side."""
    return np.array([DEFUSED_SIDES.get(labels.get(response), np.nan) for response in responses], float)


class Detection:
    """The rows of the table detection about one generator's questions; `judge` has chosen those that are kept."""

    def __init__(self, generator: str, models: list[str], judge: str, times: int, seed: int):
        self.generator, self.models, self.judge, self.draws = generator, [*models, OVERLAP], judge, (times, seed)
        self.totals = Totals()

    def add(self, questions: Questions, labels: dict, overlap: dict, hard, gold: dict) -> None:
        """`labels` are model -> question -> label, `overlap` is question -> the control's score, `hard` the questions
        where that tells nothing, `gold` question -> what people say.
        """
        ids = questions.ids.tolist()
        verdicts = np.full((len(ids), len(self.models)), np.nan)
        verdicts[:, -1] = [
            np.nan if overlap.get(question) is None else float(overlap[question] > 0.5) for question in ids
        ]
        scored = ~np.isnan(verdicts)  # only kept questions have a score
        for at, model in enumerate(self.models[:-1]):
            of_model = labels.get(model, {})
            verdicts[:, at] = [SCOPE_SIDES.get(of_model.get(question), np.nan) for question in ids]
            scored[:, at] = [question in of_model for question in ids]  # models may have been asked about some only
        meant = questions.out.astype(float)
        settled = np.array([SCOPE_SIDES.get(gold.get(question), np.nan) for question in ids], float)
        has_chosen = np.array([model == self.judge for model in self.models], bool)

        def asked(mask, without_judge=True):
            return mask[:, None] & scored & ~(has_chosen & without_judge)

        kept = questions.kept
        views = {"meant": asked(np.ones(len(ids), bool), without_judge=False)}
        views |= {"kept": asked(kept), "hard": asked(kept & questions.are_in(hard))}
        sides = {"found": asked(kept & questions.out), "false_alarms": asked(kept & ~questions.out)}
        panel = questions.panel(*self.draws)
        self.totals.add(panel.summed(_right(verdicts, meant), views))
        self.totals.add(panel.summed(_right(verdicts, settled), {"gold": asked(~np.isnan(settled), False)}))
        self.totals.add(panel.summed(verdicts, sides))

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
