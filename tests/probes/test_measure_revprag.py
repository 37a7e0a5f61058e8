"""The report's section: every number with its controls."""

import hashlib
import json
import struct

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import load

from described import shown
from probe_study import COUNT, area_of
from ragassay.base import tables
from ragassay.metrics.panel import Panel, auroc
from ragassay.models.activations.state_store import Decoder
from ragassay.schemas.probes import ACTIVATIONS, PROBE_SCORES, PROBE_TRANSFERS
from ragassay.schemas.report import METRICS
from ragassay.studies.poisoning.probes.folds import CONTROLS
from ragassay.studies.poisoning.probes.performance import Group
from scripts.probes.measure_revprag import class_rows, headline_rows, map_rows


def metrics(study, table, names=("condition", "facts", "probe", "trained_on")):
    """The rows of a table by these keys and by their metric."""
    found = {}
    for row in study.rows(METRICS):
        if row["table"] == table:
            keys = json.loads(row["keys"])
            found.setdefault(tuple(map(keys.get, names)), {})[row["metric"]] = row
    return found


def rows_of(study, condition, probe, trained_on=None, labels=("correct", "poisoned")):
    """The scores of a probe that was fitted on all facts of a condition, this one unless it is another."""
    wanted = {"condition": condition, "trained_on": trained_on or condition, "facts": "all", "probe": probe}
    return [row for row in study.rows(PROBE_SCORES) if wanted.items() <= row.items() and row["label"] in labels]


def scored(study, condition, probe):
    """Scores of decided answers, and whether each is poisoned."""
    rows = rows_of(study, condition, probe)
    return np.array([row["score"] for row in rows]), np.array([row["label"] == "poisoned" for row in rows])


def test_areas_are_those_of_the_scores_and_have_their_controls_beside_them(study):
    found = metrics(study, "conditions")
    assert {key[:2] for key in found} >= {("released", "all"), ("matched", "all"), ("matched", "unknown")}
    for name, probe in (("auroc", "logistic"), *((one, one) for one in CONTROLS)):
        scores, poisoned = scored(study, "matched", probe)
        row = found["matched", "all", "logistic", None][name]
        assert abs(row["value"] - auroc(scores, poisoned)) < 1e-9 and row["low"] <= row["value"] <= row["high"]
        assert row["n"] == len(scores)
    for own in found.values():
        assert {"auroc", *CONTROLS, "over_control", "over_first_token", "p", "tpr", "fpr"} <= own.keys()


def test_what_activations_add_to_log_probabilities_is_a_paired_difference(study):
    own = metrics(study, "conditions")["matched", "all", "logistic", None]
    frame = pd.DataFrame(rows_of(study, "matched", "logistic")).set_index(["target_id", "side"])
    beside = pd.DataFrame(rows_of(study, "matched", "first_token")).set_index(["target_id", "side"]).loc[frame.index]
    scores = np.stack([frame["score"], beside["score"]], axis=1)
    areas = Panel(frame["cluster"], 50, 0).auroc(scores, frame["label"] == "poisoned")
    drawn = areas.drawn[:, 0] - areas.drawn[:, 1]
    row, spread = own["over_first_token"], np.nanstd(drawn)
    assert abs(row["value"] - (areas.values[0] - areas.values[1])) < 1e-9
    assert np.nanmin(drawn) - spread <= row["low"] < row["value"] < row["high"] <= np.nanmax(drawn) + spread
    activations = {(one["target_id"], one["condition"], one["side"]): one for one in study.rows(ACTIVATIONS)}
    for (target, side), one in beside.iterrows():
        assert one["score"] == pytest.approx(activations[target, "matched", side]["surprise"], abs=1e-6)


def test_both_decisions_stand_beside_each_other(study):
    own = metrics(study, "conditions")["released", "all", "logistic", None]
    scores, poisoned = scored(study, "released", "logistic")
    flagged = np.array([row["flagged"] for row in rows_of(study, "released", "logistic")])
    for name, chosen in (("tpr", poisoned), ("fpr", ~poisoned)):
        assert own[f"{name}_nearest"]["value"] == pytest.approx((scores[chosen] > 0).mean())
        assert own[name]["value"] == pytest.approx(flagged[chosen].mean())
    masking = metrics(study, "conditions")["released", "all", "masking", None]
    assert "tpr_nearest" not in masking, "a spread has no middle between the kinds"


def test_the_headline_has_both_conditions_side_by_side_and_needs_both(study):
    rows = study.rows(METRICS)
    own = metrics(study, "headline", ("facts", "probe"))["all", "logistic"]
    assert {name: row["value"] for name, row in own.items()} == {
        condition + ending: auroc(*scored(study, condition, probe))
        for condition in ("matched", "retrieved")
        for ending, probe in (("", "logistic"), ("_control", "control"), ("_first_token", "first_token"))
    } | {
        f"{condition}_over_first_token": pytest.approx(
            auroc(*scored(study, condition, "logistic")) - auroc(*scored(study, condition, "first_token"))
        )
        for condition in ("matched", "retrieved")
    }
    assert not list(headline_rows([row for row in rows if '"condition": "retrieved"' not in row["keys"]]))


def test_a_map_has_controls_as_rows_that_probes_stand_beside(study):
    tested, transferred = metrics(study, "probes"), metrics(study, "transfers")
    assert {key[1] for key in tested | transferred} == {"all"}
    assert {key[3] for key in tested} == {None} and None not in {key[3] for key in transferred}
    for name in ("logistic", "control", "answer_text", "shuffled"):
        expected = area_of(rows_of(study, "matched", name))
        assert abs(tested["matched", "all", name, None]["auroc"]["value"] - expected) < 1e-9
    above, beside = (tested["matched", "all", name, None] for name in ("logistic", "control"))
    assert abs(above["over_control"]["value"] - (above["auroc"]["value"] - beside["auroc"]["value"])) < 1e-9
    assert "over_control" not in beside
    expected = area_of(rows_of(study, "matched", "control", "released"))
    assert abs(transferred["matched", "all", "control", "released"]["auroc"]["value"] - expected) < 1e-9


def test_a_map_has_the_control_from_most_answers(study):
    rows = [row for row in study.rows(METRICS) if row["table"] == "conditions" and row["metric"] == "control"]
    fewer = [row | {"value": 0.1, "n": row["n"] - 1} for row in rows if '"probe": "lens"' in row["keys"]]
    rows = [row for row in rows if '"probe": "lens"' not in row["keys"]]
    for order in ([*fewer, *rows], [*rows, *fewer]):
        assert fewer and all(row["value"] != 0.1 for row in map_rows(order))


def test_a_probe_of_few_folds_is_compared_with_controls_on_the_answers_that_it_scored(study):
    frame = tables.frame(PROBE_SCORES, [study.place("probe_scores/s/r/a/m")])
    frame = frame[frame["condition"].eq("matched") & frame["trained_on"].eq("matched") & frame["facts"].eq("all")]
    few = frame["probe"].eq("logistic") & frame["fold"].ge(6)
    group = Group(frame[~few].assign(kind=None), 50, 0)
    areas = dict(group.compared())
    for name, own in (("lens", frame), ("logistic", frame[frame["fold"].lt(6)])):
        own = own[own["probe"].eq("control") & own["label"].isin(["correct", "poisoned"])]
        assert areas[name]["control"].row()["value"] == area_of(own.to_dict("records"))
        assert areas[name]["control"].row()["n"] == areas[name][name].row()["n"] == len(own)


def test_methods_are_compared_at_the_same_share_of_false_alarms(study):
    found = metrics(study, "matched_fpr")
    for condition, probe in (("retrieved", "masking"), ("matched", "logistic")):
        own = found[condition, "all", probe, None]
        for metric, name in (("tpr", probe), ("control", "control")):
            scores, poisoned = scored(study, condition, name)
            limits = [limit for limit in scores if (scores[~poisoned] >= limit).mean() <= 0.05]
            expected = max(((scores[poisoned] >= limit).mean() for limit in limits), default=0)
            assert own[f"{metric}_at_5"]["value"] == expected and own[f"{metric}_at_5"]["n"] == len(scores)
    points = metrics(study, "roc_retrieved", ("probe", "at"))
    assert {"masking", "control", "logistic"} <= {probe for probe, _ in points}
    points = [point for (probe, _), point in points.items() if probe == "logistic"]
    curve = sorted((point["fpr"]["value"], point["tpr"]["value"]) for point in points)
    assert curve[0] == (0, 0) and curve[-1] == (1, 1) and sorted(tpr for _, tpr in curve) == [tpr for _, tpr in curve]


def test_transfer_has_its_control_and_answers_are_counted(study):
    transfer = metrics(study, "transfer")
    own = transfer["matched", "all", "logistic", "released"]
    assert {"auroc", "control", "first_token", "over_first_token"} == own.keys()
    samples = metrics(study, "samples")["matched", None, None, None]
    counted = sum(samples[name]["value"] for name in ("correct", "poisoned", "hallucinated", "resisted", "undecided"))
    assert samples["questions"]["value"] == COUNT - 1 and counted == 2 * (COUNT - 1)
    assert samples["without_pair"]["value"] == 1
    assert metrics(study, "without_pair")["matched", None, None, None]["no_passage_answers"]["value"] == 1


def test_the_share_that_is_flagged_stands_for_each_label(study):
    found = metrics(study, "labels")
    rows = found["released", "all", "logistic", None]
    assert rows["poisoned"]["value"] > 0.9 > 0.5 > rows["correct"]["value"]
    assert found["released", "all", "control", None].keys() == rows.keys()


def test_what_is_flagged_without_any_poison_is_counted_beside_the_control(study):
    found = metrics(study, "false_alarms")
    assert {key[0] for key in found} == {"irrelevant", "misspelt"} and {key[2] for key in found} == {
        "logistic", "last_layer", "lens", "certainty", "masking"
    }  # fmt: skip

    def share(probe, labels):
        flagged = [row["flagged"] for row in rows_of(study, "misspelt", probe, "released", labels)]
        return np.mean([flag for flag in flagged if flag is not None])

    own = found["misspelt", "all", "logistic", "released"]
    every = ("correct", "hallucinated", "undecided")
    assert abs(own["flagged"]["value"] - share("logistic", every)) < 1e-9
    assert abs(own["correct"]["value"] - share("logistic", ("correct",))) < 1e-9
    assert abs(own["control"]["value"] - share("control", every)) < 1e-9


def test_planted_passages_classes_places_and_points_are_rows_of_their_own(study):
    rows = study.rows(METRICS)
    own = {table: [row for row in rows if row["table"] == table] for table in {row["table"] for row in rows}}
    assert {"planted", "generalisation", "t_sne_matched", "pca_released"} <= own.keys()
    planted = [json.loads(row["keys"]) | row for row in own["planted"]]
    assert {(row["condition"], row["planted"]) for row in planted} == {
        *((condition, "1") for condition in ("released", "retrieved", "prefixed", "matched"))
    }
    points = [row for row in own["pca_released"] if row["metric"] == "x"]
    assert len(points) == 30 and len({row["keys"] for row in points}) == 30
    places = [json.loads(row["keys"]) | row for row in own["generalisation"]]
    values = {(row["tested_on"], row["fitted_on"], row["metric"]): row["value"] for row in places}
    assert {metric for *_, metric in values} == {"auroc", "control", "first_token", "tpr", "fpr"}
    wanted = {"tested_on": "who", "fitted_on": "others", "probe": "logistic"}
    scores = [row for row in study.rows(PROBE_TRANSFERS) if wanted.items() <= row.items()]
    assert abs(values["who", "others", "auroc"] - area_of(scores)) < 1e-9


def test_rows_say_which_weights_and_saved_probes_the_numbers_are_of(study):
    rows = [json.loads(row["keys"]) for row in study.rows(METRICS) if row["table"] == "cards"]
    for row in rows:
        assert row["weights"] == Decoder("model tiny", study.model).digest[:16]
        assert row["dtype"] == "float32" and row["responder"] == "m"
    saved = {}
    for name, array in sorted(load((study.folder / "heads.safetensors").read_bytes()).items()):
        probe = ".".join(name.split(".")[:2])
        numbers = [round(value, 3) + 0.0 for value in array.astype(float).ravel().tolist()]
        saved[probe] = saved.get(probe, b"") + struct.pack(f"<{len(numbers)}d", *numbers)
    expected = {probe: hashlib.sha256(content).hexdigest()[:16] for probe, content in saved.items()}
    assert {row["probe"]: row["digest"] for row in rows} == expected and len(set(expected.values())) == len(expected)


def test_shares_of_classes_sum_to_one():
    about = dict(zip(("dataset", "retriever", "attack", "responder"), "sram", strict=True))
    frame = pd.DataFrame(
        [
            about | {"condition": "matched", "probe": "logistic", "cluster": f"d{at}", "label": "hallucinated"}
            | {"predicted": ("hallucinated", "correct")[at % 3 == 0]}
            for at in range(9)
        ]
    )  # fmt: skip
    rows = {json.loads(row["keys"])["predicted"]: row for row in class_rows(frame, 50, 0)}
    shares = {name: round(row["value"], 3) for name, row in rows.items()}
    assert shares == {"correct": 0.333, "poisoned": 0, "hallucinated": 0.667} and rows["correct"]["n"] == 9


def test_the_section_can_be_drawn_from_what_a_small_study_measures(study):
    """Also where some reasons and some kinds of answers never occur."""
    names = ("revprag", "revprag_transfer", "revprag_numbers")
    sections = [shown(name, study.place("metrics"))[0] for name in names]
    filled = {part.title for section in sections for part in [*section.parts, *section.details] if part.rows}
    assert filled >= {
        "Probes and controls by condition",
        "Above log-probabilities",
        "What the responder answered",
        "What is flagged",
        "Why questions have no pair of prompts",
        "From some kinds of questions to another",
    }
