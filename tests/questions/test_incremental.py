"""What is new or changed is paid for, and nothing else: the study in Snakemake against a server that counts calls."""

import json
import subprocess

import pytest

from project import copy_project, planned, snakemake
from ragassay.base import tables
from ragassay.schemas.report import CALLS
from ragassay.schemas.scope_questions import QUESTIONS
from tools.loopback import Loopback

CONFIG = ("--configfile", "tests/tiny/config.yaml", "served.yaml")
GENERATING = ["extract_claims", "recover_claims", "remove_supported_claims", "write_questions"]
RESPONDING = ["respond", "answer_closed_book", "judge_defusion"]
ASKING = [*GENERATING, "judge_scope", *RESPONDING]
COUNTING = ["label_scope", "select_questions", "compute_hardness", "grade_hardness", "measure_scope"]
COUNTING += ["label_defusion", "measure_responses"]

NEW = (
    "The harbour council of Tolven sold its old lighthouse on Friday. The buyer paid 410,000 crowns. The tower is"
    " thirty metres high. Visitors may climb it from June."
)


def served(project, url, generators=("first",), judges=("judge",), responders=("judge",)):
    """The tiny study with models behind this address, each under a name of its own that its calls are counted by. Who
    judges responds too, under one prompt, unless a test wants others; so there is one job for each rule.
    """
    model = {"provider": "openai", "base_url": url, "key_variable": "KEY", "price": {"input": 1, "output": 1}}
    names = dict.fromkeys((*generators, *judges, *responders))
    models = {name: model | {"model": name, "concurrency": 4} for name in names}
    scope = {"generators": list(generators), "judges": list(judges), "responders": list(responders)}
    scope |= {"responding": {"prompts": ["two_shot"]}, "defusion": {"variants": {"plain": None}}}
    (project / "served.yaml").write_text(json.dumps({"models": models, "scope": scope}))


def one_shard(project):
    """The second, of which some questions are out of scope."""
    shards = project / "tests/tiny/shards.tsv"
    header, _, row, *_ = shards.read_text().splitlines(keepends=True)
    shards.write_text(header + row)


def asked(project):
    """(rule, model) -> requests that its jobs have sent so far, by what they wrote down."""
    found = {}
    for path in (project / "results/calls").rglob("*.parquet"):
        for row in tables.read(CALLS, path).to_pylist():
            rule = path.relative_to(project / "results/calls").parts[0]
            found[rule, row["model"]] = found.get((rule, row["model"]), 0) + row["requests"]
    return found


def more(project, server, before):
    """What a run of all stages that ask sends beyond `before`, counted on both sides."""
    billed = server.summary()["billed"]
    snakemake(project, "results/metrics/calls.parquet", *CONFIG)
    after = asked(project)
    found = {key: count - before.get(key, 0) for key, count in after.items() if count > before.get(key, 0)}
    assert server.summary()["billed"] - billed == sum(found.values())
    return found


@pytest.fixture(scope="module")
def server():
    with Loopback(respond="ragassay.calls.providers.rules:respond", models=[]) as running:
        yield running


@pytest.fixture(scope="module")
def finished(server, tmp_path_factory):
    """A project whose tiny study has run against the server."""
    project = copy_project(tmp_path_factory.mktemp("served") / "project")
    one_shard(project)
    served(project, server.url)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KEY", server.key)
        snakemake(project, "scope", *CONFIG)
    return project


@pytest.fixture
def done(finished, tmp_path, server, monkeypatch):
    monkeypatch.setenv("KEY", server.key)
    subprocess.run(["cp", "-a", finished, tmp_path / "project"], check=True)
    return tmp_path / "project"


def test_a_changed_prompt_pays_for_its_stage_and_for_what_became_another_text(done, server):
    before = asked(done)
    prompt = done / "resources/prompts/remove_supported_claims.yaml"
    prompt.write_text(prompt.read_text().replace("Write nothing else.", "Write nothing else at all."))
    after = ["remove_supported_claims", "write_questions", "judge_scope", *RESPONDING, *COUNTING]
    assert planned(done, "scope", *CONFIG) == dict.fromkeys(after, 1)
    found = more(done, server, before)
    # The reader answers as before, so that no later text changes and no later call is paid.
    assert found == {("remove_supported_claims", "first"): before["remove_supported_claims", "first"]}


def test_a_second_generator_reuses_all_that_stands_before_it(done, server):
    before = asked(done)
    documents = done / "results/documents/2026-02.parquet"
    content = documents.read_bytes()
    served(done, server.url, generators=("first", "second"))
    jobs = planned(done, "scope", *CONFIG)
    assert jobs == dict.fromkeys([*ASKING, *COUNTING], 1)
    found = more(done, server, before)
    assert {key for key in found if key[1] == "second"} == {(rule, "second") for rule in GENERATING}
    assert {rule for rule, model in found if model != "second"} == {"judge_scope", *RESPONDING}
    assert documents.read_bytes() == content


def count(project, *intended):
    """How many different questions there are, or those that were meant to be so: equal ones are asked once."""
    paths = (project / "results/questions").rglob("*.parquet")
    rows = tables.read_all(QUESTIONS, paths).to_pylist()
    return len({(row["doc_id"], row["text"]) for row in rows if not intended or row["intended"] in intended})


def test_who_and_what_is_new_pays_for_itself(done, server):
    """A document, a responder and a judge at once: each is known by the model that is asked."""
    before, old, old_out = asked(done), count(done), count(done, "out_of_scope")
    (done / "tests/tiny/documents/february/lighthouse.txt").write_text(NEW)
    served(done, server.url, judges=("judge", "other"), responders=("judge", "new"))
    found = more(done, server, before)
    every, out = count(done), count(done, "out_of_scope")
    assert before["respond", "judge"] == old and 0 < old_out < out and old < every
    assert found["extract_claims", "first"] == 1
    assert {key: n for key, n in found.items() if key[0] not in GENERATING} == {
        **{(rule, "judge"): every - old for rule in ("respond", "answer_closed_book", "judge_scope")},
        **{(rule, "new"): every for rule in ("respond", "answer_closed_book", "judge_scope")},
        ("judge_scope", "other"): every,
        ("judge_defusion", "judge"): out - old_out + out,  # of the old responder to what is new, of the new one to all
        ("judge_defusion", "other"): 2 * out,  # and no response is asked for again
    }
