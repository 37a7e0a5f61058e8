"""The files of a new project: configuration, shards, a page to begin with, and links to what lies elsewhere. Nothing
that is there already is overwritten, and the configuration comes last: without it, a folder is no project."""

import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from ragassay.base import pipeline, plain_yaml
from ragassay.config import prices
from ragassay.config.new_project import WORDS, Documents, ProjectError

SETTINGS, SHARDS = pipeline.SETTINGS[0], "shards.tsv"
IGNORED = (".snakemake/", "results/", "ledger/", "embeddings/", "fetched/", "logs/", "annotation/", "releases/")
CORPUS = "library"
FEWEST_TEXTS = 20  # of a corpus, so that a gate is fitted, calibrated and tested on different ones
RULES = {"provider": "rules", "model": "careful", "price": {"input": 0, "output": 0}}


@dataclass
class Project:
    """What a new project holds."""

    folder: Path
    documents: Documents
    model: str  # its name in the configuration
    entry: dict  # and what it is
    questions: dict[str, str] = field(default_factory=dict)  # columns of the file of questions, if there is one
    log: dict | None = None  # columns and format of dates of the log, if there is one
    files: dict[str, str] = field(default_factory=dict)  # option -> path in the project

    @property
    def has_documents_of_questions(self) -> bool:
        return "doc_id" in self.questions and self.documents.has_ids

    @property
    def has_gate(self) -> bool:
        return self.documents.texts >= FEWEST_TEXTS


def model_entry(name: str) -> tuple[str, dict]:
    """The name and the entry of a model: a listed one by its name, another as `provider:model`, a folder with weights
    or a model of the Hugging Face hub.
    """
    if name in ("rules", "careful"):
        return "careful", RULES
    provider, _, model = name.partition(":")
    if not model:
        listed = [provider for provider, entry in prices.listed().items() if name in entry["models"]]
        model, provider = name, listed[0] if listed else "transformers" if "/" in name or Path(name).is_dir() else ""
    if provider not in (*prices.KEYS, "transformers"):
        expected = "a listed model such as gpt-4o-mini, openai:NAME, together:NAME, a folder with weights, or rules"
        raise ProjectError(f"--model: found {name!r}, expected {expected}")
    short = re.sub(r"[^A-Za-z0-9._-]+", "-", model.rpartition("/")[2]).strip("-._")[:60]
    return short, {"provider": provider, "model": model}


def check_folder(folder: Path, documents: Path) -> None:
    """Refuse a folder that is a project already, or whose own files would be documents."""
    for name in (*pipeline.SETTINGS, SHARDS):
        if (folder / name).exists():
            advice = "name another folder, or add a month to this one: ragassay init --month 2026-12"
            raise ProjectError(f"{folder}: found {name}, which makes it a project already; {advice}")
    if folder.resolve().is_relative_to(documents.resolve()):
        raise ProjectError(f"{folder}: found the documents here, expected a folder of its own for results")


def inside(folder: Path, path: Path, name: str) -> str:
    """How a project reaches what lies at `path`: by its path below the folder, or by a link of this name."""
    real = path.resolve()
    if real.is_relative_to(folder.resolve()):
        return real.relative_to(folder.resolve()).as_posix()
    return name


def write(project: Project, linked: dict[str, Path]) -> None:
    """`linked` says what links point to."""
    folder = project.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, target in linked.items():
            link(folder / name, target)
        _write_new(folder / ".gitignore", "".join(f"{name}\n" for name in (*IGNORED, *linked)))
        rows = "".join(f"{name}\t{path}\n" for name, path in project.documents.shards)
        _write_new(folder / SHARDS, f"shard\tdocuments\n{rows}")
        _write_new(folder / "README.md", readme(project))
        _write_new(folder / SETTINGS, settings(project))
    except OSError as error:
        raise ProjectError(
            f"{error.filename or folder}: cannot be written ({error.strerror}); name another folder"
        ) from error


def link(place: Path, target: Path) -> None:
    """What is there already is left; another thing by that name is an error."""
    if place.is_symlink() and place.resolve() == target.resolve():
        return
    if place.exists() or place.is_symlink():
        raise ProjectError(f"{place}: found something else here, expected a place for a link to {target}; move it")
    place.symlink_to(os.path.relpath(target.resolve(), place.parent.resolve()))


def _write_new(file, text):
    if not file.exists():
        file.write_text(text, encoding="utf-8")


def settings(project: Project) -> str:
    """The configuration; what a project cannot have says why."""
    documents, model = project.documents, project.model
    shards = [name for name, _ in documents.shards]
    lines = [
        f"# {documents.described}. Every setting: docs and config/README.md of ragassay.",
        f"shards: {SHARDS}  # one row per batch of documents; append rows, never rename them",
        "documents:",
        "  kind: document  # what one is, as prompts name it, such as handbook page",
        "  min_words: 40   # shorter texts are rejected",
        *([f"  columns: {_flow(documents.columns)}"] if documents.columns else []),
        *([f'  date_format: "{documents.date_format}"'] if documents.date_format else []),
        *_models(project),
        "# scope: which questions should not be answered?",
        f"scope: {_flow({'generators': [model], 'judges': [model], 'responders': [model]})}",
        "# What is trained is trained on these shards, so that a new month trains nothing anew.",
        f"detectors: {_flow({'trained_on': shards})}",
    ]
    if project.questions:
        lines += _question_set(project)
    if project.has_gate:
        lines += _relevance(project)
    else:
        lines.append(f"# relevance (does the corpus know?): a gate that can be tested needs {FEWEST_TEXTS} documents.")
    lines += [
        "# raguard, revprag (what can an attacker plant?): need targets, see docs/attacks.md.",
        f"report: {{title: {_flow(title(project))}}}",
    ]
    return "\n".join(lines) + "\n"


def _models(project):
    if project.entry == RULES:
        yield "# careful is a stand-in of plain rules: free, and a poor writer. A real model (key: OPENAI_API_KEY):"
        yield "#   mine: {provider: openai, model: gpt-4o-mini, budget_usd: 5}"
        yield f"models: {_flow({'careful': RULES})}"
        return
    key = prices.usual_key(project.entry)
    yield f"# It takes its key from the environment: {key}." if key else "# It runs on this machine and needs no key."
    yield "models:"
    yield f"  {project.model}: {_flow(project.entry | ({'budget_usd': 5} if key else {}))}"
    if "price" not in prices.completed({"models": {"x": project.entry}})["models"]["x"]:
        yield f"  # {prices.EXAMPLE}  <- dollars for a million tokens: add it to the braces above"


def _question_set(project):
    """Questions that name no document, or documents that have no ids, go by what is nearest to each."""
    names = {key: column for key, column in project.questions.items() if key not in (column, "answer")}
    entry = {"documents": [path for _, path in project.documents.shards], "questions": [project.files["--questions"]]}
    if not project.has_documents_of_questions:
        entry["nearest"] = {}
        names["doc_id"] = None
    yield "# Your questions, judged like those that are written here."
    yield "question_sets:"
    yield f"  asked: {_flow(entry | {'detectors': False, 'columns': _columns(project, names)})}"
    if project.has_gate:
        log = {} if project.log is None else {"query_log": "log"}
        yield f"coverage: {_flow({'asked': {'question_set': 'asked', 'corpus': CORPUS} | log})}"


def _columns(project, questions):
    columns = {name: project.documents.columns[name] for name in ("text", "title") if name in project.documents.columns}
    if "id" in project.documents.columns or not project.documents.has_ids:
        columns["doc_id"] = project.documents.columns.get("id", "")
    return {"documents": columns, "questions": questions}


def _relevance(project):
    documents = project.documents
    entry = {"files": [path for _, path in documents.shards], "passages": {"words": WORDS, "overlap": 20}}
    columns = {name: column for name, column in documents.columns.items() if name in ("id", "text", "title")}
    columns |= {} if documents.has_ids else {"id": ""}
    yield "# relevance: does the corpus know what is asked? Its own sentences stand in for questions of people."
    yield f"corpora: {_flow({CORPUS: entry | ({'columns': columns} if columns else {})})}"
    yield f"synthetic_queries: {_flow({'taken': {'corpus': CORPUS, 'taken': 'sentences'}})}"
    if project.log is not None:
        log = {"files": [project.files["--log"]], **project.log, "corpus": CORPUS}
        yield f"query_logs: {_flow({'log': log})}"
    k = {} if project.documents.passages > 150 else {"k": 8, "ks": [4, 8]}
    yield f"relevance: {_flow({'sets': {CORPUS: {'corpus': CORPUS, 'in_knowledge': 'taken'}}} | k)}"


def title(project: Project) -> str:
    """The heading of the report."""
    name = re.sub(r"[^\w .,'-]+", " ", project.folder.resolve().name).strip() or "RAG"
    return f"RAG assay: {name}"


def readme(project: Project) -> str:
    """Ten lines for people who open the folder."""
    return f"""# {title(project)}

`ragassay.yaml` says what is studied, and `shards.tsv` which documents: {project.documents.described}.

    ragassay estimate                    # what a run asks and costs
    ragassay run                         # the run; the next one continues it
    ragassay show                        # the findings, and the report
    ragassay init --month 2026-12 --documents FOLDER   # more documents

Results lie in `results/`, every answer of a model in `ledger/`: keep that folder, and nothing is paid twice.
"""


def _flow(value) -> str:
    """A value in a line of YAML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    text = json.dumps(value, ensure_ascii=False)
    plain = isinstance(value, str) and re.fullmatch(r"[A-Za-z][\w./+-]*", value, re.ASCII)
    return value if plain and plain_yaml.load(value, plain_yaml.Values) == value else text
