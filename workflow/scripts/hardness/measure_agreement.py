"""Turn the labels of people and judges into the metrics of the report's section on agreement.

People's labels come from our pages, for a sample of a generator's or question set's questions, or from votes that came
with a set. Each is a separate sample, and judges are compared with the gold labels of each.

Table 4 and Figure 2 of the scope paper, from annotations, gold and the labels of judges; intervals are 95 % by
resampled documents. Votes of people that came with a question set become labels as from our own pages: items that the
same people labelled form a group, unless that makes too many; a label that people agreed on together settles an item,
otherwise the majority does.
"""

import json
from collections import Counter, defaultdict
from itertools import combinations
from statistics import mean, median
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.base.stage import log, run
from ragassay.metrics.agreement import alpha, kappa
from ragassay.metrics.panel import Panel
from ragassay.people.labelling import ADJUDICATOR, ANNOTATOR, DEFUSION, LABELS
from ragassay.schemas.people import ANNOTATION_ITEMS, ANNOTATIONS, GOLD, HUMAN_LABELS
from ragassay.schemas.report import METRICS, Section
from ragassay.schemas.scope_answers import DEFUSION_LABELS
from ragassay.schemas.scope_questions import QUESTIONS, SCOPE_LABELS
from ragassay.studies.scope.question_sets import settled
from ragassay.studies.scope.votes import RECORDED

SECTION = Section("agreement")
ALL, NO_SIDE = "(all)", "no side"
CODES = {label: code for labels in LABELS.values() for code, label in enumerate(labels)}
MOST_GROUPS = 9
TOGETHER = ""  # stands for all people who agreed on a label together
INTENTION = "(intention)"  # what questions were written to be, beside what judges say of them
RESPONSE, NOTHING = ["question_id", "responder", "prompt_name"], ""


def measure_agreement(
    annotation_items, annotations, gold, human_labels, questions, scope_labels, defusion_labels, metrics,
    judges, annotators_per_item, resamples, seed,
):  # fmt: skip
    """`annotation_items`, `annotations` and `gold` have a file for each sample that was labelled here."""
    samples = dict(_labelled_here(annotation_items, annotations, gold, annotators_per_item))
    for name, votes in tables.frame(HUMAN_LABELS, human_labels).groupby("question_set"):
        samples[f"{name}, recorded" if name in samples else name] = recorded(votes.to_dict("records"))
    if not any(sample.annotations for sample in samples.values()):
        raise AssayError("found nothing that people labelled, expected labels of `make annotate` or a set with votes")
    asked = {item["question_id"] for sample in samples.values() for item in sample.items}
    labels, rows = _labels(questions, scope_labels, defusion_labels, asked), []
    first = [judge for judge in judges if judge in set(labels["judge"])]
    for name, sample in samples.items():
        items = pd.DataFrame(sample.items, columns=["item_id", *RESPONSE]).fillna(NOTHING)
        judged = labels.merge(items, on=RESPONSE).groupby("judge")
        by_judge = {judge: dict(zip(of_judge["item_id"], of_judge["label"], strict=True)) for judge, of_judge in judged}
        order = [*first, *sorted(by_judge.keys() - set(first))]
        by_judge = {judge: by_judge.get(judge, {}) for judge in order}
        measures = Measures(name, *sample[:3], by_judge, sample.per_item, resamples, seed)
        rows += [row for row in measures.rows() if not _is_of_nobody(row)]
        counts = (name, len(sample.items), len(sample.annotations), len(sample.gold))
        log.info("%s: %d items, %d labels, %d settled", *counts)
    tables.write(METRICS, metrics, rows)


def _labelled_here(items, annotations, gold, per_item):
    for files in zip(items, annotations, gold, strict=True):
        declared = zip((ANNOTATION_ITEMS, ANNOTATIONS, GOLD), files, strict=True)
        rows = (tables.read(table, path).to_pylist() for table, path in declared)
        yield tables.keys(ANNOTATIONS, files[1])["generator"], Recorded(*rows, per_item)


def _labels(questions, scope_labels, defusion_labels, asked):
    """What judges say about some questions and responses, and the intention; without a responder it is about scope."""
    where = pc.is_in(pc.field("question_id"), pa.array(asked, pa.string()))
    intended = tables.frame(QUESTIONS, questions, ["question_id", "intended"], where).rename(
        columns={"intended": "label"}
    )
    scope = tables.frame(SCOPE_LABELS, scope_labels, ["question_id", "label"], where)
    defusion = tables.frame(DEFUSION_LABELS, defusion_labels, ["question_id", "prompt_name", "label"], where)
    together = pd.concat([intended.assign(judge=INTENTION), scope, defusion])[[*RESPONSE, "judge", "label"]]
    return together.fillna(NOTHING)


def _is_of_nobody(row):
    """Whether it is about what responses were meant to be."""
    keys = json.loads(row["keys"])
    return keys.get("judge") == INTENTION and DEFUSION in (keys.get("task"), row["table"].removeprefix("figure_2_"))


class Measures:
    """`labels` maps each judge to its labels (item -> label, which may be no side); the first judge is the study's own.
    `questions` names the generator or question set of the items.
    """

    def __init__(self, questions: str, items, annotations, gold, labels: dict, per_item: int, times: int, seed: int):
        self.keys = {"questions": questions}
        self.items = {row["item_id"]: row for row in items}
        self.gold = {row["item_id"]: row["label"] for row in gold}
        self.labels, self.per_item, self.draws = labels, per_item, {"times": times, "seed": seed}
        self.judge = next(iter(labels))
        self.annotations = annotations
        self.opinions, self.decided = defaultdict(dict), set()
        for row in annotations:
            if row["role"] == ANNOTATOR:
                self.opinions[row["item_id"]][row["person"]] = row["label"]
            elif row["role"] == ADJUDICATOR:
                self.decided.add(row["item_id"])

    def rows(self):
        for task in LABELS:
            items = sorted(name for name, row in self.items.items() if row["task"] == task)
            groups = sorted({self.items[name]["group"] for name in items})
            for group in [*groups, ALL] if groups else []:
                of_group = [name for name in items if group in (ALL, self.items[name]["group"])]
                yield from self._progress(task, group, of_group)
                yield from self._table_4(task, group, of_group)
                if group != ALL:
                    yield from self._annotators(task, group, of_group)
            for judge in self.labels if items else ():
                yield from self._judge(task, judge, items)

    def _progress(self, task, group, items):
        ready = [name for name in items if len(self.opinions[name]) >= self.per_item]
        disputed = [name for name in ready if len(set(self.opinions[name].values())) > 1]
        numbers = {"items": len(items), "labelled": len(ready), "disagreements": len(disputed)}
        numbers |= {"settled": len(self.decided & set(disputed)), "gold": sum(name in self.gold for name in items)}
        for name, value in numbers.items():
            yield SECTION.row("progress", self.keys | {"task": task, "group": group}, name, value, len(items))

    def _table_4(self, task, group, items):
        people = sorted({person for name in items for person in self.opinions[name]}, key=_number)
        keys = self.keys | {"task": task, "group": group}
        yield self._number("table_4", keys, "kappa", items if group != ALL else [], self._kappa(people))
        labelled_twice = [name for name in items if len(self.opinions[name]) > 1]
        yield self._number("table_4", keys, "alpha", labelled_twice, self._alpha(task))
        for place in range(max(2, self.per_item)):
            whose = people[place] if group != ALL and place < len(people) else None
            by_person = {name: self.opinions[name][whose] for name in items if whose in self.opinions[name]}
            yield self._right("table_4", keys, f"annotator_{place + 1}", by_person, self.judge)
        agreed = {name: next(iter(self.opinions[name].values())) for name in items if self._agree(name)}
        yield self._right("table_4", keys, "group_agree", agreed, self.judge)
        truth = {name: self.gold[name] for name in items if name in self.gold}
        yield self._right("table_4", keys, "truth", truth, self.judge)

    def _annotators(self, task, group, items):
        rows = [row for row in self.annotations if row["role"] == ANNOTATOR and row["item_id"] in set(items)]
        for person in sorted({row["person"] for row in rows}, key=_number):
            labels = [row for row in rows if row["person"] == person]
            keys = self.keys | {"task": task, "group": group, "person": person}
            by_item = {row["item_id"]: row["label"] for row in labels}
            comments = sum(row["comment"] is not None for row in labels)
            yield SECTION.row("annotators", keys, "labels", len(labels), len(labels))
            yield SECTION.row("annotators", keys, "comments", comments, len(labels))
            seconds = [row["seconds"] for row in labels if row["seconds"] is not None]
            yield SECTION.row("annotators", keys, "seconds", median(seconds) if seconds else None, len(seconds))
            both = [name for name in by_item if name in self.gold]
            yield self._share("annotators", keys, "gold_accuracy", both, by_item, self.gold)

    def _judge(self, task, judge, items):
        positive, negative = LABELS[task]
        truth, judged = {name: self.gold[name] for name in items if name in self.gold}, self.labels[judge]
        keys = self.keys | {"task": task, "judge": judge}
        yield self._right("judges", keys, "accuracy", truth, judge)
        for name, label in (("positive_found", positive), ("negative_found", negative)):
            of_label = {item: gold for item, gold in truth.items() if gold == label}
            yield self._right("judges", keys, name, of_label, judge)
        sided = [name for name in truth if judged.get(name) in LABELS[task]]
        yield self._number("judges", keys, "kappa", sided, _two_raters(judged, truth), len(truth) - len(sided))
        counts = Counter((judged[name] if judged.get(name) in LABELS[task] else NO_SIDE, truth[name]) for name in truth)
        sides = [positive, negative, *([NO_SIDE] if any(given == NO_SIDE for given, _ in counts) else [])]
        for label in LABELS[task]:
            of_label = sum(gold == label for gold in truth.values())
            for given in sides:
                keys = self.keys | {"judge": judge, "judged": given.replace("_", " "), "gold": label.replace("_", " ")}
                count = counts[given, label]
                yield SECTION.row(f"figure_2_{task}", keys, "items", count, of_label)
                yield SECTION.row(f"figure_2_{task}", keys, "share", count / of_label if of_label else None, of_label)

    def _right(self, table, keys, name, expected, judge):
        """How often a judge gives the expected label."""
        judged = self.labels[judge]
        sided = [item for item in expected if judged.get(item) in LABELS[keys["task"]]]
        return self._share(table, keys, name, sided, judged, expected, len(expected) - len(sided))

    def _share(self, table, keys, name, items, given, expected, abstained=0):
        """The share of items that have the expected label."""
        right = np.array([given[item] == expected[item] for item in items], float)
        row = self._panel(items).mean(right).row()
        return SECTION.row(table, keys, name, **row | {"abstained": abstained})

    def _number(self, table, keys, name, items, measure, abstained=0):
        """The value of `measure`, which turns items into a function of their weights, and its interval."""
        estimates = self._panel(items).measure(measure(items), abstained)
        return SECTION.row(table, keys, name, **estimates.row())

    def _panel(self, items):
        return Panel([self.items[item]["doc_id"] for item in items], **self.draws)

    def _agree(self, item):
        return len(self.opinions[item]) >= self.per_item and len(set(self.opinions[item].values())) == 1

    def _kappa(self, people):
        """For two annotators; for more, the mean over all pairs."""

        def measure(items):
            codes = [_codes([self.opinions[item].get(person) for item in items]) for person in people]
            pairs = [(first, second, (first >= 0) & (second >= 0)) for first, second in combinations(codes, 2)]

            def weighted(weights):
                values = [kappa(first[both], second[both], weights[both]) for first, second, both in pairs]
                values = [value for value in values if value is not None]
                return mean(values) if values else None

            return weighted

        return measure

    def _alpha(self, task):
        def measure(items):
            votes = [list(self.opinions[item].values()) for item in items]
            counts = np.array([[labels.count(label) for label in LABELS[task]] for labels in votes])
            return lambda weights: alpha(counts, weights)

        return measure


def _two_raters(given, expected):
    def measure(items):
        first, second = (_codes([labels[item] for item in items]) for labels in (given, expected))
        return lambda weights: kappa(first, second, weights)

    return measure


def _codes(labels):
    """Labels as numbers, the same in all lists; -1 is no label."""
    return np.array([CODES.get(label, -1) for label in labels], int)


def _number(person):
    return int(person.rpartition("-")[2])


class Recorded(NamedTuple):
    items: list[dict]
    annotations: list[dict]
    gold: list[dict]
    per_item: int  # how many people usually label an item; at least two, since agreement needs two


def recorded(labels: list[dict]) -> Recorded:
    """From rows of the table human_labels."""
    votes = defaultdict(dict)
    for row in labels:
        votes[row["question_id"], row["responder"]][row["annotator"]] = row
    people = sorted({row["annotator"] for row in labels} - {TOGETHER})
    numbers = {name: f"person-{number}" for number, name in enumerate(people, 1)}
    teams = {item: frozenset(rows) - {TOGETHER} for item, rows in votes.items()}
    groups = {}
    for task in LABELS:
        of_task = {team for item, team in teams.items() if next(iter(votes[item].values()))["task"] == task}
        groups |= {(task, team): number for team, number in _groups(of_task).items()}
    items, annotations, gold, agreed = [], [], [], settled(labels)
    for item, rows in votes.items():
        first = next(iter(rows.values()))
        item_row = _item(first, groups[first["task"], teams[item]])
        items.append(item_row)
        for name, row in rows.items():
            role, who = (ADJUDICATOR, "") if name == TOGETHER else (ANNOTATOR, numbers[name])
            annotation = {"item_id": item_row["item_id"], "role": role, "person": who, "label": row["label"]}
            annotations.append(annotation | {"comment": None, "seconds": None})
        if agreed[item]:
            gold.append({"item_id": item_row["item_id"], "label": agreed[item]})
    usual = Counter(len(team) for team in teams.values() if team).most_common(1)
    return Recorded(items, annotations, gold, max(2, usual[0][0] if usual else 0))


def _groups(teams):
    """The group of each team. A team that is part of a larger one shares its group. Numbered in the order of names."""
    whole = sorted((team for team in teams if not any(team < other for other in teams)), key=sorted)
    if len(whole) > MOST_GROUPS:
        return dict.fromkeys(teams, 1)
    return {team: next(number for number, other in enumerate(whole, 1) if team <= other) for team in teams}


def _item(row, group):
    responder = row["responder"] or None
    name = " ".join([row["task"], row["question_id"], row["responder"]])
    item = {"item_id": name, "task": row["task"], "group": group, "question_id": row["question_id"]}
    return item | {"doc_id": row["doc_id"], "responder": responder, "prompt_name": responder and RECORDED}


if __name__ == "__main__":
    run(measure_agreement, snakemake)
