"""`ragassay check-questions`, whole: from an installation, in a folder that is no project, without a key."""

import csv
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import handbook
from installation import shared
from otlp import line_of, span
from ragassay.base import plain_yaml, tables
from ragassay.command import check_questions as module
from ragassay.command.check_questions import CheckError, run_check
from ragassay.metrics.resampling import clopper_pearson
from ragassay.schemas.report import EXAMPLES, METRICS
from ragassay.services.gate import Gate

COMMAND = "check-questions asked.csv --documents handbook --log log.jsonl --answers bot.csv".split()
FAR = [*handbook.QUESTIONS][8:]


@pytest.fixture(scope="session")
def checked(installation, tmp_path_factory):
    """A folder in which the command ran, and what it printed."""

    def run(folder):
        output = installation.run(*COMMAND, folder=handbook.write(folder)).stdout
        (folder / "output.txt").write_text(output)

    folder = shared(tmp_path_factory.getbasetemp(), "checked", run)
    return folder, (folder / "output.txt").read_text()


def rows_of(folder):
    with (folder / "results/report/check-asked/explorer/asked-questions/careful.csv").open(newline="") as file:
        return {row["question"]: row for row in csv.DictReader(file)}


def test_a_row_for_each_question_says_what_gate_judge_and_bot_make_of_it(checked):
    folder, _ = checked
    rows = rows_of(folder)
    assert rows.keys() == handbook.QUESTIONS.keys()
    gate = Gate.load(folder / "results/gates/asked/minilm")
    for text, row in rows.items():
        decision = gate(text)
        assert row["gate of asked: decides"] == ("in_knowledge" if decision.in_knowledge else "out_of_knowledge")
        assert float(row["gate of asked: p-value"]) == pytest.approx(decision.p_value, abs=1e-4)
        assert row["gate of asked: nearest passage"] == decision.passages[0]
        assert row["judged as"] in ("in_scope", "out_of_scope")
        assert row["bot, recorded: response"] == handbook.ANSWERS.get(text, "")
    assert {rows[text]["gate of asked: decides"] for text in FAR} == {"out_of_knowledge"}
    near = rows["How much does a membership cost a year?"]
    assert near["gate of asked: decides"] == "in_knowledge" and "24 crowns" in near["excerpt"]
    assert near["written as"] == "in_scope" and near["should be answered"] == "yes"
    assert near["bot, recorded: outcome"] == "refused_in_scope"
    assert rows["Why do onions make your eyes water?"]["bot, recorded: outcome"] == "answered_out_of_scope"
    assert rows["How do I reset the gearbox of a tractor?"]["bot, recorded: outcome"] == "declined_out_of_scope"


def test_the_section_counts_what_the_rows_say(checked):
    folder, _ = checked
    rows = rows_of(folder).values()
    metrics = tables.read(METRICS, folder / "results/metrics/coverage.parquet").to_pylist()
    [alpha] = [row["value"] for row in metrics if row["metric"] == "alpha"]
    assert alpha == Gate.load(folder / "results/gates/asked/minilm").alpha
    shares = [row for row in metrics if row["metric"] != "alpha"]
    by_table = {(row["table"], json.loads(row["keys"]).get("should", "")): row for row in shares}
    out = sum(row["gate of asked: decides"] == "out_of_knowledge" for row in rows)
    outside = by_table["outside", ""]
    assert (outside["value"], outside["n"]) == (out / len(rows), len(rows))
    assert (outside["low"], outside["high"]) == pytest.approx(clopper_pearson(out, len(rows)))
    sure = [row["should be answered"] for row in rows if row["should be answered"] != "unclear"]
    answerable = by_table["answerable", ""]
    assert (answerable["value"], answerable["n"]) == (sure.count("yes") / len(sure), len(sure))
    assert answerable["abstained"] == len(rows) - len(sure)
    outcomes = [row["bot, recorded: outcome"] for row in rows]
    for should, right, wrong in (("no", "declined", "answered_out"), ("yes", "refused_in", "answered_in")):
        kinds = [sum(outcome.startswith(kind) for outcome in outcomes) for kind in (right, wrong)]
        assert by_table["bot", should]["n"] == sum(kinds)
        assert by_table["bot", should]["value"] * sum(kinds) == kinds[1]


def test_the_page_opens_with_three_sentences_and_shows_topics_and_weeks(checked):
    folder, _ = checked
    page = (folder / "results/report/check-asked/coverage.html").read_text()
    findings = page.partition('<section id="findings">')[2].partition("</ol>")[0]
    assert findings.count('<p class="sentence">') >= 3
    assert "questions are about what the documents do not know" in findings
    assert "explorer/asked-questions/careful.html#finding=out_of_knowledge" in page
    shown = tables.read(EXAMPLES, folder / "results/examples/coverage.parquet").to_pylist()
    assert {row["text"] for row in shown} & {*FAR} and {row["part"] for row in shown} <= {
        "Question",
        "Query of the log",
    }
    assert all(row["text"] in page.replace("&#39;", "'") for row in shown)
    weeks = tables.read(METRICS, folder / "results/metrics/drift.parquet").to_pylist()
    firsts = {json.loads(row["keys"])["first"] for row in weeks if row["table"] == "windows"}
    assert len(firsts) == 3 and min(firsts) == "2026-10-05"
    assert "demo" not in findings and "Rejected" in page


def test_the_last_line_names_page_and_file(checked):
    folder, output = checked
    last = output.splitlines()[-1]
    report = folder / "results/report/check-asked"
    assert last.startswith(f"page: {(report / 'coverage.html').resolve().as_uri()}, each question: ")
    assert last.endswith(f"CSV: {report / 'explorer/asked-questions/careful.csv'}".replace(f"{folder}/", ""))
    assert "1 rows rejected" in output or "1 row" in output


def test_nothing_is_done_anew(checked, installation):
    folder, output = checked
    again = installation.run(*COMMAND, folder=folder)
    assert "Nothing to be done" in again.stdout and again.stdout.splitlines()[-1] == output.splitlines()[-1]


@pytest.fixture
def planned(tmp_path, monkeypatch):
    """A function from arguments to the settings that the command writes; no job runs."""
    folder = handbook.write(tmp_path / "library")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(module, "run_pipeline", lambda words, **environment: None)

    def plan(questions="asked.csv", documents="handbook", log=None, answers=None, columns=(), words=(), form=None):
        paths = [folder / path if path else None for path in (questions, documents, log, answers)]
        run_check(*paths, list(columns), form, list(words))
        [file] = folder.glob("checks/*/*.yaml")
        return plain_yaml.read(file)

    return plan


def test_columns_are_named_by_their_usual_names_or_by_the_users(planned, tmp_path):
    entry = planned()["question_sets"]["asked-questions"]
    assert entry["columns"]["questions"] == {"doc_id": None, "question": "Question", "in_scope": "answerable"}
    rows = [{"frage": "Wer?", "Nr": 1, "antwort": "Ada."}]
    pq.write_table(pa.Table.from_pylist(rows), "asked.parquet")
    (tmp_path / "library/asked.csv").unlink()
    names = ("question=Frage", "answer=Antwort", "question_id=nr")
    entry = planned("asked.parquet", answers="asked.parquet", columns=names)["question_sets"]["asked-questions"]
    assert entry["columns"]["questions"] == {"doc_id": None, "question": "frage", "question_id": "Nr"}
    assert entry["columns"]["responses"] == {"responder": None, "response": "antwort", "question_id": "Nr"}


def test_documents_may_be_a_table_whose_columns_the_user_names(planned, tmp_path):
    (tmp_path / "library/pages.csv").write_text("body\n" + "The library opens at nine on weekdays.\n" * 2)
    written = planned(documents="pages.csv", columns=["document=body"])
    assert written["corpora"]["asked"]["columns"] == {"id": "", "text": "body"}
    assert written["question_sets"]["asked-questions"]["columns"]["documents"] == {"doc_id": "", "text": "body"}
    assert written["documents"] == {"columns": {"text": "body"}, "kind": "document"}


def test_spans_need_no_columns_and_files_elsewhere_are_linked(planned, tmp_path):
    (tmp_path / "spans.jsonl").write_text(json.dumps(line_of(span("Who?"))))
    entry = planned(log="../spans.jsonl")["query_logs"]["asked-log"]
    assert entry == {"corpus": "asked", "files": ["checks/asked/log.jsonl"], "date_format": None}
    assert (tmp_path / "library/checks/asked/log.jsonl").resolve() == tmp_path / "spans.jsonl"


def test_logs_of_the_project_around_it_stay_out_of_a_check(planned):
    logs = {"theirs": {"files": ["log.jsonl"], "columns": {"date": "time", "text": "query"}}}
    Path("ragassay.yaml").write_text(plain_yaml.dump({"query_logs": logs}))
    written = planned(log="log.jsonl")["query_logs"]
    assert written["theirs"] == {"used": False} and written["asked-log"]["corpus"] == "asked"


def test_a_table_among_the_documents_is_read_by_its_usual_columns(planned, tmp_path):
    (tmp_path / "library/handbook/faq.csv").write_text("name,body\nParking,The car park has 40 places.\n")
    written = planned()
    assert written["documents"]["columns"] == {"text": "body", "title": "name"}
    assert written["corpora"]["asked"]["columns"] == {"id": "", "text": "body", "title": "name"}


def test_few_documents_have_a_gate_that_needs_no_fit(planned):
    assert planned()["relevance"]["gate"] == {"statistic": "mss"}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"questions": "ask.csv"}, r"ask.csv: no such file or folder \(did you mean .*asked.csv\?\)"),
        ({"documents": "."}, "found the folder in which this runs, expected a folder with documents alone"),
        (
            {"log": "bot.csv"},
            "bot.csv: found the columns question, answer, expected one of date, time, .*--column date=",
        ),
        ({"columns": ["question=Frage"]}, "asked.csv: found the columns Question, answerable, expected 'Frage'"),
        ({"columns": ["qestion=Frage"]}, r"--column: found 'qestion=Frage', .*\(did you mean question\?\)"),
        ({"questions": "handbook/loans.md"}, "loans.md: found '.md', expected a table: one of .csv"),
    ],
)
def test_what_cannot_be_checked_is_said_in_one_line(planned, arguments, problem):
    with pytest.raises(CheckError, match=problem) as error:
        planned(**arguments)
    assert "\n" not in str(error.value)
