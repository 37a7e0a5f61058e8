"""measure_agreement: Table 4 and Figure 2 by hand for a small sample; no labels, no section."""

import pytest
from sklearn.metrics import cohen_kappa_score

from described import shown
from people import item, project, run
from project import TINY, planned, snakemake
from ragassay.base import tables
from ragassay.base.errors import AssayError
from ragassay.schemas.people import ANNOTATION_ITEMS, ANNOTATIONS, GOLD, HUMAN_LABELS
from ragassay.schemas.scope_answers import DEFUSION_LABELS
from ragassay.schemas.scope_questions import QUESTIONS, SCOPE_LABELS
from rows import metrics_of, row
from scripts.hardness.measure_agreement import measure_agreement, recorded

#        item: group, annotators, gold, judge, intention
SAID = {
    1: (1, "oo", "o", "o", "o"),
    2: (1, "ii", "i", "i", "i"),
    3: (1, "oi", "o", "i", "o"),  # settled
    4: (1, "ii", "i", "o", "o"),
    5: (1, "oo", "o", None, "o"),  # the judge has no side
    6: (2, "oo", "o", "o", "o"),
    7: (2, "oi", None, "i", "i"),  # not settled yet
}


def vote(number, annotator, label, task="scope", responder=""):
    about = {"question_id": f"question-{number}", "doc_id": f"doc-{number}", "task": task, "responder": responder}
    return row(HUMAN_LABELS, **about, annotator=annotator, label=label)


# Votes that came with a set on the same questions: two groups, and one question on which people then agreed.
VOTES = [vote(number, who, "out_of_scope") for number in (1, 2) for who in ("ann", "ben")]
VOTES += [vote(3, "ann", "in_scope"), vote(3, "ben", "out_of_scope"), vote(3, "", "in_scope")]
VOTES += [vote(5, who, "in_scope") for who in ("cleo", "dan")]
VOTES += [vote(4, "cleo", "in_scope"), vote(4, "dan", "out_of_scope"), vote(1, "ann", "defused", "defusion", "r")]
LABEL = {"o": "out_of_scope", "i": "in_scope", None: "tie"}


@pytest.fixture
def measured(tmp_path):
    """(table, keys, metric) -> row."""
    items = [item(number, group) for number, (group, *_) in SAID.items()] + [item(1, 1, "defusion")]
    annotations, gold, questions, judged_ones = [], [], [], []
    for number, (group, said, truth, judged, intended) in SAID.items():
        same = {"item_id": f"item-scope-{number:04}", "task": "scope"}
        for place, label in enumerate(said):
            person = f"person-{2 * group - 1 + place}"
            labelled = {"role": "annotator", "person": person, "label": LABEL[label], "seconds": 3.0}
            annotations.append(row(ANNOTATIONS, **same, **labelled))
        if number == 3:
            annotations.append(row(ANNOTATIONS, **same, role="adjudicator", person="person-9", label=LABEL[truth]))
        if truth:
            gold.append(row(GOLD, **same, label=LABEL[truth]))
        about = {"question_id": f"question-{number}"}
        questions.append(row(QUESTIONS, **about, slot=number, intended=LABEL[intended]))
        judged_ones.append(row(SCOPE_LABELS, **about, judge="j", label=LABEL[judged]))
    gold.append(row(GOLD, item_id="item-defusion-0001", task="defusion", label="defused"))
    told = {"question_id": "question-1", "responder": "r", "prompt_name": "p", "judge": "j"}
    files = {
        "annotation/g/j/items": (ANNOTATION_ITEMS, items),
        "annotations/g/j": (ANNOTATIONS, annotations),
        "gold/g/j": (GOLD, gold),
        "human_labels/mine": (HUMAN_LABELS, VOTES),
        "questions/g/s": (QUESTIONS, questions),
        "scope_labels/g/j/s": (SCOPE_LABELS, judged_ones),
        "defusion_labels/g/r/p/j/s": (DEFUSION_LABELS, [row(DEFUSION_LABELS, **told, label="not_defused")]),
    }
    paths = []
    for name, (table, rows) in files.items():
        paths.append([tmp_path / f"{name}.parquet"])
        tables.write(table, paths[-1][0], rows)
    settings = {"judges": ["j"], "annotators_per_item": 2, "resamples": 50, "seed": 0}
    measure_agreement(*paths, tmp_path / "metrics.parquet", **settings)
    assert shown("agreement", tmp_path / "metrics.parquet")[1] == []
    return metrics_of(tmp_path / "metrics.parquet")


def test_table_4_by_hand(measured):
    def value(group, name):
        found = measured["table_4", group, "g", "scope", name]
        return found["value"], found["n"], found["abstained"]

    assert value("1", "kappa")[:2] == (pytest.approx(cohen_kappa_score(list("oioio"), list("oiiio"))), 5)
    assert value("1", "annotator_1") == (pytest.approx(2 / 4), 4, 1)  # right on 1 and 2, wrong on 3 and 4
    assert value("1", "annotator_2") == (pytest.approx(3 / 4), 4, 1)
    assert value("1", "group_agree") == (pytest.approx(2 / 3), 3, 1)
    assert value("1", "truth") == (pytest.approx(2 / 4), 4, 1)
    assert value("(all)", "truth") == (pytest.approx(3 / 5), 5, 1)
    assert value("(all)", "kappa")[0] is None and value("(all)", "alpha")[1] == 7
    assert value("2", "truth") == (1.0, 1, 0)


def test_figure_2_by_hand(measured):
    def cells(judge, said, metric="items"):
        found = [("figure_2_scope", gold, judge, said, "g", metric) for gold in ("out of scope", "in scope")]
        return tuple(measured[key]["value"] for key in found)

    sides = ("out of scope", "in scope", "no side")
    assert [cells("j", said) for said in sides] == [(2, 1), (1, 1), (1, 0)]
    assert [cells("(intention)", said) for said in sides[:2]] == [(4, 1), (0, 1)]
    assert ("figure_2_scope", "in scope", "(intention)", "no side", "g", "items") not in measured
    assert cells("j", "out of scope", "share") == (0.5, 0.5)
    assert measured["figure_2_defusion", "defused", "j", "not defused", "g", "items"]["value"] == 1
    assert ("figure_2_defusion", "defused", "(intention)", "defused", "g", "items") not in measured


def test_votes_that_came_with_a_set_are_a_sample_of_their_own(measured):
    def found(group, name, task="scope"):
        one = measured["table_4", group, "mine", task, name]
        return one["value"], one["n"], one["abstained"]

    assert found("1", "kappa") == (pytest.approx(cohen_kappa_score(list("ooi"), list("ooo"))), 3, 0)
    assert found("(all)", "alpha")[1] == 5
    assert found("1", "truth") == (pytest.approx(2 / 3), 3, 0)  # the judge: out, in, in; agreed on: out, out, in
    assert found("2", "group_agree") == (None, 0, 1)  # the judge has no side on the only one
    progress = {name: measured["progress", "(all)", "mine", "scope", name]["value"] for name in ("gold", "settled")}
    assert progress == {"gold": 4, "settled": 1}
    assert found("1", "truth", "defusion")[1] == 0, "recorded responses are not those of the study's prompts"
    assert measured["annotators", "1", "person-2", "mine", "scope", "labels"]["value"] == 3


def test_who_left_an_item_out_is_of_the_group_all_the_same():
    votes = [vote(number, who, "in_scope") for number in (1, 2) for who in ("ann", "ben", "cleo")]
    found = recorded([*votes, vote(3, "ann", "in_scope"), vote(4, "dan", "in_scope")])
    assert [item["group"] for item in found.items] == [1, 1, 1, 2] and found.per_item == 3


def test_a_crowd_is_one_group():
    votes = [vote(number, f"who-{number + at}", "in_scope") for number in range(20) for at in range(2)]
    found = recorded(votes)
    assert {item["group"] for item in found.items} == {1} and found.per_item == 2 and len(found.gold) == 20


def test_without_labels_there_is_nothing_to_measure(tmp_path):
    with pytest.raises(AssayError, match="nothing that people labelled"):
        measure_agreement(*[[]] * 7, tmp_path / "m.parquet", judges=[], annotators_per_item=2, resamples=1, seed=0)


def test_judges_are_held_to_gold(measured):
    names = ("accuracy", "positive_found", "negative_found")
    rows = [measured["judges", "j", "g", "scope", name] for name in names]
    assert [row["value"] for row in rows] == pytest.approx([3 / 5, 2 / 3, 1 / 2])
    assert [(row["n"], row["abstained"]) for row in rows] == [(5, 1), (3, 1), (2, 0)]
    assert 0 <= rows[0]["low"] <= 0.6 <= rows[0]["high"] <= 1


def test_progress_counts_what_is_labelled_disputed_and_settled(measured):
    names = ("items", "labelled", "disagreements", "settled", "gold")
    assert [measured["progress", "(all)", "g", "scope", name]["value"] for name in names] == [7, 7, 2, 1, 6]
    assert [measured["progress", "1", "g", "defusion", name]["value"] for name in names] == [1, 0, 0, 0, 1]


def test_annotators_are_numbers(measured):
    assert measured["annotators", "1", "person-2", "g", "scope", "gold_accuracy"]["value"] == pytest.approx(4 / 5)
    assert measured["annotators", "1", "person-2", "g", "scope", "seconds"]["value"] == 3.0


def labelled(folder, numbers, label="in_scope"):
    """Import labels of two people for so many items of the study's sample."""
    if not (folder / "results/annotation_items").exists():
        snakemake(folder, "results/annotation_items/authors/careful.parquet", *TINY)
    items = tables.read(ANNOTATION_ITEMS, folder / "results/annotation_items/authors/careful.parquet").to_pylist()
    rows = [
        f"{one['item_id']},{name},{label}"
        for one in items[:numbers]
        for name in ("Anna", "Ben")
        if one["task"] == "scope"
    ]
    (folder / "labels.csv").write_text("\n".join(["item_id,annotator,label", *rows]) + "\n")
    done = run(folder, "import", "labels.csv", "--configfile", TINY[1])
    assert done.returncode == 0, done.stderr
    return len(rows)


def test_without_labels_there_is_no_section_and_with_them_it_comes_and_follows_them(done):
    page = done / "results/report/scope.html"
    assert "People and judges" not in page.read_text()
    assert labelled(done, 2)
    plan = planned(done, *TINY)
    expected = ("gather_annotations", "settle_gold", "measure_agreement", "render_page")
    assert dict.fromkeys(expected, 1).items() <= plan.items()
    assert not {"extract_claims", "judge_scope", "respond"} & plan.keys()
    snakemake(done, *TINY)
    assert "People and judges" in page.read_text() and planned(done, *TINY) == {}
    assert labelled(done, 4)
    assert planned(done, *TINY)["gather_annotations"] == 1, "new labels re-run what follows from them"


def test_an_empty_project_says_what_to_do(tmp_path):
    folder = project(tmp_path, [item(1)])
    (folder / "results/annotation_items/careful/careful.parquet").unlink()
    done = run(folder, "import", "labels.csv")
    assert done.returncode == 1 and "labels.csv: No such file" in done.stderr
