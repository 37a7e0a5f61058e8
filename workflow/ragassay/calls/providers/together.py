"""Together's hosted models through its official client. Otherwise as `openai`."""

import tempfile
from functools import cached_property
from pathlib import Path

from ragassay.calls.providers import openai
from ragassay.calls.providers.openai import ENDPOINT, job_of
from ragassay.calls.wire.clients import IDLE
from ragassay.calls.wire.failures import CONNECT_SECONDS


class Provider(openai.Provider):
    home, home_variable = "https://api.together.ai", "TOGETHER_BASE_URL"
    path, account = "/v1/chat/completions", {}
    limits = {"requests_per_minute": ("x-ratelimit-limit",), "tokens_per_minute": ("x-tokenlimit-limit",)}
    a_minute = 60  # it counts by the second
    most_bytes = 90_000_000  # of one batch; Together takes 100 MB

    @cached_property
    def sdk(self):
        import together

        return together

    @property
    def transport_errors(self):
        """Of uploads, which do not go through the client alone."""
        import httpx

        return (httpx.HTTPError,)

    @property
    def reply_type(self):
        import httpx

        return httpx.Response

    @property
    def post_options(self):
        return {"follow_redirects": False}

    def new_client(self):
        import httpx

        timeout = httpx.Timeout(None, connect=CONNECT_SECONDS)
        limits = httpx.Limits(keepalive_expiry=IDLE)
        transport = self.sdk.DefaultAsyncHttpxClient(timeout=timeout, limits=limits)
        settings = {"max_retries": 0, "timeout": timeout, "http_client": transport, "default_query": self.query}
        base = self.server if self.query else self.model.base_url
        return self.sdk.AsyncTogether(api_key=self.key, base_url=base, **settings)

    async def upload(self, content, name):
        with self._explained(), tempfile.TemporaryDirectory(prefix="ragassay-") as folder:
            path = Path(folder) / name
            path.write_bytes(content)
            return (await self.client.files.upload(path, purpose="batch-api", check=False)).id

    async def create(self, file, sha256):
        """It keeps no metadata: a batch is known again by its input file."""
        with self._explained():
            return job_of((await self.client.batches.create(endpoint=ENDPOINT, input_file_id=file)).job)

    async def jobs(self, since):
        with self._explained():
            return [job_of(batch) for batch in await self.client.batches.list()]

    async def download(self, file):
        with self._explained():
            size = (await self.client.files.retrieve(file)).bytes
            return await (await self.client.files.content(file)).read(), size
