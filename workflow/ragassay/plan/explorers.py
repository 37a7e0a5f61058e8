"""Settings of the stages that list every question and every attack, and the pages that the configuration asks for. A
page shows what the report is about: without the section on detectors, none is trained for a list of questions."""

from ragassay.config.grid import Cell, Grid
from ragassay.plan import attacks, defences, gates, people, question_sets
from ragassay.plan.detectors import used
from ragassay.plan.report import command, models, shows

FOLDER = "explorer"
OF_STUDY = {
    "responses": "Name some in scope.responders, then: snakemake explorer",
    "scope_labels": "Name a judge in scope.judges, then: snakemake explorer",
    "defusion_labels": "Name a judge in scope.judges, then: snakemake explorer",
    "people": "To label some: make annotate",
    "predictions": "Name some in detectors.use, show the section detectors, then: snakemake explorer",
    "gated_questions": "Name a retriever in relevance.fused, show the section relevance, then: snakemake explorer",
}


def questions(config: dict) -> dict[str, str]:
    """The pages of questions: name -> file beside the report, without its ending. Question sets are judged by the
    study's own judge.
    """
    scope, covered = config["scope"], [entry["question_set"] for entry in config["coverage"].values()]
    shown = {"question_sets": config["question_sets"], "coverage": dict.fromkeys(covered)}
    sets = {name: None for section, names in shown.items() if shows(config, section) for name in names}
    judges = scope["judges"] if shows(config, "scope", "responses") else []
    pairs = [f"{generator}/{judge}" for generator in scope["generators"] for judge in judges]
    pages = {f"All questions, {pair}" if at else "All questions": pair for at, pair in enumerate(pairs)}
    return pages | {f"Questions of {name}": f"{name}/{scope['judges'][0]}" for name in sets}


def listings(config: dict) -> Grid:
    """Generator or set and judge of the questions that pages list."""
    return Grid.of_rows(("generator", "judge"), [page.split("/") for page in questions(config).values()])


def listed(config: dict, shards: dict, pattern: str) -> list[str]:
    """Tables of all these questions."""
    paths = [path for cell in listings(config) for path in people.tables_of(config, shards, pattern, cell)]
    return list(dict.fromkeys(paths))


def pages(config: dict) -> dict[str, str]:
    """All pages: name -> file beside the report."""
    is_attacked = shows(config, "attacks", "raguard") and len(attacks.cells(config))
    files = questions(config) | ({"All attacks": "attacks"} if is_attacked else {})
    return {name: f"{FOLDER}/{page}.html" for name, page in files.items()}


def of_study(config: dict, shards: dict, pattern: str, wildcards) -> list[str]:
    """Tables that question sets do not have: of all shards, or one of these together."""
    names = [] if wildcards.generator in config["question_sets"] else shards
    return list(dict.fromkeys(pattern.format_map({**wildcards, "shard": shard}) for shard in names))


def of_set(config: dict, pattern: str, wildcards) -> list[str]:
    """A table that only question sets have."""
    return [pattern.format_map(wildcards)] if wildcards.generator in config["question_sets"] else []


def scope_votes(config: dict, shards: dict, wildcards) -> list[str]:
    """The votes of all judges."""
    judges = config["scope"]["judges"]
    if wildcards.generator in config["question_sets"]:
        judges = question_sets.set_judges(config, [wildcards.generator]).column("judge")
    pattern = "results/scope_votes/{generator}/{judge}/{shard}.parquet"
    cells = [Cell(generator=wildcards.generator, judge=judge) for judge in judges]
    return [path for cell in cells for path in people.tables_of(config, shards, pattern, cell)]


def gold(config: dict, wildcards) -> list[str]:
    return people.labelled(config, [wildcards.generator]).over("results/gold/{generator}/{judge}.parquet")


def predictions(config: dict, shards: dict, wildcards) -> list[str]:
    """What detectors say of the questions, trained on these or, for a question set, on each generator's."""
    name, pattern = wildcards.generator, "results/predictions/{detector}/{generator}/{judge}/{asked}/{shard}.parquet"
    if name in config["question_sets"]:
        return question_sets.predictions(config, [name]).over(pattern.replace("{shard}", "{asked}"))
    keys = {"generator": name, "judge": config["scope"]["judges"][0], "asked": name}
    detectors = used(config) if shows(config, "detectors") else []
    return [pattern.format(detector=detector, shard=shard, **keys) for detector in detectors for shard in shards]


def gated(config: dict, wildcards) -> list[str]:
    """What a gate says of the questions."""
    is_asked = shows(config, "relevance") and gates.of_questions(config)
    return [f"results/gated_questions/{wildcards.generator}/{wildcards.judge}.parquet"] if is_asked else []


def list_questions(config: dict, wildcards, files: list) -> dict:
    """How a page is titled, and what to do about what it lacks."""
    name, entry = wildcards.generator, config["question_sets"].get(wildcards.generator)
    remedies = dict(OF_STUDY)
    if entry:
        remedies["responses"] = f"Set question_sets.{name}.responding to true, then: snakemake explorer"
        remedies["predictions"] = f"Set question_sets.{name}.detectors to true, then: snakemake explorer"
    whose = f"Questions of the set {name}" if entry else f"Questions by {name}"
    subject = f"{whose}, judged by {wildcards.judge}."
    settings = {"title": config["report"]["title"], "subject": subject, "report": "../../index.html"}
    return settings | {"remedies": remedies, "models": models(config), "command": command(files)}


def list_attacks(config: dict, files: list) -> dict:
    """What attacks want and how deep defences look, and what to do about what is missing."""
    asked, shared = attacks.cells(config), config["under_attack"]
    corpora = {name: config["datasets"][name]["corpus"] for name in asked.column("dataset")}
    cells = "under_attack.cells"
    return {
        "title": config["report"]["title"],
        "subject": f"Attacks on {', '.join(dict.fromkeys(corpora.values()))}.",
        "report": "../index.html",
        "wants": {name: attacks.wants(config, name) for name in asked.column("attack")},
        "corpora": corpora,
        "defences": defences.filtered(config).column("defence"),
        "k": shared["k"],
        "depth": shared["depth"],
        "models": models(config),
        "command": command(files),
        "remedies": {
            "filtered": f"Name some in {cells}, then: snakemake explorer",
            "answers": f"Name some in {cells}, then: snakemake explorer",
            "clean": f"Add the attack none to {cells}, then: snakemake explorer",
        },
    }
