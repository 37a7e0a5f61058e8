"""What papers print: their files name only what exists, keep the papers' own sums, and meet the right rows of ours."""

import re

import pytest
import yaml

from project import ROOT
from ragassay.base import tables
from ragassay.config import schema
from ragassay.config.settings import of_files
from ragassay.report import paper_tables
from ragassay.report.paper_tables import PaperError
from ragassay.schemas.report import METRICS, metric
from tools.figures import figures

PAPERS = paper_tables.papers()
NAMES = [f"{study}/{name}" for study, paper in PAPERS.items() for name in paper["tables"]]
SECTIONS = {path.stem: path.read_text() for path in (ROOT / "workflow/report/sections").glob("*.yaml")}
SCRIPTS = "".join(path.read_text() for path in (ROOT / "workflow/scripts").rglob("*.py"))


def numbers(name):
    """(keys, metric) -> what the paper prints there."""
    _, _, table = paper_tables.named(name)
    printed = paper_tables.printed(name, table)
    return {(tuple(sorted(number.keys.items())), number.metric): number.printed for number in printed}


def number(name, of, **keys):
    return numbers(name)[tuple(sorted(keys.items())), of]


def test_each_study_with_a_paper_has_every_table_and_figure():
    """As the papers number them."""
    sizes = {
        study: [sum(name.startswith(kind) for name in paper["tables"]) for kind in ("table", "figure")]
        for study, paper in PAPERS.items()
    }
    assert sizes == {"scope": [6, 2], "relevance": [14, 8], "raguard": [8, 6], "revprag": [8, 8]}
    for paper in PAPERS.values():
        for kind in ("table", "figure"):
            places = sorted(int(name.partition("-")[2]) for name in paper["tables"] if name.startswith(kind))
            assert places == [*range(1, len(places) + 1)]


@pytest.mark.parametrize("name", NAMES)
def test_a_table_names_only_what_exists(name):
    _, paper, table = paper_tables.named(name)
    assert bool(table["instead"]) != bool(table["metrics"])
    kept = {f"{benchmark}/{line[0]}" for benchmark, lines in figures().items() for line in lines}
    assert table["measured"].keys() <= kept
    config = of_files([ROOT / file for file in ("config/config.yaml", *paper["configfiles"])], schema.merged())
    assert table["asks"].keys() <= config["models"].keys()
    rules = "".join(path.read_text() for path in (ROOT / "workflow/rules").glob("*.smk"))
    assert bool(table["instead"]) or f'"{table["target"]}"' in rules
    shown = "".join(text for section, text in SECTIONS.items() if section.startswith(table["study"]))
    for place in table["metrics"].values():
        of_tables, of = paper_tables.place_of(place)
        for each in of_tables:
            assert re.search(rf"\b(table|{each}): ?{each}\b", shown) or f'"{each}"' in SCRIPTS, place
        assert re.search(rf"\b{of}\b", shown) or f'"{of}"' in SCRIPTS, place


@pytest.mark.parametrize("name", NAMES)
def test_numbers_are_shares_and_each_stands_once(name):
    _, _, table = paper_tables.named(name)
    printed = paper_tables.printed(name, table)
    keys = [(tuple(sorted(number.keys.items())), number.metric) for number in printed]
    assert len(keys) == len(set(keys))
    counts = {"scope/table-6", "scope/figure-2"}
    assert name in counts or all(0 <= number.printed <= 1 for number in printed if number.printed is not None)


def test_the_averages_of_the_scope_paper_are_those_of_its_topics():
    """Which a slip in copying any of its 216 numbers would break."""
    printed = numbers("scope/table-2")
    rows = {}
    for (keys, of), value in printed.items():
        row = rows.setdefault((dict(keys)["prompt"], dict(keys)["responder"]), {"topics": []})
        if of == "accuracy":
            row["topics"].append(value)
        else:
            row[of] = value
    assert len(rows) == 18
    for row in rows.values():
        mean = sum(row["topics"]) / 10
        spread = (sum((topic - mean) ** 2 for topic in row["topics"]) / 10) ** 0.5
        assert row["average"] == pytest.approx(mean, abs=1.2e-4)
        assert row["deviation"] == pytest.approx(spread, abs=1.2e-4)


def test_the_raguard_papers_accuracy_is_what_it_does_not_miss():
    """Except in rows whose misprints its page names, or that are a digit apart."""
    for name in ("raguard/table-1", "raguard/table-2", "raguard/table-3", "raguard/table-5", "raguard/table-7"):
        printed = numbers(name)
        odd = [
            (name, keys)
            for (keys, of), value in printed.items()
            if of == "DACC" and value is not None and abs(value + printed[keys, "FNR"] - 1) > 0.026
        ]
        assert len(odd) <= 1, odd
    assert number("raguard/table-1", "DACC", dataset="nq", attack="poisonedrag_black", defence="raguard") == 0.962


def test_papers_repeat_their_numbers_from_table_to_table():
    for of in ("TPR", "FPR"):
        for model in ("gpt2-xl", "llama-2-7b", "mistral-7b"):
            value = number("revprag/table-1", of, dataset="hotpotqa", responder=model)
            for name, key, same in (("2", "retriever", "contriever-dot"), ("5", "attack", "poisonedrag_black")):
                assert number(f"revprag/table-{name}", of, responder=model, **{key: same}) == value
            assert number("revprag/table-6", of, responder=model, attack="poisonedrag_black") == value
    for kind in ("commonsenseqa", "pubmedqa"):
        value = number("relevance/table-1", "AUROC", corpus="textbooks", set=kind, statistic="Energy")
        assert number("relevance/table-2", "AUROC", set=kind, method="Energy", fitted_on="nothing") == value
        assert number("relevance/table-3", "AUROC", set=kind, method="Energy", compared_with="gpt-3.5") == value
    for measure in ("TPR", "DER"):
        for source in ("in-knowledge", "synthetic"):
            keys = {"critical_value": source, "measure": measure, "statistic": "Energy"}
            for corpus, name in (("textbooks", "relevance/table-8"), ("pubmed", "relevance/table-9")):
                value = number("relevance/table-4", "share", corpus=corpus, **keys)
                assert number(name, "share", set="truthfulqa", **keys) == value
    keys = {"dataset": "hotpotqa", "attack": "prompt_injection"}
    first = number("raguard/table-1", "OACC", defence="raguard", **keys)
    assert number("raguard/table-3", "OACC", at="gpt2", **keys) == first == 0.971


TABLE = """
rows: [dataset, metric]
metrics: {FPR: detection.fpr, left: 1 - detection.fnr, either: table_8/table_9.share}
keys: {responder: [gpt]}
columns: [{defence: [raguard]}]
numbers: |
  nq FPR .04
  nq left 0.9
  nq either -
  hotpotqa FPR 0.5
percent: false
"""


@pytest.fixture
def metrics(tmp_path):
    """A function that writes rows of a study."""

    def write(*rows):
        tables.write(METRICS, tmp_path / "raguard.parquet", rows)
        return tmp_path / "raguard.parquet"

    return write


def test_a_number_meets_the_row_with_its_names(metrics):
    rows = [("detection", {"dataset": "demo", "defence": "raguard"}, "fpr", 0.25)]
    rows += [("detection", {"dataset": "demo", "defence": "ppl"}, "fpr", 0.75)]
    rows += [("detection", {"dataset": "demo", "defence": "raguard"}, "fnr", 0.125)]
    rows += [("table_9", {"dataset": "demo", "responder": "gpt"}, "share", 0.5)]
    rows += [("table_9", {"dataset": "demo", "responder": "other"}, "share", 0.0625)]
    file = metrics(*(metric("raguard", table, keys, of, value, 8, 0.0, 0.875) for table, keys, of, value in rows))
    fpr, left, either, other = paper_tables.compared("it", yaml.safe_load(TABLE), file, {"nq": "demo"})
    assert (fpr.printed, fpr.ours) == (0.04, (0.25, 0, 0.875))
    assert (left.printed, left.ours) == (0.9, (0.875, 0.125, 1))  # and the ends of the interval change places
    assert (either.printed, either.ours[0]) == (None, 0.5)
    assert (other.keys["dataset"], other.printed, other.ours) == ("hotpotqa", 0.5, (None, None, None))


def test_a_figure_has_all_rows_of_ours(metrics):
    rows = [metric("raguard", "detection", {"responder": name, "at": "1"}, "fpr", 0.5, 3) for name in ("gpt", "other")]
    table = yaml.safe_load(TABLE) | {"numbers": ""}
    [row] = paper_tables.compared("it", table, metrics(*rows), {})
    assert (row.keys, row.metric, row.printed, row.ours[0]) == ({"responder": "gpt", "at": "1"}, "FPR", None, 0.5)


def test_two_rows_for_a_number_are_refused(metrics):
    keys = {"dataset": "nq", "defence": "raguard"}
    rows = [metric("raguard", "detection", keys | {"at": str(at)}, "fpr", 0.5, 3) for at in range(2)]
    with pytest.raises(PaperError, match=r"it: found 2 rows for FPR of .*, expected one"):
        paper_tables.compared("it", yaml.safe_load(TABLE), metrics(*rows), {})


def test_a_line_with_a_word_too_many_is_refused():
    with pytest.raises(PaperError, match=r"it: numbers: found 4 words in 'nq FPR \.04 \.05', expected 3"):
        paper_tables.printed("it", yaml.safe_load(TABLE.replace(".04", ".04 .05")))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("citation:", "citatoin:", "citatoin: found an unknown key"),
        ("needs: [nq,", "needs: [nqq,", r"needs: found the input 'nqq', expected one of: nq.* \(did you mean nq"),
        ("1 - table_7.fnr", "minus table_7.fnr", "metrics.DACC: found .*, expected text of the form"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(tmp_path, monkeypatch, old, new, problem):
    text = (ROOT / "resources/papers/raguard.yaml").read_text()
    (tmp_path / "raguard.yaml").write_text(text.replace(old, new, 1))
    monkeypatch.setattr(paper_tables, "matching", lambda _: {"raguard.yaml": tmp_path / "raguard.yaml"})
    with pytest.raises(PaperError, match=problem) as refused:
        paper_tables.papers()
    assert "\n" not in str(refused.value) or old == "citation:"  # which is then missing, too


@pytest.mark.parametrize(("name", "near"), [("raguard/tabel-1", "raguard/table-1"), ("ragaurd", "raguard")])
def test_an_unknown_table_is_refused_with_the_closest(name, near):
    with pytest.raises(PaperError, match=rf"found no table '{name}' \(did you mean {near}"):
        paper_tables.named(name)
