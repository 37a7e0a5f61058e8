"""Any server that speaks OpenAI's chat completions: the hosted API, vLLM, llama.cpp, Ollama, ... The official client
does the talking, with its own retries off; `models.<name>.client: fast` posts without it. The raw body is handed on
as it came."""

import contextlib
import datetime
import os
from functools import cached_property, partial
from urllib.parse import urlsplit

from yarl import URL

from ragassay.calls import model
from ragassay.calls.model import Failure, Job, Model, ModelError
from ragassay.calls.wire.clients import Fast, Official, failure_of_reply, key_in, new_session
from ragassay.calls.wire.failures import CONNECT_SECONDS, failure_in_reply, failure_without_reply
from ragassay.calls.wire.replies import completion

ENDPOINT = "/v1/chat/completions"
STATES = {"completed": "completed", "expired": "expired", "cancelled": "cancelled", "failed": "failed"}
ACCOUNT = {"OPENAI_ORG_ID": "OpenAI-Organization", "OPENAI_PROJECT_ID": "OpenAI-Project"}  # variable -> header
# What replies call their limits: OpenAI and many others, Mistral, Anthropic.
LIMITS = {
    "requests_per_minute": (
        "x-ratelimit-limit-requests",
        "x-ratelimit-limit-req-minute",
        "anthropic-ratelimit-requests-limit",
    ),
    "tokens_per_minute": (
        "x-ratelimit-limit-tokens",
        "x-ratelimit-limit-tokens-minute",
        "x-ratelimitbysize-limit-minute",
        "anthropic-ratelimit-tokens-limit",
    ),
}


class Provider(model.Provider):
    """The official client is loaded and made once it is used: its import takes longer than a small job."""

    batches = True
    transport_errors = ()
    most_rows, most_bytes = 50_000, 150_000_000  # of one batch; OpenAI takes 200 MB
    home, home_variable = "https://api.openai.com/v1", "OPENAI_BASE_URL"  # used where base_url is not set
    path, account = "/chat/completions", ACCOUNT
    limits, a_minute = LIMITS, 1  # names of headers, and how many of their times a minute has

    def __init__(self, settings: Model):
        super().__init__(settings)
        variable = settings.key_variable
        self.key = key_in(variable, f"model {settings.name}") if variable else "none"
        base = settings.base_url or os.environ.get(self.home_variable) or self.home
        _check_address(settings.name, "base_url" if settings.base_url else self.home_variable, base)
        self.where = str(URL(base)).rstrip("/")
        address, self.query = URL(self.where), dict(URL(self.where).query)
        self.server = str(address.with_query(None)).rstrip("/")
        self.is_azure = "api-version" in self.query  # as in the addresses of its older interface
        if self.is_azure and "/deployments" not in address.path:
            self.path = f"/deployments/{settings.model}{self.path}"
        address = str(URL(self.server + self.path).with_query(self.query))
        if settings.client == "fast":
            self.poster = Fast(self.server, address, self._headers())
        else:
            self.poster = Official(self.server, address, self)

    def _headers(self):
        """Of each request, where no official client adds them."""
        account = {header: os.environ[name] for name, header in self.account.items() if os.environ.get(name)}
        return ({"api-key": self.key} if self.is_azure else {"Authorization": f"Bearer {self.key}"}) | account

    @cached_property
    def sdk(self):
        import openai

        return openai

    @cached_property
    def client(self):
        return self.new_client()

    @property
    def reply_type(self):
        import httpx2

        return httpx2.Response

    @property
    def post_options(self):
        """Of each request that does not go through a method of its own: it would bring a key for administrators along,
        if the environment holds one.
        """
        return {"follow_redirects": False, "security": {"bearer_auth": True}}

    def new_client(self):
        import httpx2

        timeout = httpx2.Timeout(None, connect=CONNECT_SECONDS)
        http = self.sdk.DefaultAioHttpClient(timeout=timeout, follow_redirects=False)
        for transport in (http._transport, *http._mounts.values()):  # straight, and by each proxy
            if transport:  # else its sessions have 1,000 connections at most, cookies, and headers of 8 KB at most
                transport.client = partial(new_session, transport.ssl_context)
        settings = {"max_retries": 0, "timeout": timeout, "http_client": http, "default_query": self.query}
        if self.is_azure:
            version = settings["default_query"]["api-version"]
            return self.sdk.AsyncAzureOpenAI(api_key=self.key, base_url=self.server, api_version=version, **settings)
        base = self.server if self.query else self.model.base_url
        return self.sdk.AsyncOpenAI(api_key=self.key, base_url=base, **settings)

    def identity(self):
        """The address counts, since two servers may give one name to different weights, or what is set in its place."""
        where = self.model.identity or self.where.partition("://")[2]
        return super().identity() | {"endpoint": where, "options": self.model.options}

    async def send(self, messages, sampling, samples):
        status, headers, text = await self.poster.post(self.body(messages, sampling, samples))
        if not 200 <= status < 300:
            raise self.failure(status, headers, text)
        return text, self.limits_in(headers)

    def limits_in(self, headers):
        """The limits that a reply names; the lowest, where it names several."""
        sent = {name: [headers.get(header, "") for header in names] for name, names in self.limits.items()}
        counts = {name: [int(value) for value in values if value.isdecimal()] for name, values in sent.items()}
        return {name: min(values) * self.a_minute for name, values in counts.items() if values}

    def body(self, messages, sampling, samples):
        """What is sent for the samples of these numbers."""
        body = {"model": self.model.model, "messages": messages, **sampling, **self.model.options}
        if len(samples) > 1:
            body["n"] = len(samples)
        if samples[0] and "seed" in sampling:  # else the first sample would come once more
            body["seed"] = sampling["seed"] + samples[0]
        return self.quirks.applied(body) if self.quirks else body

    def read(self, body):
        return completion(body, lambda error, lost: failure_in_reply(error, f"from {self.where}", self.model, lost))

    def open(self):
        self.poster.open()

    async def close(self):
        await self.poster.close()
        if "client" in self.__dict__:
            await self.client.close()

    def failure(self, status, headers, text):
        """What a status other than 200 means."""
        return failure_of_reply(status, headers, text, f"from {self.where}", self.model)

    # Batches: an input file, what becomes of it, and output files.

    def row(self, name: str, messages: list[dict], sampling: dict, samples: list[int]) -> dict:
        """A request as a line of an input file."""
        body = self.body(messages, sampling, samples)
        return {"custom_id": name, "method": "POST", "url": ENDPOINT, "body": body}

    async def upload(self, content: bytes, name: str) -> str:
        """The id of the new file."""
        with self._explained():
            return (await self.client.files.create(file=(name, content), purpose="batch")).id

    async def create(self, file: str, sha256: str) -> Job:
        with self._explained():
            metadata = {"input_sha256": sha256}
            settings = {"endpoint": ENDPOINT, "completion_window": "24h", "metadata": metadata}
            return job_of(await self.client.batches.create(input_file_id=file, **settings))

    async def job(self, name: str) -> Job:
        with self._explained():
            return job_of(await self.client.batches.retrieve(name))

    async def jobs(self, since: float) -> list[Job]:
        """At least all batches that were created since then."""
        batches = []
        with self._explained():
            async for batch in self.client.batches.list(limit=100):
                batches.append(job_of(batch))
                if batches[-1].created < since:
                    break
        return batches

    async def download(self, file: str) -> tuple[bytes, int]:
        """The content of a file, and how many bytes it should have."""
        with self._explained():
            size = (await self.client.files.retrieve(file)).bytes
            return (await self.client.files.content(file)).content, size

    @contextlib.contextmanager
    def _explained(self):
        try:
            yield
        except self.sdk.APIStatusError as error:
            reply = error.response
            failure = self.failure(reply.status_code, reply.headers, reply.text)
            if failure.refused:  # not one request, but a whole file or batch
                remedy = "check that the provider takes batches of this model"
                failure = Failure(failure.kind, f"{failure.detail}; {remedy}", again=False)
            raise failure from error
        except (self.sdk.APIError, OSError, *self.transport_errors) as error:
            failure = failure_without_reply(error, self.server)
            failure.lost = failure.again
            raise failure from error
        except (ValueError, TypeError, AttributeError) as error:
            detail = f"{self.client.base_url} sent something else than was asked for: {error}"
            raise Failure("cut off", detail, again=True, lost=True) from error


def job_of(batch) -> Job:
    """How both providers describe a batch, in one form."""
    counts, errors, created = (getattr(batch, name, None) for name in ("request_counts", "errors", "created_at"))
    error_lines = [f"{error.code}: {error.message}" for error in (errors and errors.data) or []]
    return Job(
        id=batch.id,
        input_file=batch.input_file_id,
        input_sha256=(getattr(batch, "metadata", None) or {}).get("input_sha256", ""),
        state=STATES.get(batch.status.lower(), "running"),
        created=created.timestamp() if isinstance(created, datetime.datetime) else float(created or 0),
        files=[file for file in (batch.output_file_id, batch.error_file_id) if file],
        done=counts.completed + counts.failed if counts else None,
        error="; ".join(error_lines[:3]) or getattr(batch, "error", None) or "",
    )


def _check_address(name, source, base):
    try:
        address = urlsplit(base)
        right = address.scheme in ("http", "https") and address.hostname and not address.username
    except ValueError:
        right = False
    if not right:
        expected = "expected https://<host>/<path>, without a password"
        raise ModelError(f"model {name}: the {source} is no address of a server, {expected}")
    if address.path.rstrip("/").endswith("/chat/completions"):
        problem = f"the {source} ends in /chat/completions, expected the address without it, which each request adds"
        raise ModelError(f"model {name}: {problem}")
