"""Pages: the front page, and those of studies."""

import csv
import hashlib
import re
from functools import partial

import pytest

from ragassay.base import tables
from ragassay.report import index_notes
from ragassay.report.index_notes import notes
from ragassay.running.summary import findings as findings_shown
from ragassay.schemas.report import EXAMPLES, FINDINGS, METRICS, metric
from rows import index_recall
from scripts.report.draw_figures import draw_figures
from scripts.report.render_front import render_front
from scripts.report.render_page import render_page
from scripts.report.typeset_section import typeset_section
from scripts.report.write_findings import write_findings

BARE = {"examples": [], "notes": {}}


def test_the_front_page_says_what_was_found_and_where_it_stands(study, tmp_path):
    write_findings(study["metrics"], study["sections"], [], tmp_path / "findings.parquet", {})
    render_page(**study, **BARE, page=tmp_path / "one.html")
    made = {"findings": tmp_path / "findings.parquet", "pages": [tmp_path / "one.html"]}
    for name in ("first", "second"):
        files = {"page": tmp_path / name / "index.html", "settings": tmp_path / name / "settings.html"}
        render_front(**study, **made, **files, config={"shards": "config/shards.tsv"})
    page = (tmp_path / "first/index.html").read_text()
    assert page == (tmp_path / "second/index.html").read_text()
    for expected in (
        "<h1>A title</h1>",
        'href="one.html#two-lengths">There are 1,234 documents of of &lt;two&gt; words.',
        'Not measured yet: whether there are pictures.</a> <span class="action">Run <code>make pictures</code>.',
        "<dt>Documents</dt><dd>1,234</dd>",
        '<a class="card" href="one.html">',
    ):
        assert expected in page
    assert "shards: config/shards.tsv" in (tmp_path / "first/settings.html").read_text()


def test_the_page_of_a_study_holds_findings_numbers_and_figures(study, tmp_path):
    passage = {"study": "two", "example": 1, "position": 1, "title": "kept", "part": "Claim"}
    passage["text"] = "The <ferry> sails."
    tables.write(EXAMPLES, tmp_path / "examples/two.parquet", [passage])
    more = {"examples": [tmp_path / "examples/two.parquet"], "notes": {"toy": "toy is a `small` model."}}
    for name in ("first", "second"):
        render_page(**study, **more, page=tmp_path / name / "one.html")
    page = (tmp_path / "first/one.html").read_text()
    assert page == (tmp_path / "second/one.html").read_text()
    for expected in (
        "<h1>Study one</h1>",
        "Study two",
        "of &lt;two&gt;: 1,234",
        'href="../one/lengths.pdf" download',
        "The &lt;ferry&gt; sails.",
        'href="#two-lengths">There are 1,234 documents of of &lt;two&gt; words.',
        'href="explorer/a/b.html"',
        '<a href="one.html" aria-current="page">Study one</a>',
    ):
        assert expected in page


def test_a_finding_of_a_page_leads_to_the_rows_behind_it(study, tmp_path):
    section = study["sections"][0]
    shows = "    against: 100\n    shows: {list: attacks, finding: reached}\n"
    section.write_text(section.read_text().replace("    against: 100\n", shows))
    links = study["links"] | {"All attacks": "explorer/attacks.html"}
    render_page(**study | {"links": links}, **BARE, page=tmp_path / "one.html")
    page = (tmp_path / "one.html").read_text()
    assert page.count('href="explorer/attacks.html#finding=reached">See them one by one</a>') == 1


def test_a_page_ends_with_what_it_was_made_from(study, tmp_path):
    render_page(**study, **BARE, page=tmp_path / "one.html")
    page = (tmp_path / "one.html").read_text()
    for path in study["metrics"]:
        assert f"<dd>{path} <code>{hashlib.sha256(path.read_bytes()).hexdigest()}</code></dd>" in page
    assert "<dd>of: a/of</dd>" in page and "a/large" not in page, "of the models that its numbers name"
    assert '<html lang="en" data-page="one.html">' in page and "<code>make demo</code>" in page
    nonce = re.search("'nonce-([0-9a-f]+)'", page.replace("&#39;", "'")).group(1)
    tables.write(METRICS, study["metrics"][0], [metric("one", "lengths", {"words": "of"}, "documents", 3, 3)])
    render_page(**study, **BARE, page=tmp_path / "one.html")
    assert nonce not in (tmp_path / "one.html").read_text(), "it follows from the tables"


WIDE = """
title: Wide
parts:
  - {kind: dots, table: scores, title: S, caption: C, label: [model], metric: right, x: X, controls: ["7"]}
  - {kind: heat, table: scores, name: map, title: S, caption: C, label: [model], by: topic, metric: right, x: X}
  - {kind: table, table: scores, title: S, caption: C, columns: {model: Model, right: Right}}
  - {kind: bars, table: gone, title: Nothing, caption: C, label: model, metric: right, x: X, y: Y}
"""


def test_hundreds_of_models_long_names_and_other_scripts_fit_on_a_page(study, tmp_path):
    names = ["\u0645\u0631\u062d\u0628\u0627 " * 9, "n" * 200, *(f"model {number}" for number in range(300))]
    keys = [{"model": name, "topic": names[place % 2]} for place, name in enumerate(names)]
    rows = [metric("wide", "scores", key, "right", place / 302, 5) for place, key in enumerate(keys)]
    tables.write(METRICS, tmp_path / "wide.parquet", rows)
    (tmp_path / "wide.yaml").write_text(WIDE)
    draw_figures(tmp_path / "wide.parquet", tmp_path / "wide.yaml", tmp_path / "wide", tmp_path / "wide.csv")
    given = {"metrics": [tmp_path / "wide.parquet"], "sections": [tmp_path / "wide.yaml"]}
    given["figures"] = [tmp_path / "wide"]
    render_page(**study | given, **BARE, page=tmp_path / "page/wide.html")
    page = (tmp_path / "page/wide.html").read_text()
    assert all(name.strip() in page for name in names) and len(page) < 1_000_000


def test_findings_are_a_table_with_what_they_rest_on(study, tmp_path):
    write_findings(study["metrics"], study["sections"], [], tmp_path / "findings.parquet", {})
    rows = tables.read(FINDINGS, tmp_path / "findings.parquet").to_pylist()
    assert [[row[name] for name in ("section", "finding", "verdict", "value", "against")] for row in rows] == [
        [section, *finding]
        for section in ("one", "two")
        for finding in (("gone", "missing", None, None), ("long", "higher", 1234, 100))
    ]


@pytest.fixture
def recall(tmp_path):
    return partial(index_recall, tmp_path)


def test_a_page_says_once_what_the_index_misses_that_its_numbers_rest_on(study, tmp_path, recall):
    render_page(**study, **BARE, page=tmp_path / "one.html")
    without = (tmp_path / "one.html").read_text()
    render_page(**study, **BARE, index_recall=[recall("wiki", "asked", 9, 10)], page=tmp_path / "one.html")
    line = "<code>near</code> searches an index. Of the first 10 passages of an exact search it finds 95.0 % (asked in"
    assert "searches an index" not in without and (tmp_path / "one.html").read_text().count(line) == 1


SEARCHED = """
title: Searched
parts:
  - {kind: dots, table: finds, title: Dots, caption: C, label: [retriever], metric: share, x: X}
  - {kind: table, table: finds, title: Numbers, caption: C, columns: {retriever: By, share: Share}}
  - {kind: table, table: judged, title: Judged, caption: C, columns: {judge: Judge, share: Share}}
findings:
  - {name: near, question: Q, table: finds, metric: share, where: {retriever: near}, against: 0, reference: R,
     higher: "It finds {value}."}
  - {name: bm25, question: Q, table: finds, metric: share, where: {retriever: bm25}, against: 0, reference: R,
     higher: "It finds {value}."}
  - {name: less, question: Q, table: finds, metric: share, where: {retriever: bm25}, reference: R,
     against: {where: {retriever: near}}, lower: "Less, {value}.", higher: "More, {value}."}
  - {name: all, question: Q, table: gate, metric: share, against: 0, reference: R, higher: "All find {value}."}
  - {name: judged, question: Q, table: judged, metric: share, against: 0, reference: R, higher: "Judged {value}."}
  - {name: gone, question: Q, table: gone, metric: share, against: 0, reference: R, missing: "Nothing."}
card: {label: found, table: finds, where: {retriever: near}, metric: share}
front: finds
"""
REMARK = "`near` searches an index that finds 95.0 % of the 10 nearest passages."


@pytest.fixture
def searched(study, tmp_path, recall):
    """A function that writes all that leaves a section of two retrievers, of which one may search an index."""

    def searched(*shared):
        folder = tmp_path / f"of_{len(shared)}"
        metrics, section, table = folder / "one.parquet", folder / "one.yaml", folder / "findings/default.parquet"
        keys = {"finds": [{"retriever": "near"}, {"retriever": "bm25"}], "judged": [{"judge": "x"}, {"judge": "y"}]}
        keys["gate"] = [{"corpus": "c", "method": "all"}]
        rows = [
            metric("one", name, key, "share", value, 50, value - 0.1, value + 0.1)
            for name, every in keys.items()
            for key, value in zip(every, (0.8, 0.5), strict=False)
        ]
        tables.write(METRICS, metrics, rows)
        section.write_text(SEARCHED)
        files = [recall("c", "asked", *shared)] if shared else []
        recalls = {"one": files} if files else {}
        draw_figures(metrics, section, folder / "one", folder / "one.csv", files)
        typeset_section(metrics, section, files, folder / "paper/one", 174)
        write_findings([metrics], [section], files, table, recalls)
        shown = study | {"metrics": [metrics], "sections": [section], "heads": [section], "figures": [folder / "one"]}
        shown |= {"recalls": recalls, "index_recall": files}
        render_page(**shown, **BARE, page=folder / "one.html")
        made = {"findings": table, "pages": [folder / "one.html"], "config": {}}
        render_front(**shown, **made, page=folder / "index.html", settings=folder / "settings.html")
        return folder

    return searched


def test_what_an_index_misses_stands_beside_each_number_that_rests_on_it_wherever_it_leaves(searched):
    folder = searched(9, 10)
    rows = tables.read(FINDINGS, folder / "findings/default.parquet").to_pylist()
    assert {row["finding"]: row["sentence"].endswith(REMARK) for row in rows} == {
        "near": True, "bm25": False, "less": True, "all": True, "judged": False, "gone": False
    }  # fmt: skip
    assert sum(REMARK in line for line in findings_shown(folder / "findings/default.parquet", 9)) == 3
    shown = REMARK.replace("`near`", "<code>near</code>")
    assert (folder / "one.html").read_text().count(shown) == 3, "beside its findings"
    front = (folder / "index.html").read_text()
    assert front.count(shown) == 5 and f">found. {shown}</p>" in front and f"<figcaption>{shown}</figcaption>" in front
    lines = list(csv.DictReader((folder / "one.csv").read_text().splitlines()))
    assert [(line["table"], line["key retriever"], bool(line["index"])) for line in lines] == [
        ("finds", "bm25", False),
        ("finds", "near", True),
        ("gate", "", True),
        *[("judged", "", False)] * 2,
    ]
    paper = folder / "paper/one"
    for name, rests in {"finds": True, "finds-2-table": True, "judged-table": False}.items():
        caption = " ".join((paper / f"{name}.tex").read_text().split())
        assert (r"\texttt{near} searches an index that finds 95.0 \% of" in caption) is rests
        assert (REMARK in (paper / f"{name}.md").read_text()) is rests
    assert REMARK in (paper / "finds-2-table.csv").read_text()


def test_without_an_index_nothing_says_a_word_of_one(searched):
    folder = searched()
    for path in folder.rglob("*.*"):
        if path.suffix in (".html", ".csv", ".tex", ".md", ".parquet"):
            assert b"searches an index" not in path.read_bytes() and b",index\n" not in path.read_bytes(), path


def test_a_mark_names_its_retriever_in_a_label():
    assert index_notes.of_number({"near": REMARK}, {"depth": "near 10"}) == [REMARK]
    assert index_notes.of_number({"near": REMARK}, {"depth": "nearest 10"}, {"depth": "bm25 10"}) == []


def test_of_several_sets_the_least_and_the_most_stand_there(recall):
    files = [recall("a", "one", 8, 9), recall("a", "two", 7, 7, 7), recall("b", "one", 10)]
    files += [recall("a", "one", 6, retriever="theirs"), recall("a", "one", retriever="unchecked")]
    begin = "searches an index. Of the first 10 passages of an exact search it finds"
    assert notes(files) == [
        f"`near` {begin} 70.0 % (two in a, 3 queries) to 100.0 % (one in b, 1 queries).",
        f"`theirs` {begin} 60.0 % (one in a, 1 queries).",
        f"`unchecked` {begin} a share that nobody measured: `index.checked` is 0.",
    ]
    assert notes([]) == []
    assert index_notes.remarks(files) == {
        "near": "`near` searches an index that finds 70.0 % to 100.0 % of the 10 nearest passages.",
        "theirs": "`theirs` searches an index that finds 60.0 % of the 10 nearest passages.",
        "unchecked": "`unchecked` searches an index whose recall nobody measured.",
    }
