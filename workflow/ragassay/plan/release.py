"""Settings of the stages that export."""

from collections.abc import Iterator

from ragassay.plan import attacks


def check(config: dict) -> Iterator[tuple]:
    """Whether texts are published only where somebody named their source."""
    if config["release"]["sources"].get("default", {}).get("texts"):
        expected = "expected false: name the sources whose texts may be published"
        yield ("release", "sources", "default", "texts"), f"found true, {expected}"


def export_questions(config: dict) -> dict:
    export = config["export"]
    about = {name: export[name] for name in ("title", "licence", "licence_note", "language")}
    return {"about": about, "texts": export["texts"]}


def export_targets(config: dict) -> dict:
    return {name: config["export"][name] for name in ("poisoned", "texts")}


def poisoned_passages(config: dict, wildcards) -> list[str]:
    """What attacks plant for a dataset's targets: nothing, unless the configuration says that it is exported."""
    cells = attacks.cells(config) if config["export"]["poisoned"] else []
    names = dict.fromkeys(cell.attack for cell in cells if cell.dataset == wildcards.dataset)
    return [f"results/poisoned_passages/{wildcards.dataset}/{name}.parquet" for name in names]
