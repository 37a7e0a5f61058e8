"""The card of a release, README.md, and its datasheet: prose around tables that are counted from the release's
tables. Both are rendered when a release is made and again when it is verified, so that no number can be another than
the tables give. The front of the card is what `datasets.load_dataset` and the hub read."""

import json
from collections.abc import Iterable, Sequence

from ragassay.release.verification.release_folder import ReleaseFolder

CARD, DATASHEET = "README.md", "DATASHEET.md"
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
HEADS = {
    "tables": "table, files, rows",
    "documents": "shard, documents, clusters of near-duplicates, with text",
    "licences": "licence, sources, documents, with text",
    "questions": "generator, judge, split, written to be, status, questions",
    "texts": "table, column, state, cells",
    "abstentions": "table, votes, reason, abstained",
    "rejects": "stage, reason, rejected",
    "calls": "rule, model, requests, samples, prompt tokens, completion tokens, dollars, samples possibly billed twice",
}
VERIFY = """```
python verify.py
```

It needs Python 3.11 and pyarrow, and no network. It compares every file with its digest, checks schemas, keys and
references, and counts every number of this page again."""
SIGNED = (
    "`SHA256SUMS.sig` is a signature over `SHA256SUMS`. A clone of ragassay checks it:"
    " `make verify RELEASE=... SIGNERS=...` with a file of the publisher's public key. `verify.py` here finds"
    " accidents, not forgers."
)
UNSIGNED = (
    "This release has no signature. Its digests show accidents, not whether somebody changed files and digests alike."
)
STATES = """| state | meaning |
|---|---|
| published | the text is here |
| repeats_published | it is here although it repeats a long run of a text that may not be published |
| repeats | it is missing because it repeats such a run |
| no_licence | it is missing because its source does not allow it to be published |
| poison | it is missing because an attack wants it to be read |
| empty | there was none |"""


def documents(release: ReleaseFolder, facts: dict) -> dict[str, str]:
    """File -> its text."""
    return {CARD: _card(release.manifest, facts), DATASHEET: _datasheet(release.manifest, facts)}


def _card(manifest, facts):
    rows = sum(row[2] for row in facts["tables"])
    questions = sum(row[-1] for row in facts["questions"])
    count = sum(row[1] for row in facts["documents"])
    return _joined(
        f"---\n{_yaml(_front(manifest, facts, rows))}---",
        f"# {manifest['title']}, {manifest['version']}",
        f"{count} documents, {questions} questions, {rows} rows in {len(facts['tables'])} tables. Some questions"
        " have no answer in their document although they sound as if they had one. Models wrote and judged them.",
        "## Verify",
        VERIFY,
        SIGNED if manifest["signed"] else UNSIGNED,
        "## Use",
        _use(facts),
        "## Documents",
        _table("documents", facts),
        "## Questions",
        "A question is kept if the judge agrees with what it was written to be.",
        _table("questions", facts),
        "## Tables",
        "`manifest.json` describes every column.",
        _table("tables", facts),
        "## Licences",
        manifest["licence_note"],
        _table("licences", facts),
    )


def _datasheet(manifest, facts):
    models = [[model[key] for key in ("name", "provider", "model", "revision")] for model in manifest["models"]]
    return _joined(
        f"# Datasheet of {manifest['title']}, {manifest['version']}",
        "## Composition",
        "What a row of each table is.",
        markdown_table(
            ("table", "a row"), [(name, entry["row"]) for name, entry in sorted(manifest["tables"].items())]
        ),
        "## Texts and licences",
        "A document without its text has the address of its page, the hash of the whole text and where the document"
        " ends in it. Columns with texts, by what became of their cells:",
        STATES,
        _table("texts", facts),
        f"A long run is one of {manifest['run_words']} words or more.",
        "## Models",
        markdown_table(("model", "provider", "what is asked", "revision"), models),
        "## What was asked and paid",
        _table("calls", facts),
        "## Known faults",
        "Models wrote the questions and judged them. Where a model gave no verdict, the row says why; none counts as a"
        " verdict by default.",
        _table("abstentions", facts),
        "What a stage could not use:",
        _table("rejects", facts),
        "## Replay",
        "Tables that are given to a replay, because texts of others, withheld words, people, vectors or trained weights"
        " made them:",
        _names(manifest["replay"]["given"]),
        "Tables that a replay makes again, byte for byte:",
        _names(manifest["replay"]["rebuilt"]),
        *_within(manifest["replay"].get("within", {})),
    )


def _names(names):
    return ", ".join(f"`{name}`" for name in names) + "."


def _within(tolerances):
    """Earlier releases and studies without such tables have none."""
    if tolerances:
        yield "Tables that it measures again on given ones, with the tolerance of their decimal numbers:"
        yield _names([f"{name} ({tolerance})" for name, tolerance in tolerances.items()])


def _front(manifest, facts, rows):
    configs = [
        {"config_name": name, "data_files": [{"split": "rows", "path": sorted(entry["files"])}]}
        for name, entry in sorted(manifest["tables"].items())
    ]
    for config in configs:
        if config["config_name"] == "selected_questions":
            config["default"] = True
    return {
        "license": manifest["licence"],
        "language": [manifest["language"]],
        "pretty_name": manifest["title"],
        "version": manifest["version"],
        "size_categories": [size_category(rows)],
        "task_categories": ["question-answering", "text-retrieval"],
        "configs": configs,
    }


def _use(facts):
    name = "selected_questions" if facts["questions"] else facts["tables"][0][0]
    return (
        f'```python\nfrom datasets import load_dataset\n\nrows = load_dataset("<this folder>", "{name}")["rows"]\n```'
    )


def size_category(rows: int) -> str:
    """The hub's name for so many rows."""
    return next((name for limit, name in SIZES if rows < limit), "n>1M")


def _table(name, facts):
    return markdown_table(HEADS[name].split(", "), facts[name]) if facts[name] else "None."


def markdown_table(head: Sequence, rows: Iterable[Sequence]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(markdown_cell, line)) + " |" for line in lines)


def markdown_cell(value) -> str:
    text = " ".join(str("" if value is None else value).split())
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def _joined(*parts):
    return "\n\n".join(parts) + "\n"


def _yaml(value, indent=""):
    """Mappings and lists of them as YAML; every text is quoted as in JSON, which YAML reads alike."""
    lines = []
    for key, inner in value.items():
        if isinstance(inner, list) and inner and isinstance(inner[0], dict):
            lines.append(f"{indent}{key}:\n")
            for entry in inner:
                text = _yaml(entry, f"{indent}  ")
                lines.append(f"{indent}- {text[len(indent) + 2 :]}")
        else:
            lines.append(f"{indent}{key}: {json.dumps(inner, ensure_ascii=False)}\n")
    return "".join(lines)
