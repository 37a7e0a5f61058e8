"""Together's hosted models, through its official client; otherwise as `openai`."""

import tempfile
from pathlib import Path

import httpx
import together

from ragassay.llm.batches.endpoints import ENDPOINT, job_of
from ragassay.llm.providers import openai


class Provider(openai.Provider):
    sdk, raw, path = together, httpx.Response, "/v1/chat/completions"
    transport_errors = (httpx.HTTPError,)  # of uploads, which do not go through the client alone
    most_bytes = 90_000_000  # of one batch; Together takes 100 MB

    def new_client(self, key):
        return together.AsyncTogether(api_key=key, base_url=self.model.base_url, max_retries=0, timeout=None)

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
