"""The real server over HTTP: who gets in, what pages hold, and what survives it."""

import http.client
import json
import resource
import signal
import subprocess
import sys
import threading

import pytest

from people import Serving, click, give, item, project, run, sample
from ragassay.people import click_log

EVIL = "</article><script>alert(1)</script><!-- \"'> {{ 7 * 7 }}"
KNOWN = ("authors", "careful", "responder", "prompt_name", "in_votes", "margin", "doc-", "question-")


@pytest.fixture(scope="module")
def serving(tmp_path_factory):
    folder = project(tmp_path_factory.mktemp("study"), sample(scope=6, groups=12), training_items=0)
    with Serving(folder) as running:
        running.folder = folder / "annotation/careful/careful"
        yield running


@pytest.fixture
def anna(serving, request):
    """Somebody who has a group, under a name of this test's own."""
    name = f"Anna {abs(hash(request.node.name)) % 10**9}"
    client = serving.person(name)
    client.name = name
    return client


def stored(serving, client):
    return [event for event in click_log.read(serving.folder / "events.jsonl") if event["person"] == client.name]


def test_a_label_is_on_the_disk_when_the_page_is_told_so(serving, anna):
    item = anna.shown("/label/scope")["item"]
    assert give(anna, comment="why", seconds=2.5) == (200, {"stored": True})
    event = stored(serving, anna)[-1]
    assert (event["item"], event["label"], event["comment"], event["seconds"]) == (item, "in_scope", "why", 2.5)
    assert anna.shown("/label/scope")["item"] != item


def test_pages_hold_no_label_of_a_model_and_no_name_of_one(serving, anna):
    give(anna)
    own = f"/labels/scope/{stored(serving, anna)[-1]['item']}"
    for path in ("/", "/label/scope", "/guidelines", "/adjudication", "/label/defusion", "/labels", own):
        _, page = anna.get(path)
        page = page.replace("a careful reader", "")  # in the guidelines
        assert not [word for word in KNOWN if word in page], path


def test_pages_allow_nothing_from_elsewhere(serving, anna):
    anna.get("/label/scope")
    policy = anna.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy and "frame-ancestors 'none'" in policy
    assert anna.headers["cache-control"] == "no-store" and anna.headers["x-content-type-options"] == "nosniff"
    for name in ("page.css", "page.js", "icon.svg"):
        status, text = anna.get(f"/{name}")
        assert status == 200 and "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert [anna.get(path)[0] for path in ("/page.py", "/docs", "/openapi.json", "/..%2fserver.py")] == [404] * 4


def test_another_name_of_this_machine_is_not_answered(serving):
    rebound = serving.visitor(host="evil.example")
    assert rebound.ask("GET", "/")[0] == 421
    assert rebound.ask("POST", "/sign-in", '{"name": "Anna"}')[0] == 421


def test_other_sites_cannot_click(serving, anna):
    given = click(item=anna.shown("/label/scope")["item"], seen="", label="in_scope")
    token, anna.token = anna.token, "0" * 64
    assert anna.post("/clicks/label", given)[0] == 403
    anna.token = token
    assert anna.post("/clicks/label", given, origin="http://evil.example")[0] == 403
    assert anna.post("/clicks/label", given, origin=f"http://127.0.0.1:{serving.port}")[0] == 200
    anna.get("/")
    assert "HttpOnly" in _cookie(serving) and "SameSite=strict" in _cookie(serving)


def _cookie(serving):
    client = serving.visitor()
    client.get()
    client.post("/sign-in", {"name": "Somebody"})
    return client.headers["set-cookie"]


def test_without_a_cookie_or_with_a_made_up_one_nobody_clicks(serving, anna):
    stranger = serving.visitor()
    stranger.get()
    assert stranger.post("/clicks/join", click())[0] == 401
    stranger.cookie = anna.cookie[:-4] + "0000"
    assert "Welcome" in stranger.get("/label/scope")[1]


@pytest.mark.parametrize(
    ("body", "status"),
    [("{", 400), ("[]", 400), ("[" * 50_000, 400), ('"' + "x" * 70_000 + '"', 413), ("{}", 400), ("\xff", 400)],
)
def test_what_is_no_click_is_refused(serving, anna, body, status):
    anna.get("/")
    before = stored(serving, anna)
    assert anna.ask("POST", "/clicks/label", body.encode("latin-1"), x_page_token=anna.token)[0] == status
    assert stored(serving, anna) == before


def test_killed_it_has_every_label_that_it_told_of_and_people_go_on(tmp_path):
    folder, told = project(tmp_path, sample(scope=30, defusion=0), training_items=0), []
    for _ in range(3):
        with Serving(folder) as running:
            client = running.visitor()
            client.enter("Anna")
            if not told:
                client.post("/clicks/join", click())
            killer = threading.Timer(0.15, running.process.kill)
            killer.start()
            try:
                for _ in range(9):
                    shown = client.shown("/label/scope")
                    given = click(item=shown["item"], seen="", label="in_scope")
                    assert shown["item"] not in [one["item"] for one in told], "it comes once"
                    if client.post("/clicks/label", given)[0] == 200:
                        told.append(given)
            except (OSError, http.client.HTTPException):
                pass
            killer.cancel()
            running.end(signal.SIGKILL)
    events = click_log.read(folder / "annotation/careful/careful/events.jsonl")
    kept = {event["click"] for event in events if event["event"] == "label"}
    assert {one["click"] for one in told} <= kept and len(kept) <= len(told) + 3


def test_on_other_addresses_only_a_token_gets_in(tmp_path):
    folder = project(tmp_path, sample())
    refused = run(folder, "serve", "--host", "0.0.0.0", "--port", "0")
    assert refused.returncode == 1 and "no annotator has a token yet" in refused.stderr
    with Serving(folder, "--host", "0.0.0.0", "--annotators", "Anna", "Ben") as running:
        tokens = json.loads((folder / "annotation/careful/careful/tokens.json").read_text())
        client = running.visitor(host="somewhere.example")
        client.get()
        assert client.post("/sign-in", {"name": "Anna"})[0] == 403
        assert client.post("/sign-in", {"token": tokens["Ben"][:-1]})[0] == 403
        assert client.post("/sign-in", {"token": tokens["Ben"]}) == (200, {"name": "Ben"})
        assert "Hello, Ben" in client.get()[1]


def test_where_there_are_tokens_a_name_lets_nobody_in(tmp_path):
    folder = project(tmp_path, sample())
    with Serving(folder, "--annotators", "Anna"):
        pass
    with Serving(folder) as running:
        client = running.visitor()
        assert "Your name" not in client.get()[1]
        assert client.post("/sign-in", {"name": "Anna"})[0] == 403
        running.end(signal.SIGKILL)
        assert "tokens.json" in running.rest and "Delete that file if everybody on this machine" in running.rest
    (folder / "annotation/careful/careful/tokens.json").unlink()
    with Serving(folder) as running:
        client = running.visitor()
        client.enter("Anna")


def test_text_of_strangers_is_text(tmp_path):
    items = [item(1, title=EVIL, document=EVIL, question=EVIL)]
    with Serving(project(tmp_path, items, training_items=0)) as running:
        client = running.person("Anna")
        _, page = client.get("/label/scope")
        assert page.count("<script") == 1 and "alert(1)&lt;/script&gt;" in page and "{{ 7 * 7 }}" in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["serve", "--generator", "gpt"], "found 'gpt', expected one of scope.generators or a question set: careful"),
        (["serve", "--configfile", "no.yaml"], "no.yaml: no such file"),
        (["serve", "--port", "99999"], "choose another with --port"),
        (["serve", "--host", "no.such.host.invalid", "--annotators", "Anna"], "choose another with --port or --host"),
        (["serve", "--host", "0.0.0.0", "--annotators", "<b>"], "found no name"),
        (["export", "out.txt"], "found the ending '.txt', expected .csv or .json"),
        (["import", "no.csv"], "no.csv: No such file"),
    ],
)
def test_the_command_says_what_is_wrong_in_one_line(tmp_path, arguments, message):
    done = run(project(tmp_path, sample()), *arguments)
    assert done.returncode == 1 and message in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("room", [0, 100])
def test_a_full_disk_is_told_in_one_line(tmp_path, room):
    """There is no room for tokens; or for those, and not for the copy of the sample."""
    folder = project(tmp_path, sample())
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        done = run(folder, "serve", "--port", "0", "--annotators", "Anna")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    name = "items.parquet" if room else "tokens.json"
    assert done.returncode == 1 and f"{name}: File too large; expected a place" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_second_server_of_the_same_labels_is_refused(serving):
    done = run(serving.folder.parents[2], "serve", "--port", "0")
    assert done.returncode == 1 and "in use by another process" in done.stderr


def test_labels_of_items_that_are_gone_are_named(tmp_path):
    folder = project(tmp_path, sample(), training_items=0)
    with Serving(folder) as running:
        client = running.person("Anna")
        give(client)
    (folder / "annotation/careful/careful/items.parquet").unlink()
    project(tmp_path, [item(77)])
    done = run(folder, "serve", "--port", "0")
    assert done.returncode == 1 and "put back the one that was replaced" in done.stderr


def test_an_empty_sample_is_named(tmp_path):
    done = run(project(tmp_path, []), "serve", "--port", "0")
    assert done.returncode == 1 and "the sample is empty" in done.stderr


def test_people_go_on_with_the_sample_that_they_began_with(tmp_path):
    folder = project(tmp_path, sample(scope=2, defusion=0), training_items=0)
    with Serving(folder):
        pass
    project(folder, [item(9)], training_items=0)
    with Serving(folder) as serving:
        assert "has a newer sample" in serving.warned
        client = serving.person("Anna")
        assert client.shown("/label/scope")["item"] == "item-scope-0001"


def test_the_command_can_be_called_as_a_module(tmp_path):
    command = [sys.executable, "-m", "ragassay.people", "export", "items.csv"]
    done = subprocess.run(command, cwd=project(tmp_path, sample()), capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "items.csv: 5 items with 0 labels\n")
