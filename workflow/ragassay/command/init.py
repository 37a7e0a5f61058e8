"""`ragassay init`: a project for somebody's own documents, or one more month in a project. Looks at files, asks nobody
and starts no run."""

import sys
from pathlib import Path

from ragassay.base import pipeline
from ragassay.base.address import is_address
from ragassay.config import new_project, prices, project_files, schema, shards
from ragassay.config.new_project import ProjectError
from ragassay.config.settings import of_files
from ragassay.plan import questions

QUESTIONS, LOG = "--questions", "--log"
SECONDS = 4  # of a document with the rules on a laptop, all stages together
TOKENS = {"prompt": 900, "completion": 120}  # of a request of the study, about


def start(folder: Path | None, source: str, asked: Path | None, log: Path | None, model: str) -> None:
    """Write a project and say what a run of it would ask, cost and take."""
    if folder is None:
        raise ProjectError("found no folder for the project, expected one: ragassay init FOLDER --documents PATH")
    if not source:
        raise ProjectError("--documents: found none, expected a file or a folder of yours: --documents PATH")
    if is_address(source):
        expected = "expected a file or a folder on this machine, which is looked at; months may lie in stores"
        raise ProjectError(f"--documents: found the address {source}, {expected}")
    documents = Path(source)
    project_files.check_folder(folder, documents)
    name, entry = project_files.model_entry(model)
    options = {"--documents": documents, QUESTIONS: asked, LOG: log}
    places = {option: _place(folder, path, option) for option, path in options.items() if path}
    listed = new_project.documents_in(documents, places["--documents"])
    project = project_files.Project(folder, listed, name, entry, files=places)
    if asked:
        optional = ("doc_id", "out_of_scope", "in_scope", "question_id", "answer")
        project.questions, _ = new_project.columns_of(asked, ("question",), optional, "asked", QUESTIONS)
    if log:
        project.log = new_project.log_entry(log, LOG)
    linked = {place: options[option] for option, place in places.items() if _is_link(folder, options[option])}
    project_files.write(project, linked)
    sys.stdout.write("\n".join([*_findings(project), *_cost(project), f"next: {_command(folder)}", ""]))


def add_month(folder: Path, month: str, source: str) -> None:
    """Append a row to the table of shards and say what comes next. Older shards are not touched. At an object in a
    store its job looks.
    """
    present = [folder / name for name in pipeline.SETTINGS if (folder / name).is_file()]
    if not present:
        raise ProjectError(
            f"{folder}: found no {pipeline.SETTINGS[0]}, expected a project; make one: ragassay init FOLDER"
        )
    table = folder / of_files(present[:1], schema.merged())["shards"]
    place, documents = source, Path(source) if source and not is_address(source) else None
    if documents:
        listed = new_project.documents_in(documents, "")
        sys.stdout.writelines(f"init: {line}\n" for line in listed.refusals())
        place = _place(folder, documents, f"--documents-{month}")
    row = shards.month_row(table, month, place)
    if documents and _is_link(folder, documents):
        project_files.link(folder / place, documents)
    shards.append(table, row)
    what = row["documents"] or f"{row['first_day']} to {row['last_day']}"
    sys.stdout.write(f"init: {table}: added shard {month} of {what}; older ones stay as they are\n")
    sys.stdout.write(f"next: {_command(folder, 'estimate')}, then: {_command(folder)}\n")


def _place(folder, path, option):
    ending = "" if path.is_dir() else path.suffix
    return project_files.inside(folder, path, f"{option.removeprefix('--')}{ending}")


def _is_link(folder, path):
    return not path.resolve().is_relative_to(folder.resolve())


def _findings(project):
    documents = project.documents
    yield f"init: {project.folder}: {documents.described}"
    yield from (f"init: {line}" for line in documents.refusals())
    yield f"init: shards: {', '.join(name for name, _ in documents.shards)}"
    for option, columns in ((QUESTIONS, project.questions), (LOG, (project.log or {}).get("columns"))):
        if columns:
            shown = ", ".join(f"{name} is {column!r}" for name, column in columns.items())
            yield f"init: {option[2:]}: {shown}"


def _cost(project):
    """What the study asks at most, from the settings that the project has."""
    config = of_files([project.folder / pipeline.SETTINGS[0]], schema.merged()) if _priced(project) else None
    if config is None:
        yield f"init: {project.model} has no price: write it into {pipeline.SETTINGS[0]}, then: ragassay estimate"
        return
    requests = project.documents.texts * sum(questions.most_requests(config).values())
    price = config["models"][project.model]["price"]
    dollars = requests * (TOKENS["prompt"] * price["input"] + TOKENS["completion"] * price["output"]) / 1e6
    minutes = max(1, round(project.documents.texts * SECONDS / 60))
    takes = f"about {minutes} minute{'s' * (minutes > 1)} on this machine"
    asks = f"asks {project.model} about {requests:,} times, for some ${dollars:,.2f}"
    yield f"init: a run {asks}, and takes {takes}"


def _priced(project):
    return "price" in prices.completed({"models": {"one": project.entry}})["models"]["one"]


def _command(folder, command="run"):
    inside = "" if folder.resolve() == Path.cwd() else f"cd {folder} && "
    return f"{inside}ragassay {command}"
