"""Files and batches of the loopback server by the official clients of OpenAI and Together."""

import contextlib
import json
import time

import openai
import pytest
import together

from clocks import until

ENDPOINT = "/v1/chat/completions"


def rows(count: int, **body) -> list[dict]:
    return [
        {
            "custom_id": f"row-{number}",
            "method": "POST",
            "url": ENDPOINT,
            "body": {"model": "loopback", "messages": [{"role": "user", "content": f"question {number}"}], **body},
        }
        for number in range(count)
    ]


def lines(found: list) -> bytes:
    return "\n".join(json.dumps(row) for row in found).encode() + b"\n"


def upload(client, content: bytes) -> str:
    return client.files.create(file=("rows.jsonl", content), purpose="batch").id


def create(client, content: bytes, **settings):
    return client.batches.create(
        input_file_id=upload(client, content), endpoint=ENDPOINT, completion_window="24h", **settings
    )


def read(client, name: str | None) -> list[dict]:
    return [json.loads(line) for line in client.files.content(name).text.splitlines()] if name else []


def ids(found: list[dict]) -> list[str]:
    return [row["custom_id"] for row in found]


def test_a_batch_by_the_official_client(serve):
    server = serve()
    with server.openai() as client:
        content = lines(rows(5, n=2))
        batch = create(client, content, metadata={"shard": "a"})
        assert (batch.status, batch.metadata, batch.request_counts.total) == ("validating", {"shard": "a"}, 5)
        assert client.files.content(batch.input_file_id).read() == content
        batch = client.batches.retrieve(batch.id)
        assert (batch.status, batch.request_counts.completed, batch.error_file_id) == ("completed", 5, None)
        found = read(client, batch.output_file_id)
        assert ids(found) == [f"row-{number}" for number in range(5)]
        body = found[3]["response"]["body"]
        online = client.chat.completions.create(**rows(5, n=2)[3]["body"])
        assert [choice["message"]["content"] for choice in body["choices"]] == [
            choice.message.content for choice in online.choices
        ]
        assert body["usage"]["prompt_tokens"] == online.usage.prompt_tokens
    summary = server.summary()
    assert (summary["kinds"], summary["billed"], summary["samples"]) == ({"answer": 6}, 6, 12)
    assert summary["batches_per_input"] == [1] and summary["requests"] == 1


@pytest.mark.clock
def test_a_batch_takes_its_time(serve):
    with serve(batch_seconds=0.5).openai() as client:
        batch, seen = create(client, lines(rows(2))), set()
        while (batch := client.batches.retrieve(batch.id)).status != "completed":
            assert batch.output_file_id is None
            seen.add(batch.status)
            time.sleep(0.01)
        assert seen == {"validating", "in_progress", "finalizing"}


def test_rows_come_back_shuffled_missing_or_as_errors(serve):
    server = serve(batch_shuffled=True, batch_missing=0.2, batch_errors=0.2)
    with server.openai() as client:
        batch = create(client, lines(rows(50)))
        batch = client.batches.retrieve(batch.id)
        output, errors = read(client, batch.output_file_id), read(client, batch.error_file_id)
        again = client.batches.retrieve(batch.id)
        assert again.output_file_id == batch.output_file_id  # a second look changes nothing
    assert ids(output) != sorted(ids(output), key=lambda name: int(name[4:]))
    kinds = server.summary()["kinds"]
    assert (len(output), len(errors)) == (kinds["answer"], kinds["500"]) and kinds["missing"] > 0
    assert not set(ids(output)) & set(ids(errors)) and len(output) + len(errors) + kinds["missing"] == 50
    assert {row["response"]["status_code"] for row in errors} == {500}
    assert server.summary()["billed"] == kinds["answer"] + kinds["missing"]


def test_rows_that_the_model_refuses_are_in_the_error_file(serve):
    with serve().openai() as client:
        batch = create(client, lines([*rows(2), {**rows(3)[2], "body": {"model": "gpt-0", "messages": []}}]))
        batch = client.batches.retrieve(batch.id)
        assert (batch.request_counts.completed, batch.request_counts.failed) == (2, 1)
        (error,) = read(client, batch.error_file_id)
        assert error["response"]["status_code"] == 400 and error["custom_id"] == "row-2"


@pytest.mark.clock
def test_a_batch_that_expires_or_is_cancelled_keeps_what_was_done(serve):
    server = serve(batch_seconds=2, batch_expires_after=0.5)
    with server.openai() as client:
        batch = create(client, lines(rows(8)))
        while (batch := client.batches.retrieve(batch.id)).status != "expired":
            time.sleep(0.05)
        assert ids(read(client, batch.output_file_id)) == ["row-0", "row-1"] and server.summary()["billed"] == 2
        errors = read(client, batch.error_file_id)
        assert [(row["custom_id"], row["error"]["code"]) for row in errors] == [
            (f"row-{number}", "batch_expired") for number in range(2, 8)
        ]
        server.control(batch_seconds=8, batch_expires_after=86_400)
        batch = create(client, lines(rows(100)))
        until(lambda: client.batches.retrieve(batch.id).request_counts.completed >= 25)
        batch = client.batches.cancel(batch.id)
        assert batch.status == "cancelled" and batch.error_file_id is None
        assert 25 <= len(read(client, batch.output_file_id)) == server.summary()["billed"] - 2 < 100
        with pytest.raises(openai.ConflictError):
            client.batches.cancel(batch.id)


@pytest.mark.parametrize(
    "content, code, line",
    [
        (lines([*rows(2), *rows(1)]), "duplicate_custom_id", 3),
        (lines(rows(1)) + b"{\n", "invalid_json_line", 2),
        (lines([[1]]), "invalid_request", 1),
        (lines([{"body": {}}]), "missing_required_parameter", 1),
        (lines([{**rows(1)[0], "url": "/v1/embeddings"}]), "mismatched_endpoint", 1),
        (lines([{**rows(1)[0], "method": "GET"}]), "invalid_method", 1),
        (b"", "empty_file", None),
    ],
)
def test_a_batch_of_a_bad_file_fails(serve, content, code, line):
    server = serve()
    with server.openai() as client:
        batch = create(client, content)
        assert batch.status == "failed" and [(error.code, error.line) for error in batch.errors.data] == [(code, line)]
    assert server.summary()["billed"] == 0


def test_a_batch_whose_creation_was_never_answered_is_there_all_the_same(serve):
    server = serve(route_faults={"batches.create": ["hang", "abort", "500", "drop"]})
    with server.openai(timeout=0.5) as client:
        name = upload(client, lines(rows(2)))
        errors = [openai.APITimeoutError, openai.APIConnectionError, openai.InternalServerError]
        errors.append(openai.APIConnectionError)
        for number, error in enumerate(errors, start=1):
            with pytest.raises(error):
                client.batches.create(input_file_id=name, endpoint=ENDPOINT, completion_window="24h")
            assert len(list(client.batches.list())) == [1, 1, 1, 2][number - 1]
        assert client.batches.create(input_file_id=name, endpoint=ENDPOINT, completion_window="24h").id
        create(client, lines(rows(3)))
    assert server.summary()["batches_per_input"] == [1, 3]


def test_downloads_may_be_cut_off(serve):
    server = serve(route_faults={"files.content": ["cut"]})
    with server.openai() as client:
        name = upload(client, lines(rows(20)))
        for _ in range(2):
            with pytest.raises(openai.APIConnectionError):
                client.files.content(name).read()
            assert client.files.content(name).read() == lines(rows(20))
            server.control(route_faults={"files.content": ["cut"]})  # counts anew


def test_lists_have_pages(serve):
    with serve().openai() as client:
        made = [create(client, lines(rows(1))).id for _ in range(5)]
        first = client.batches.list(limit=2)
        assert [batch.id for batch in first.data] == made[:2:-1] and first.has_more
        assert [batch.id for batch in first] == made[::-1]
        names = [file.id for file in client.files.list(limit=3)]
        assert len(names) == len(set(names)) == 10  # five inputs and five outputs
        client.files.delete(names[0])
        with pytest.raises(openai.NotFoundError):
            client.files.retrieve(names[0])
        with pytest.raises(openai.NotFoundError):
            client.batches.retrieve("batch_none")


@pytest.mark.clock
def test_a_batch_by_togethers_client(serve, tmp_path):
    server, path = serve(batch_errors=0.3, batch_seconds=0.4), tmp_path / "rows.jsonl"
    made = [{"custom_id": row["custom_id"], "body": row["body"]} for row in rows(20)]
    path.write_bytes(lines(made))
    settings = {"base_url": server.together_url, "api_key": server.key, "max_retries": 0}
    with contextlib.closing(together.Together(**settings)) as client:
        name = client.files.upload(path, purpose="batch-api").id
        assert client.files.upload(path, purpose="batch-api").id == name  # known by its checksum
        assert client.files.content(name).read() == path.read_bytes()
        job = client.batches.create(endpoint=ENDPOINT, input_file_id=name).job
        progress = []
        assert job.status == "VALIDATING" and [found.id for found in client.batches.list()] == [job.id]
        while (job := client.batches.retrieve(job.id)).status != "COMPLETED":
            progress.append(job.progress)
            time.sleep(0.02)
        output = [json.loads(line) for line in client.files.content(job.output_file_id).read().splitlines()]
        errors = client.files.content(job.error_file_id).read().splitlines()
        assert job.progress == 100 and len(output) + len(errors) == 20 and errors
        assert progress == sorted(progress) and 0 < progress[-1] < 100
        online = client.chat.completions.create(**rows(20)[int(output[0]["custom_id"][4:])]["body"])
        found = output[0]["response"]["body"]
        assert found["choices"][0]["message"]["content"] == online.choices[0].message.content
        server.control(batch_seconds=60)
        job = client.batches.create(endpoint=ENDPOINT, input_file_id=name).job
        assert client.batches.cancel(job.id).status == "CANCELLED"
    wrong = contextlib.closing(together.Together(**{**settings, "api_key": "wrong"}))
    with wrong as client, pytest.raises(together.AuthenticationError):
        client.batches.list()
