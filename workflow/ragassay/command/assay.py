"""`ragassay assay`: runs what the assay card of a service needs, prints the card, and decides for a pipeline.

It ends with 0, with 1 if a bound of `--fail-if` is broken, with 2 if it was called wrongly, and with 3 if the run
failed, so that nothing is decided.
"""

import json
import sys
from pathlib import Path

from ragassay.base import pipeline
from ragassay.base.atomic import replacing, write_text
from ragassay.base.errors import AssayError, unknown
from ragassay.base.terminal import printable
from ragassay.command.check import configuration
from ragassay.config.services import SERVICE
from ragassay.config.shards import read_shards
from ragassay.plan import service_poison, services
from ragassay.plan.report import places
from ragassay.report import assay_card, card_checks, card_differences
from ragassay.report.assay_card import CardError

UNDECIDED = 3  # the run failed


def run_assay(service: str, limits: list[str], words: list[str], junit=None, badge=None, against=None) -> int:
    """The exit status. `limits` are texts of `--fail-if`, `junit` and `badge` files to write, `against` a card."""
    bounds = [card_checks.bound(text) for text in limits]
    report = _report(service, words)
    earlier = _earlier(against, report, words) if against else []
    targets = [f"{report}/{assay_card.FILE}", f"{report}/card.html"]
    if pipeline.status_of(pipeline.snakemake(*targets, *words, *earlier)):
        sys.stderr.write("assay: the run failed, so that nothing is decided; correct what it names, then assay again\n")
        return UNDECIDED
    card = assay_card.read(targets[0])
    numbers = card["services"][service]["numbers"]
    judgements = card_checks.judge(bounds, numbers)
    lines = [*_shown(service, card), *(f"{case.outcome}: {case.name}: {case.words}" for case in judgements)]
    lines.append(f"card: {Path(targets[1]).resolve().as_uri()}")
    sys.stdout.write("".join(f"{printable(line)}\n" for line in lines))
    if junit:
        with replacing(junit) as file:
            file.write(card_checks.junit(service, card_checks.measured(numbers), judgements))
    if badge:
        write_text(badge, card_checks.badge(service, numbers, judgements))
    return int(any(case.outcome == card_checks.FAILED for case in judgements))


def _report(service, words):
    """The folder of the report, if the configuration asks this service something."""
    files = pipeline.configfiles(words)
    try:
        config = configuration(files)
    except AssayError as error:
        raise CardError(str(error)) from error
    if service not in config["services"]:
        raise CardError(unknown("service", service, config["services"] or ["none"]))
    asked = services.assayed(config, read_shards(config["shards"], config["question_sets"])).column("responder")
    if SERVICE + service not in [*asked, *service_poison.measured(config)]:
        place = "question_sets.<name>.responding or scope.responders"
        raise CardError(f"services.{service}: found no questions for it, expected {SERVICE}{service} in {place}")
    return places(config, [*pipeline.settings_files(), *files])["report"]


def _earlier(against, report, words):
    """The option that names an earlier card to this run."""
    if {"--config", "-C"} & {word.partition("=")[0] for word in words}:
        raise CardError("--against: found --config beside it, expected report.against in the configuration instead")
    file = assay_card.place(against)
    if file.resolve() == Path(report, assay_card.FILE).resolve():
        raise CardError(f"{file}: found the card that this run writes, expected a copy of an earlier one")
    assay_card.read(file)
    return [f"--config=report={json.dumps({'against': str(file)})}"]


def _shown(service, card):
    content = card["services"][service]
    yield f"\nassay card of {service}, version {content['version']}"
    for entry in filter(_is_of_five, content["numbers"]):
        title = f"{assay_card.TITLES[entry['number']]}{card_checks.described(entry)}"
        yield f"  {title}: {'not measured' if entry['value'] is None else card_checks.amount(entry)}"
        yield f"    {entry['sentence']}"
    for difference in filter(_is_of_five, card["differences"]):
        if service in (difference["first"], difference["second"]):
            pair = f"{difference['first']} less {difference['second']}"
            yield f"  {pair}: {_line(difference)}"
    for difference in filter(_is_of_five, card["against"]["differences"]):
        if difference["service"] == service:
            yield f"  since version {card['against']['versions'][service]}: {_line(difference)}"


def _is_of_five(entry):
    """The others stand on the page."""
    return entry["number"] not in assay_card.FURTHER


def _line(difference):
    title = f"{assay_card.TITLES[difference['number']]}{card_checks.described(difference)}"
    return f"{title}: {card_differences.words(difference)}"
