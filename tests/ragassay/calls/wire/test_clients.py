"""Requests are posted without the official clients, and find the way that these would find."""

import asyncio
import subprocess
import sys

import pytest

from ragassay.calls.model import Failure, Model, ModelError, provider_for
from servers import answer, moved, serving


@pytest.fixture(params=["official", "fast"])
def client(request):
    return request.param


@pytest.fixture(params=["openai", "together"])
def provider(request, client):
    """The two packages speak HTTP in two ways; without them it is one."""
    if (request.param, client) == ("together", "fast"):
        pytest.skip("as openai")
    return request.param


@pytest.fixture
def post(client):
    """Status, headers and text of the reply to a body."""

    def once(address, body=None, provider="openai"):
        async def posted():
            tested = provider_for(Model("tested", provider, "m", address, "LOOPBACK_KEY", client=client))
            try:
                return await tested.poster.post(body or {})
            finally:
                await tested.close()

        return asyncio.run(posted())

    return once


def test_a_job_that_needs_no_batches_loads_no_official_client():
    modules = "import ragassay.calls.complete, ragassay.calls.providers.openai, ragassay.calls.providers.together, sys"
    program = f"{modules}; print({{'openai', 'together', 'httpx', 'httpx2'}} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "set()\n"


def test_status_headers_and_text_are_handed_on(serve, post):
    server = serve(requests_per_minute=600)
    status, headers, text = post(server.url, {"model": "loopback"})
    assert (status, "messages" in text) == (400, True)
    status, headers, _ = post(server.url, {"model": "loopback", "messages": [{"role": "user", "content": "é\ud83d"}]})
    assert (status, headers["X-RateLimit-Limit-Requests"]) == (200, "600")


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (b"hello there\r\n\r\n", "Bad status line"),
        (answer(x_trace="x" * 70_000), "Got more than 65536 bytes"),
    ],
)
def test_a_reply_that_is_no_http_may_have_cost_and_says_so_in_one_line(reply, told, post):
    with serving({"/chat/completions": reply}) as base, pytest.raises(Failure, match=told) as error:
        post(base)
    assert (error.value.kind, error.value.again, error.value.lost) == ("garbled", True, True)
    assert "\n" not in error.value.detail


def test_headers_of_several_kilobytes_are_read(post):
    with serving({"/chat/completions": answer(b"{}", x_trace="x" * 30_000)}) as base:
        assert post(base)[::2] == (200, "{}")


@pytest.mark.parametrize("client", ["fast"])  # the other hands on what it cannot decode, and no answer is read there
def test_an_encoding_that_nobody_asked_for_cannot_be_read(post):
    reply = answer(b"\x0b\x02\x80", content_encoding="br")
    with serving({"/chat/completions": reply}) as base, pytest.raises(Failure, match="content-encoding: brotli"):
        post(base)


def test_nobody_is_followed_to_another_address(post):
    with serving({"/chat/completions": moved("http://127.0.0.1:1/elsewhere", "308 Permanent Redirect")}) as base:
        status, headers, _ = post(base)
        tested = Model("tested", "openai", "m", base)
    assert (status, headers["location"]) == (308, "http://127.0.0.1:1/elsewhere")
    failure = provider_for(tested).failure(status, headers, "")
    assert not failure.again and not failure.refused
    assert failure.detail.endswith(
        "http://127.0.0.1:1/elsewhere; the server names another address: put that into base_url"
    )


def test_the_proxy_of_the_environment_is_used_but_not_for_excepted_hosts(serve, monkeypatch, post):
    server = serve()
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert post(server.url)[0] == 400
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("no_proxy", "")
    with pytest.raises(Failure, match=r"no connection to http://127\.0\.0\.1:\d+/v1: .*127\.0\.0\.1:1 ") as error:
        post(server.url)
    assert (error.value.again, error.value.lost) == (True, False)
    monkeypatch.setenv("http_proxy", "127.0.0.1:1")
    with pytest.raises(Failure, match=r"127\.0\.0\.1:1 "):
        post(server.url)
    monkeypatch.setenv("http_proxy", "socks5://me:secret@here")
    expected = "names a socks5 proxy, expected one that begins with http://, or NO_PROXY=127.0.0.1"
    with pytest.raises(ModelError, match=expected) as error:
        post(server.url)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("provider", "given", "variable", "where"),
    [
        ("openai", None, None, "https://api.openai.com/v1/chat/completions"),
        ("openai", None, "http://gateway/v1/", "http://gateway/v1/chat/completions"),
        ("openai", "HTTP://Here:8000/v1/", "http://gateway/v1", "http://here:8000/v1/chat/completions"),
        ("together", None, None, "https://api.together.ai/v1/chat/completions"),
        ("together", "http://here", None, "http://here/v1/chat/completions"),
    ],
)
def test_addresses_are_those_of_the_official_clients(monkeypatch, provider, given, variable, where):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    if variable:
        monkeypatch.setenv("OPENAI_BASE_URL", variable)
    found = provider_for(Model("tested", provider, "m", given, "LOOPBACK_KEY", client="fast"))
    assert str(found.poster.address) == where
    assert (found.poster.headers.get("OpenAI-Organization") == "org-1") == (provider == "openai")
    official = found.new_client()
    assert f"{official.base_url}".rstrip("/") + found.path == where
