"""Documentation by tools: generated pages, pages of papers, messages and scales."""

import re

import pytest

from project import ROOT
from ragassay.base.errors import AssayError
from ragassay.report import paper_tables
from ragassay.results import all_tables
from tools import docs, figures, paper_pages, scale


def test_everything_generated_is_current():
    stale = [str(path.relative_to(ROOT)) for path, text in docs.documentation().items() if path.read_text() != text]
    assert not stale, f"run `make docs`: {stale}"


def test_every_setting_and_column_is_in_the_documents():
    settings, tables = (ROOT / "config/README.md").read_text(), list(all_tables().values())
    assert "`documents.cut_after_words` | `300`" in settings
    dictionary = docs.data_dictionary(tables)
    assert {table.name for table in tables} >= {"documents", "metrics", "rejects"}
    assert all(f"`{column.name}`" in dictionary for table in tables for column in table.columns)


def test_the_map_has_all_stages_and_the_fewest_arrows():
    files = {"a": "first", "b": "second", "b2": "second", "c": "third", "measure_c": "third", "d": "alone"}
    graph = {("a", "b"), ("b", "c"), ("a", "c"), ("b", "b2"), ("c", "all"), ("a", "measure_c")}
    drawn = docs.stage_map(graph, files).splitlines()
    assert drawn[2:-1] == ["  alone", "  first --> second", "  second --> third"]


def test_the_readme_maps_and_describes_every_rule_file():
    stages = {path.stem for path in (ROOT / "workflow/rules").glob("*.smk")} - {"common"}
    drawn, described = (ROOT / "README.md").read_text().split("<!-- end of stages -->")
    assert set(re.findall(r"\w+", drawn.partition("flowchart LR")[2].rpartition("```")[0])) == stages
    assert set(re.findall(r"^\| (\w+) \|", described.split("##")[0], re.MULTILINE)) - {"stage"} == stages


def test_the_picture_groups_rules_by_stage_and_leaves_targets_out():
    picture = docs.picture({("a", "b"), ("b", "all")}, {"a": "first", "b": "second"})
    assert 'subgraph first_stage["first"]\n    a\n' in picture and "a --> b" in picture and "all" not in picture


def test_headlines_say_what_falls_short(monkeypatch):
    monkeypatch.setattr(docs, "HEADLINES", [("calls", "wait", "waiting"), ("tables", "size", "size")])
    calls, tables = ["wait", "3", "s", "2", "1.5", "<=2", "short"], ["size", "1", "MB", "-", "-", "<=2", "ok"]
    rows = docs.headlines({"calls": [calls], "tables": [tables]}).splitlines()[2:]
    assert rows == ["| waiting | 3 s | 2 s | <=2 | **falls short** |", "| size | 1 MB | - | <=2 | reached |"]


def test_the_table_of_figures_counts_targets_and_shows_those_that_are_short_or_nearly_missed():
    def line(name, value, target, verdict):
        return [name, value, "s", "-", "-", target, verdict, "abc", "1.0/2"]

    measured = [line(f"near_{n}", str(100 - n), "<=100", "ok") for n in range(1, figures.NEAREST + 2)]
    measured += [line("exact", "0", "==0", "ok"), line("missed", "9", "<=3", "short")]
    pages = [["pages", "3", "pages", "-", "-", "-", "count", "abc", "1.0/2"]]
    summary, rows = figures.figure_table({"calls": measured, "scale": pages}).split("\n\n")
    assert summary.splitlines()[2:] == [
        f"| [calls](../benchmarks/figures/calls.txt) | {figures.NEAREST + 2} of {figures.NEAREST + 3} | abc | 1.0/2 |",
        "| [scale](../benchmarks/figures/scale.txt) | 1 counts | abc | 1.0/2 |",
    ]
    shown = [row.split(" | ")[1] for row in rows.splitlines()[2:]]
    assert shown == ["missed", *(f"near {n}" for n in range(1, figures.NEAREST + 1))]


def test_a_study_page_says_which_targets_are_not_reached_and_why_and_nothing_of_others():
    lines = [["near", "0.5", "auroc", "-", "-", ">0.6", "short", "abc", "1.0/2"]]
    lines += [["far", "0.7", "auroc", "-", "-", ">0.6", "ok", "abc", "1.0/2"]]
    why = {"scope/near": "Few answers.", "scope/far": "Nothing."}
    head, _, *rows = figures.not_reached({"scope": lines}, why).splitlines()
    assert head.startswith("| not reached |") and rows == ["| near | 0.5 | >0.6 | Few answers. |"]
    assert figures.not_reached({"scope": lines[1:]}, {"scope/far": "Nothing."}) == "None."


@pytest.mark.parametrize("benchmark", ["scope", "relevance", "published", "poisoning", "revprag"])
def test_every_figure_of_a_study_that_is_short_has_a_reason(benchmark):
    known = {name for why in figures.reasons().values() for name in why}
    lines = figures.figures()[benchmark]
    assert {f"{benchmark}/{line[0]}" for line in lines if line[6] == "short"} <= known


def test_benchmarks_without_figures_are_named():
    assert "`make bench-tables`" in figures.unmeasured({})
    assert "`make bench-tables`" not in figures.unmeasured({"tables": []})


PAGES = {path.stem: text for path, text in paper_pages.pages(figures.figures()).items()}


@pytest.mark.parametrize("study", PAGES)
def test_a_page_has_every_table_with_its_command_and_numbers(study):
    paper = paper_tables.papers()[study]
    parts = [part for part in PAGES[study].split("\n## ")[1:] if part.startswith(("Table", "Figure"))]
    parts = {part.partition(":")[0].lower().replace(" ", "-"): part for part in parts}
    assert parts.keys() == paper["tables"].keys()
    for name, table in paper["tables"].items():
        rows = [line for line in parts[name].splitlines() if line.startswith("| ")][1:]
        printed = paper_tables.lines(name, table)
        assert [row.split(" | ")[-1].removesuffix(" |") for row in rows] == [words[-1] for words in printed]
        command = f"ragassay reproduce {study}/{name}"
        assert (f"`{command}`" in parts[name]) != bool(table["instead"])
        assert all(words in parts[name] for words in (*table["needs"], *table["differs"]))
    assert paper["link"] in PAGES[study] and paper["bibtex"].strip() in PAGES[study]


def test_no_two_columns_of_a_table_have_one_heading():
    for page in PAGES.values():
        for before, line in zip(page.splitlines(), page.splitlines()[1:], strict=False):
            if line.startswith("|---"):
                heads = [head.strip() for head in before.strip("|").split("|")]
                assert len(heads) == len(set(heads)) == line.count("---"), before


def test_dollars_are_requests_times_tokens_at_the_price_of_batches():
    """1,000 requests of 500 and 250 tokens at 2 and 8 dollars a million, at half of it where they wait."""
    model = {"price": {"input": 2, "output": 8, "batch": 0.5}, "mode": "batch"}
    assert paper_tables.dollars(model, 1000, 500, 250) == pytest.approx(1.5)
    assert paper_tables.dollars(model | {"mode": "online"}, 1000, 500, 250) == pytest.approx(3)


def test_a_figure_that_comes_near_is_read_from_the_benchmarks():
    kept = next(line for line in figures.figures()["poisoning"] if line[0] == "whole_defence_on_rag_alone")
    words = f"demo with its own small models: {kept[1]} {kept[2]} (`poisoning/whole_defence_on_rag_alone`)"
    assert words in PAGES["raguard"]
    assert (ROOT / "docs/papers/raguard.md").read_text() == PAGES["raguard"]


@pytest.fixture
def printed():
    return figures.figures()


def changed(printed, benchmark, figure, times):
    return printed | {
        benchmark: [[f[0], str(float(f[1]) * times), *f[2:]] if f[0] == figure else f for f in printed[benchmark]]
    }


def row(parts, part, beginning):
    return next(line for line in parts[part].splitlines() if line.startswith(f"| {beginning}"))


def test_tokens_and_prices_make_dollars(printed):
    ten = {"prompt_tokens_per_document": 20_000, "completion_tokens_per_document": 3_000}
    printed["scale"] = [[f[0], str(ten.get(f[0], f[1])), *f[2:]] for f in printed["scale"]]
    study = scale.parts(printed)
    # 20 billion at 0.15 a million and 3 billion at 0.6 for a million documents; batches half
    assert row(study, "study", "dollars at the prices of").endswith("| 48 | 4,800 | 480,000 |")
    assert row(study, "study", "dollars in batches").endswith("| 24 | 2,400 | 240,000 |")


@pytest.mark.parametrize(
    ("benchmark", "figure", "part", "beginning"),
    [
        ("scale", "requests_per_document", "study", "requests"),
        ("cluster", "plan_of_1000000_documents_memory", "limits", "plan in one head"),
        ("cluster", "plan_of_1000000_documents", "study", "hours of a core for that plan"),
        ("models", "embedded_documents", "search", "hours of a core to embed"),
        ("retrieval", "bm25_1k_in_50k", "search", "hours of a core to search with BM25"),
        ("scale", "measure_months_million", "gathers", "`measure_months`"),
        ("scale", "measure_months_columns_by_arrow", "gathers", "`measure_months`"),
    ],
)
def test_a_figure_that_changes_changes_its_row(printed, benchmark, figure, part, beginning):
    before, after = scale.parts(printed), scale.parts(changed(printed, benchmark, figure, 3))
    assert row(before, part, beginning) != row(after, part, beginning)


def measured(printed, benchmark, **values):
    """The tables if of this benchmark, beside what it has anyway, these figures were kept."""
    kept = [line for line in printed.get(benchmark, []) if line[0] not in values]
    lines = [[name, str(value), "x", "-", "-", "-", "count", "abc", "1.0/2"] for name, value in values.items()]
    return scale.parts(printed | {benchmark: kept + lines})


def test_exact_search_reads_the_file_of_a_corpus(printed):
    written = measured(printed, "retrieval", search_1k_in_4M_of_a_file=40)
    assert "100 million passages" in row(written, "limits", "exact search of vectors")


def test_an_index_is_described_by_its_last_search_and_says_what_is_not_measured(printed):
    kept = {"size": 200, "build": 160, "nprobe_8_1k": 2, "nprobe_8_recall_10": 0.8}
    kept |= {"nprobe_32_1k": 4, "nprobe_32_recall_10": 0.95}
    values = {f"ivf_pq_of_4M_{name}": value for name, value in kept.items()}
    printed["retrieval"] = [line for line in printed["retrieval"] if not line[0].startswith(("ivf_pq", "hnsw"))]
    written = measured(printed, "retrieval", **values)
    assert row(written, "indexes", "IVF-PQ") == "| IVF-PQ | 50 | not measured | 40 | 1 | 0.95 | at most 160 million |"
    assert "160 million vectors in 8 GB" in row(written, "limits", "index IVF-PQ")
    written = measured(printed, "retrieval", **values, ivf_pq_of_4M_build_peak=4e8 / 2**20)
    assert row(written, "indexes", "IVF-PQ") == "| IVF-PQ | 50 | 100 bytes | 40 | 1 | 0.95 | 80 million |"
    assert len(written["indexes"].splitlines()) == 3, "HNSW was not measured"


def test_jobs_of_bm25_in_parts_stand_in_a_table(printed):
    printed["retrieval"] = [line for line in printed["retrieval"] if "_parts_" not in line[0]]
    values = {"bm25_5M_in_5_parts_count_words_memory": 1000, "bm25_5M_in_5_parts_count_words": 150}
    written = measured(printed, "retrieval", **values)
    assert written["words"].splitlines()[2:] == ["| `count_words` | 1 GB | 30 |"]
    written = measured(printed, "retrieval", bm25_5M_in_5_parts_merge_parts_memory=2e9 / 2**20)
    assert "| at least 5 million passages in 2 GB |" in row(written, "limits", "BM25 in parts")


def test_looks_for_near_duplicates_grow_with_the_square_and_their_indexes_do_not(printed):
    values = {"duplicates_of_1M_articles": 720, "duplicates_of_1M_articles_joined": 360, "duplicates_index_bytes": 2000}
    written = measured(printed, "documents", **values)
    assert row(written, "study", "hours of a core to index").endswith("| under 0.01 | 0.1 | 10 |")
    assert row(written, "study", "hours of a core to compare").endswith("| under 0.01 | 0.1 | 1,000 |")
    assert row(written, "study", "bytes of these indexes").endswith("| 20 MB | 2 GB | 200 GB |")
    assert "near duplicates" not in scale.parts(printed | {"documents": []})["study"]


def test_a_gather_whose_memory_grows_breaks_first_and_a_trained_detector_says_what_to_train_it_on(printed):
    assert row(scale.parts(printed), "study", "**breaks first**").startswith("| **breaks first** | nothing | nothing |")
    written = measured(printed, "scale", train_detector_bytes=60_000, train_detector_million=60_000)
    assert row(written, "study", "**breaks first**").startswith("| **breaks first** | nothing | `train_detector` |")
    assert "`detectors.most_questions`" in row(written, "limits", "`train_detector`")


def test_submissions_wait_in_the_queue_a_hundred_at_once(printed):
    written = measured(printed, "scale", submissions_per_shard=12)
    assert row(written, "study", "hours in the queue").endswith("| 0.05 | 5 | 500 |")


@pytest.fixture
def asking(monkeypatch):
    """What rules of the tests ask for, each 4 GB but `usual`, which asks for nothing."""
    rules = {name: {"mem_mb": 4000} for name in ("small", "large", "soon", "middle", "late")}
    monkeypatch.setattr(scale, "of_rules", lambda: rules | {"usual": {"runtime": 60}})


def gathers(printed, **measured):
    """The tables if these gathers alone were measured: base in MB, bytes of a document."""
    others = [line for line in printed["scale"] if not line[0].endswith("_base")]
    lines = []
    for name, (base, each) in measured.items():
        numbers = {"base": base, "bytes": each, "time": 0.3, "columns_by_arrow": 0.1}
        lines += [[f"{name}_{what}", str(number), *others[0][2:]] for what, number in numbers.items()]
    return scale.parts(printed | {"scale": [*others, *lines]})


def test_a_gather_holds_as_many_documents_as_fit_beside_what_it_always_needs(printed, asking):
    sizes = {"small": (0, 0.0), "large": (1e9 / 2**20, 30_000), "usual": (1e9 / 2**20, 10_100)}
    usual, large, small = gathers(printed, **sizes)["gathers"].splitlines()[2:]
    assert (
        large == "| `large` | 1.3 GB | 31 GB | 3 TB | 4 GB | 100,000 | 230,000 | 300 | 3 |"
    )  # 3 or 7 GB of 30 kB each
    assert "| 2 GB | 99,000 | 690,000 |" in usual, "1 or 7 GB of 10 kB each"
    assert small == "| `small` | 0 bytes | 0 bytes | 0 bytes | 4 GB | any number | any number | 300 | 3 |"


def test_what_breaks_first_depends_on_the_size(printed, asking):
    """The first is what holds the fewest; what holds all is named nowhere."""
    written = gathers(printed, middle=(0, 10_000), soon=(0, 1_000_000), late=(0, 10))
    assert row(written, "study", "**breaks first**").endswith("| `soon` | `soon` | `soon` |")
    written = gathers(printed, middle=(0, 5_000), late=(0, 10))
    assert row(written, "study", "**breaks first**").split(" | ")[1:3] == ["nothing", "`middle`"]
    ends = [line.split(" | ")[1] for line in written["limits"].splitlines() if " documents in " in line]
    assert ends[0] == "800,000 documents in 4 GB"


def test_a_figure_that_is_missing_is_named(printed):
    printed["scale"] = [figure for figure in printed["scale"] if figure[0] != "vector_bytes"]
    with pytest.raises(AssayError, match=r"figures/scale.txt: found no figure vector_bytes.*; run make bench-scale"):
        scale.parts(printed)


def test_numbers_have_two_digits_that_count():
    numbers = {3.14159: "3.1", 2.0: "2", 54_321: "54,000", 1.24e6: "1.2 million", 2e9: "2 billion"}
    assert {number: figures.rounded(number) for number in numbers} == numbers


def test_sizes_have_units():
    assert [figures.sized(count) for count in (999, 1.5e3, 2e9, 7.77e11)] == ["1 kB", "1.5 kB", "2 GB", "780 GB"]
