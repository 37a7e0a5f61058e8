"""What `make estimate` says is what a run then asks, and it asks, pays and changes nothing itself."""

import json
import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

from project import TINY, snakemake
from ragassay.llm import estimate
from ragassay.llm.calls import complete
from ragassay.llm.estimate_caller import FOLDER
from ragassay.llm.model import Request

SETTINGS = """
models:
  paid:
    provider: openai
    model: loopback
    base_url: {url}
    key_variable: LOOPBACK_KEY
    price: {{input: 2, output: 8, batch: 0.5}}
scope:
  generators: [paid]
  claims:
    fewest_claims: {fewest}
    sampling: {{max_tokens: 500}}
  responding: {{prompts: [two_shot]}}
  defusion: {{variants: {{}}}}
"""


GENERATING = ("extract_claims", "recover_claims", "remove_supported_claims", "write_questions")
CLAIMS, QUESTIONS = (
    [f"results/{table}/paid/2026-{month}.parquet" for month in ("01", "02")] for table in ("claims", "questions")
)
VOTES = [
    "results/scope_votes/paid/embedded/2026-02.parquet",
    "results/defusion_votes/paid/embedded/two_shot/embedded/2026-02.parquet",
]


def forked(command, cwd, env):
    """What subprocess.run gives for Snakemake in a process of its own; see `project.snakemake`."""
    assert command[:3] == [sys.executable, "-m", "snakemake"]
    with pytest.MonkeyPatch.context() as patch:
        for name, value in env.items():
            patch.setenv(name, value)
        return snakemake(cwd.resolve(), *command[3:], check=False)


@pytest.fixture
def estimated(done, monkeypatch, capsys):
    """Estimates these targets in the project `done` with these settings; returns the table as rule -> numbers."""

    def run(*targets, url, fewest=2):
        (done / "paid.yaml").write_text(SETTINGS.format(url=url, fewest=fewest))
        with monkeypatch.context() as patch:
            patch.chdir(done)
            patch.delenv("LOOPBACK_KEY")
            patch.setattr(estimate, "subprocess", SimpleNamespace(run=forked))
            assert estimate.estimate([*targets, *TINY, "paid.yaml"]) == 0
        told = capsys.readouterr().out
        rows = [re.split(r"\s{2,}", line.strip()) for line in told.splitlines() if re.search(r"\d$", line)]
        return {row[0]: [float(cell.replace(",", "")) for cell in row[-7:]] for row in rows}

    return run


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.parquet")}


def test_it_says_what_a_run_then_asks_and_no_more_than_the_ledger_lacks(estimated, done, serve, model):
    server, before = serve(respond="ragassay.embedded.reader:respond"), files(done)
    rules = estimated(*QUESTIONS, *VOTES, url=server.url)
    assert rules.keys() >= {*GENERATING, "judge_scope", "respond", "judge_defusion"}
    requests, known, samples, *_, dollars, at_most = rules["extract_claims"]
    assert server.summary()["requests"] == known == 0 < dollars < at_most and requests == samples
    assert files(done) == before and not (done / "ledger/extract_claims/paid").exists()
    snakemake(done, *QUESTIONS, *TINY, "paid.yaml")
    assert server.summary()["requests"] == sum(rules[rule][0] for rule in GENERATING)
    shutil.rmtree(done / "ledger/extract_claims/paid/2026-01")
    asked, known, *_ = estimated(*CLAIMS, url=server.url, fewest=1)["extract_claims"]
    assert asked > 0 < known and asked + known == requests


def test_only_the_documents_that_are_needed_are_collected(project):
    command = [sys.executable, "-m", "ragassay.llm.estimate", "results/claims/embedded/2026-01.parquet", *TINY]
    told = subprocess.run(command, cwd=project, check=True, stdout=subprocess.PIPE, text=True).stdout
    assert re.search(r"^extract_claims +embedded +[1-9]", told, re.M)
    collected = {str(path.relative_to(project)) for path in project.glob("results/*/*.parquet")}
    assert "results/documents/2026-01.parquet" in collected and not any("2026-02" in path for path in collected)


def test_batches_cost_less_and_equal_requests_count_once(model, tmp_path, monkeypatch):
    found = {}
    for mode in ("online", "batch"):
        rows = tmp_path / mode
        rows.mkdir()
        monkeypatch.setenv(FOLDER, str(rows))
        price = {"input": 1.0, "output": 2.0, "batch": 0.5}
        requests = [
            Request([{"role": "user", "content": text}], {"max_tokens": 50}, 3) for text in ("One?", "Two?", "One?")
        ]
        paid = model("http://127.0.0.1:1/v1", mode=mode, price=price)
        assert all(len(answers) == 3 for answers in complete(requests, paid, tmp_path / "ledger/judge/tested"))
        found[mode] = json.loads(next(rows.iterdir()).read_text())
    assert not (tmp_path / "ledger").exists()
    online, batched = found["online"], found["batch"]
    assert (online["requests"], online["samples"], online["prompt_tokens"]) == (2, 6, 2)
    assert batched["pico_at_most"] * 2 == online["pico_at_most"] == 2 * (36 + 300) * 10**6


def test_rules_and_models_are_added_up():
    row = {"rule": "judge", "model": "m", "requests": 1000, "in_the_ledger": 1, "samples": 9000, "pico": 10**12}
    lines = estimate.table([row, row, {**row, "model": "other"}]).splitlines()
    found = [line.split() for line in lines[2:5]]
    assert [row[-7:-4] for row in found] == [
        ["2,000", "2", "18,000"],
        ["1,000", "1", "9,000"],
        ["3,000", "3", "27,000"],
    ]
    assert found[0][-2:] == ["2.0000", "0.0000"]
