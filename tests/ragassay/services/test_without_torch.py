"""The extra `service`: gates, guards, screens and detectors run where only its packages are, and where one of these is
missing a line names the extra.
"""

import contextlib
import http.client
import json
import re
import subprocess

import numpy as np
import pytest

import torchless
from fitted import QUESTIONS, TEXTS
from models import MINILM
from project import ROOT
from ragassay import Gate, Guard
from ragassay.base.errors import EXTRAS
from ragassay.models.encoders import plain_bert
from ragassay.models.encoders.embed import tokenized, vectors
from ragassay.models.encoders.encoder import Encoder, EncoderError

LONG = "The old ferry and the quay of the island. " * 60
ASKED = [*QUESTIONS, "", "a", LONG, "Élan 東京 — naïve", *TEXTS]
USED = """
import json, sys
from ragassay import Detector, Gate, Guard, Screen
gate = Gate.load("gates/fused").warm_up()
decisions = gate(%r)
guard = Guard.load("guard.json", "scorer").warm_up()
screen = Screen.load("screen.json", "scorer")
detector = Detector.load("detector", embeddings="vectors").warm_up()
texts = ["The old ferry and the tide.", "Zyzzyva quuxes brump xylitol wombat fnord blorp glim."]
print(json.dumps({
    "gate": [[one.action, one.passages, one.value] for one in decisions],
    "guard": [one.removed for one in guard("Is the ferry old?", texts, [0.9, 0.4])],
    "screen": [one.removed for one in screen(texts)],
    "detector": detector("Is it old?", texts[0]).score,
    "heavy": sorted({"torch", "transformers", "sentence_transformers", "sklearn"} & {*sys.modules}),
}))
"""


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    return torchless.linked(tmp_path_factory.mktemp("packages") / "site", ["service"])


@pytest.fixture
def folder(fitted, place, scored, tmp_path):
    """Where a service has copied its files to."""
    links = {"gates": fitted / "gates", "detector": fitted / "detector", "scorer": scored / "scorer"}
    links["guard.json"] = place / "results/guards/mine/minilm/echo.json"
    links["screen.json"] = place / "results/guards/mine/minilm/raguard.json"
    for name, target in links.items():
        (tmp_path / name).symlink_to(target)
    return tmp_path


def rows(kind, texts):
    found = np.empty((len(texts), 384), np.float32)
    for places, values in vectors(kind, tokenized(kind, texts)):
        found[places] = values
    return found


def test_vectors_are_those_of_sentence_transformers():
    from sentence_transformers import SentenceTransformer

    encoder = Encoder("m", "sentence_transformers", MINILM)
    library = SentenceTransformer(str(encoder.local.folder), device="cpu")
    given = rows(plain_bert.Kind(encoder), ASKED)
    assert np.abs(given - library.encode(ASKED)).max() < 1e-5
    assert np.abs(given).max() > 0.1 and len({*map(tuple, given.round(4).tolist())}) == len(ASKED)


@pytest.mark.parametrize("options", [{"pooling": "cls"}, {"pooling": "last"}, {"normalize": True}, {"max_tokens": 5}])
def test_other_ways_of_pooling_are_those_of_the_library(options):
    encoder = Encoder("m", "transformers", MINILM, options | {"device": "cpu"})
    assert np.abs(rows(plain_bert.Kind(encoder), ASKED) - rows(encoder.load(), ASKED)).max() < 1e-5


@pytest.mark.parametrize(
    "options", [{"pooling": "pooler"}, {"device": "cuda"}, {"dtype": "bfloat16"}, {"max_tokens": 10_000}]
)
def test_what_numpy_does_not_compute_is_one_line(options):
    with pytest.raises(EncoderError, match=r"encoder m: found (pooling|the pooling|another device|max_tokens)"):
        plain_bert.Kind(Encoder("m", "transformers", MINILM, options))


def test_everything_runs_without_torch_and_says_the_same(packages, folder):
    done = torchless.run(packages, USED % (QUESTIONS,), cwd=folder)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    decisions = Gate.load(folder / "gates/fused")(QUESTIONS)
    assert [one[:2] for one in said["gate"]] == [[one.action, one.passages] for one in decisions]
    assert [one[2] for one in said["gate"]] == pytest.approx([one.value for one in decisions], abs=1e-3)
    texts = ["The old ferry and the tide.", "Zyzzyva quuxes brump xylitol wombat fnord blorp glim."]
    judged = Guard.load(folder / "guard.json", folder / "scorer")("Is the ferry old?", texts, [0.9, 0.4])
    assert said["guard"] == [one.removed for one in judged] and said["screen"][1]
    assert said["heavy"] == []


@pytest.mark.parametrize("package", EXTRAS["service"])
def test_a_missing_package_is_one_line_that_names_the_extra(packages, tmp_path, package):
    folder = tmp_path / "site"
    folder.mkdir()
    for path in packages.iterdir():
        if path.name != package:
            (folder / path.name).symlink_to(path)
    for name in ("Gate", "Guard", "Screen", "Probe", "Detector"):
        done = torchless.run(folder, f"from ragassay import {name}")
        line = f"{name} needs the package {package}, which is not installed; pip install 'ragassay[service]'"
        assert done.returncode == 1 and done.stderr.splitlines()[-1].endswith(line)


def test_what_needs_torch_says_so(packages, folder, fitted):
    script = f"from ragassay import Probe; Probe.load({str(fitted / 'probes')!r}, 'triplet')"
    line = "needs the package torch, which is not installed; pip install 'ragassay[local]'"
    done = torchless.run(packages, script, cwd=folder)
    assert done.returncode == 1 and done.stderr.splitlines()[-1].endswith(line)
    script = "from ragassay import Guard; Guard.load('guard.json', {'model': 'gpt2'})"
    done = torchless.run(packages, script, cwd=folder)
    assert done.returncode == 1 and done.stderr.splitlines()[-1].endswith(line)


def test_the_extra_is_what_the_door_asks_for():
    names = {torchless.canonicalize_name(torchless.Requirement(text).name) for text in _extra("service")}
    assert names == {*EXTRAS["service"]}
    local = {torchless.Requirement(text).name for text in _extra("local")}
    assert {name.replace("_", "-") for name in EXTRAS["local"]} <= local


def _extra(name):
    return torchless.PROJECT["optional-dependencies"][name]


def test_the_example_with_fastapi_answers_and_refuses(folder, tmp_path_factory):
    site = torchless.linked(tmp_path_factory.mktemp("web") / "site", ["service"], ["fastapi", "uvicorn"])
    script = f"import uvicorn; uvicorn.run('service:app', app_dir={str(ROOT / 'docs/examples')!r}, port=0)"
    environment = {"GATE": "gates/fused", "GUARD": "guard.json", "SCORER": "scorer"}
    process = torchless.start(site, script, cwd=folder, env=environment, stderr=subprocess.PIPE)
    try:
        line = "nothing yet"
        while line and "running on http" not in line:
            line = process.stderr.readline()
        port = int(re.search(r"127\.0\.0\.1:(\d+)", line)[1])
        decisions = ask(port, "/gate", {"questions": QUESTIONS})
        assert [one["action"] for one in decisions] == ["answer", "reject", "reject"]
        question = "Which harbour fell?"
        texts = [f"{question} The xylophone.", "The old ferry and the tide.", "A choir in the cathedral of the island."]
        found = {"question": question, "texts": texts, "similarities": [0.9, 0.38, 0.35]}
        answer = ask(port, "/guard", found)
        assert answer == {"kept": texts[1:], "reasons": {texts[0]: "echo"}}
        refusal = ask(port, "/guard", found | {"similarities": [0.5]}, 422)
        assert "found 3 texts and 1 similarities" in refusal["detail"]
        assert "expected a text" in ask(port, "/gate", {"questions": [" "]}, 422)["detail"]
    finally:
        process.terminate()
        process.wait()
        process.stderr.close()


def ask(port, path, content, status=200):
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=300)) as connection:
        connection.request("POST", path, json.dumps(content), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        assert answer.status == status
        return json.loads(answer.read())


def test_the_notebook_runs_from_top_to_bottom(fitted, place, scored, tmp_path, monkeypatch):
    links = {"gates/articles/minilm": fitted / "gates/fused", "scorers/demo/ngram": scored / "scorer"}
    links["guards/demo/minilm"] = place / "results/guards/mine/minilm"
    for name, target in links.items():
        (tmp_path / "results" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "results" / name).symlink_to(target)
    monkeypatch.chdir(tmp_path)
    cells = json.loads((ROOT / "docs/examples/guards.ipynb").read_text())["cells"]
    given = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None, "a notebook is kept without results"
            exec("".join(cell["source"]), given)
    assert [decision.query for decision in given["decisions"]][1] == "What is the square root of two?"
    first = given["gate"]("Who keeps the lighthouse?")
    assert given["same"]("Who keeps the lighthouse?").p_value == first.p_value
    assert given["judgements"][1].removed and given["judgements"][1].score > 1
