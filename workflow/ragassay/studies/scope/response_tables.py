"""The paper's Tables 2 and 3 and Figure 1, and more of their kind; 95 % intervals with the same draws for all cells.
Table 2: how often responders decline or correct out-of-scope questions, and what declining costs on in-scope ones.
Table 3: what worked examples and more votes do for the judge of defusion. Figure 1: models that are simply asked what
is in scope, beside shared words."""

import json
from collections.abc import Iterator

import numpy as np

from ragassay.base import tables
from ragassay.calls.parsers.result import Abstain, answer_part
from ragassay.grading.declines import declines_from_passages
from ragassay.metrics.panel import Estimates, Panel, bounds
from ragassay.metrics.resampling import Judge, corrected_rate, share_interval
from ragassay.schemas.report import Section
from ragassay.schemas.scope_answers import DEFUSION_VOTES
from ragassay.studies.scope.verdict_matrix import AFTER, NO_GOLD, UNASKED, Questions, defused, period
from ragassay.studies.scope.votes import DEFUSED, IN, NOT_DEFUSED, OUT, defusion_label

SECTION = Section("responses")
EVERY = "every question"
OVER_TOPICS = {"average": np.mean, "lowest": np.min, "highest": np.max, "deviation": np.std}
FEWER = (1, 3, 9)
OWN = "as configured"
DEFUSED_SIDES = {DEFUSED: 1.0, NOT_DEFUSED: 0.0}
OVERLAP = "shared words alone"
SCOPE_SIDES = {OUT: 1.0, IN: 0.0}


def table_2(questions: Questions, cells: dict, marks: dict, responses: dict, judges: dict, times: int, seed: int):
    """The rows of the tables table_2 and cells. `marks` are parts to look at apart: name -> mask, questions x cells;
    `responses` is (prompt, responder) -> how many responses are not empty, and how many were cut off; `judges` how each
    judge does on gold.
    """
    codes, topics = np.stack(list(cells.values()), axis=1), questions.topics[questions.owners]
    wanted = questions.out & questions.kept
    named = sorted(set(topics[wanted]))
    parts = {EVERY: np.ones((len(codes), 1), bool), **marks}
    by_topic = {topic: (topics == topic)[:, None] for topic in named}
    panel, asked = questions.panel(times, seed).part(wanted), codes != UNASKED
    values = defused(codes[wanted])
    estimates_of = panel.means(values, {name: (part & asked)[wanted] for name, part in parts.items()})
    of_topics = panel.means(values, {topic: (part & asked)[wanted] for topic, part in by_topic.items()})
    least, most = bounds(values, asked[wanted])
    for at, cell in enumerate(cells):
        keys = {"at": at, "generator": questions.generator, **cell._asdict()}
        every = estimates_of[EVERY].row(at)
        counts = {name: every[name] for name in ("n", "abstained")}
        for topic, estimates in of_topics.items():
            yield SECTION.row("table_2", keys | {"topic": topic}, "accuracy", **estimates.row(at))
        for name, numbers in _over_topics(list(of_topics.values()), at).items() if named else ():
            yield SECTION.row("table_2", keys, name, **numbers, **counts)
        answered, truncated = responses.get((cell.prompt, cell.responder), (0, 0))
        n_asked = sum(counts.values())
        numbers = {"asked": n_asked, "answered": answered, "truncated": truncated, "parsed": counts["n"]}
        numbers |= {"abstained": counts["abstained"]}
        numbers |= {"at_least": least[at], "at_most": most[at]}  # all that abstained, against or for
        yield from SECTION.rows("cells", keys, numbers, n_asked)
        for name, estimates in estimates_of.items():
            yield SECTION.row("cells", keys, "accuracy" if name == EVERY else name, **estimates.row(at))
        value = low = high = None
        if every["value"] is not None:
            drawn, clusters = estimates_of[EVERY].drawn[:, at], int(estimates_of[EVERY].clusters[at])
            judge = judges.get(cell.judge, NO_GOLD)
            value, low, high = corrected_rate(every["value"], drawn, judge, seed, clusters)
        yield SECTION.row("cells", keys, "corrected", value, 0 if value is None else every["n"], low, high)


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


def refusal_rows(questions: Questions, cells: dict, responses, times: int, seed: int) -> Iterator[dict]:
    """Rows of the table cells: the shares of in-scope questions that are refused, of all that were written and of the
    kept ones. `responses` is a frame of them; an empty one is no refusal.
    """
    refused, asked = np.full((len(questions.ids), len(cells)), np.nan), np.zeros((len(questions.ids), len(cells)), bool)
    for at, cell in enumerate(cells):
        given = responses[(responses["prompt"] == cell.prompt) & (responses["responder"] == cell.responder)]
        given = given[given["question_id"].isin(questions.ids[~questions.out])]
        places = questions.ids.get_indexer(given["question_id"])
        asked[places, at] = True
        refused[places, at] = [
            _refused(answer_part(text, reason))
            for text, reason in zip(given["text"], given["finish_reason"], strict=True)
        ]
    masks = {"refused": asked, "refused_kept": asked & questions.kept[:, None]}
    for name, estimates in questions.panel(times, seed).means(refused, masks).items():
        for at, cell in enumerate(cells):
            keys = {"at": at, "generator": questions.generator, **cell._asdict()}
            yield SECTION.row("cells", keys, name, **estimates.row(at))


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


def table_3(votes: dict, owners: dict, gold: dict, least_share: float, times: int, seed: int):
    """The rows of table_3. `votes` are way to ask -> response -> verdicts in their order, the study's own way under an
    empty name; `owners` response -> document, `gold` response -> what people say.
    """
    responses = sorted(owners)
    panel = Panel([owners[response] for response in responses], times, seed)
    usual = {name: defusion_label(verdicts, least_share)["label"] for name, verdicts in votes.get("", {}).items()}
    truths = {"accuracy": _defused_sides(responses, gold), "agreement": _defused_sides(responses, usual)}
    for at, (way, verdicts) in enumerate(sorted(votes.items(), key=lambda item: (item[0] == "", item[0])), 1):
        voted = np.array([response in verdicts for response in responses], bool)
        most = max(map(len, verdicts.values()), default=0)
        for m in sorted({size for size in (*FEWER, most) if 0 < size <= most}):
            labels = {name: defusion_label(given[:m], least_share)["label"] for name, given in verdicts.items()}
            keys, sides = {"at": at, "examples": way or OWN, "votes": m}, _defused_sides(responses, labels)
            for name, truth in truths.items():
                right = np.where(np.isnan(sides), np.nan, sides == truth)
                estimates = panel.mean(right, voted & ~np.isnan(truth))
                yield SECTION.row("table_3", keys, name, **estimates.row())


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


def detection_rows(questions: Questions, labels: dict, overlap: dict, hard: set, judge: str, gold: dict, times, seed):
    """The rows of the table detection. `labels` are model -> question -> label, `overlap` is question -> the control's
    score, `hard` the questions where that tells nothing, `gold` question -> what people say.
    """
    ids = questions.ids.tolist()
    by_model = {
        model: [SCOPE_SIDES.get(of_model.get(question), np.nan) for question in ids]
        for model, of_model in labels.items()
    }
    by_model[OVERLAP] = [
        np.nan if overlap.get(question) is None else float(overlap[question] > 0.5) for question in ids
    ]
    models = list(by_model)
    verdicts = np.array(list(by_model.values()), float).reshape(len(models), len(ids)).T  # questions x models
    meant = questions.out.astype(float)
    settled = np.array([SCOPE_SIDES.get(gold.get(question), np.nan) for question in ids], float)
    is_hard = questions.are_in(hard)
    has_chosen = np.array([model == judge for model in models], bool)  # which questions are kept
    # Only kept questions have a score, and models may have been asked about some questions only.
    scored = ~np.isnan(verdicts) | np.array(
        [[question in labels.get(model, ()) for model in models] for question in ids], bool
    )

    def asked(mask, without_judge=False):
        return mask[:, None] & scored & ~(has_chosen & without_judge)

    kept = {"kept": questions.kept, "hard": questions.kept & is_hard}
    sides = {"found": questions.kept & questions.out, "false_alarms": questions.kept & ~questions.out}
    views = {"meant": asked(np.ones(len(ids), bool))} | {name: asked(mask, True) for name, mask in kept.items()}
    panel = questions.panel(times, seed)
    views_of = panel.means(_right(verdicts, meant), views)
    views_of |= panel.means(_right(verdicts, settled), {"gold": asked(~np.isnan(settled))})
    views_of |= panel.means(verdicts, {name: asked(mask, True) for name, mask in sides.items()})
    for at, model in enumerate(models):
        keys = {"at": at, "generator": questions.generator, "model": model}
        for view, estimates in views_of.items():
            yield SECTION.row("detection", keys, view, **estimates.row(at))


def figure_1(rows):
    """Rows of the table detection under the name that the paper has for them; they are about one generator."""
    for row in rows:
        keys = {name: key for name, key in json.loads(row["keys"]).items() if name != "generator"}
        yield row | {"table": "figure_1", "keys": json.dumps(keys, ensure_ascii=False)}


def _right(verdicts, truth):
    """questions x models: whether a verdict is right, NaN where there is none."""
    return np.where(np.isnan(verdicts), np.nan, verdicts == truth[:, None])
