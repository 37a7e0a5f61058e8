"""Render the explorer: one HTML page with all documents and questions, that needs nothing but itself and no server.

What the list shows and filters by is one compressed piece, the index; documents are in pieces of a few, each unpacked
when one of its documents is opened. A piece is JSON, gzip, base64 in a script element of a type that no browser runs,
so that no text in it can be taken for markup, and the page builds text nodes from it, never markup.
"""

import base64
import gzip
import json
from pathlib import Path

from markupsafe import Markup

from ragassay.base import html

TOGETHER = 25  # documents in a piece

# What questions are filtered by: its name, what people read, and the order of its values, if it has one.
FACETS = (
    ("topic", "Topic", ()),
    ("intended", "Written as", ("in_scope", "out_of_scope")),
    ("label", "Judged as", ("in_scope", "out_of_scope", "tie", "no_verdict")),
    ("status", "Status", ("kept", "disputed", "undecided")),
    ("hardness", "Hardness", ("hard", "not_hard", "not_graded")),
    ("stratum", "Nearness", ()),
    ("split", "Split", ("train", "validation", "test")),
)


def render(template, style, behaviour, title: str, models: dict, dossiers: list[dict], strata: list[str]) -> str:
    """The page as text. A dossier is a document with all that was made of it; `behaviour` are parts of one script,
    `strata` the ranges of nearness in their order; `models` names the generator and the judge.
    """
    style = Path(style).read_text().strip()
    behaviour = "\n".join(Path(part).read_text().strip() for part in behaviour)
    pieces = [dossiers[start : start + TOGETHER] for start in range(0, len(dossiers), TOGETHER)]
    return (
        html.environment()
        .from_string(Path(template).read_text())
        .render(
            title=title,
            models=models,
            policy=html.policy(style, behaviour),
            style=Markup(style),
            behaviour=Markup(behaviour),
            facets=[(name, shown) for name, shown, _ in FACETS],
            index=packed(index(dossiers, strata)),
            pieces=[packed(piece) for piece in pieces],
        )
    )


def index(dossiers: list[dict], strata: list[str]) -> dict:
    """All questions as columns: what is equal for many is a number, its place in a list of values."""
    rows = [(at, question) for at, dossier in enumerate(dossiers) for question in dossier["questions"]]
    columns = {name: [question[name] for _, question in rows] for name in ("id", "text", "nearness", "margin")}
    facets = []
    for name, _, order in FACETS:
        of_questions = [dossiers[at]["topic"] if name == "topic" else question[name] for at, question in rows]
        values = _ordered(set(of_questions), strata if name == "stratum" else order)
        places = {value: place for place, value in enumerate(values)}
        facets.append({"name": name, "values": values, "codes": [places[value] for value in of_questions]})
    titles = [dossier["title"] or dossier["id"] for dossier in dossiers]
    return {"together": TOGETHER, "titles": titles, "document": [at for at, _ in rows], "facets": facets, **columns}


def _ordered(values, order):
    return [*(value for value in order if value in values), *sorted(values - set(order))]


def packed(value) -> str:
    """Base64 of compressed JSON; the same value always gives the same text."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()
