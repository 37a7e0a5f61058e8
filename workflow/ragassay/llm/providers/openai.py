"""Any server that speaks OpenAI's chat completions: the hosted API, vLLM, llama.cpp, Ollama, ...

Requests are posted as they are, and the raw body is handed on as it came; the deadline is the call layer's. The
official client, with its own retries off, does the talking about files and batches.
"""

import json
import os
from email.utils import parsedate_to_datetime
from functools import cached_property
from time import time
from urllib.parse import urlsplit

from yarl import URL

from ragassay import keys
from ragassay.llm import model
from ragassay.llm.batches.endpoints import Batches
from ragassay.llm.completion import completion
from ragassay.llm.model import Model, ModelError
from ragassay.llm.posting import Poster
from ragassay.llm.statuses import failure_in_reply, failure_of

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
        if settings.base_url is not None:
            _check_address(settings)
        self.key, base = key, settings.base_url or os.environ.get(self.home_variable) or self.home
        self.where = str(URL(base)).rstrip("/")
        account = {header: os.environ[name] for name, header in self.account.items() if os.environ.get(name)}
        self.poster = Poster(self.where, self.path, {"Authorization": f"Bearer {key}", **account})

    @cached_property
    def sdk(self):
        import openai

        return openai

    def new_client(self):
        transport = self.sdk.DefaultAioHttpClient(timeout=None)
        settings = {"base_url": self.model.base_url, "max_retries": 0, "timeout": None, "http_client": transport}
        return self.sdk.AsyncOpenAI(api_key=self.key, **settings)

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


def _check_address(settings):
    try:
        address = urlsplit(settings.base_url)
        right = address.scheme in ("http", "https") and address.hostname and not address.username
    except ValueError:
        right = False
    if not right:
        expected = "expected https://<host>/<path>, without a password"
        raise ModelError(f"model {settings.name}: the base_url is no address of a server, {expected}")


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
