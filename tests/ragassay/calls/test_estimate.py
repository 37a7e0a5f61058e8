"""What `make estimate` says is what a run then asks, and it asks, pays and changes nothing itself."""

import json
import re
import shutil
from itertools import pairwise

import pytest

from calling import questions
from project import ROOT, TINY, forked, snakemake
from ragassay.base import tables
from ragassay.calls import estimate
from ragassay.calls._estimating import FOLDER
from ragassay.calls.complete import complete
from ragassay.calls.ledger.register import Register
from ragassay.schemas.documents import DOCUMENTS
from study import document

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
  defusion: {{variants: {{plain: null}}}}
"""


GENERATING = ("extract_claims", "recover_claims", "remove_supported_claims", "write_questions")
CLAIMS = [f"results/claims/paid/2026-{month}.parquet" for month in ("01", "02")]
QUESTIONS = [path.replace("claims", "questions") for path in CLAIMS]
VOTES = [
    f"results/{votes}/careful/2026-02.parquet" for votes in ("scope_votes/paid", "defusion_votes/paid/careful/two_shot")
]


@pytest.fixture
def estimated(done, monkeypatch, capsys):
    """Estimates these targets in the project `done` with these settings; returns the table as rule -> numbers."""

    def run(*targets, url, fewest=2):
        (done / "paid.yaml").write_text(SETTINGS.format(url=url, fewest=fewest))
        with monkeypatch.context() as patch:
            patch.chdir(done)
            patch.delenv("LOOPBACK_KEY")
            patch.setattr(estimate.pipeline, "status_of", lambda *command, **how: forked(*command, **how).returncode)
            assert estimate.estimate([*targets, *TINY, "paid.yaml"]) == 0
        table = capsys.readouterr().out.partition("Nothing was asked")[0]
        rows = [re.split(r"\s{2,}", line.strip()) for line in table.splitlines() if re.search(r"\d$", line)]
        return {row[0]: [float(cell.replace(",", "")) for cell in row[-8:]] for row in rows}

    return run


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.parquet")}


def test_it_says_what_a_run_then_asks_and_no_more_than_the_ledger_lacks(estimated, done, serve, model):
    server, before = serve(respond="ragassay.calls.providers.rules:respond"), files(done)
    rules = estimated(*QUESTIONS, *VOTES, url=server.url)
    assert rules.keys() >= {*GENERATING, "judge_scope", "respond", "judge_defusion"}
    requests, bound, known, samples, *_, dollars, at_most = rules["extract_claims"]
    assert all(numbers[0] <= numbers[1] for numbers in rules.values()) and requests == bound
    assert rules["write_questions"][0] <= 2 * requests == rules["write_questions"][1]
    assert server.summary()["requests"] == known == 0 < dollars < at_most and requests == samples
    assert files(done) == before and not (done / "ledger/extract_claims/paid").exists()
    snakemake(done, *QUESTIONS, *TINY, "paid.yaml")
    assert server.summary()["requests"] == sum(rules[rule][0] for rule in GENERATING)
    shutil.rmtree(done / "ledger/extract_claims/paid/2026-01")
    asked, _, known, *_ = estimated(*CLAIMS, url=server.url, fewest=1)["extract_claims"]
    assert asked > 0 < known and asked + known == requests


def test_only_the_documents_that_are_needed_are_collected(project, monkeypatch, capsys):
    monkeypatch.chdir(project)
    monkeypatch.setattr(estimate.pipeline, "status_of", lambda *command, **how: forked(*command, **how).returncode)
    assert estimate.main(["results/claims/authors/2026-01.parquet", *TINY]) == 0
    assert re.search(r"^extract_claims +authors +[1-9]", capsys.readouterr().out, re.M)
    collected = {str(path.relative_to(project)) for path in project.glob("results/*/*.parquet")}
    assert "results/documents/2026-01.parquet" in collected and not any("2026-02" in path for path in collected)


def test_of_a_new_shard_with_many_documents_a_sample_stands_for_all(estimated, done, monkeypatch):
    shutil.rmtree(done / "results/calls")
    numbers = [len(tables.read(DOCUMENTS, done / path.replace("claims/paid", "documents"))) for path in CLAIMS]
    before = files(done)
    whole = estimated(*QUESTIONS, url="http://127.0.0.1:1/v1")
    monkeypatch.setattr(estimate, "SAMPLE", 0)
    monkeypatch.setattr(estimate, "LEAST", 1)
    assert min(numbers) > 1
    sampled = estimated(*QUESTIONS, url="http://127.0.0.1:1/v1")
    assert sampled["extract_claims"][:2] == whole["extract_claims"][:2] == [sum(numbers)] * 2
    assert sampled["extract_claims"][4] == pytest.approx(whole["extract_claims"][4], rel=0.5)
    assert sampled["extract_claims"][4] != whole["extract_claims"][4] and files(done) == before


def test_a_sample_is_spread_over_the_documents_and_as_old_as_they_are(tmp_path):
    path = tmp_path / "results/documents/2026-09.parquet"
    names = [f"d{at:03}" for at in range(200)]
    for shard in ("2026-09", "2026-10"):
        tables.write(DOCUMENTS, path.with_stem(shard), [document(name, "Text.") for name in names])
    (tmp_path / "results/calls/extract_claims/m").mkdir(parents=True)
    (tmp_path / "results/calls/extract_claims/m/2026-10.parquet").touch()
    changed = path.stat().st_mtime_ns
    assert estimate.sample(tmp_path) == {"2026-09": (estimate.SAMPLE, 200)}
    taken = [names.index(name) for name in tables.read(DOCUMENTS, path)["doc_id"].to_pylist()]
    steps = {after - before for before, after in pairwise(taken)}
    assert len(taken) == estimate.SAMPLE and max(steps) - min(steps) <= 1 and path.stat().st_mtime_ns == changed
    assert len(tables.read(DOCUMENTS, path.with_stem("2026-10"))) == 200, "somebody was asked about these"


def test_jobs_of_sampled_shards_are_scaled():
    job = ROW | {"parts": {"in_scope": 3}}
    assert estimate.scaled(job, {"2026-10": (10, 40)}) == job
    many = estimate.scaled(job, {"2026-09": (10, 40)})
    assert (many["requests"], many["parts"], many["pico"]) == (40, {"in_scope": 12}, 4 * 10**12)
    assert estimate.scaled(job | {"keys": []}, {"2026-09": (10, 40)})["requests"] == 10


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "no such file"),
        (b"PAR1\xbc", "found byte 0xbc, which is not UTF-8; save the file as UTF-8"),
        (b"models: [", "expected the node content"),
        (b"a list", "found 'a list', expected keys with values"),
    ],
)
def test_a_file_that_is_no_configuration_is_one_line(tmp_path, monkeypatch, capfd, content, told):
    monkeypatch.chdir(ROOT)
    file = tmp_path / "mine.yaml"
    if content:
        file.write_bytes(content)
    assert estimate.main(["scope", "--configfile", str(file)]) == 1
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 1 and lines[0].startswith(f"estimate: {file}:") and told in lines[0]


def test_batches_cost_less_and_equal_requests_count_once(model, tmp_path, monkeypatch):
    rows = []
    for mode in ("online", "batch"):
        (tmp_path / mode).mkdir()
        monkeypatch.setenv(FOLDER, str(tmp_path / mode))
        paid = model("http://127.0.0.1:1/v1", mode=mode, price={"input": 1.0, "output": 2.0, "batch": 0.5})
        asked = [*questions(2, "No {}", 3), *questions(1, "No {}", 3)]
        assert all(len(answers) == 3 for answers in complete(asked, paid, tmp_path / "ledger/judge/tested"))
        rows.append(json.loads(next((tmp_path / mode).iterdir()).read_text()))
    assert not (tmp_path / "ledger").exists()
    online, batched = rows
    assert (online["requests"], online["samples"], online["prompt_tokens"]) == (2, 6, 2)
    assert batched["pico_at_most"] * 2 == online["pico_at_most"] == 2 * (36 + 300) * 10**6


def test_a_server_that_gave_one_sample_a_request_is_estimated_so(model, tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER, str(tmp_path / "rows"))
    (tmp_path / "rows").mkdir()
    paid = model("http://127.0.0.1:1/v1", price={"input": 1.0, "output": 2.0}, register=str(tmp_path / "register"))
    register = Register(paid.register, "ledger")
    rows = []
    for refused in ([], ["n"]):
        with register.shared() as (kept, _):
            endpoint = [paid.provider, paid.model, paid.base_url]
            kept["manners"] = {"endpoint": endpoint, "refused": refused, "excess": 1.0}
        before = register.grants.read_bytes()
        list(complete(questions(1, "One, two, three?", 9), paid, tmp_path / "ledger/judge/tested"))
        [row] = (tmp_path / "rows").iterdir()
        rows.append(json.loads(row.read_text()))
        row.unlink()
        assert register.grants.read_bytes() == before
    together, singly = rows
    assert (together["requests"], singly["requests"], together["calls"], singly["calls"]) == (1, 9, 1, 1)
    assert singly["prompt_tokens"] == 9 * together["prompt_tokens"] and singly["samples"] == together["samples"] == 9
    assert singly["pico"] == together["pico_singly"] > together["pico"]
    assert (together["pico_at_most"], singly["pico_at_most"]) == ((48 + 900) * 10**6, (9 * 48 + 900) * 10**6)


def test_rules_and_models_are_added_up():
    row = {"rule": "judge", "model": "m", "requests": 1000, "in_the_ledger": 1, "samples": 9000, "pico": 10**12}
    lines = estimate.table([row, row, {**row, "model": "other"}]).splitlines()
    cells = [line.split() for line in lines[2:5]]
    assert [row[-8:-4] for row in cells] == [[f"{n},000", "0", f"{n}", f"{9 * n},000"] for n in (2, 1, 3)]
    assert cells[0][-2:] == ["2.0000", "0.0000"]


ROW = {"rule": "judge_scope", "keys": ["gpt", "j", "2026-09"], "model": "j", "known": 0, "calls": 10}
ROW |= {"requests": 10, "parts": {}}
ROW |= dict.fromkeys(("pico", "pico_at_most", "pico_online", "pico_singly", "pico_uncached"), 10**12)
REGISTERED = {"shards": ["2026-09"], "most_requests": {"judge_scope": 11}, "switches": {}}


@pytest.fixture
def documents(tmp_path):
    """A project whose shard has two documents."""
    tables.write(DOCUMENTS, tmp_path / "results/documents/2026-09.parquet", [document(name, "Text.") for name in "ab"])
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "requests", "dollars"),
    [
        ({}, 22, 2.2),
        ({"known": 2}, 20, 2.0),
        ({"requests": 90}, 198, 2.2),  # nine samples, each a request
        ({"calls": 40, "requests": 40}, 40, 1.0),  # more than was thought: never less than was counted
        ({"rule": "rate_relevance"}, 10, 1.0),
        ({"keys": ["natural", "j", "natural"]}, 10, 1.0),  # of a question set all questions are known
    ],
)
def test_the_settings_bound_the_requests_that_models_can_cause(documents, changed, requests, dollars):
    [row] = estimate.bounded([ROW | changed], REGISTERED, documents)
    assert (row["requests_at_most"], row["pico_at_most"] / 10**12) == (requests, pytest.approx(dollars))


def test_each_switch_says_what_it_costs_and_each_way_of_asking_what_it_saves():
    rows = [
        ROW | {"pico_online": 2 * 10**12},
        ROW | {"model": "own"},
        ROW | {"rule": "respond", "parts": {"in_scope": 5 * 10**11}, "pico_singly": 9 * 10**12},
        ROW | {"rule": "judge_defusion", "keys": ["gpt", "_plain", "2026-09"]},
    ]
    switches = {"votes": {"rule": "judge_scope", "models": ["j"]}, "in": {"rule": "respond", "part": "in_scope"}}
    switches["variants"] = {"rule": "judge_defusion", "keys": ["_plain"]}
    lines = estimate.switch_lines(rows, REGISTERED | {"switches": switches})
    costs = ["$1.0000, 25% of all", "$0.5000, 12% of all", "$1.0000, 25% of all", "$1.0000", "$8.0000", "$0.0000"]
    assert [line.split(": ")[1] for line in lines] == costs


def test_what_prompts_of_a_document_begin_with_counts_as_cached_once_it_is_long_enough(model, tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER, str(tmp_path))
    price = {"input": 4.2, "cached_input": 2.1, "output": 0}
    for length in (2000, 8400):
        paid = model("http://127.0.0.1:1/v1", price=price)
        list(complete(questions(2, "word " * (length // 5) + "{}?"), paid, tmp_path / f"ledger/judge/{length}"))
    short, long = (json.loads(next(tmp_path.glob(f"judge-{length}-*")).read_text()) for length in (2000, 8400))
    assert short["pico"] == short["pico_uncached"]
    assert long["pico_uncached"] - long["pico"] == 15 * 128 * 2_100_000  # 2,000 tokens alike, in steps of 128
