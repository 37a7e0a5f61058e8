"""How well a defence tells poisoned passages from clean ones, as rows of the table metrics. A passage counts among
the first `depth` of a question: as poison if it was planted for this question or for all; what was planted for
another has a number of its own. Defences are compared by paired tests at the same share of false alarms. `dacc_paper`
is the share of poison that is removed."""

import json
from collections import defaultdict
from collections.abc import Container, Iterator
from typing import NamedTuple

import numpy as np

from ragassay.base import tables
from ragassay.metrics.paired import holm
from ragassay.metrics.panel import Panel
from ragassay.metrics.resampling import clopper_pearson
from ragassay.schemas.documents import QUARANTINE
from ragassay.schemas.report import Section
from ragassay.studies.poisoning.defences.thresholds import ALL

SECTION = Section("raguard")
CELL = ["dataset", "retriever", "attack", "defence"]  # the keys of most rows
MACRO = ("fpr", "fnr", "dacc_paper", "accuracy")  # rates that are given by question, too
FPRS = {"tpr_at_1": 0.01, "tpr_at_5": 0.05}
PREVALENCES = (100, 1_000, 10_000, 100_000)
POINTS = 20  # thresholds of a ROC curve, beside both ends
BASE, CONTROL = "raguard", "question_share"  # the defences that others are compared with
FPR, FLIPS = 0.05, 9_999  # at which they are compared, and how often signs are flipped
FALSE_ALARMS = "false alarms"  # in place of what an attacker knows
GUARDED = ("dataset", "retriever", "defence")
HELD = {"held_clean": False, "held_planted": True}  # names of shares, and of which texts they are


def judged(filtered, retrieved, depth: int):
    """The passages that a defence looked at among the first `depth`, with `poison`, `stray` and `clean`."""
    wanted = retrieved[["target_id", "rank", "passage_id", "poisoned", "aimed_at"]]
    rows = filtered[filtered["rank"] <= depth].merge(wanted, on=["target_id", "rank", "passage_id"], validate="1:1")
    return marked(rows)


def marked(rows):
    """Rows with what an attack planted and whom for, and these columns."""
    planted = rows["poisoned"].to_numpy(bool)
    aimed = rows["aimed_at"].isna() | (rows["aimed_at"] == rows["target_id"])
    poison = planted & aimed.to_numpy(bool)
    return rows.assign(poison=poison, stray=planted & ~poison, clean=~planted)


def detection_rows(keys: dict, rows, panel: Panel) -> Iterator[dict]:
    """Rates over passages, and over questions (`macro`). `panel` has the target of each row."""
    removed, poison, clean = (rows[name].to_numpy(bool) for name in ("removed", "poison", "clean"))
    right = np.where(poison, removed, ~removed).astype(float)
    masks = {
        "fpr": clean,
        "fnr": poison,
        "dacc_paper": poison,
        "accuracy": poison | clean,
        "stray": rows["stray"].to_numpy(bool),
    }
    values = np.column_stack([removed, ~removed, removed, right, removed]).astype(float)
    for at, (name, mask) in enumerate(masks.items()):
        if mask.any():
            yield SECTION.row("detection", keys, name, **panel.mean(values[:, at], mask).row())
    for at, name in enumerate(MACRO):
        shares = rows.assign(value=values[:, at])[masks[name]].groupby("target_id")["value"].mean()
        if len(shares):
            questions = Panel(shares.index, panel.times, panel.seed)
            yield SECTION.row("detection", keys, f"{name}_macro", **questions.mean(shares.to_numpy()).row())


def ranking_rows(keys: dict, rows, panel: Panel) -> Iterator[dict]:
    """What scores could reach at any threshold; a passage without a score is kept, whatever the threshold."""
    scores, poison, counted = _ranked(rows)
    if not poison.any() or len(set(scores[counted].tolist())) < 2:
        return
    estimates = panel.auroc_and_tprs(scores, poison, list(FPRS.values()), counted)
    for name, estimate in zip(("auroc", *FPRS), estimates, strict=True):
        counts = {"n": int((poison & counted).sum())} if name in FPRS else {}  # a share of the planted ones
        yield SECTION.row("matched", keys, name, **estimate.row() | counts)
    limits = np.unique(np.quantile(scores[counted & ~poison], np.linspace(0, 1, POINTS), method="higher"))
    for limit in [-np.inf, *limits, np.inf]:
        rates = {name: (scores[counted & mask] >= limit).mean() for name, mask in (("fpr", ~poison), ("tpr", poison))}
        yield from SECTION.rows("roc", keys | {"at": f"{limit:.6g}"}, rates, int(counted.sum()))


def operator_rows(keys: dict, rows, filtered, k: int, panel: Panel) -> Iterator[dict]:
    """What an operator gets, whose thresholds come from clean text: false alarms among all passages and the first k,
    how often the best clean passage is removed, what is missed and shown, beside what is missed at a share FPR of
    false alarms. `rows` are those of one number of planted texts, `filtered` all that the defence looked at.
    """
    rows = rows.reset_index(drop=True)
    removed, poison, clean = (rows[name].to_numpy(bool) for name in ("removed", "poison", "clean"))
    ranks, targets = rows["rank"].to_numpy(), rows["target_id"]
    best = rows.index.isin(rows[clean].sort_values("rank").drop_duplicates("target_id").index)
    shown = filtered[filtered["shown"].notna()]
    pairs = set(zip(shown["target_id"], shown["passage_id"], strict=True))
    seen = [pair in pairs for pair in zip(targets, rows["passage_id"], strict=True)]
    reached = targets.isin(targets[poison & np.array(seen, bool)])
    columns = {
        "fpr": (removed, clean),
        "fpr_first": (removed, clean & (ranks <= k)),
        "best_removed": (removed, best),
        "fnr": (~removed, poison),
        "fnr_at_equal": (~_found(rows), poison & (rows["score"].nunique() > 1)),
        "poison_shown": (reached, ~targets.duplicated()),
        "nothing_left": (~targets.isin(shown["target_id"]), ~targets.duplicated()),
    }
    names = [name for name, (_, asked) in columns.items() if asked.any()]
    values = np.column_stack([np.where(asked, value, np.nan) for value, asked in map(columns.get, names)])
    yield from SECTION.estimates("operator", keys, names, panel.mean(values))


def rank_rows(keys: dict, rows) -> Iterator[dict]:
    """The share of clean passages that is removed at each rank."""
    for rank, clean in rows[rows["clean"]].groupby("rank"):
        yield from SECTION.rows("ranks", keys | {"rank": int(rank)}, {"fpr": clean["removed"].mean()}, len(clean))


def alarm_rows(keys: dict, rows, panel: Panel) -> Iterator[dict]:
    """How many alarms there are for each true one, where poison is as rare as outside of studies. `panel` has the
    target of each row.
    """
    removed, poison, clean = (rows[name].to_numpy(bool) for name in ("removed", "poison", "clean"))
    if not poison.any() or not clean.any() or not removed[poison].any():
        return

    def false_for_true(weights):
        hits = weights[removed & poison].sum()
        if not hits or not weights[clean].sum():
            return np.nan
        return (weights[removed & clean].sum() / weights[clean].sum()) / (hits / weights[poison].sum())

    ratio = panel.measure(false_for_true).row() | {"n": int(clean.sum() + poison.sum())}
    for rarity in PREVALENCES:  # one planted passage beside rarity - 1 clean ones
        ends = {name: ratio[name] for name in ("value", "low", "high") if ratio[name] is not None}
        alarms = {name: 1 + end * (rarity - 1) for name, end in ends.items()}
        yield SECTION.row("alarms", keys | {"one_in": rarity}, "alarms", **ratio | alarms)


def null_rows(keys: dict, rows, card: dict | None) -> Iterator[dict]:
    """Whether a fitted defence removes as much clean text as alpha promises where nothing is planted, criterion by
    criterion and all together, which are promised to remove at most the sum. Intervals are exact ones, as if passages
    were independent. Queries that are counted here gave no threshold that judged them.
    """
    alpha = (card or {}).get("settings", {}).get("alpha")
    if alpha is None or rows["poison"].any() or rows["stray"].any() or not len(rows):
        return
    reached = {}
    for names, scores, limits in zip(rows["criteria"], rows["criterion_scores"], rows["thresholds"], strict=True):
        for name, score, limit in zip(names, scores, limits, strict=True):
            reached.setdefault(name, []).append(score >= limit)
    for name, hits in [*reached.items(), ("any", rows["removed"].tolist())]:
        low, high = clopper_pearson(int(np.sum(hits)), len(hits))
        promised = alpha if name != "any" else min(1, alpha * len(reached))
        within = low <= promised and (name == "any" or promised <= high)
        row_keys = keys | {"criterion": name}
        yield SECTION.row("calibration", row_keys, "removed", float(np.mean(hits)), len(hits), low, high)
        numbers = {"alpha": alpha, "promised": promised, "within": float(within)}
        yield from SECTION.rows("calibration", row_keys, numbers, len(hits))


def size_rows(keys: dict, card: dict) -> Iterator[dict]:
    """The clean texts behind the threshold of a fitted defence that has the fewest, whatever it is tried on."""
    nulls = _nulls(card["fitted"][ALL])
    if nulls:
        texts, rough = min(null["texts"] for null in nulls), any(null["rough"] for null in nulls)
        yield from SECTION.rows("nulls", keys, {"null_texts": texts, "rough": float(rough)}, card["queries"])


def _nulls(fitted):
    """What stands beside each threshold; the links of a chain have their own."""
    if "rough" in fitted:
        return [fitted]
    parts = (*fitted.get("criteria", {}).values(), *fitted.get("links", []))
    return [null for part in parts for null in _nulls(part)]


def screening_rows(path) -> Iterator[dict]:
    """What screening holds of clean and of planted texts, criterion by criterion."""
    keys, rows = tables.keys(QUARANTINE, path), tables.frame(QUARANTINE, [path])
    reasons = [reason.split(", ") for reason in rows["reason"].fillna("")]
    reached = {"any": rows["held"].to_numpy(bool)}
    for name in dict.fromkeys(name for criteria in rows["criteria"] for name in criteria):
        reached[name] = np.array([name in reached_by for reached_by in reasons])
    for criterion, hits in reached.items():
        for name, poisoned in HELD.items():
            held = hits[rows["poisoned"].to_numpy(bool) == poisoned]
            if len(held):
                interval = clopper_pearson(int(held.sum()), len(held))
                row_keys = keys | {"criterion": criterion}
                yield SECTION.row("screening", row_keys, name, held.mean(), len(held), *interval)


def difference_rows(judged: dict, resamples: int, seed: int) -> Iterator[dict]:
    """How much more of the poison each defence finds than BASE and CONTROL do. `judged` has the rows of each cell."""
    bases = (BASE, CONTROL)
    hits = {cell: hits_of(rows) for cell, rows in judged.items() if cell[3] in bases or rows["score"].nunique() > 1}
    for table, base in zip(("differences", "control_differences"), bases, strict=True):
        yield from compared_rows(table, CELL, hits, resamples, seed, base)


def compared_rows(table: str, names, values: dict, resamples: int, seed: int, to: str = BASE) -> Iterator[dict]:
    """The mean difference of each defence to one of them, and its p, corrected for all defences that meet the same.
    `values` has numbers of items, by target first, for each cell; `names` are those of a cell's parts.
    """
    alike = defaultdict(dict)
    for cell, numbers in values.items():
        keys = dict(zip(names, cell, strict=True))
        defence = keys.pop("defence")
        alike[tuple(keys.items())][defence] = numbers
    for keys, by_defence in alike.items():
        base = by_defence.pop(to, ())
        if not len(base) or not by_defence:
            continue
        panel = Panel(base.index.get_level_values(0), resamples, seed)
        differences = np.column_stack([numbers.reindex(base.index) - base for numbers in by_defence.values()])
        estimates, p = panel.difference(differences), holm(panel.p(differences, FLIPS))
        for at, defence in enumerate(by_defence):
            row_keys = {**dict(keys), "defence": defence}
            yield SECTION.row(table, row_keys, "difference", **estimates.row(at))
            yield SECTION.row(table, row_keys, "p", p[at], int(estimates.counts[at]))


def hits_of(rows):
    """1 for each poisoned passage that is removed at the threshold that a share FPR of the clean ones reach, and 0 for
    the others, by target and passage.
    """
    hits = rows.assign(hit=_found(rows).astype(float))[rows["poison"]]
    return hits.set_index(["target_id", "passage_id"])["hit"].sort_index()


def _found(rows):
    """Whether each passage is above that threshold."""
    scores, poison, counted = _ranked(rows)
    clean = np.sort(scores[counted & ~poison])[::-1]
    allowed = int(np.floor(FPR * len(clean) + 1e-9))
    return scores > (clean[allowed] if allowed < len(clean) else -np.inf)


def _ranked(rows):
    """Scores, which are poison, and which count."""
    scores = np.nan_to_num(rows["score"].to_numpy(float), nan=-np.inf)
    lowest = scores[np.isfinite(scores)].min(initial=0) - 1
    return np.where(np.isfinite(scores), scores, lowest), rows["poison"].to_numpy(bool), ~rows["stray"].to_numpy(bool)


class Attacker(NamedTuple):
    knows: str | None  # None for no attack
    defences: tuple[str, ...] | None = None  # those that the attack asks, if it asks some


def knowledge_rows(rows: list[dict], attackers: dict[str, Attacker], fitted: Container[tuple]) -> Iterator[dict]:
    """What gets past each defence by what an attacker knows: of the attacks that know as much, the one that is missed
    most at the operator's threshold. An attack that asks certain defences counts where these stand. Beside it stand the
    false alarms that come without an attack. From rows of the table detection, of the defences that have thresholds:
    `fitted` has dataset, retriever and name of each.
    """
    worst = {}
    for row in rows:
        if row["table"] != "detection" or row["value"] is None:
            continue
        keys = json.loads(row["keys"])
        place = tuple(keys[name] for name in GUARDED)
        if place not in fitted:
            continue
        attacker = Attacker(*attackers[keys["attack"]])
        counts = attacker.defences is None or keys["defence"] in attacker.defences
        if row["metric"] == ("fnr" if attacker.knows else "fpr") and counts:
            place = (*place, attacker.knows or FALSE_ALARMS)
            worst[place] = max(worst.get(place, (row, keys)), (row, keys), key=lambda pair: pair[0]["value"])
    for (*_, knows), (row, keys) in worst.items():
        numbers = {name: row[name] for name in ("value", "n", "low", "high")}
        yield SECTION.row("knowledge", keys | {"knows": knows}, "share", **numbers)
