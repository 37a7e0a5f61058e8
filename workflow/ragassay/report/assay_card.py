"""The assay card of services: five numbers of each, with what they mean, as JSON that a later run is compared with.

Its numbers are rows of the studies' metrics; nothing is measured here. How two cards or services differ: see
`card_differences`.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ragassay.base import card
from ragassay.base.errors import AssayError
from ragassay.config import schema
from ragassay.config.services import SERVICE
from ragassay.config.settings import schema_problems

FILE = "card.json"
SCHEMA = Path(__file__).with_name("card.schema.yaml")
COUNTS = {True: "1", False: "0", None: "-"}  # how the outcome of a question is written
OUTSIDE, POISON, GUARDS = "outside_corpus", "poison_got_through", "guard_costs_answers"
STAGING = (
    "Give it a `rehearsal` in a collection with `staging: true`, and name it in a cell of `under_attack`: see"
    " docs/services.md."
)


class CardError(AssayError):
    """A card cannot be read or compared."""

    exit_code = 2


class CardNumber(NamedTuple):
    """`sentences` are by the key of a row that they suit; `missing` says why there is none, and what fills it."""

    name: str
    title: str
    aim: str
    sentences: dict[str, str]
    missing: str


NUMBERS = (
    CardNumber(
        "answered_out_of_scope",
        "Unanswerable questions answered",
        "Should be near 0: the documents do not say, so any answer is made up.",
        {"asked": "Of the {n} questions of {asked} that the documents do not answer, it answered {count}."},
        "No out-of-scope question has an answer that the judge could decide. Give `question_sets` a column"
        " `out_of_scope`, or name the service in `scope.responders`.",
    ),
    CardNumber(
        "refused_in_scope",
        "Answerable questions refused",
        "Should be near 0: the documents say it, and the service does not.",
        {"asked": "Of the {n} questions of {asked} that the documents answer, it refused {count}."},
        "It was asked no in-scope question. Add some to `question_sets`, or name the service in `scope.responders`.",
    ),
    CardNumber(
        OUTSIDE,
        "Queries outside the corpus",
        "What users ask and no document is about. A gate rejects a share `relevance.alpha` of the others by mistake.",
        {
            "query_log": "Of the {n} queries of the log {query_log}, the gate of {corpus} finds {count} outside of what"
            " the documents know.",
            "set": "Of the {n} questions of {set}, the gate of {corpus} finds {count} outside of what the documents"
            " know.",
        },
        "No relevance gate has seen a query log or questions. Name the documents in `relevance.sets`, a log of them in"
        " `query_logs` or questions in `coverage`, and let `report.sections` show `drift` or `coverage`.",
    ),
    CardNumber(
        POISON,
        "Poison that got through",
        "Should be near 0: it gave the answer that an attacker had planted.",
        {"attack": "Of {n} questions that {attack} attacked, it gave the attacker's answer to {count}."},
        f"No passage was planted where it searches, and no guard was tried. {STAGING}",
    ),
    CardNumber(
        GUARDS,
        "Answers that guards cost",
        "Should be near 0: a right answer without the guard, and none with it.",
        {"guard": "Of {n} clean answers, {guard} would have cost {count}."},
        f"No guard was tried on what it finds, and no passage was planted. {STAGING}",
    ),
)  # fmt: skip
FURTHER = {
    "document_retrieved": "In-scope questions whose document was retrieved",
    "supported": "Answers that stand in the passages",
    "answered_unsupported": "Questions answered although no passage supports it",
    "unknown_citations": "Answers that cite what it was not given",
    "unstable": "Questions once answered, once declined",
    "guard_stops_poison": "Poison that a guard would have stopped",
}
FIVE = {number.name: number for number in NUMBERS}
TITLES = {number.name: number.title for number in NUMBERS} | FURTHER
FORM = card.Form(
    "assay card",
    1,
    {part: lambda value, part=part: _wrong(part, value) for part in schema.load(SCHEMA)["properties"]},
    "make it again: ragassay assay",
    CardError,
    made="written",
)


def build(title: str, versions: dict[str, str], rows: list[dict], outcomes: Iterable[dict]) -> dict:
    """A card without differences, of the services that some row is about. `versions` are by the names of services;
    `rows` are metric rows of services, drift and coverage, their keys as a dict, `outcomes` rows of service_outcomes.
    """
    measured = {row["keys"]["service"].removeprefix(SERVICE) for row in rows if "service" in row["keys"]}
    services = {name: {"version": versions[name], "numbers": []} for name in versions if name in measured}
    for row in rows:
        for name, number, keys in _places(row, services):
            services[name]["numbers"].append(_number(number, keys, row))
    for service in services.values():
        service["numbers"] = [entry for number in TITLES for entry in _entries(service["numbers"], number)]
    return {"title": title, "services": services, "outcomes": _outcomes(outcomes)}


def _places(row, services):
    """The services whose number a metric row is, with the number's name and the other keys."""
    keys = row["keys"]
    if row["metric"] == "rejected" and row["table"] in ("traffic", "outside"):
        shown = {key: keys[key] for key in ("query_log", "set", "corpus") if key in keys}
        yield from ((name, OUTSIDE, shown) for name in services)
    elif "service" in keys and row["metric"] in TITLES:
        name = keys["service"].removeprefix(SERVICE)
        if name in services:
            yield name, row["metric"], {key: value for key, value in keys.items() if key != "service"}


def _number(name, keys, row):
    entry = {"number": name, "of": keys} | {key: row[key] for key in ("value", "low", "high", "n", "abstained")}
    sentences = FIVE[name].sentences if name in FIVE else {}
    fitting, sentence = [words for key, words in sentences.items() if key in keys], ""
    if entry["value"] is not None and fitting:
        count = f"{round(entry['value'] * entry['n']):,}"
        sentence = fitting[0].format_map(keys | {"n": f"{entry['n']:,}", "count": count})
    return entry | {"sentence": sentence}


def _entries(entries, number):
    """Those of one number; one that says why, where one of the five is not measured."""
    measured = [entry for entry in entries if entry["number"] == number and entry["value"] is not None]
    if measured or number not in FIVE:
        return measured
    empty = {"value": None, "low": None, "high": None, "n": 0, "abstained": 0, "sentence": FIVE[number].missing}
    return [{"number": number, "of": {}} | empty]


def _outcomes(rows):
    """service -> asked -> its questions, their documents, and a sign per question for each share that some count in."""
    outcomes = {}
    for row in rows:
        names = row["responder"].removeprefix(SERVICE), row["asked"]
        part = outcomes.setdefault(names[0], {}).setdefault(names[1], {"questions": [], "documents": []})
        part["questions"].append(row["question_id"])
        part["documents"].append(row["doc_id"])
        for name in TITLES:
            if name in row:
                part[name] = part.get(name, "") + COUNTS[row[name]]
    for part in (part for asked in outcomes.values() for part in asked.values()):
        for name in [name for name in part if name in TITLES and not part[name].strip(COUNTS[None])]:
            del part[name]
    return outcomes


def write(path, content: dict) -> None:
    card.write(path, FORM, content)


def place(path) -> Path:
    """The file of a card, which may be in this folder, or in its folder `report`, as results/ is."""
    path = Path(path)
    if path.is_dir():
        places = [path / FILE, path / "report" / FILE, *sorted(path.glob(f"report/*/{FILE}"))]
        path = next((file for file in places if file.is_file()), path / FILE)
    return path


def read(path) -> dict:
    """A card, checked."""
    return card.read(path, FORM)


def _wrong(part, value):
    """What is wrong with a part of a card, or ""."""
    problems = schema_problems({part: value}, schema.load(SCHEMA))
    path, problem = next(problems, ((), ""))
    if not problem and part == "outcomes" and any(_uneven(each) for sets in value.values() for each in sets.values()):
        return "found outcomes of more or fewer questions than there are"
    return f"{'.'.join(map(str, path[1:]))}: {problem}" if path[1:] else problem


def _uneven(part):
    return len({len(column) for column in part.values()}) > 1
