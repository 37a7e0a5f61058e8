"""measure_relevance: every table and figure from one small study set, and what its numbers have to keep to."""

import json

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ragassay.base import tables
from ragassay.metrics.panel import Estimates, auroc
from ragassay.metrics.resampling import clopper_pearson, signs
from ragassay.schemas.corpora import LM_RELEVANCE, QUERIES
from ragassay.schemas.report import METRICS
from ragassay.studies.relevance import methods, trials
from ragassay.studies.relevance.calibration import CalibrationError
from ragassay.studies.relevance.divisions import divisions, still_answered
from ragassay.studies.relevance.searched_queries import Similarities, fits, fractions
from ragassay.studies.relevance.study_set import TABLES, Options, StudySet
from rows import written
from scripts.relevance.measure_relevance import _prices, measure_relevance


@pytest.fixture(scope="module")
def measured(files, entry, options, tmp_path_factory):
    """table -> its rows, with keys as a dict."""
    path = tmp_path_factory.mktemp("measured") / "metrics.parquet"
    measure_relevance(**files, metrics=path, sets={"one": entry}, options=options, resamples=20, flips=49, seed=0)
    found = {}
    for row in tables.read(METRICS, path).to_pylist():
        found.setdefault(row["table"], []).append(row | {"keys": json.loads(row["keys"])})
    return found


def values(rows, metric, *keys):
    return {tuple(row["keys"][key] for key in keys): row["value"] for row in rows if row["metric"] == metric}


def test_all_tables_and_figures_of_the_paper_are_there(measured):
    tables_ = {f"table_{number}" for number in (1, 2, 3, 4, 5, 6, 7, 8)}
    figures = {f"figure_{number}" for number in (2, 3, 4, 5, 6, 8)}
    assert measured.keys() >= tables_ | figures | {"methods", "choice", "figure_2_critical"}
    assert {row["keys"]["statistic"] for row in measured["table_1"]} == {
        "MSS", "KNN", "AvgKNN", "Entropy", "Energy", "Fisher", "Simes", "Words alone",
    }  # fmt: skip


def test_held_out_stands_first_and_small_sets_are_called_so(measured):
    sets = {row["keys"]["at"]: (row["keys"]["set"], row["keys"]["queries"]) for row in measured["table_1"]}
    assert [sets[str(at)][0] for at in range(3)] == ["held out", "near", "far"]
    assert sets["1"][1] == "70, few"
    for row in measured["table_1"]:
        assert row["low"] <= row["value"] <= row["high"] or row["value"] == 1


def test_farther_sets_are_told_apart_better(measured):
    areas = values(measured["table_1"], "auroc", "set", "statistic")
    assert areas["far", "MSS"] >= areas["near", "MSS"] > 0.8
    assert areas["held out", "MSS"] > 0.8 > areas["held out", "KNN"]


def test_wrong_rejections_are_the_same_for_all_sets_of_a_corpus(measured):
    shares = values(measured["table_8"], "share", "set", "critical_value", "measure", "statistic")
    for statistic in ("MSS", "Energy", "Simes"):
        own = {shares[name, "in-knowledge", "FPR", statistic] for name in ("near", "far")}
        assert len(own) == 1 and max(own) < 0.25
        tpr, fpr, der = (shares["far", "in-knowledge", measure, statistic] for measure in ("TPR", "FPR", "DER"))
        assert der == pytest.approx((1 - tpr + fpr) / 2)
    assert ("near", "synthetic", "TPR", "MSS") in shares and ("held out", "synthetic", "TPR", "MSS") not in shares
    assert {row["keys"]["set"] for row in measured["table_4"]} == {"far"}


def test_outlier_detectors_know_style_and_nothing_of_the_corpus(measured):
    areas = values(measured["table_2"], "auroc", "set", "method", "fitted_on")
    assert areas["far", "KDE", "in-knowledge"] > 0.9 and areas["far", "LOF", "synthetic"] > 0.9
    assert 0.3 < areas["held out", "KDE", "in-knowledge"] < 0.7
    first = values(measured["table_1"], "auroc", "set", "statistic")
    assert areas["held out", "Energy", "nothing"] == first["held out", "Energy"]
    origins = {method: {key[2] for key in areas if key[1] == method} for method in ("MSS", "Energy", "Words alone")}
    assert origins == {"MSS": {"nothing"}, "Energy": {"nothing"}, "Words alone": {"both kinds"}}


def test_words_alone_tell_style_and_nothing_of_the_corpus_in_every_table(measured):
    for table in ("methods", "table_1", "table_2"):
        name = "statistic" if table == "table_1" else "method"
        areas = values(measured[table], "auroc", "set", name)
        assert areas["far", "Words alone"] > 0.95 and abs(areas["held out", "Words alone"] - 0.5) < 0.25
    for table in ("table_5", "table_6"):
        assert values(measured[table], "words", "set")["far",] > 0.95
    shares = values(measured["table_8"], "share", "set", "critical_value", "measure", "statistic")
    assert shares["far", "in-knowledge", "TPR", "Words alone"] > 0.9
    assert ("far", "synthetic", "TPR", "Words alone") not in shares


def test_five_divisions_are_those_of_a_search_without_half_of_the_documents(measured, files, entry, options):
    """MSS by a plain loop over the passages that are left, and the spread of what it gives."""
    known = StudySet("one", entry, Options(**options), {name: files[name] for name in TABLES}).known
    hits, areas = known.neighbours["dense"], []
    for division in range(5):
        names = [known.corpus.names[at] for at in range(len(known.corpus.names))]
        out = {at for at, part in enumerate(fractions(f"division {division}", names)) if part < 0.5}
        scores, gone = [], []
        for row, found, documents, key in zip(hits.scores, hits.passages, known.documents, known.keys, strict=True):
            if not documents or fits([key])[0]:
                continue
            left = [s for s, at in zip(row, found, strict=True) if at >= 0 and known.corpus.clusters[at] not in out]
            scores.append(-max(left))
            gone.append(set(documents) <= out)
        areas.append(auroc(scores, gone))
    rows = {row["metric"]: row for row in measured["divisions"] if row["keys"]["method"] == "MSS"}
    assert rows["auroc"]["value"] == pytest.approx(np.mean(areas))
    assert rows["auroc"]["low"] <= np.mean(areas) <= rows["auroc"]["high"]
    assert rows["spread"]["value"] == pytest.approx(np.std(areas, ddof=1)) and rows["spread"]["n"] == 5
    assert rows["lowest"]["value"] == pytest.approx(min(areas))


def test_differences_over_divisions_are_those_of_their_means(measured):
    areas = values(measured["divisions"], "auroc", "method")
    above = values(measured["divisions"], "auroc_above", "method")
    assert areas.keys() >= {("Fused MSS",), ("Logistic on masked queries",), ("Words alone",), ("Energy",)}
    assert above.keys() == areas.keys() - {("MSS",)}
    assert all(value == pytest.approx(areas[name] - areas["MSS",]) for name, value in above.items())
    assert abs(areas["Words alone",] - 0.5) < 0.2 < areas["Fused MSS",] - 0.5


def test_queries_without_enough_neighbours_are_in_no_division_and_a_warning_says_so(files, entry, options, caplog):
    study_set = StudySet("one", entry, Options(**options), {name: files[name] for name in TABLES})
    hits = study_set.known.neighbours["dense"]
    shallow = Similarities(hits.scores[:, :16], hits.passages[:, :16])
    study_set.known = study_set.known._replace(neighbours=study_set.known.neighbours | {"dense": shallow})
    texts = {("natural", query): "Which one?" for query in study_set.known.ids} | {("natural", "x"): "x"}
    rows = [row for row in divisions(study_set, texts, None, 0, 0) if row["metric"] == "auroc"]
    assert "set one: the five divisions lack" in caplog.text and "retrieval.neighbours" in caplog.text
    assert all(row["n"] < 90 for row in rows)


def test_held_out_queries_that_other_documents_answer_are_counted_and_warned_of(
    measured, files, entry, options, caplog
):
    study_set = StudySet("one", entry, Options(**options), {name: files[name] for name in TABLES})
    best, gone = (asked.neighbours["dense"].scores[:, 0] for asked in (study_set.remaining, study_set.held_out))
    [row] = measured["still_answered"]
    assert row["value"] == pytest.approx(np.mean(gone >= np.median(best))) and row["n"] == len(gone)
    assert row["low"] <= row["value"] <= row["high"]
    with caplog.at_level("INFO"):
        list(still_answered(study_set, 0, 0))
    assert f"set one: {round(row['value'] * len(gone))} of {len(gone)} held-out queries seem" in caplog.text
    study_set.held_out = study_set.remaining  # as if all were about documents whose answers others give, too
    [row] = still_answered(study_set, 0, 0)
    assert row["value"] >= 0.5 and "name all that do (relevant)" in caplog.text
    study_set.held_out = study_set.held_out.part(np.zeros(len(study_set.held_out.ids), bool))
    assert list(still_answered(study_set, 0, 0)) == []


def test_a_models_scores_stand_beside_energy_on_the_same_queries(measured):
    rows = [row for row in measured["table_3"] if row["metric"] == "auroc"]
    methods_ = {"model", "MSS", "Energy", "Fused MSS", "Fused MSS and model", "Words alone"}
    assert {(row["keys"]["set"], row["keys"]["method"]) for row in rows} == {("far", name) for name in methods_}
    areas = {row["keys"]["method"]: row["value"] for row in rows}
    assert 0.8 < areas["model"] < 1 and len({(row["n"], row["abstained"]) for row in rows}) == 1


def test_a_models_price_is_that_of_a_thousand_queries(measured):
    rows = [row for row in measured["table_3"] if row["metric"] in ("calls", "tokens", "dollars")]
    assert {row["keys"]["method"] for row in rows} == {"model", "Fused MSS and model"}
    of_model = {row["metric"]: row["value"] for row in rows if row["keys"]["method"] == "model"}
    assert of_model["calls"] == pytest.approx(1000 * 380 / 186)
    assert of_model["tokens"] == pytest.approx(10 * of_model["calls"])
    assert of_model["dollars"] == pytest.approx(of_model["calls"] / 1000)


def test_a_model_without_any_vote_has_no_price(files, tmp_path):
    votes = written(tmp_path, LM_RELEVANCE, [], rater="mute", corpus="small", retriever="dense", query_set="far")
    paid = [*zip(files["lm_relevance"], files["calls"], strict=True), (votes, files["calls"][0])]
    assert _prices(paid, "small").keys() == {("model", "dense")}


def test_two_retrievers_do_better_than_one(measured):
    areas = values(measured["methods"], "auroc", "set", "method")
    assert areas["near", "Fused MSS"] > areas["near", "MSS"]
    p = values(measured["methods"], "p_against_mss", "set", "method")
    assert p["near", "Energy"] <= 1 and ("near", "MSS") not in p
    assert areas["near", "Logistic on masked queries"] > areas["near", "Energy"]


def three(asked):
    """The best, the mean and the last similarity by each retriever."""
    return np.column_stack([column for row in asked for column in (row[:, 0], row.mean(axis=1), row[:, -1])])


def test_p_against_mss_is_that_of_each_exchange_of_ranks_with_the_correction_of_holm(measured, files, entry, options):
    study_set = StudySet("one", entry, Options(**options), {name: files[name] for name in TABLES})
    reported = values(measured["methods"], "p_against_mss", "set", "method")
    for keys, trial in study_set.trials():
        scores = methods.statistics(trial, study_set.options, methods.selected(study_set))
        fitting = trial.known.part(trial.fitting[~trial.positive])
        whole, masked, asked = (
            three([one(name, 8) for name in ("dense", "words")])
            for one in (fitting.nearest, fitting.masked, trial.nearest)
        )
        regression = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
        regression.fit(np.concatenate([whole, masked]), np.arange(2 * len(whole)) >= len(whole))
        logistic = scores["Logistic on masked queries"]
        np.testing.assert_allclose(logistic, regression.decision_function(asked), atol=2e-3)

        inside = ~trial.fitting
        positive, names = trial.positive[inside], np.unique(trial.keys[inside])
        sides = np.concatenate(list(signs(names, 49, 0)))
        swapped = sides[:, np.searchsorted(names, trial.keys[inside])] < 0
        ranks = {name: rankdata(of_method[inside]) for name, of_method in scores.items()}
        p = {}
        for name in scores.keys() - {"MSS"}:
            pair = ranks[name], ranks["MSS"]
            observed = abs(np.subtract(*(auroc(own, positive) for own in pair)))
            areas = [[auroc(np.where(row, *ways), positive) for row in swapped] for ways in (pair, pair[::-1])]
            p[name] = (1 + (np.abs(np.subtract(*areas)) >= observed - 1e-9).sum()) / 50
        ordered = sorted(p, key=p.get)
        for at, name in enumerate(ordered):
            corrected = max(p[earlier] * (len(p) - place) for place, earlier in enumerate(ordered[: at + 1]))
            assert reported[keys["set"], name] == pytest.approx(min(corrected, 1))


def test_the_difference_to_mss_has_a_sign_and_an_interval(measured):
    areas = values(measured["methods"], "auroc", "set", "method")
    above = {
        (row["keys"]["set"], row["keys"]["method"]): row
        for row in measured["methods"]
        if row["metric"] == "auroc_above"
    }
    assert above.keys() == {key for key in areas if key[1] != "MSS"}
    for table in ("table_1_above", "table_2_above", "table_3"):
        differences = [row for row in measured[table] if row["metric"] == "auroc_above"]
        assert differences and all(row["low"] <= row["value"] <= row["high"] for row in differences)
    for (name, method), row in above.items():
        assert row["value"] == pytest.approx(areas[name, method] - areas[name, "MSS"])
        assert row["low"] <= row["value"] <= row["high"]
    assert above["held out", "Energy"]["high"] < 0 < above["near", "Fused MSS"]["value"]


def test_rates_are_those_of_the_fused_statistic_at_every_level(measured):
    rates = values(measured["rates"], "rejected", "queries", "level")
    decided = {metric: values(measured["methods"], metric, "set", "method") for metric in ("tpr", "fpr")}
    sets = {name for name, method in decided["tpr"] if method == "Fused MSS"}
    assert {queries for queries, _ in rates} == sets | {"in-knowledge"}
    assert all(rates[name, "0.1"] == decided["tpr"][name, "Fused MSS"] for name in sets)
    assert rates["in-knowledge", "0.1"] == decided["fpr"]["held out", "Fused MSS"]
    for name in sets | {"in-knowledge"}:
        curve = [rates[name, f"{level:g}"] for level in methods.LEVELS if level >= 0.1]  # all runs can calibrate these
        assert curve == sorted(curve)


def test_the_fused_statistic_stands_where_critical_values_are_compared(measured):
    shares = values(measured["table_8"], "share", "set", "critical_value", "measure", "statistic")
    for source in ("in-knowledge", "synthetic"):
        assert shares["near", source, "TPR", "Fused MSS"] > shares["near", source, "TPR", "Energy"]
        assert 0 <= shares["near", source, "FPR", "Fused MSS"] < 0.5
    assert any(row["keys"]["statistic"] == "Fused MSS" for row in measured["table_4"])


def test_sample_sizes_are_those_that_were_tested(files, entry, options, tmp_path):
    """Of 120 queries some 40 are tested in a run: sizes of 300 and 500 are the same rows, and none says 300."""
    own = options | {"sizes": [500, 10, 300]}
    path = tmp_path / "metrics.parquet"
    measure_relevance(**files, metrics=path, sets={"one": entry}, options=own, resamples=0, flips=9, seed=0)
    rows = [json.loads(row["keys"]) for row in tables.read(METRICS, path).to_pylist() if row["table"] == "table_5"]
    for name in ("held out", "near", "far"):
        sizes = sorted({int(keys["samples"]) for keys in rows if keys["set"] == name})
        assert len(sizes) == 2 and sizes[0] == 10 < sizes[1] < 60


def test_what_chose_is_in_no_number(measured):
    chosen = [row for row in measured["choice"] if row["keys"]["chosen"] and row["metric"] == "masked"]
    assert len(chosen) == 1
    of_sets = values([row for row in measured["choice"] if row["keys"]["chosen"]], "auroc", "set")
    assert of_sets.keys() == {("held out",), ("near",), ("far",)}
    assert all(row["n"] < 120 for row in measured["choice"] if row["metric"] == "masked")
    assert all(row["n"] < 190 for row in measured["choice"] if row["metric"] == "auroc")


def test_a_window_is_told_apart_the_sooner_the_fewer_of_it_are_in_knowledge(measured):
    rates = values(measured["figure_5"], "rejected", "set", "ratio")
    assert {name for name, _ in rates} == {"held out", "near", "far"} and len(rates) == 33
    for name in ("near", "far"):
        curve = [rates[name, f"{tenths / 10:.1f}"] for tenths in range(11)]
        assert curve[0] == 1 and curve[10] < 0.2 and all(np.diff(curve) <= 0.02)
    assert rates["far", "0.7"] > rates["near", "0.7"]
    rows = {(row["keys"]["set"], row["keys"]["ratio"]): row for row in measured["figure_5"] if row["low"] is not None}
    for row in rows.values():
        low, high = clopper_pearson(round(500 * row["value"]), 500)  # as if all trials had other queries
        assert row["low"] <= low <= row["value"] <= high <= row["high"]
    assert rows["near", "0.7"]["high"] - rows["near", "0.7"]["low"] > 0.12  # theirs is .09 at most
    medians = values(measured["figure_5"], "p_value", "set", "ratio")
    assert medians["far", "0.0"] < 0.001 < 0.1 < medians["far", "1.0"]


def test_histograms_hold_every_query(measured):
    for table in ("figure_6", "figure_8"):
        totals = {}
        for row in measured[table]:
            name = tuple(value for key, value in row["keys"].items() if key != "at")
            totals[name] = totals.get(name, 0) + row["value"]
        assert totals and all(total == pytest.approx(1) for total in totals.values())


def test_one_in_knowledge_query_is_refused_in_one_line(files, entry, options, tmp_path):
    single = tmp_path / "queries/natural.parquet"
    tables.write(QUERIES, single, tables.read(QUERIES, files["queries"][2]).slice(0, 1))
    queries = [single if path.endswith("natural.parquet") else path for path in files["queries"]]
    settings = {"sets": {"one": entry}, "options": options, "resamples": 0, "flips": 9, "seed": 0}
    with pytest.raises(CalibrationError, match="query set natural, dense in small: found 1 in-knowledge queries"):
        measure_relevance(**files | {"queries": queries}, metrics=tmp_path / "m.parquet", **settings)


def test_runs_in_which_too_few_queries_calibrate_count_for_nothing():
    values, runs = np.array([[0.2], [np.nan], [0.4]]).ravel(), slice(0, 3)
    drawn, shares = np.array([[0.1, np.nan, 0.3], [0.3, np.nan, 0.5]]), np.full(3, True)
    estimates = Estimates(values, np.array([9, 0, 8]), np.array([0, 9, 0]), drawn, np.array([9, 0, 8]), shares)
    row = trials.over_runs(estimates, runs)
    assert row["value"] == pytest.approx(0.3) and row["n"] == 9 and 0 <= row["low"] < 0.3 < row["high"]
    counts = np.zeros(3, int), np.full(3, 9), np.full((2, 3), np.nan), np.zeros(3, int)
    none = Estimates(np.full(3, np.nan), *counts, shares)
    assert trials.over_runs(none, runs) == {"value": None, "low": None, "high": None, "n": 0, "abstained": 9}
