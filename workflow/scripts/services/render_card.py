"""Render the assay card of all services: a page, and JSON that a pipeline reads and a later run is compared with."""

import json
from collections.abc import Iterable
from itertools import groupby

from ragassay.base import html, tables
from ragassay.base.atomic import write_text
from ragassay.base.stage import run
from ragassay.report import assay_card, card_differences, provenance
from ragassay.report.card_checks import described, interval, share
from ragassay.report.findings import metric_rows
from ragassay.report.pages import drawn, prose
from ragassay.schemas.services import SERVICE_OUTCOMES

ASKED = ("answered_out_of_scope", "refused_in_scope")  # each service has a line of its own


def render_card(
    metrics, gates, outcomes, earlier, templates, style, behaviour, page, card, title, versions, report, command,
    models, resamples, seed, flips,
):  # fmt: skip
    """`gates` are the metrics of sections on gates, `earlier` no card or one; `versions` are those of all services."""
    rows = [row for path in [metrics, *gates] for row in metric_rows(path)]
    content = assay_card.build(title, versions, rows, tables.read(SERVICE_OUTCOMES, outcomes).to_pylist())
    draws = {"times": resamples, "seed": seed}
    content["differences"] = card_differences.between_services(rows, content, draws, flips)
    content["against"] = {"versions": {}, "differences": []}
    if earlier:
        before = assay_card.read(earlier[0])
        content["against"] = card_differences.against(content, before, resamples, seed, flips)
    assay_card.write(card, content)
    named = provenance.named(models, [json.dumps(row["keys"]) for row in rows])
    made = provenance.of_page(page, [metrics, *gates, outcomes, *earlier], command, named)
    write_text(page, _page(content, made, templates, style, behaviour, report))


def _page(content, made, templates, style, behaviour, report):
    filters = {"prose": prose, "interval": interval, "described": described, "words": card_differences.words}
    filters |= {"share": share, "spark": lambda entry: drawn(entry | {"against": None})}
    return html.page(
        "card.html.j2",
        templates,
        style,
        [behaviour],
        made,
        filters,
        content=content,
        numbers=assay_card.NUMBERS,
        titles=assay_card.TITLES,
        entries=_by_number(content["services"]),
        further=assay_card.FURTHER,
        changes=_changes(content["against"]["differences"]),
        versions=content["against"]["versions"],
        report=report,
    )


def _by_number(services: dict) -> dict[str, list[dict]]:
    """number -> its entries, each with the services that it holds for."""
    by_number = {name: [] for name in assay_card.TITLES}
    for service, content in services.items():
        for entry in content["numbers"]:
            alike = [shown for shown in by_number[entry["number"]] if shown | entry == shown]
            if alike and entry["number"] not in ASKED:
                alike[0]["services"].append(service)
            else:
                by_number[entry["number"]].append(entry | {"services": [service]})
    return by_number


def _changes(differences: Iterable[dict]) -> dict[str, list[dict]]:
    """service -> its differences to an earlier card."""
    return {name: list(rows) for name, rows in groupby(differences, key=lambda row: row["service"])}


if __name__ == "__main__":
    run(render_card, snakemake)
