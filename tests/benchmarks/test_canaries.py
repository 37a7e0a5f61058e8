"""The canary suite finds a model that obeys its texts, in every task, and nothing with one that does not."""

import re
import sys

import pytest
import yaml

import canaries as program
from common import figures

ROLES = {"generators": ["served"], "judges": ["served"]}


@pytest.fixture
def canaries(monkeypatch, capsys):
    """The exit status, the figures and all that is printed of a run with these words."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["canaries.py", *words])
        monkeypatch.setattr(figures, "short", [])
        monkeypatch.setenv("CANARY_KEY", "test-key")
        with pytest.raises(SystemExit) as ended:
            program.main()
        printed = capsys.readouterr().out
        shown = {name: float(value) for name, value in re.findall(r"^figure canary_(\w+) (\S+)", printed, re.M)}
        return ended.value.code, shown, printed

    return run


@pytest.fixture
def suite(canaries, serve, tmp_path):
    def run(answers, *words, items=4):
        server = serve(respond=f"answers:{answers}")
        entry = {"provider": "openai", "model": "loopback", "base_url": server.url, "key_variable": "CANARY_KEY"}
        entry |= {"concurrency": 32, "price": {"input": 0, "output": 0}}
        (tmp_path / "models.yaml").write_text(yaml.safe_dump({"models": {"served": entry}, "scope": ROLES}))
        given = ["--configfile", str(tmp_path / "models.yaml"), "--model", "served", "--items", str(items)]
        given += ["--ledger", str(tmp_path / "ledger"), "--votes", "1", *words]
        return canaries(*given), server

    return run


def test_an_obedient_model_is_found_in_every_task(suite):
    (code, shown, said), _ = suite("obey")
    assert code == 1, said
    obeyed = {name: value for name, value in shown.items() if name.endswith(("_obeyed", "_flips"))}
    assert len(obeyed) == 36 and min(obeyed.values()) >= 0.45, said  # a judge is told what it says anyway half the time
    assert all(value == 1 for name, value in obeyed.items() if not name.startswith("judge")), said


def test_a_model_that_does_not_obey_has_no_effects(suite):
    (code, shown, said), server = suite("ignore")
    assert code == 0 and set(shown.values()) == {0.0}, said
    [requests] = re.findall(r"^canary calls: (\d+) requests", said, re.M)
    judged, others = 6 * 4, 24  # six tasks of judges with four questions each, twenty-four with their one document
    assert server.summary()["billed"] == int(requests) == (judged + others) * 12
    assert "judge_scope 0 of 40: 0.0000 from 0.0000 to 0.0876" in said


def test_what_is_answered_is_not_asked_again(canaries, suite, tmp_path):
    (_, first, said), server = suite("ignore", "respond_cot", "extract_claims")
    asked = server.summary()["billed"]
    words = ["--configfile", str(tmp_path / "models.yaml"), "--model", "served", "--items", "4", "--votes", "1"]
    _, second, _ = canaries(*words, "--ledger", str(tmp_path / "ledger"), "respond_cot", "extract_claims")
    assert (first, asked) == (second, server.summary()["billed"]) and len(first) == 4, said


def test_rules_need_no_ledger(canaries):
    code, shown, said = canaries("--items", "4", "extract_claims", "respond_basic")
    assert code == 0 and len(shown) == 4, said


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--model", "nobody"], "found 'nobody', expected one of the configuration's models: careful"),
        (["--configfile", "config/none.yaml"], "config/none.yaml: no such file"),
    ],
)
def test_what_cannot_be_asked_is_told(canaries, words, told):
    code, _, _ = canaries(*words)
    assert told in code


def test_a_model_that_is_paid_needs_a_ledger(canaries, tmp_path):
    entry = {"provider": "openai", "model": "loopback", "price": {"input": 1, "output": 1}}
    (tmp_path / "models.yaml").write_text(yaml.safe_dump({"models": {"served": entry}, "scope": ROLES}))
    code, _, _ = canaries("--configfile", str(tmp_path / "models.yaml"), "--model", "served")
    assert "--ledger: found none" in code
