"""The demo's files, as they were written: articles, and rows of CSV about them."""

import csv
from pathlib import Path

import yaml

DEMO = Path(__file__).resolve().parents[2] / "resources/demo"
FILES = sorted(DEMO.glob("articles/*/*.md"))


def article(path):
    """Its header and its text."""
    header, text = path.read_text().removeprefix("---\n").split("\n---\n\n")
    return yaml.safe_load(header), text


def articles():
    """url -> text of each."""
    return {header["url"]: text for header, text in map(article, FILES)}


def rows(name):
    with (DEMO / f"{name}.csv").open(newline="") as lines:
        return list(csv.DictReader(lines))
