"""Votes of people that came with a question set, in the form of labels from our own pages: items, labels and gold.
Reads no file.

Items that the same people labelled form a group, as in a study that deals its sample to groups, including items that
one of them skipped. If that makes too many groups, as in crowd labelling, all items form one. A label that people
agreed on together settles an item; otherwise the majority does. People are numbered in the order of their names.
"""

from collections import Counter, defaultdict
from typing import NamedTuple

from ragassay.people.tasks import ADJUDICATOR, ANNOTATOR, LABELS
from ragassay.studies.scope.question_sets import settled
from ragassay.studies.scope.votes import RECORDED

MOST_GROUPS = 9
TOGETHER = ""  # stands for all people who agreed on a label together


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
    teams = {item: frozenset(own) - {TOGETHER} for item, own in votes.items()}
    groups = {}
    for task in LABELS:
        of_task = {team for item, team in teams.items() if next(iter(votes[item].values()))["task"] == task}
        groups |= {(task, team): number for team, number in _groups(of_task).items()}
    items, annotations, gold, agreed = [], [], [], settled(labels)
    for item, own in votes.items():
        first = next(iter(own.values()))
        about = _item(first, groups[first["task"], teams[item]])
        items.append(about)
        for name, row in own.items():
            role, who = (ADJUDICATOR, "") if name == TOGETHER else (ANNOTATOR, numbers[name])
            said = {"item_id": about["item_id"], "role": role, "person": who, "label": row["label"]}
            annotations.append(said | {"comment": None, "seconds": None})
        if agreed[item]:
            gold.append({"item_id": about["item_id"], "label": agreed[item]})
    usual = Counter(len(team) for team in teams.values() if team).most_common(1)
    return Recorded(items, annotations, gold, max(2, usual[0][0] if usual else 0))


def _groups(teams):
    """The group of each team. A team that is part of a larger one shares its group. Numbered in the order of names."""
    whole = sorted((team for team in teams if not any(team < other for other in teams)), key=sorted)
    if len(whole) > MOST_GROUPS:
        return dict.fromkeys(teams, 1)
    return {team: next(number for number, other in enumerate(whole, 1) if team <= other) for team in teams}


def _item(row, group):
    who = row["responder"] or None
    about = {
        "item_id": " ".join([row["task"], row["question_id"], row["responder"]]),
        "task": row["task"],
        "group": group,
    }
    about |= {"question_id": row["question_id"], "doc_id": row["doc_id"], "responder": who}
    return about | {"prompt_name": who and RECORDED}
