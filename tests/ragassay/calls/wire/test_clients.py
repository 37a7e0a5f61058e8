"""One suite of manners for all clients: what they hand on, whom they follow, how they find their way behind a proxy,
which never sees the key, and what stops at once.
"""

import asyncio
import contextlib
import itertools
import socket
import socketserver
import ssl
import subprocess
import sys
import threading

import pytest

from ragassay.calls.model import Failure, Model, ModelError, provider_for
from servers import answer, moved, serving

KEY = "sk-planted-7f3a91c04de852b6"
REPLY = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}"
WANTS_PASSWORD = b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
OLD = "ignore:BasicAuth is deprecated", "ignore:The 'proxy_auth' parameter is deprecated"  # by openai
pytestmark = [pytest.mark.filterwarnings(text) for text in OLD]
CLIENTS = [("openai", "official"), ("together", "official"), ("openai", "fast")]
OF_OPENAI = pytest.mark.parametrize("post", [CLIENTS[0], CLIENTS[2]], ids=" ".join, indirect=True)


@pytest.fixture(params=CLIENTS, ids=" ".join)
def post(request, monkeypatch):
    """What comes back for one request; the account and an administrator's key are in the environment, too."""
    provider, client = request.param
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LOOPBACK_KEY", KEY)
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "sk-administrator")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-planted")

    def once(base, body=None):
        async def posted():
            tested = provider_for(Model("tested", provider, "m", base, "LOOPBACK_KEY", client=client))
            try:
                return await tested.poster.post(body or {"model": "m"})
            finally:
                await tested.close()

        return asyncio.run(posted())

    return once


@pytest.fixture
def listen():
    """Starts servers on loopback that take each connection in a thread of its own and keep the heads that they read."""

    @contextlib.contextmanager
    def listening(serve):
        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                with contextlib.suppress(OSError):
                    serve(listener, self.request)

        with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as listener:
            listener.daemon_threads, listener.block_on_close, listener.heads = True, False, []
            listener.place = "{}:{}".format(*listener.server_address)
            threading.Thread(target=listener.serve_forever, args=(0.01,), daemon=True).start()
            yield listener
            listener.shutdown()

    with contextlib.ExitStack() as stack:
        yield lambda serve: stack.enter_context(listening(serve))


def head(listener, connection):
    """The head of a request, in small letters, once its body has come, too."""
    stream = connection.makefile("rb")
    text = b"".join(itertools.takewhile(lambda line: line != b"\r\n", stream)).decode().lower()
    stream.read(int(text.partition("content-length: ")[2].partition("\r\n")[0] or 0))
    if text:
        listener.heads.append(text)
    return text


def answering(listener, connection):
    if head(listener, connection):
        connection.sendall(REPLY)


def asking_for_a_password(listener, connection):
    if head(listener, connection):
        connection.sendall(WANTS_PASSWORD)


def forwarding(listener, connection):
    """A proxy: opens tunnels, and answers plain requests itself."""
    first = head(listener, connection)
    if not first.startswith("connect"):
        connection.sendall(REPLY)
        return
    host, _, port = first.split()[1].rpartition(":")
    with socket.create_connection((host, int(port))) as server:
        connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        back = threading.Thread(target=pump, args=(server, connection), daemon=True)
        back.start()
        pump(connection, server)
        back.join(5)


def pump(source, sink):
    with contextlib.suppress(OSError):
        while piece := source.recv(65_536):
            sink.sendall(piece)
        sink.shutdown(socket.SHUT_WR)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate of this machine that nobody trusts, and its key."""
    folder = tmp_path_factory.mktemp("certificate")
    paths = str(folder / "certificate.pem"), str(folder / "key.pem")
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names]
    subprocess.run([*command, "-out", paths[0], "-keyout", paths[1]], check=True, capture_output=True)
    return paths


@pytest.fixture
def secure(listen, certificate):
    """A server that speaks TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)

    def serve(listener, connection):
        with context.wrap_socket(connection, server_side=True) as inside:
            answering(listener, inside)

    return listen(serve)


def failure(post, base):
    with pytest.raises(Failure) as error:
        post(base)
    assert "\n" not in error.value.detail and KEY not in error.value.detail
    return error.value


def test_a_job_that_needs_no_batches_loads_no_official_client():
    modules = "import ragassay.calls.complete, ragassay.calls.providers.openai, ragassay.calls.providers.together, sys"
    program = f"{modules}; print({{'openai', 'together', 'httpx', 'httpx2'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@OF_OPENAI
def test_status_headers_and_text_are_handed_on(serve, post):
    server = serve(requests_per_minute=600)
    status, headers, text = post(server.url, {"model": "loopback"})
    assert (status, "messages" in text) == (400, True)
    status, headers, _ = post(server.url, {"model": "loopback", "messages": [{"role": "user", "content": "é\ud83d"}]})
    assert (status, headers["X-RateLimit-Limit-Requests"]) == (200, "600")


@OF_OPENAI
@pytest.mark.parametrize(
    ("reply", "expected"),
    [(b"hello there\r\n\r\n", "Bad status line"), (answer(x_trace="x" * 70_000), "Got more than 65536 bytes")],
)
def test_a_reply_that_is_no_http_may_have_cost_and_says_so_in_one_line(reply, expected, post):
    with serving({"/chat/completions": reply}) as base:
        garbled = failure(post, base)
    assert (garbled.kind, garbled.again, garbled.lost) == ("garbled", True, True) and expected in garbled.detail


@OF_OPENAI
def test_headers_of_several_kilobytes_are_read(post):
    with serving({"/chat/completions": answer(b"{}", x_trace="x" * 30_000)}) as base:
        assert post(base)[::2] == (200, "{}")


@pytest.mark.parametrize("post", [CLIENTS[2]], ids=" ".join, indirect=True)  # others hand on what they cannot decode
def test_an_encoding_that_nobody_asked_for_cannot_be_read(post):
    with serving({"/chat/completions": answer(b"\x0b\x02\x80", content_encoding="br")}) as base:
        assert "content-encoding: brotli" in failure(post, base).detail


@OF_OPENAI
def test_nobody_is_followed_to_another_address(post):
    with serving({"/chat/completions": moved("http://127.0.0.1:1/elsewhere", "308 Permanent Redirect")}) as base:
        status, headers, _ = post(base)
    assert (status, headers["location"]) == (308, "http://127.0.0.1:1/elsewhere")
    stopped = provider_for(Model("tested", "openai", "m", base)).failure(status, headers, "")
    assert not stopped.again and not stopped.refused
    assert stopped.detail.endswith("1/elsewhere; the server names another address: put that into base_url")


def test_a_tunnel_through_a_proxy_carries_no_key(post, listen, secure, certificate, monkeypatch):
    proxy = listen(forwarding)
    monkeypatch.setenv("HTTPS_PROXY", f"http://someone:s3cret@{proxy.place}")
    monkeypatch.setenv("SSL_CERT_FILE", certificate[0])
    assert post(f"https://{secure.place}/v1")[::2] == (200, "{}")
    [seen], [served] = proxy.heads, secure.heads
    assert seen.startswith("connect") and "proxy-authorization: basic c29tzw9uztpzm2nyzxq=" in seen
    assert not any(name in seen for name in (KEY, "bearer", "org-planted", "\r\nauthorization", "sk-"))
    assert f"\r\nauthorization: bearer {KEY}" in served
    assert "proxy-authorization" not in served and "s3cret" not in served and "administrator" not in served


def test_a_plain_request_through_a_proxy_carries_the_key_for_the_server_alone(post, listen, monkeypatch):
    proxy = listen(forwarding)
    monkeypatch.setenv("HTTP_PROXY", f"http://{proxy.place}")
    assert post("http://models.invalid/v1")[::2] == (200, "{}")
    [seen] = proxy.heads
    assert seen.count(KEY) == 1 and f"\r\nauthorization: bearer {KEY}" in seen
    assert "proxy-authorization" not in seen and "administrator" not in seen


def test_an_excepted_host_is_reached_past_the_proxy(post, listen, monkeypatch):
    server, proxy = listen(answering), listen(forwarding)
    monkeypatch.setenv("HTTP_PROXY", f"http://{proxy.place}")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert post(f"http://{server.place}/v1")[0] == 200
    assert not proxy.heads


@pytest.mark.parametrize(("scheme", "variable"), [("https", "HTTPS_PROXY"), ("http", "HTTP_PROXY")])
def test_a_proxy_that_wants_a_password_stops_the_job(post, listen, monkeypatch, scheme, variable):
    proxy = listen(asking_for_a_password)
    monkeypatch.setenv(variable, f"http://{proxy.place}")
    stopped = failure(post, f"{scheme}://models.invalid/v1")
    assert (stopped.kind, stopped.again, stopped.lost) == ("proxy", False, False)
    assert "it wants a name and a password; put them into HTTPS_PROXY" in stopped.detail
    assert all(KEY not in seen for seen in proxy.heads if seen.startswith("connect"))


def test_a_certificate_that_is_not_trusted_stops_the_job_and_names_the_variable(post, secure):
    stopped = failure(post, f"https://{secure.place}/v1")
    assert (stopped.kind, stopped.again, stopped.lost) == ("certificate", False, False)
    assert "self" in stopped.detail and "set SSL_CERT_FILE to a file" in stopped.detail


def test_https_to_a_server_of_plain_http_stops_the_job(post, listen):
    def plain(listener, connection):
        connection.recv(65_536)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")

    stopped = failure(post, f"https://{listen(plain).place}/v1")
    assert (stopped.kind, stopped.again) == ("no TLS", False)
    assert stopped.detail.endswith("not speak TLS; if the server speaks plain HTTP, let base_url begin with http://")


def test_a_server_that_answers_nothing_to_tls_is_no_connection(post, listen, monkeypatch):
    def silent(listener, connection):
        while connection.recv(65_536):
            pass

    for module in ("wire.clients", "providers.openai", "providers.together"):
        monkeypatch.setattr(f"ragassay.calls.{module}.CONNECT_SECONDS", 0.2)
    stopped = failure(post, f"https://{listen(silent).place}/v1")
    assert (stopped.kind, stopped.again, stopped.lost) == ("connection", True, False)


def test_a_name_that_nobody_has_stops_the_job(post):
    stopped = failure(post, "http://nobody.invalid/v1")
    assert (stopped.kind, stopped.again, stopped.lost) == ("no name", False, False)


@OF_OPENAI
def test_azure_is_asked_at_its_deployment_with_its_own_header(post, listen):
    server = listen(answering)
    post(f"http://{server.place}/openai?api-version=2024-10-21")
    [seen] = server.heads
    assert seen.startswith("post /openai/deployments/m/chat/completions?api-version=2024-10-21 ")
    assert f"\r\napi-key: {KEY}" in seen and "\r\nauthorization" not in seen


@OF_OPENAI
@pytest.mark.parametrize("proxy", ["http://127.0.0.1:1", "127.0.0.1:1"])
def test_a_proxy_that_is_away_is_no_connection_and_may_be_named_without_http(post, monkeypatch, proxy):
    monkeypatch.setenv("http_proxy", proxy)
    away = failure(post, "http://models.invalid/v1")
    assert "no connection to http://models.invalid/v1: " in away.detail and "127.0.0.1:1 " in away.detail
    assert (away.again, away.lost) == (True, False)


def test_a_proxy_of_another_kind_stops_the_job_and_its_password_is_not_shown(post, monkeypatch):
    monkeypatch.setenv("http_proxy", "socks5://me:secret@here")
    expected = "names a socks5 proxy, expected one that begins with http://, or NO_PROXY=models.invalid"
    with pytest.raises(ModelError, match=expected) as error:
        post("http://models.invalid/v1")
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
    tested = provider_for(Model("tested", provider, "m", given, "LOOPBACK_KEY", client="fast"))
    assert str(tested.poster.address) == where
    assert (tested.poster.headers.get("OpenAI-Organization") == "org-1") == (provider == "openai")
    assert f"{tested.new_client().base_url}".rstrip("/") + tested.path == where
