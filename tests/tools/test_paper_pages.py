"""The pages of papers show what their files hold: every table, the paper's numbers, needs, dollars, nearest figures."""

import pytest

from project import ROOT
from ragassay.report import paper_tables
from tools import figures, paper_pages

PAGES = {path.stem: text for path, text in paper_pages.pages(figures.figures()).items()}


@pytest.mark.parametrize("study", PAGES)
def test_a_page_has_every_table_with_its_command_and_numbers(study):
    paper = paper_tables.papers()[study]
    parts = PAGES[study].split("\n## ")[1:]
    parts = {
        part.partition(":")[0].lower().replace(" ", "-"): part for part in parts if part.startswith(("Table", "Figure"))
    }
    assert parts.keys() == paper["tables"].keys()
    for name, table in paper["tables"].items():
        rows = [line for line in parts[name].splitlines() if line.startswith("| ")][1:]
        printed = paper_tables.lines(name, table)
        assert [row.split(" | ")[-1].removesuffix(" |") for row in rows] == [words[-1] for words in printed]
        command = f"ragassay reproduce {study}/{name}"
        assert (f"`{command}`" in parts[name]) != bool(table["instead"])
        assert all(need in parts[name] for need in table["needs"]) and all(
            line in parts[name] for line in table["differs"]
        )
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
    assert (
        f"demo with its own small models: {kept[1]} {kept[2]} (`poisoning/whole_defence_on_rag_alone`)"
        in PAGES["raguard"]
    )
    assert (ROOT / "docs/papers/raguard.md").read_text() == PAGES["raguard"]
