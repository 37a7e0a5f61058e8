"""Settings of the stages that export."""

from collections.abc import Iterator

from ragassay.plan import attacks


def check(config: dict) -> Iterator[tuple]:
    """Whether texts are published only where somebody named their source."""
    if config["release"]["sources"].get("default", {}).get("texts"):
        expected = "expected false: name the sources whose texts may be published"
        yield ("release", "sources", "default", "texts"), f"found true, {expected}"


def export_questions(config: dict, shards: dict) -> dict:
    export = config["export"]
    params = {name: export[name] for name in ("title", "licence", "licence_note", "language")}
    brought = {name: [row["documents"]] for name, row in shards.items() if row["documents"]}
    return {"about": params, "texts": export["texts"], "sources": config["release"]["sources"], "brought": brought}


def poisoned_passages(config: dict, wildcards) -> list[str]:
    """What attacks plant for a dataset's targets: nothing, unless the configuration says that it is exported."""
    if not config["export"]["poisoned"]:
        return []
    cells = attacks.cells(config).where(lambda cell: cell.dataset == wildcards.dataset)
    return cells.over("results/poisoned_passages/{dataset}/{attack}.parquet")
