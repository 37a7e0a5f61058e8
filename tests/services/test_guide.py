"""docs/services.md, followed with the demo's service in the reader's place."""

import csv
import importlib.util
import json
import re
import shlex
import shutil
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from demo.rag_service import LocalService
from poisoned_services import echoing
from project import ROOT, forked, snakemake
from ragassay.base import tables
from ragassay.command import assay, check
from ragassay.command.app import app
from ragassay.release import comparing
from ragassay.release.publishing import publish
from ragassay.release.replaying import replay
from ragassay.release.verification import checks
from ragassay.schemas.report import METRICS
from ragassay.schemas.services import POISONED_SERVICE_ANSWERS, SERVICE_ANSWERS, SERVICE_PASSAGES
from releases import DAY, everything, sources
from services import ARCHIVE, BEYOND, Service, of_question

PAGE = (ROOT / "docs/services.md").read_text()
KEY = "planted-key-20a9"
WORDS = {"retrievers": ["bm25"], "shown": 3}


def snippets(kind):
    return [text for name, text in re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE) if name == kind]


@pytest.fixture
def ours(project, monkeypatch):
    """The project with documents and questions of the reader's."""
    monkeypatch.chdir(project)
    monkeypatch.setenv("RAG_KEY", KEY)
    (project / "data").mkdir()
    documents = [f"{name},{text}" for name, (text, *_) in ARCHIVE.items()]
    (project / "data/documents.csv").write_text("\n".join(["doc_id,text", *documents]))
    questions = [f"{name},{question},false" for name, (_, question, _) in ARCHIVE.items()]
    questions += [f"{name},{question},true" for name, question in BEYOND.items()]
    (project / "data/questions.csv").write_text("\n".join(["doc_id,question,out_of_scope", *questions]))
    (project / "data/archive").mkdir()
    for name, (text, *_) in ARCHIVE.items():
        (project / f"data/archive/{name}.md").write_text(text)
    return project


def invoked(words):
    """The exit status of the command."""
    with pytest.raises(SystemExit) as ended:
        app(words, prog_name="ragassay")
    return ended.value.code


def written(folder, address):
    settings = yaml.safe_load(snippets("yaml")[0])
    settings["services"]["mine"] |= {"address": address, "key_variable": "RAG_KEY", "headers": {"X-Api-Key": "{key}"}}
    (folder / "mine.yaml").write_text(yaml.safe_dump(settings))


def commands():
    """What the page tells the reader to type, each as words behind `ragassay`."""
    lines = [line for block in snippets("") for line in block.replace("\\\n", "").splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("ragassay ")]


def test_the_page_leads_from_an_address_to_the_card(ours, capsys, monkeypatch):
    monkeypatch.setattr(assay.pipeline, "status_of", lambda *command, **how: forked(*command, **how).returncode)
    asks, assays, runs, decides, cleans = commands()
    with LocalService(WORDS | {"articles": "data/archive"}) as service:
        written(ours, f"http://127.0.0.1:{service.port}/ask")
        assert invoked(asks) == 0
        output = capsys.readouterr().out
        assert invoked(assays) == 0
    card = capsys.readouterr().out
    assert "1931" in output and "passages, at $.passages[*]: 3" in output
    assert "assay card of mine, version 2026-11\n" in card and "Queries outside the corpus: not measured\n" in card
    assert "of the 4 questions of gold that the documents answer, it refused" in card.lower()
    # Of the rest of the report, what is the reader's: the demo's tables, which the page lays them over, are left out.
    snakemake(ours, "results/report/mine/services.html", *runs[1:])
    assert 'href="card.html"' in (ours / "results/report/mine/services.html").read_text()
    # What the page advises for each release; the earlier card is that of the same answers.
    shutil.copy("results/report/mine/card.json", "before.json")
    assert invoked(decides) == 1
    output = capsys.readouterr().out
    assert "failed: answered_out_of_scope > 0.1 (gold): 75% [13% to 98%], n = 4" in output
    assert "passed: supported < 80% (gold)" in output and "(the same 4 questions, paired)" in output
    assert 'failures="1"' in Path("assay.xml").read_text() and "failed: 1 of 2" in Path("assay.svg").read_text()
    assert invoked([word.replace("0.1", "0.2") for word in decides]) == 0  # the reader's few questions prove no more
    assert invoked(cleans) == 0 and "no collection holds" in capsys.readouterr().out
    place = "gold/service:mine/gold.parquet"
    answers = tables.read(SERVICE_ANSWERS, ours / "results/service_answers" / place).to_pylist()
    assert len(answers) == 16 and {row["doc_id"] for row in answers if row["document_rank"] == 1} == {*ids(ours)}
    assert len(tables.read(SERVICE_PASSAGES, ours / "results/service_passages" / place)) >= 16
    rows = tables.read(METRICS, ours / "results/metrics/services.parquet").to_pylist()
    shares = {row["metric"]: row for row in rows if json.loads(row["keys"]).get("service") == "service:mine"}
    assert shares["document_retrieved"]["value"] == 1 and shares["answered_out_of_scope"]["n"] == 4
    # The service is gone, and its answers are in the ledger.
    (ours / "results/service_answers" / place).unlink()
    snakemake(ours, f"results/service_answers/{place}", "--configfile", "mine.yaml")
    assert tables.read(SERVICE_ANSWERS, ours / "results/service_answers" / place).to_pylist() == answers


def test_the_page_measures_poison_through_the_service(ours):
    """An instance that repeats what it finds, and looks into the page's folder at each question."""
    question, text = ARCHIVE["harbour"][1], "The harbour of Pell did open in 1888, when the old quay had burnt."
    target = {"target_id": "t", "document": "harbour", "question": question, "answers": '["1931"]', "target": "1888"}
    with (ours / "data/targets.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [*target, "target_aliases", "texts"])
        writer.writeheader()
        writer.writerow(target | {"target_aliases": "[]", "texts": json.dumps([text])})
    clean = [text for text, *_ in ARCHIVE.values()]

    def texts():
        return clean + [file.read_text() for file in (ours / "staging/mine").glob("*.txt")]

    settings, more = yaml.safe_load(snippets("yaml")[0]), yaml.safe_load(snippets("yaml")[3])
    with Service(of_question(echoing(texts))) as instance:
        rehearsal = more["services"]["mine"]["rehearsal"] | {"address": instance.address}
        settings["services"]["mine"] |= {"rehearsal": rehearsal}
        (ours / "mine.yaml").write_text(yaml.safe_dump({**more, **settings}))
        table = "results/poisoned_service_answers/service:mine.parquet"
        snakemake(ours, table, "--configfile", "mine.yaml")
    rows = tables.read(POISONED_SERVICE_ANSWERS, ours / table).to_pylist()
    outcomes = {row["attack"]: row["outcome"] for row in rows}
    assert outcomes == {"none": "correct", "poisonedrag_black": "target"}
    assert texts() == clean and not list((ours / "staging").glob("*.json"))


def test_a_release_is_replayed_without_the_service_and_its_key(ours, monkeypatch):
    with LocalService(WORDS | {"articles": "data/archive"}) as service:
        written(ours, f"http://127.0.0.1:{service.port}/ask")
        snakemake(ours, "services", "--configfile", "mine.yaml")
    place = "gold/service:mine/gold.parquet"
    of_the_demo = "archive", "careless", "guarded"
    export = {"title": "Ours", "licence": "apache-2.0", "licence_note": "They are ours."}
    (ours / "release.yaml").write_text(
        yaml.safe_dump({"release": sources("gold", "mine", *of_the_demo), "export": export})
    )
    release = publish("1", ["mine.yaml", "release.yaml"], DAY, planned=everything)
    assert not list(checks.problems(release))
    config = (release / "config/config.yaml").read_text()
    assert "X-Api-Key: '{key}'" in config and KEY not in config
    assert not [file for file in release.rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()]
    monkeypatch.delenv("RAG_KEY")
    outcome = replay(release, ours, run=lambda folder, arguments: snakemake(folder, *arguments, check=False))
    assert not outcome.other
    made = {f"tables/{table}/{place}" for table in ("service_answers", "service_passages")}
    assert made <= {*outcome.same}
    # What a service retrieved is public only where somebody says under which licence.
    settings = {"sources": sources("gold", *of_the_demo)["sources"] | {"mine": {"licence": "other"}}}
    (ours / "release.yaml").write_text(yaml.safe_dump({"release": settings, "export": export}))
    less = publish("2", ["mine.yaml", "release.yaml"], DAY, planned=everything)
    passages = pq.read_table(less / f"tables/service_passages/{place}", partitioning=None)
    assert passages["text"].null_count == len(passages) > 0
    changes = {row["table"]: row["changed"] for row in comparing.compare(release, less)["tables"]}
    assert changes["service_passages"] == len(passages) and "service_answers" not in changes


def ids(folder):
    from ragassay.schemas.documents import DOCUMENTS

    return tables.read(DOCUMENTS, folder / "results/documents/gold.parquet", ["doc_id"])["doc_id"].to_pylist()


def test_the_pages_pipeline_is_asked(ours, capsys, monkeypatch):
    [program] = snippets("python")
    (ours / "my_rag.py").write_text(program)
    (ours / "mine.yaml").write_text(snippets("yaml")[-1])
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert check.report(["pipeline", "--configfile", "mine.yaml"], question="When did the harbour open?") == 0
    output = capsys.readouterr().out
    assert "'The harbour of Pell opened in 1931.'" in output and "passages, at $.passages[*]: 1" in output
    sys.modules.pop("my_rag", None)


@pytest.mark.parametrize("framework", ["langchain", "llamaindex", "haystack"])
def test_a_pipeline_of_a_framework_is_assayed(framework, ours, capsys, monkeypatch):
    """Where the framework is installed: the file's first line says what it needs."""
    folder = ROOT / "docs/examples/pipelines"
    program = folder / f"with_{framework}.py"
    line, *_ = program.read_text().splitlines()  # ends with: pip install ...
    packages = {
        name for name in re.findall(r"^from (\w+)", program.read_text(), re.MULTILINE) if name != "keyword_model"
    }
    if missing := sorted(name for name in packages if importlib.util.find_spec(name) is None):
        pytest.skip(f"needs {', '.join(missing)} ({line.partition(': ')[2].strip(chr(34))})")
    for file in (program, folder / "keyword_model.py"):
        shutil.copy(file, ours)
    written(ours, None)
    settings = yaml.safe_load((ours / "mine.yaml").read_text())
    reply, more = {"passages": "$.passages[*]"}, {"version": "1", "price": 0, "asks": 2}
    settings["services"] = {"mine": {"kind": "python", "function": f"with_{framework}:ask", "reply": reply, **more}}
    (ours / "mine.yaml").write_text(yaml.safe_dump(settings))
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert check.report(["mine", "--configfile", "mine.yaml"], question=ARCHIVE["harbour"][1]) == 0
    output = capsys.readouterr().out
    assert "opened in 1931" in output and "passages, at $.passages[*]: 3\n    1: id harbour" in output
    snakemake(ours, "services", "--configfile", "mine.yaml")
    rows = tables.read(METRICS, ours / "results/metrics/services.parquet").to_pylist()
    shares = {row["metric"]: row["value"] for row in rows if json.loads(row["keys"]).get("service") == "service:mine"}
    expected = {"document_retrieved": 1, "answered_out_of_scope": 0, "refused_in_scope": 0.5, "unstable": 0}
    assert {name: shares[name] for name in expected} == expected
    for name in ("keyword_model", f"with_{framework}"):
        sys.modules.pop(name)


@pytest.mark.parametrize(
    "reader", [{"provider": "rules", "model": "hasty"}, {"provider": "transformers", "model": "resources/demo/demo-lm"}]
)
def test_the_demos_service_reads_with_rules_or_its_language_model(reader, monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(ROOT)
    settings = {
        "retrievers": ["bm25", "minilm"],
        "shown": 2,
        "embeddings": str(tmp_path / "embeddings"),
        "reader": reader,
    }
    reply = {"passages": "$.passages[*]"}
    entry = {"address": "http://127.0.0.1:0/ask", "local_server": "demo.rag_service", "local_settings": settings}
    (tmp_path / "mine.yaml").write_text(
        yaml.safe_dump({"services": {"mine": {**entry, "version": "1", "price": 0, "reply": reply}}})
    )
    question = "How long does charging take at the battery ferry's new berth in Port Alder?"
    assert check.report(["mine", "--configfile", str(tmp_path / "mine.yaml")], question=question) == 0
    output = capsys.readouterr().out
    assert "passages, at $.passages[*]: 2" in output and "battery-ferry#" in output.splitlines()[4]
