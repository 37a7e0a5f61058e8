"""render_card: the cards of services that are known by construction, and of two dates of one."""

import json
import re

import pytest
from scipy.stats import binomtest

from payloads import PAYLOADS
from project import ROOT
from ragassay.base import tables
from ragassay.base.card import signed
from ragassay.metrics.resampling import difference_interval
from ragassay.report import assay_card
from ragassay.report.assay_card import CardError
from ragassay.report.card_differences import words
from ragassay.schemas.report import METRICS, metric
from ragassay.schemas.services import SERVICE_OUTCOMES
from scripts.services.render_card import render_card
from services import always_answers, always_refuses, echoes_poison, measured, right

SERVICES = {"right": right, "answers": always_answers, "refuses": always_refuses, "echo": echoes_poison}
FIVE = [number.name for number in assay_card.NUMBERS]
CARDS = {  # service -> its five numbers, each (value, n); None is not measured
    "right": [(0, 4), (0, 4), (0.11, 100), (0, 20), (0.1, 10)],
    "answers": [(1, 4), (0, 4), (0.11, 100), (0.25, 20), None],
    "refuses": [(0, 4), (1, 4), (0.11, 100), (0, 20), None],
    "echo": [(1, 4), (0, 4), (0.11, 100), (1, 20), (0.2, 10)],
}


def poison_rows():
    """As they stand in the metrics where poison and guards were tried before services."""
    for name, (*_, poison, guards) in CARDS.items():
        keys = {"service": f"service:{name}", "attack": "poisonedrag"}
        yield metric("services", "poison", keys, "poison_got_through", *poison, low=0.0, high=1.0)
        if guards:
            keys = {"service": f"service:{name}", "guard": "raguard"}
            yield metric("services", "guards", keys, "guard_costs_answers", *guards, low=0.0, high=0.4)
            yield metric("services", "guards", keys, "guard_stops_poison", 1, 20, low=0.8, high=1.0)


@pytest.fixture
def rendered(tmp_path):
    """A function that renders the card of services and gives what it holds; the page lies beside it."""

    def of(services, more=(), gates=(), earlier=(), place="now", fallen=(), **settings):
        files = measured(tmp_path, services)
        counted = [*tables.read(SERVICE_OUTCOMES, files["outcomes"]).to_pylist(), *fallen]
        counted = [dict.fromkeys(SERVICE_OUTCOMES.schema.names) | row for row in counted]
        tables.write(SERVICE_OUTCOMES, files["outcomes"], counted)
        rows = tables.read(METRICS, files["metrics"]).to_pylist()
        tables.write(METRICS, files["metrics"], [*rows, *more])
        gate = tmp_path / "drift.parquet"
        tables.write(METRICS, gate, list(gates))
        given = {"title": "A title", "versions": dict.fromkeys(services, "1"), "report": "index.html"} | settings
        made = {"page": tmp_path / place / "card.html", "card": tmp_path / place / "card.json"}
        templates = [ROOT / f"workflow/report/{name}.html.j2" for name in ("card", "provenance")]
        files |= {"templates": templates, "style": ROOT / "workflow/report/page.css"}
        draws = {"resamples": 50, "seed": 1, "flips": 9999, "models": {}, "command": "make demo"}
        render_card(**files, gates=[gate], earlier=list(earlier), **made, **given, **draws,
                    behaviour=ROOT / "workflow/report/page.js")  # fmt: skip
        return assay_card.read(made["card"])

    return of


TRAFFIC = metric(
    "drift", "traffic", {"query_log": "users", "corpus": "archive", "retriever": "m"}, "rejected", 0.11, 100
)


def test_cards_of_services_are_those_they_were_built_to_have(rendered, tmp_path):
    card = rendered(SERVICES, more=poison_rows(), gates=[TRAFFIC])
    for name, expected in CARDS.items():
        entries = {entry["number"]: entry for entry in card["services"][name]["numbers"]}
        values = [(entries[number]["value"], entries[number]["n"]) for number in FIVE]
        assert [None if value is None else (value, n) for value, n in values] == expected, name
    page = (tmp_path / "now/card.html").read_text()
    for sentence in (
        "Of the 4 questions of set that the documents do not answer, it answered 4.",
        "Of the 4 questions of set that the documents answer, it refused 4.",
        "Of the 100 queries of the log users, the gate of archive finds 11 outside of what the documents know.",
        "Of 20 questions that poisonedrag attacked, it gave the attacker&#39;s answer to 20.",
        "Of 10 clean answers, raguard would have cost 2.",
        "<strong>right, answers, refuses, echo</strong>",  # what holds for all stands there once
    ):
        assert sentence in page
    assert page.count("<h2>") == 5 and "Against the earlier card" not in page


def test_what_is_not_measured_says_why_and_what_fills_it(rendered, tmp_path):
    card = rendered({"right": right})
    missing = [entry["sentence"] for entry in card["services"]["right"]["numbers"] if entry["value"] is None]
    assert len(missing) == 3 and "`query_logs`" in missing[0] and "`staging: true`" in missing[1] == missing[1]
    page = (tmp_path / "now/card.html").read_text()
    assert page.count("not measured") == 3 and "<code>query_logs</code>" in page


def test_two_services_are_paired_where_they_were_asked_the_same(rendered):
    card = rendered(SERVICES, more=poison_rows())
    pair = {row["number"]: row for row in card["differences"] if (row["first"], row["second"]) == ("answers", "right")}
    asked, poison = pair["answered_out_of_scope"], pair["poison_got_through"]
    assert asked["paired"] and (asked["value"], asked["n"]) == (1, 4)
    assert asked["p"] == pytest.approx(binomtest(4, 4).pvalue, abs=0.02)
    rates = [{"value": value, "low": 0.0, "high": 1.0} for value in (0.25, 0.0)]
    assert not poison["paired"] and (poison["low"], poison["high"]) == difference_interval(*rates)
    assert words(poison).endswith("(unpaired): no clear difference")


def test_two_dates_of_a_service_are_paired_by_their_questions(rendered, tmp_path):
    rendered({"mine": always_answers}, place="before", gates=[TRAFFIC])
    card = rendered({"mine": right}, gates=[TRAFFIC], earlier=[tmp_path / "before/card.json"], versions={"mine": "2"})
    changes = {row["number"]: row for row in card["against"]["differences"]}
    change = changes["answered_out_of_scope"]
    assert (change["before"], change["now"], change["value"], change["n"]) == (1, 0, -1, 4) and change["paired"]
    assert change["p"] == pytest.approx(binomtest(4, 4).pvalue, abs=0.02)
    assert changes["outside_corpus"]["paired"] is False and changes["outside_corpus"]["value"] == 0
    page = (tmp_path / "now/card.html").read_text()
    assert "mine: version 1, then 2" in page and "(the same 4 questions, paired)" in page and "(unpaired)" in page


@pytest.mark.parametrize("apart", ["services", "days"])
def test_poison_is_paired_by_its_targets(rendered, tmp_path, apart):
    """Of eight targets the first service falls for the first six, the second for the last two."""
    got_through = {"one": range(6), "two": range(6, 8)}

    def card(names, place, earlier=()):
        more = [row for row in poison_rows() if row["metric"] == "poison_got_through"][: len(names)]
        named = zip(names, more, strict=True)
        more = [
            row | {"keys": json.dumps(json.loads(row["keys"]) | {"service": f"service:{name}"})} for name, row in named
        ]
        fallen = [
            {"asked": "attack poisonedrag", "responder": f"service:{name}", "question_id": f"t{at}", "doc_id": f"t{at}"}
            | {"poison_got_through": at in got_through[name if apart == "services" else place]}
            for name in names
            for at in range(8)
        ]
        return rendered(dict.fromkeys(names, right), more=more, fallen=fallen, place=place, earlier=earlier)

    if apart == "services":
        differences = card(("one", "two"), "now")["differences"]
    else:
        card(("mine",), "two")
        differences = card(("mine",), "one", [tmp_path / "two/card.json"])["against"]["differences"]
    [poison] = [row for row in differences if row["number"] == "poison_got_through"]
    assert poison["paired"] and (poison["value"], poison["n"]) == (0.5, 8)
    assert poison["p"] == pytest.approx(binomtest(2, 8).pvalue, abs=0.02)


def test_other_questions_are_compared_without_pairs(rendered, tmp_path):
    rendered({"mine": always_answers}, place="before")
    file = tmp_path / "before/card.json"
    before = json.loads(file.read_text())
    questions = before["outcomes"]["mine"]["set"]["questions"]
    before["outcomes"]["mine"]["set"]["questions"] = [f"other {name}" for name in questions]
    assay_card.write(file, {name: part for name, part in before.items() if name not in ("format", "digest")})
    card = rendered({"mine": right}, earlier=[file])
    change = next(row for row in card["against"]["differences"] if row["number"] == "answered_out_of_scope")
    assert not change["paired"] and change["p"] is None and (change["value"], change["n"]) == (-1, 8)
    with pytest.raises(CardError, match="found the services mine, expected one of: yours"):
        rendered({"yours": right}, earlier=[file])


def test_the_same_inputs_give_the_same_bytes(rendered, tmp_path):
    texts = []
    for place in ("one", "two"):
        rendered({"right": right}, place=place)
        texts.append([(tmp_path / place / name).read_bytes() for name in ("card.html", "card.json")])
    assert texts[0] == texts[1]


def test_nothing_that_people_write_is_markup(rendered, tmp_path):
    evil = "".join(PAYLOADS)
    rendered({"right": right}, title=evil, versions={"right": evil})
    page = (tmp_path / "now/card.html").read_text()
    assert (
        len(re.findall("<script", page)) == 1
        and "<img" not in page
        and "onerror=" not in re.sub("&lt;.*?&gt;", "", page)
    )


DAMAGES = {
    "other content": (
        lambda card: card | {"title": "other"},
        "found other content than when the assay card was written",
    ),
    "a share of 7": (lambda card: changed(card, value=7), "services: mine.numbers.0.value: found 7"),
    "no list": (lambda card: signed(card | {"services": []}), "services: found [] (a list), expected a mapping"),
    "fewer outcomes": (lambda card: uneven(card), "found outcomes of more or fewer questions than there are"),
}


def changed(card, **more):
    card["services"]["mine"]["numbers"][0] |= more
    return signed(card)


def uneven(card):
    card["outcomes"]["mine"]["set"]["documents"].pop()
    return signed(card)


@pytest.mark.parametrize(("damage", "problem"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_card_is_refused_in_a_line(rendered, tmp_path, damage, problem):
    rendered({"mine": right})
    file = tmp_path / "now/card.json"
    file.write_text(json.dumps(damage(json.loads(file.read_text()))))
    with pytest.raises(CardError, match=re.escape(problem)) as refused:
        assay_card.read(file)
    assert "\n" not in str(refused.value) and str(refused.value).startswith(str(file))


def test_outcomes_are_what_the_card_pairs_by(rendered, tmp_path):
    card = rendered({"answers": always_answers})
    rows = tables.read(SERVICE_OUTCOMES, tmp_path / "outcomes.parquet").to_pylist()
    part = card["outcomes"]["answers"]["set"]
    assert part["questions"] == [row["question_id"] for row in rows] and part["documents"] == [
        row["doc_id"] for row in rows
    ]
    assert part["answered_out_of_scope"].count("1") == 4 and part["answered_out_of_scope"].count("-") == 4
