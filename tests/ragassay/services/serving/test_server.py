"""The guard server on loopback: its answers are the library's, a new fit loses no request, and whatever is too large,
too slow or no request at all is refused in one line.
"""

import http.client
import json
import re
import shutil
import socket
import threading
from dataclasses import asdict

import httpx
import numpy as np
import pytest

from fitted import QUESTIONS, TEXTS, write_gate, write_guards, write_probes
from guard_servers import guarding, holding, settings
from project import ROOT
from ragassay import Gate, Guard, Probe, Screen
from ragassay.base.errors import AssayError
from ragassay.command.serve import serve
from ragassay.services.gate_files import read_card, write_card
from ragassay.services.serving.fits import Fits

SIMILARITIES = [0.9, 0.8, 0.7]


@pytest.fixture(scope="module")
def fits(tmp_path_factory, place):
    folder = tmp_path_factory.mktemp("fits")
    guard = place / "results/guards/mine/minilm/raguard.json"
    return {
        "gate": str(write_gate(folder / "gate", "mss")),
        "guard": {"file": str(guard), "scorer": str(place / "results/scorers/mine/ngram")},
        "screen": {"use": True},
        "probe": {"folder": str(write_probes(folder / "probes"))},
    }


@pytest.fixture(scope="module")
def client(fits):
    with guarding(fits) as client:
        yield client


def echo(folder):
    """Settings with a guard that removes texts that repeat the question."""
    return {"guard": {"file": str(write_guards(folder)["chain"])}}


def as_json(value):
    return json.loads(json.dumps(value))


def bodies(fits):
    """name -> a request and what the library says of it."""
    states = np.random.default_rng(1).normal(size=(5, 3, 4)).round(3)
    guard = Guard.load(fits["guard"]["file"], fits["guard"]["scorer"])
    found = {"question": "Is the harbour old?", "texts": TEXTS[:3], "similarities": SIMILARITIES}
    screen = Screen.load(fits["guard"]["file"], fits["guard"]["scorer"])
    return {
        "gate": ({"queries": QUESTIONS}, [asdict(one) for one in Gate.load(fits["gate"])(QUESTIONS)]),
        "guard": (found, [one.row() for one in guard(*found.values())]),
        "screen": ({"texts": TEXTS}, [one.row() for one in screen(TEXTS)]),
        "probe": (
            {"states": states.tolist()},
            [asdict(one) for one in Probe.load(fits["probe"]["folder"]).judge(states)],
        ),
    }


def test_answers_are_those_of_the_library(client, fits):
    for name, (body, expected) in bodies(fits).items():
        answer = client.post(f"/{name}", json=body)
        assert (answer.status_code, answer.json()) == (200, as_json(expected)), name


def test_the_guide_does_what_it_says(client, capsys):
    """The Python of docs/guard_server.md, at the address of this server."""
    [program] = re.findall(r"```python\n(.*?)```", (ROOT / "docs/guard_server.md").read_text(), re.DOTALL)
    given = {}
    exec(program.replace("http://127.0.0.1:8139", str(client.base_url).rstrip("/")), given)
    assert capsys.readouterr().out.split()[0] == given["decisions"][0]["action"]
    assert given["replies"] == [{"gate": given["decisions"]}, {"guard": given["judgements"]}]
    assert given["kept"] == [
        text for text, one in zip(given["found"]["texts"], given["judgements"], strict=True) if not one["removed"]
    ]


def test_a_batch_gives_each_its_answers_or_its_error(client, fits):
    right = bodies(fits)
    requests = [{name: body} for name, (body, _) in right.items()]
    wrong = [{"gate": {"queries": [""]}}, {"gate": {}}, {"gat": {}}, {}]
    replies = client.post("/batch", json={"requests": requests + wrong}).json()
    assert replies[:4] == [{name: as_json(expected)} for name, (_, expected) in right.items()]
    for reply, reason in zip(
        replies[4:], ["found '' as query 1", "queries: ", "found gat", "found nothing"], strict=True
    ):
        assert list(reply) == ["error"] and reason in reply["error"]


@pytest.mark.parametrize(
    "body", [{}, {"queries": "a"}, {"queries": [1]}, {"queries": [" "]}, {"queries": ["a"], "b": 1}]
)
def test_what_is_no_query_is_refused_in_one_line(client, body):
    answer = client.post("/gate", json=body)
    reason = answer.json()["error"]
    assert answer.status_code in (400, 422) and reason and "\n" not in reason and len(reason) < 300


def test_what_cannot_be_judged_is_refused(client):
    answer = client.post("/guard", json={"question": "a", "texts": ["b"], "similarities": [3.0]})
    assert answer.status_code == 422 and "found 3.0 as similarity 1" in answer.json()["error"]


def test_a_body_that_is_too_large_is_refused_with_a_length_and_without(tmp_path):
    with guarding(echo(tmp_path) | {"most_bytes": 1_000}) as client:
        body = json.dumps({"requests": [{"guard": {"question": "a" * 2_000}}]}).encode()
        for content in (body, iter([body[:500], body[500:]])):
            answer = client.post("/batch", content=content)
            assert answer.status_code == 413 and "more than 1000 bytes" in answer.json()["error"]
        assert client.post("/guard", json={"question": "a", "texts": [], "similarities": []}).json() == []


def test_a_client_that_never_ends_its_body_is_refused_and_others_are_served(tmp_path):
    with guarding(echo(tmp_path) | {"seconds": 0.5}) as client:
        address = client.base_url
        with socket.create_connection((address.host, address.port)) as slow:
            head = f"POST /guard HTTP/1.1\r\nHost: {address.host}\r\nContent-Length: 100\r\n\r\n"
            slow.sendall(head.encode() + b"{")
            assert client.get("/ready").json()["serves"] == ["guard"]
            answer = http.client.HTTPResponse(slow)
            answer.begin()
            assert (answer.status, "no whole body" in json.loads(answer.read())["error"]) == (408, True)


def test_a_client_that_never_ends_the_head_of_its_request_is_cut_off(tmp_path):
    with (
        guarding(echo(tmp_path) | {"seconds": 0.5}) as client,
        socket.create_connection((client.base_url.host, client.base_url.port)) as slow,
    ):
        slow.sendall(b"POST /guard HTTP/1.1\r\nHost: ")
        assert slow.recv(1) == b""


def test_an_answer_that_takes_too_long_is_given_up(tmp_path):
    with guarding(echo(tmp_path) | {"seconds": 0.5}) as client:
        with holding(client.server.fits.guard):
            answer = client.post("/guard", json={"question": "a", "texts": [], "similarities": []})
        assert answer.status_code == 504 and "no answer after 0.5 seconds" in answer.json()["error"]


def test_more_requests_than_allowed_are_refused_at_once(tmp_path):
    with guarding(echo(tmp_path) | {"most_in_flight": 1}) as client:
        body = {"question": "a", "texts": [], "similarities": []}
        first = threading.Thread(target=httpx.post, args=(client.base_url.join("guard"),), kwargs={"json": body})
        with holding(client.server.fits.guard) as held:
            first.start()
            held.wait()
            refused, alive = client.post("/guard", json=body), client.get("/health")
        first.join()
        assert (refused.status_code, refused.headers["retry-after"], alive.status_code) == (503, "1", 200)


def test_a_token_is_needed_where_there_is_one(tmp_path):
    with guarding(echo(tmp_path), token="s3cret-token") as client:
        body = {"question": "a", "texts": [], "similarities": []}
        for headers in ({}, {"authorization": "Bearer s3cret"}, {"authorization": "s3cret-token"}):
            assert client.post("/guard", json=body, headers=headers).status_code == 401
        assert client.get("/metrics").status_code == 401
        assert client.post("/guard", json=body, headers={"authorization": "Bearer s3cret-token"}).status_code == 200
        assert client.get("/health").status_code == client.get("/ready").status_code == 200


def test_a_page_of_another_host_does_not_reach_a_server_without_a_token(client):
    assert client.get("/metrics", headers={"host": "evil.example"}).status_code == 421


def test_other_machines_need_a_token(monkeypatch):
    monkeypatch.delenv("RAGASSAY_TOKEN", raising=False)
    with pytest.raises(AssayError, match=r"0\.0\.0\.0: other machines can reach this address and RAGASSAY_TOKEN"):
        serve([], "0.0.0.0", 0, False)


def test_a_server_without_fits_does_not_start():
    with pytest.raises(AssayError, match="guard_server: found no gate, no guard and no probe"):
        Fits.load(settings())


def test_metrics_are_in_prometheus_form_and_count(fits):
    with guarding(fits) as client:
        decisions = client.post("/gate", json={"queries": QUESTIONS}).json()
        client.post("/gate", json={})
        client.get("/nowhere")
        text = client.get("/metrics").text
    assert all(re.fullmatch(r'[a-z_]+(\{([a-z]+="[^"]*",?)+\})? [0-9.]+', line) for line in text.splitlines())
    out = sum(not decision["in_knowledge"] for decision in decisions)
    assert f'ragassay_decisions_total{{by="gate",alarm="true"}} {out}\n' in text
    assert 'ragassay_requests_total{path="/gate",status="200"} 1\n' in text
    assert 'ragassay_requests_total{path="/gate",status="422"} 1\n' in text
    assert 'ragassay_requests_total{path="other",status="404"} 1\n' in text
    assert "ragassay_in_flight 1\n" in text


def test_the_description_names_all_endpoints_and_loads_nothing_from_elsewhere(client):
    paths = client.get("/openapi.json").json()["paths"]
    page = client.get("/").text
    assert {"/gate", "/guard", "/screen", "/probe", "/batch", "/reload", "/health", "/ready", "/metrics"} <= set(paths)
    assert all(path in page for path in paths)
    assert not re.search("https?://|<script", page)


def test_a_new_fit_takes_over_without_losing_a_request(tmp_path):
    """Two gates that decide differently take turns while eight clients ask: each answer is that of one or the other."""
    gates = [write_gate(tmp_path / "one", "mss"), write_gate(tmp_path / "two", "mss")]
    np.save(gates[1] / "calibration.npy", np.sort(np.random.default_rng(5).uniform(-9, -8, 40)))
    write_card(gates[1], {key: value for key, value in read_card(gates[0]).items() if key != "files"})
    expected = [as_json([asdict(one) for one in Gate.load(gate)(QUESTIONS)]) for gate in gates]
    assert expected[0] != expected[1]
    served = tmp_path / "served"
    shutil.copytree(gates[0], served)
    stop, answers, problems = threading.Event(), [], []

    def ask(address):
        with httpx.Client(base_url=address, timeout=60) as client:
            while not stop.is_set():
                try:
                    answer = client.post("/gate", json={"queries": QUESTIONS})
                    answers.append((answer.status_code, answer.json()))
                except httpx.HTTPError as error:
                    problems.append(error)

    with guarding({"gate": str(served)}) as client:
        clients = [threading.Thread(target=ask, args=(client.base_url,)) for _ in range(8)]
        for thread in clients:
            thread.start()
        versions = set()
        for number in range(1, 11):
            before = len(answers)
            shutil.rmtree(served)
            shutil.copytree(gates[number % 2], served)
            versions.add(client.post("/reload").json()["version"])
            while len(answers) < before + 16:  # each fit is asked
                assert not problems
        stop.set()
        for thread in clients:
            thread.join()
    assert not problems and {status for status, _ in answers} == {200} and len(versions) == 2
    assert [sum(answer == one for _, answer in answers) > 0 for one in expected] == [True, True]
    assert all(answer in expected for _, answer in answers)


def test_a_new_fit_that_is_damaged_leaves_the_old_one_in_place(tmp_path):
    gate = write_gate(tmp_path / "gate", "mss")
    with guarding({"gate": str(gate)}) as client:
        before = client.post("/gate", json={"queries": QUESTIONS}).json()
        (gate / "calibration.npy").write_bytes(b"x")
        answer = client.post("/reload")
        assert answer.status_code == 422 and "calibration.npy" in answer.json()["error"]
        assert client.post("/gate", json={"queries": QUESTIONS}).json() == before
        assert client.get("/ready").status_code == 200
