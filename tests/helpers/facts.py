"""Facts about the short texts of these tests, as resources/demo/facts.csv has them about the demo's articles."""

import csv

from demo.lm.lessons import Fact
from project import ROOT
from ragassay.text.words import tokens

WRITTEN = ROOT / "tests/demo/facts.csv"
OF_CLAIM = 0.9  # the share of a claim's words that stands in its text


def facts(documents: list[dict]) -> list[Fact]:
    """Those about these documents, each question once and only with one answer."""
    with WRITTEN.open(newline="") as file:
        rows = list(csv.DictReader(file))
    asked = {}
    for document in documents:
        words = set(tokens(document["text"].lower()))
        for row in rows:
            claim = set(tokens(row["claim"].lower()))
            if len(claim & words) >= OF_CLAIM * len(claim) and row["answer"].lower() in document["text"].lower():
                asked.setdefault(row["question"], []).append(Fact(document["doc_id"], **row))
    return [same[0] for same in asked.values() if len({fact.answer for fact in same}) == 1]


def write_facts(path, documents: list[dict]):
    """The file that lessons are read from."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, ("document", *Fact._fields[1:]), lineterminator="\n")
        writer.writeheader()
        for fact in facts(documents):
            row = fact._asdict()
            writer.writerow({"document": row.pop("doc_id")} | row)
    return path
