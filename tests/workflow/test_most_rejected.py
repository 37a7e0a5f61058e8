"""A model that answers in the wrong form ends the run at the first stage where it does, and nothing is paid twice."""

import json

from project import TINY, snakemake
from tools.loopback import Loopback

CLAIMS, QUESTIONS = "results/claims/wrong/2026-01.parquet", "results/questions/wrong/2026-01.parquet"
PRICE = {"input": 1, "output": 1}


def test_a_model_that_answers_in_the_wrong_form_ends_the_run_and_a_second_run_pays_nothing_twice(project, monkeypatch):
    monkeypatch.setenv("KEY", "test-key")
    config, run = project / "wrong.json", [*TINY, "wrong.json", "--cores", "2", QUESTIONS]
    with Loopback(respond="answers:claims_alone") as server:
        model = {"provider": "openai", "model": "loopback", "base_url": server.url}
        model |= {"key_variable": "KEY", "price": PRICE}
        wrong = {"models": {"wrong": model}, "scope": {"generators": ["wrong"], "recovery": {"rounds": 12}}}
        config.write_text(json.dumps(wrong))
        stopped = snakemake(project, *run, check=False)
        asked = server.summary()["requests_per_key"]
        config.write_text(json.dumps(wrong | {"most_rejected": 1}))
        snakemake(project, *run)
        asked_again = server.summary()["requests_per_key"]
    assert stopped.returncode == 1 and "Traceback" not in stopped.stdout
    lines = stopped.stdout.splitlines()
    sentence = next(line for line in lines if " rejected, expected at most 50%; " in line)
    assert sentence.startswith("  recover_claims (generator=wrong, shard=2026-01): model wrong: ")
    assert " as count_mismatch, such as claim-" in sentence and 'answer begins \'{"claims": [' in sentence
    assert not [line for line in lines if "% write_questions" in line]
    assert (project / CLAIMS).exists() and (project / QUESTIONS).exists()
    assert asked and {key: asked_again[key] for key in asked} == asked
