"""Services as responders: which ones are asked about what, how they are measured, and whether their entries can be
used. Other responders are asked with each prompt and the document, services with the question alone."""

import re
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

from ragassay.base.code_version import WORKFLOW
from ragassay.calls.wire.json_paths import compiled
from ragassay.config.grid import Grid
from ragassay.config.services import SERVICE
from ragassay.plan import attacks, coverage, relevance, report
from ragassay.plan.models import asking
from ragassay.plan.report import draws
from ragassay.studies.scope.votes import ALONE

QUESTION = "{question}"
CARD = "Assay card"
PLAIN_PATH = re.compile(r"\$(\.[^\W\d]\w*|\[\*\])*")  # a JSONPath whose check needs no library, which loads slowly


def is_service(name: str) -> bool:
    return name.startswith(SERVICE)


def names(config: dict) -> list[str]:
    """All services, as responders are called."""
    return [name for name in config["models"] if is_service(name)]


def models_among(names: Iterable[str]) -> list[str]:
    """The responders that are asked with documents."""
    return [name for name in names if not is_service(name)]


def prompts(config: dict) -> list[str]:
    """The prompts of all responders of the study."""
    scope = config["scope"]
    return [*scope["responding"]["prompts"], *([ALONE] if any(map(is_service, scope["responders"])) else [])]


def answering(config: dict, responders: Iterable[str]) -> list[tuple[str, str]]:
    """All pairs of responder and prompt."""
    written = config["scope"]["responding"]["prompts"]
    return [(name, prompt) for name in responders for prompt in ([ALONE] if is_service(name) else written)]


def asked(*places):
    """A combinator for `expand`: services meet no prompt but their own, and other responders all but that."""
    return (row for row in product(*places) if _meet(**dict(row)))


def _meet(responder="", prompt="", **_):
    return not (responder and prompt) or is_service(responder) == (prompt == ALONE)


def of_sets(config: dict) -> list[tuple[str, str]]:
    """Pairs of question set and service."""
    sets = config["question_sets"]
    return [(name, who) for name in sets for who in responders_of(config, name) if is_service(who)]


def responders_of(config: dict, question_set: str) -> list[str]:
    """The responders that answer a question set: those of the study, those that it names, or none."""
    named = config["question_sets"][question_set]["responding"]
    return named if isinstance(named, list) else config["scope"]["responders"] if named else []


def assayed(config: dict, shards: dict) -> Grid:
    """Generators or question sets, services and shards that meet, with the study's own judge."""
    scope = config["scope"]
    study = product(scope["generators"], filter(is_service, scope["responders"]), shards)
    rows = [*study, *((name, who, name) for name, who in of_sets(config))]
    judge = scope["judges"][0]
    return Grid.of_rows(("generator", "responder", "shard", "judge"), [(*row, judge) for row in rows])


def ask_service(config: dict, wildcards) -> dict:
    scope, is_study = config["scope"], wildcards.generator in config["scope"]["generators"]
    share = scope["responding"]["in_scope_share"] if is_study else 1.0
    asks = config["services"][wildcards.responder.removeprefix(SERVICE)]["asks"]
    return asking(config, "ask_service", "responder", wildcards, asks=asks, in_scope_share=share)


def local_inputs(config: dict, wildcards) -> list[str]:
    """What the server that a job starts reads of this run's results."""
    return config["services"].get(wildcards.responder.removeprefix(SERVICE), {}).get("local_inputs", [])


def modules(config: dict, wildcards) -> list[str]:
    """What a job loads by its name: the provider, and the server that it starts."""
    entry = config["services"].get(wildcards.responder.removeprefix(SERVICE), {})
    return ["ragassay.calls.providers.service", *([entry["local_server"]] if entry.get("local_server") else [])]


def measure_services(config: dict) -> dict:
    names = [name for entry in config["under_attack"]["cells"] if "services" in entry for name in entry["attacks"]]
    return _intervals(config) | {"wants": {name: attacks.wants(config, name) for name in names}}


def _intervals(config):
    return draws(config, "services") | {"flips": config["intervals"]["flips"]}


def pages(config: dict, measured: list[str]) -> dict[str, str]:
    """The card, where some service is measured and the report is about services."""
    return {CARD: "card.html"} if measured and report.shows(config, "services") else {}


def gates(config: dict) -> list[str]:
    """The metrics of the report's sections that say how many queries and questions are outside of a corpus."""
    sections = {"drift": relevance.logs(config), "coverage": coverage.cells(config)}
    shown = [name for name, cells in sections.items() if len(cells) and report.shows(config, name)]
    return [f"results/metrics/{name}.parquet" for name in shown]


def render_card(config: dict, files: list) -> dict:
    versions = {name: entry["version"] for name, entry in config["services"].items()}
    shared = {"models": report.models(config), "command": report.command(files), "report": "index.html"}
    return {"title": config["report"]["title"], "versions": versions} | shared | _intervals(config)


def check(config: dict) -> Iterator[tuple]:
    """Whether each entry says whom to ask, what to send and where replies hold what."""
    for name, entry in config["models"].items():
        if entry["provider"] == "service" and not name.startswith(SERVICE):
            expected = "expected an entry of `services`, asked as service:<name>"
            yield ("models", name, "provider"), f"found service, {expected}"
    for name, entry in config["services"].items():
        for key, problem in _problems(entry):
            yield ("services", name, *key), problem


def _problems(entry):
    needed, other = ("function", "address") if entry["kind"] == "python" else ("address", "function")
    if not entry[needed]:
        yield (needed,), f"found nothing, expected one for a service of the kind {entry['kind']}"
    if entry[other]:
        yield (other,), f"found one, expected none for a service of the kind {entry['kind']}: it is not used"
    if bool(entry["local_server"]) != bool(re.match(r"http://127\.0\.0\.1:0/", entry["address"] or "")):
        expected = "expected both a local_server and an address that begins with http://127.0.0.1:0/, or neither"
        yield ("local_server" if entry["local_server"] else "address",), f"found one alone, {expected}"
    if entry["local_server"] and not Path(WORKFLOW, *entry["local_server"].split(".")).with_suffix(".py").is_file():
        yield ("local_server",), f"found {entry['local_server']!r}, expected a module in workflow/, as demo.rag_service"
    if entry["kind"] == "json" and QUESTION not in _texts(entry["body"]):
        yield ("body",), f"found no {QUESTION} in its texts, expected it where the question belongs"
    has_key = entry["key_variable"] or entry["mode"] == "replay"
    if "{key}" in " ".join(entry["headers"].values()) and not has_key:
        yield ("headers",), "found {key}, expected key_variable to name the environment variable that holds it"
    for header, value in entry["headers"].items():
        if not re.fullmatch(r"[A-Za-z0-9-]+", header) or not value.isprintable():
            yield ("headers", header), "found no header, expected letters, digits and '-', and a line of text"
    if entry["budget_usd"] is not None and entry["reply"]["cost"] and not entry["price"]:
        expected = "expected the most that a question may cost, which budget_usd sets aside before it is asked"
        yield ("price",), f"found 0 beside reply.cost, {expected}"
    for part, path in entry["reply"].items():
        if path is None or PLAIN_PATH.fullmatch(path):
            continue
        try:
            compiled(path)
        except ValueError as error:
            yield ("reply", part), f"found {path!r}, {error}, expected one such as $.answer"


def _texts(value):
    if isinstance(value, dict | list):
        return " ".join(map(_texts, value.values() if isinstance(value, dict) else value))
    return value if isinstance(value, str) else ""
