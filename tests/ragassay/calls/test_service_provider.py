"""Services as a provider: what is sent, what is read, what is paid, and how everything that can go wrong is told."""

import contextlib
import json
import sys
import threading

import pytest

from calling import replies
from ragassay.base.errors import AssayError
from ragassay.calls.complete import Unanswered, account, complete
from ragassay.calls.ledger.records import Ledger
from ragassay.calls.model import Model, ModelError, Request
from ragassay.calls.providers import service as service_provider
from services import PATHS, Service, entry

PASSAGES = [{"text": "The harbour opened in 1931.", "id": 7, "score": 0.5, "source": "a.txt"}, {"text": "Fog."}]


def asking(*questions, samples=1):
    return [Request([{"role": "user", "content": question}], {}, samples) for question in questions]


def answers(tmp_path, settings, *questions, samples=1):
    requests = asking(*questions or ["When did it open?"], samples=samples)
    return list(complete(requests, Model("service:mine", **settings), tmp_path / "ledger"))


def echo(body):
    return {"answer": f"You asked {json.loads(body)['question']}", "passages": PASSAGES}


def test_it_is_asked_with_the_question_alone_and_its_passages_are_read(tmp_path):
    with Service(echo) as service:
        [[answer]] = answers(tmp_path, entry(service.address, headers={"X-Team": "a"}))
    assert answer.text == "You asked When did it open?"
    assert answer.passages == (
        {"text": "The harbour opened in 1931.", "id": "7", "score": 0.5, "source": "a.txt"},
        {"text": "Fog.", "id": None, "score": None, "source": None},
    )
    [asked] = service.asked
    assert json.loads(asked["body"]) == {"question": "When did it open?"} and asked["headers"]["X-Team"] == "a"


def test_what_is_in_the_ledger_is_not_asked_and_its_passages_come_with_it(tmp_path):
    with Service(echo) as service:
        first = answers(tmp_path, entry(service.address), "A?", "B?")
        again = answers(tmp_path, entry(service.address), "A?", "B?")
        replayed = answers(tmp_path, entry(service.address, mode="replay"), "A?", "B?")
    assert first == again == replayed and len(service.asked) == 2 and first[0][0].passages


def test_another_version_or_body_is_asked_again_another_path_is_not(tmp_path):
    with Service(lambda body: {"answer": "a", "other": "b"}) as service:
        answers(tmp_path, entry(service.address))
        [[other]] = answers(tmp_path, entry(service.address, reply={"answer": "$.other"}))
        assert other.text == "b" and len(service.asked) == 1
        answers(tmp_path, entry(service.address, model="2"))
        answers(tmp_path, entry(service.address, body={"q": "{question}"}))
    assert len(service.asked) == 3


def test_each_ask_is_a_request_of_its_own(tmp_path):
    counter = iter(range(9))
    with Service(lambda body: {"answer": str(next(counter))}) as service:
        [texts] = answers(tmp_path, entry(service.address, concurrency=1), samples=3)
    assert sorted(answer.text for answer in texts) == ["0", "1", "2"] and len(service.asked) == 3


def test_get_puts_the_body_into_the_query(tmp_path):
    with Service(lambda path: {"answer": path}) as service:
        settings = entry(f"{service.address}?v=1", method="GET", body={"q": "{question}", "k": 3})
        [[answer]] = answers(tmp_path, settings, "a & b?")
    assert answer.text == "/ask?v=1&q=a+%26+b?&k=3"


def test_the_key_is_sent_where_headers_say_and_kept_nowhere(tmp_path, monkeypatch):
    monkeypatch.setenv("RAG_KEY", "planted-key-20a9")
    with Service(lambda body: {"answer": "my key is planted-key-20a9"}) as service:
        settings = entry(service.address, key_variable="RAG_KEY", headers={"X-Api-Key": "{key}"})
        [[answer]] = answers(tmp_path, settings)
        answers(tmp_path, entry(service.address, key_variable="RAG_KEY"), "B?")
    first, second = service.asked
    assert first["headers"]["X-Api-Key"] == "planted-key-20a9" and "Authorization" not in first["headers"]
    assert second["headers"]["Authorization"] == "Bearer planted-key-20a9"
    stored = b"".join(file.read_bytes() for file in (tmp_path / "ledger").rglob("*") if file.is_file())
    assert b"planted" not in stored and "planted" not in answer.text


def test_without_its_key_nothing_is_asked(tmp_path, monkeypatch):
    monkeypatch.delenv("RAG_KEY", raising=False)
    with Service(echo) as service, pytest.raises(ModelError, match=r"services\.mine: no key.*RAG_KEY"):
        answers(tmp_path, entry(service.address, key_variable="RAG_KEY"))
    assert not service.asked


def stream(*events):
    return 200, {"content-type": "text/event-stream"}, "".join(f"{event}\n\n" for event in events).encode()


def test_events_of_a_stream_are_joined(tmp_path):
    events = [": hold on", 'data: {"answer": "In "}', 'event: piece\ndata: {"answer": "1931."}']
    events += ['data: {"passages": [{"text": "It opened in 1931."}]}', 'data: {"cost": 0.5}', "data: [DONE]"]
    with Service(lambda body: stream(*events)) as service:
        [[answer]] = answers(tmp_path, entry(service.address, reply={"cost": "$.cost"}, price=1))
    assert answer.text == "In 1931." and [passage["text"] for passage in answer.passages] == ["It opened in 1931."]
    with contextlib.closing(Ledger(tmp_path / "ledger")) as ledger:
        assert ledger.dollars == 0.5


def test_pieces_of_text_are_joined_where_the_whole_reply_is_the_answer(tmp_path):
    with Service(lambda body: stream("data: In", "data:  1931.")) as service:
        [[streamed]] = answers(tmp_path, entry(service.address, reply={"answer": None, "passages": None}))
    with Service(lambda body: b"In 1931.") as service:
        [[plain]] = answers(tmp_path, entry(service.address, reply={"answer": None, "passages": None}))
    assert streamed.text == plain.text == "In 1931." and plain.passages is None


def chat(body):
    asked = json.loads(body)
    message = {"content": f"{asked['model']} heard {asked['messages'][-1]['content']}"}
    return {"choices": [{"message": message, "finish_reason": "stop"}], "sources": PASSAGES}


def test_a_chat_endpoint_is_a_service(tmp_path):
    with Service(chat) as service:
        settings = entry(service.address, kind="chat", body={"model": "rag"}, reply={"passages": "$.sources[*]"})
        [[answer]] = answers(tmp_path, settings)
    assert answer.text == "rag heard When did it open?" and answer.passages[0]["id"] == "7"


def test_a_chat_endpoint_may_stream(tmp_path):
    pieces = [
        {"choices": [{"delta": {"content": text}, "finish_reason": end}]} for text, end in [("a", None), ("b", "stop")]
    ]
    pieces.insert(0, {"choices": [], "sources": PASSAGES})
    events = [f"data: {json.dumps(piece)}" for piece in pieces]
    with Service(lambda body: stream(*events, "data: [DONE]")) as service:
        [[answer]] = answers(tmp_path, entry(service.address, kind="chat", reply={"passages": "$.sources"}))
    assert answer.text == "ab" and len(answer.passages) == 2


PIPELINE = """
import threading

def ask(question):
    if "raise" in question:
        raise LookupError("no index")
    return {"answer": question.upper(), "passages": ["one", "two"]}

def ask_for_ever(question):
    threading.Event().wait()

async def ask_later(question):
    return question.lower()
"""


@pytest.fixture
def pipeline(tmp_path, monkeypatch):
    (tmp_path / "their_pipeline.py").write_text(PIPELINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    sys.modules.pop("their_pipeline", None)


def test_a_function_is_a_service(tmp_path, pipeline):
    settings = entry(kind="python", function="their_pipeline:ask")
    [[answer], [refused]] = answers(tmp_path, settings, "Why?", "raise")
    assert answer.text == "WHY?" and [passage["text"] for passage in answer.passages] == ["one", "two"]
    assert refused.finish_reason == "provider_error" and "LookupError: no index" in refused.detail
    settings = entry(kind="python", function="their_pipeline:ask_later", reply={"passages": None})
    [[answer]] = answers(tmp_path, settings, "Why?")
    assert answer.text == "why?"


def test_a_function_that_never_ends_is_given_up_and_keeps_no_process_alive(tmp_path, pipeline):
    settings = entry(kind="python", function="their_pipeline:ask_for_ever", timeout=0.2)
    before = {*threading.enumerate()}  # other tests may have left some
    with pytest.raises(Unanswered, match=r"no answer within 0\.2 s"):
        answers(tmp_path, settings)
    left = {*threading.enumerate()} - before
    assert left and all(thread.daemon for thread in left)


def test_the_configurations_own_server_is_asked_past_any_proxy(tmp_path, pipeline, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    (tmp_path / "their_server.py").write_text(SERVER)
    settings = entry("http://127.0.0.1:0/ask", local_server="their_server", local_settings={"answer": "Fog."})
    monkeypatch.setattr(service_provider, "module_version", lambda *_: "1")  # it is none of the workflow's
    [[answer]] = answers(tmp_path, settings | {"service": settings["service"] | {"reply": PATHS | {"passages": None}}})
    assert answer.text == "Fog."


SERVER = """
from services import Service

class LocalService:
    def __init__(self, settings):
        self.service = Service(lambda body: settings)

    def __enter__(self):
        self.service.__enter__()
        self.port = self.service.server.server_port
        return self

    def __exit__(self, *error):
        self.service.__exit__(*error)
"""


@pytest.mark.parametrize("function", ["their_pipeline:missing", "no_such_module:ask"])
def test_a_function_that_is_not_there_is_one_line(tmp_path, pipeline, function):
    with pytest.raises(ModelError, match=r"services\.mine\.function: found .* cannot be imported"):
        answers(tmp_path, entry(kind="python", function=function, reply={"passages": None}))


def test_price_and_cap_are_by_the_question(tmp_path):
    with Service(echo) as service:
        settings = entry(service.address, price=0.4, budget_usd=1.0, concurrency=1)
        with pytest.raises(AssayError, match="budget_usd 1"):
            answers(tmp_path, settings, "A?", "B?", "C?")
    model = Model("service:mine", **settings)
    with contextlib.closing(Ledger(tmp_path / "ledger")) as ledger:
        assert account(model, ledger)["dollars"] == pytest.approx(0.8) and len(service.asked) == 2


WRONG = {
    "html": (b"<html>login</html>", "a web page, expected JSON; correct services.mine.address"),
    "no json": (b"oops", "is no JSON"),
    "no answer": ({"reply": "x"}, r"found nothing at '\$.answer', expected one text; the reply has the fields 'reply'"),
    "no text": ({"answer": {"a": 1}}, r"at '\$.answer', expected one text.*correct services.mine.reply.answer"),
    "passages without text": (
        {"answer": "x", "passages": [{"body": "y"}]},
        r"found nothing in passage 1 at '\$.text'.*'body'.*correct services.mine.reply.text",
    ),
    "redirect": (
        (302, {"location": "http://192.0.2.1/"}, b""),
        "http://192.0.2.1/; .*put that into services.mine.address",
    ),
    "unknown address": ((404, {}, {"detail": "no route"}), "no route; check services.mine.address"),
    "wrong key": ((401, {}, {"detail": "who are you"}), "who are you; check the key"),
    "large": (b'{"answer": "' + b"x" * 10_000_001 + b'"}', "is longer than 10,000,000 bytes"),
    "error in 200, of all": ({"error": {"code": 401, "message": "invalid api key"}}, "invalid api key; check the key"),
}


@pytest.mark.parametrize(("reply", "expected"), WRONG.values(), ids=WRONG)
def test_what_no_reply_should_be_is_one_line(tmp_path, reply, expected):
    with Service(lambda body: reply) as service, pytest.raises(AssayError, match=expected) as caught:
        answers(tmp_path, entry(service.address, concurrency=1), *(f"{n}?" for n in range(20)))
    assert "\n" not in str(caught.value) and len(service.asked) <= 10


def test_an_error_inside_a_reply_concerns_its_question(tmp_path):
    def sometimes(body):
        return {"error": {"code": 400, "message": "blocked by our policy"}} if "bad" in body else {"answer": "fine"}

    with Service(sometimes) as service:
        [[fine], [bad]] = answers(tmp_path, entry(service.address, reply={"passages": None}), "good?", "bad?")
        before = len(service.asked)
        again = answers(tmp_path, entry(service.address, reply={"passages": None}), "good?", "bad?")
    assert fine.text == "fine" and not bad.text and "blocked by our policy" in bad.detail
    assert len(service.asked) == before and again[1][0].detail == bad.detail


def test_a_corrected_path_reads_what_is_stored_and_asks_nothing(tmp_path):
    with Service(lambda body: {"reply": "x"}) as service:
        with pytest.raises(AssayError):
            answers(tmp_path, entry(service.address, reply={"passages": None}))
        before = replies(tmp_path / "ledger")
        [[answer]] = answers(tmp_path, entry(service.address, reply={"answer": "$.reply", "passages": None}))
    assert answer.text == "x" and len(service.asked) == before == 1


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_service_is_asked_again_after_its_pause(tmp_path, status):
    turns = iter([(status, {"retry-after": "0"}, b"busy")])
    with Service(lambda body: next(turns, {"answer": "x"})) as service:
        [[answer]] = answers(tmp_path, entry(service.address, reply={"passages": None}))
    assert answer.text == "x" and len(service.asked) == 2


def dripping(over):
    while not over.wait(0.02):
        yield b" "


@pytest.mark.parametrize("drips", [False, True])
def test_a_reply_that_never_ends_is_given_up(tmp_path, drips):
    over = threading.Event()
    with Service(lambda body: (200, {"content-length": "500"}, dripping(over) if drips else b"{")) as service:
        settings = entry(service.address, timeout=0.2)
        with pytest.raises(Unanswered, match=r"no answer within 0\.2 s"):
            answers(tmp_path, settings)
        over.set()
    assert len(service.asked) == 4  # two tries, and once more at the end


def test_an_empty_answer_is_an_answer(tmp_path):
    with Service(lambda body: {"answer": "", "passages": []}) as service:
        [[answer]] = answers(tmp_path, entry(service.address))
    assert (answer.text, answer.passages) == ("", ())


def test_an_address_without_a_server_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"check services\.mine\.address"):
        answers(tmp_path, entry("http://127.0.0.1:1/ask"))
