"""The batch endpoints of OpenAI and of servers like it: upload, create, look, list, download.

Reports what exists and what went wrong, as `Failure`. `ragassay.calls.batches.batch_caller` decides when to look and
whether to try again. Together's differences are in its provider.
"""

import contextlib
import datetime
from functools import cached_property

from ragassay.calls.connections import failure_without_reply
from ragassay.calls.model import Failure, Job

ENDPOINT = "/v1/chat/completions"
STATES = {"completed": "completed", "expired": "expired", "cancelled": "cancelled", "failed": "failed"}


class Batches:
    """What a provider needs for mode batch that has a `sdk` and makes a `new_client()` of it. They are loaded once they
    are used: their import takes longer than a small job that needs no batches.
    """

    batches = True
    transport_errors = ()
    most_rows, most_bytes = 50_000, 150_000_000  # of one batch; OpenAI takes 200 MB

    @cached_property
    def client(self):
        return self.new_client()

    async def close(self) -> None:
        if "client" in self.__dict__:
            await self.client.close()

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
        found = []
        with self._explained():
            async for batch in self.client.batches.list(limit=100):
                found.append(job_of(batch))
                if found[-1].created < since:
                    break
        return found

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
    told = [f"{error.code}: {error.message}" for error in (errors and errors.data) or []]
    return Job(
        id=batch.id,
        input_file=batch.input_file_id,
        input_sha256=(getattr(batch, "metadata", None) or {}).get("input_sha256", ""),
        state=STATES.get(batch.status.lower(), "running"),
        created=created.timestamp() if isinstance(created, datetime.datetime) else float(created or 0),
        files=[file for file in (batch.output_file_id, batch.error_file_id) if file],
        done=counts.completed + counts.failed if counts else None,
        error="; ".join(told[:3]) or getattr(batch, "error", None) or "",
    )
