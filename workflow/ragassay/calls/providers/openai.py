"""Any server that speaks OpenAI's chat completions: the hosted API, vLLM, llama.cpp, Ollama, ...

The official client does the talking, with its own retries off; `models.<name>.client: fast` posts ordinary requests
without it. Requests are sent as they are, and the raw body is handed on as it came; the deadline is the call layer's.
"""

import json
import os
from email.utils import parsedate_to_datetime
from functools import cached_property, partial
from time import time
from urllib.parse import urlsplit

from yarl import URL

from ragassay.base import keys
from ragassay.calls import model
from ragassay.calls.batches.endpoints import Batches
from ragassay.calls.completion import completion
from ragassay.calls.connections import CONNECT_SECONDS
from ragassay.calls.model import Model, ModelError
from ragassay.calls.posting import Fast, Official, new_session
from ragassay.calls.statuses import failure_in_reply, failure_of

ACCOUNT = {"OPENAI_ORG_ID": "OpenAI-Organization", "OPENAI_PROJECT_ID": "OpenAI-Project"}  # variable -> header
LIMITS = {"requests_per_minute": "x-ratelimit-limit-requests", "tokens_per_minute": "x-ratelimit-limit-tokens"}


class Provider(Batches, model.Provider):
    home, home_variable = "https://api.openai.com/v1", "OPENAI_BASE_URL"  # used where base_url is not set
    path, account = "/chat/completions", ACCOUNT

    def __init__(self, settings: Model):
        super().__init__(settings)
        key = os.environ.get(settings.key_variable, "").strip() if settings.key_variable else "none"
        if not key:
            raise ModelError(f"model {settings.name}: no key; set the environment variable {settings.key_variable}")
        if not (key.isascii() and key.isprintable()):
            raise ModelError(f"model {settings.name}: what {settings.key_variable} holds cannot be a key")
        keys.remember(key)
        base = settings.base_url or os.environ.get(self.home_variable) or self.home
        _check_address(settings.name, "base_url" if settings.base_url else self.home_variable, base)
        self.key, self.where = key, str(URL(base)).rstrip("/")
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
        """The address counts: two servers may give one name to different weights."""
        return super().identity() | {"endpoint": self.where.partition("://")[2], "options": self.model.options}

    async def send(self, messages, sampling, samples):
        status, headers, text = await self.poster.post(self.body(messages, sampling, samples))
        if not 200 <= status < 300:
            raise self.failure(status, headers, text)
        limits = {name: headers.get(header, "") for name, header in LIMITS.items()}
        return text, {name: int(value) for name, value in limits.items() if value.isdigit()}

    def body(self, messages, sampling, samples):
        """What is sent for the samples of these numbers."""
        body = {"model": self.model.model, "messages": messages, **sampling, **self.model.options}
        if len(samples) > 1:
            body["n"] = len(samples)
        if samples[0] and "seed" in sampling:  # else the first sample would come once more
            body["seed"] = sampling["seed"] + samples[0]
        return self.manners.applied(body) if self.manners else body

    def read(self, body):
        return completion(body, lambda error, lost: failure_in_reply(error, f"from {self.where}", self.model, lost))

    def open(self):
        self.poster.open()

    async def close(self):
        await self.poster.close()
        await super().close()

    def failure(self, status, headers, text):
        """What a status other than 200 means."""
        try:
            told = json.loads(text)
        except (ValueError, RecursionError):
            told = None
        told = told if isinstance(told, dict) else headers.get("location", text) if 300 <= status < 400 else text
        return failure_of(status, told, f"from {self.where}", self.model, _retry_after(headers))


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
        told = f"the {source} ends in /chat/completions, expected the address without it, which each request adds"
        raise ModelError(f"model {name}: {told}")


def _retry_after(headers):
    """Seconds that the server asks to wait, in either of the two forms it may use."""
    value = headers.get("retry-after", "")
    try:
        return min(max(0.0, float(value)), 300.0)
    except ValueError:
        pass
    try:
        return min(max(0.0, parsedate_to_datetime(value).timestamp() - time()), 300.0)
    except ValueError:
        return None
